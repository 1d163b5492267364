// SPDX-License-Identifier: BSL-1.0
#include "trial.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

namespace iacctl::durability {

namespace {

constexpr unsigned seconds_a_trial = 60;

struct shared_progress {
    std::uint64_t next = 0;
    tally done;
};

void report(std::string const& point, std::string const& what, std::string const& why)
{
    std::string const line = "not sound: " + point + ": " + what + (why.empty() ? "" : ": ") + why + "\n";
    std::fputs(line.c_str(), stderr);
}

void count(tally& to, verdict const& found, std::string const& point)
{
    ++to.points;
    to.images += found.images;
    if (found.result == verdict::result_type::sound) return;
    bool const lost = found.result == verdict::result_type::lost;
    ++(lost ? to.losses : to.different);
    report(point, lost ? "lost" : "different", found.why);
}

}  // namespace

auto try_all(std::uint64_t total, trial_options const& options, std::function<verdict(std::uint64_t)> const& trial,
    std::function<std::string(std::uint64_t)> const& describe) -> tally
{
    void* const memory =
        ::mmap(nullptr, sizeof(shared_progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    auto* const shared = new (memory) shared_progress;
    shared->next = options.slice - 1;
    while (shared->next < total) {
        pid_t const child = ::fork();
        if (child < 0) throw std::runtime_error("fork failed");
        if (child == 0) {
            for (; shared->next < total; shared->next += options.slices) {
                ::alarm(seconds_a_trial);
                verdict found;
                try {
                    found = trial(shared->next);
                } catch (std::exception const& error) {
                    found = {verdict::result_type::lost, std::string("an exception: ") + error.what()};
                }
                count(shared->done, found, describe(shared->next));
            }
            ::_exit(0);
        }
        int status = 0;
        if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
        if (WIFEXITED(status) && shared->next >= total) break;
        bool const hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        ++shared->done.points;
        ++(hangs ? shared->done.hangs : shared->done.losses);
        report(describe(shared->next), hangs ? "hangs" : "ended with status " + std::to_string(status), {});
        shared->next += options.slices;
    }
    tally const result = shared->done;
    ::munmap(memory, sizeof(shared_progress));
    return result;
}

}  // namespace iacctl::durability
