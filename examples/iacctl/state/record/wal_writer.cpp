// SPDX-License-Identifier: BSL-1.0
#include "wal_writer.hpp"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace iacctl::state {

namespace {

// The byte of the index of a log that SQLite locks for writing.
constexpr long long lock_of_writer = 120;

auto is_stopped(int pid) -> bool
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(in, line);
    auto const name = line.rfind(')');  // the name may contain any characters
    return name != std::string::npos && name + 2 < line.size() && (line[name + 2] == 'T' || line[name + 2] == 't');
}

}  // namespace

auto wal_writer::phrase() const -> std::string
{
    return "process " + std::to_string(pid) + (is_stopped ? ", which is suspended" : "");
}

auto find_wal_writer(std::filesystem::path const& database) -> std::optional<wal_writer>
{
    struct stat index{};
    if (::stat((database.string() + "-shm").c_str(), &index) != 0) return std::nullopt;
    std::ifstream locks("/proc/locks");
    // "1: POSIX  ADVISORY  WRITE 17 fe:00:9980160 120 120"
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number;
        std::string kind;
        std::string advisory;
        std::string type;
        std::string file;
        int pid = 0;
        long long first = 0;
        if (!(words >> number >> kind >> advisory >> type >> pid >> file >> first)) continue;
        bool const is_of_index = file.substr(file.rfind(':') + 1) == std::to_string(index.st_ino);
        if (kind != "POSIX" || type != "WRITE" || first != lock_of_writer || !is_of_index || pid <= 0) continue;
        return wal_writer{pid, is_stopped(pid)};
    }
    return std::nullopt;
}

}  // namespace iacctl::state
