// SPDX-License-Identifier: BSL-1.0
// Faults in the files of a state, without other processes: `durability KIND [--seed S] [--slice I/N] [--work NAME] ...`.
#include "trial.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace iacctl::durability;

constexpr char const* usage = "usage: durability crash|kill|error|damage --samples DIRECTORY [--seed S] [--slice I/N]"
                              " [--work NAME] [--damages COUNT] [--directory DIRECTORY] [--synchronizes no]\n";

auto parse(std::vector<std::string> const& words, trial_options& options) -> bool
{
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        std::string const& name = words[i];
        std::string const& text = words[i + 1];
        if (name == "--seed") options.seed = std::stoull(text);
        else if (name == "--damages") options.damages = std::stoull(text);
        else if (name == "--work") options.work = text;
        else if (name == "--samples") options.samples = text;
        else if (name == "--directory") options.directory = text;
        else if (name == "--synchronizes") options.synchronizes = text != "no";
        else if (name == "--slice") {
            options.slice = std::stoull(text);
            options.slices = std::stoull(text.substr(text.find('/') + 1));
        } else return false;
    }
    return words.size() % 2 == 0 && !options.samples.empty() && options.slice >= 1 && options.slice <= options.slices;
}

}  // namespace

int main(int argc, char** argv)
{
    std::map<std::string, tally (*)(trial_options const&)> const kinds{
        {"crash", try_crashes}, {"kill", try_kills}, {"error", try_errors}, {"damage", try_damages}};
    try {
        trial_options options;
        bool const in_memory = ::access("/dev/shm", W_OK) == 0;
        options.directory =
            fs::path(in_memory ? "/dev/shm" : "/tmp") / ("iacctl-durability-" + std::to_string(::getpid()));
        auto const kind = argc < 2 ? kinds.end() : kinds.find(argv[1]);
        if (kind == kinds.end() || !parse({argv + 2, argv + argc}, options)) {
            std::fputs(usage, stderr);
            return 2;
        }
        auto const start = std::chrono::steady_clock::now();
        tally const found = kind->second(options);
        std::chrono::duration<double> const time = std::chrono::steady_clock::now() - start;
        bool const sound = found.losses + found.hangs + found.different == 0;
        if (sound || !options.synchronizes) fs::remove_all(options.directory);
        std::printf("{\"kind\":\"%s\",\"seed\":%llu,\"points\":%llu,\"images\":%llu,\"losses\":%llu,\"hangs\":%llu,"
                    "\"different\":%llu,"
                    "\"seconds\":%.1f}\n",
            kind->first.c_str(), static_cast<unsigned long long>(options.seed),
            static_cast<unsigned long long>(found.points), static_cast<unsigned long long>(found.images),
            static_cast<unsigned long long>(found.losses), static_cast<unsigned long long>(found.hangs),
            static_cast<unsigned long long>(found.different), time.count());
        return sound == options.synchronizes ? 0 : 1;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
