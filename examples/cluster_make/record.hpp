// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_RECORD_HPP
#define CLUSTER_MAKE_RECORD_HPP

#include "build_file.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace cluster_make {

/// The tasks that began and ended, in a file that only grows: a line `begin|done|failed DIGEST NAME` each,
/// `job=ID DIGEST NAME` for a job that was submitted, and `run NUMBER .` for each run. A killed run leaves at most one
/// incomplete line, which the next run removes. Only one run at a time has the file.
class record {
public:
    explicit record(std::string const& file)
        : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600))
    {
        if (file_ < 0) throw std::system_error(errno, std::generic_category(), file);
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
            ::close(file_);
            throw std::runtime_error(file + " is in use: another run works in this folder");
        }
        std::ifstream in(file, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        std::size_t const whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
        std::istringstream lines(text.substr(0, whole));
        std::string kind;
        std::string name;
        for (std::uint64_t digest = 0; lines >> kind >> digest >> name;) last_[name] = {digest, kind};
        if (::ftruncate(file_, static_cast<::off_t>(whole)) != 0) {
            ::close(file_);
            throw std::system_error(errno, std::generic_category(), file);
        }
    }
    record(record const&) = delete;
    auto operator=(record const&) -> record& = delete;
    ~record() { ::close(file_); }

    [[nodiscard]] auto is_done(task const& t) const -> bool { return is(t, "done"); }
    /// True if the task began, and its end is unknown.
    [[nodiscard]] auto is_unknown(task const& t) const -> bool { return is(t, "begin"); }
    /// The job of a task whose end is not recorded; empty: there is none.
    [[nodiscard]] auto job_of(task const& t) const -> std::string
    {
        auto const found = last_.find(t.name);
        bool const is_job =
            found != last_.end() && found->second.digest == t.digest && found->second.kind.starts_with("job=");
        return is_job ? found->second.kind.substr(4) : std::string();
    }
    /// Returns the number of this run, larger than those of all earlier ones.
    [[nodiscard]] auto next_run() -> std::uint32_t
    {
        auto const run = static_cast<std::uint32_t>(last_["."].digest + 1);  // no task has this name
        append("run", run, ".");
        return run;
    }
    /// Returns when the line is on disk.
    void add(std::string const& kind, task const& t) { append(kind, t.digest, t.name); }

private:
    void append(std::string const& kind, std::uint64_t number, std::string const& name)
    {
        std::string const line = kind + ' ' + std::to_string(number) + ' ' + name + '\n';
        if (::write(file_, line.data(), line.size()) != static_cast<::ssize_t>(line.size()) || ::fdatasync(file_) != 0)
            throw std::system_error(errno, std::generic_category(), "the record of done tasks cannot be written");
    }

    struct entry {
        std::uint64_t digest = 0;
        std::string kind;
    };

    [[nodiscard]] auto is(task const& t, std::string const& kind) const -> bool
    {
        auto const found = last_.find(t.name);
        return found != last_.end() && found->second.kind == kind && found->second.digest == t.digest;
    }

    std::map<std::string, entry> last_;
    int file_ = -1;
};

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_RECORD_HPP
