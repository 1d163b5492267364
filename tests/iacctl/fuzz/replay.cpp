// SPDX-License-Identifier: BSL-1.0
// Passes each file of the folders named on the command line to a fuzzer, without a fuzzing engine. A finding ends the
// program, so the line of that file is missing. The output is TAP.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

extern "C" auto LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) -> int;

int main(int argc, char** argv)
{
    std::set<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i)
        for (auto const& one : std::filesystem::directory_iterator(argv[i])) files.insert(one.path());
    std::cout << "1.." << files.size() << std::endl;
    std::size_t number = 0;
    for (auto const& file : files) {
        std::ifstream in(file, std::ios::binary);
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
        std::cout << "ok " << ++number << " - " << file.filename().string() << std::endl;
    }
    return files.empty() ? 1 : 0;
}
