// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_SLURM_ACCESS_HPP
#define CLUSTER_MAKE_SLURM_ACCESS_HPP

#include "build_file.hpp"
#include "command.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cluster_make {

/// A script to run as a job.
struct job_request {
    job_request() = default;  // g++ 12 destroys aggregates that are arguments of coroutines twice
    std::string name;
    std::string folder;
    std::string script;  // a file
    std::string log;
    std::string key;
    std::string features;  // features of its nodes, separated by "&"
    job_needs needs;
    bool requeue = true;
};

/// A job as Slurm reports it.
struct reported_job {
    std::string name;
    std::string state;
    std::uint32_t code = 0;  // its exit code
};

/// Slurm has refused a job. After any other failure of a submission, the job may exist.
struct submission_refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The jobs of this user.
class slurm_access {
public:
    using jobs_by_id = std::map<std::string, reported_job>;

    slurm_access() = default;
    slurm_access(slurm_access const&) = delete;
    auto operator=(slurm_access const&) -> slurm_access& = delete;
    virtual ~slurm_access() = default;

    /// \return the id of the job \throws submission_refused with the message of Slurm
    virtual auto submit(job_request what) -> asio::awaitable<std::string> = 0;
    /// Cancels a job, if it has this name.
    virtual auto cancel(std::string name, std::string id) -> asio::awaitable<void> = 0;
    /// Returns the jobs that Slurm knows, including those that ended a short time ago; nothing if Slurm does not
    /// answer.
    virtual auto jobs() -> asio::awaitable<std::optional<jobs_by_id>> = 0;
};

[[nodiscard]] inline auto in_one_line(std::string text) -> std::string
{
    while (text.ends_with('\n')) text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}

/// Access with the commands of Slurm.
class slurm_commands final : public slurm_access {
public:
    auto submit(job_request what) -> asio::awaitable<std::string> override
    {
        std::vector<std::string> words{"sbatch", "--parsable", "--job-name=" + what.name, "--chdir=" + what.folder,
            "--output=" + what.log, "--open-mode=truncate", "--export=ALL",
            what.requeue ? "--requeue" : "--no-requeue"};
        for (auto const& [option, value] : std::vector<std::pair<std::string, std::string>>{
                 {"--constraint=", what.features}, {"--time=", what.needs.time}, {"--cpus-per-task=", what.needs.cpus},
                 {"--mem=", what.needs.memory}, {"--nodes=", what.needs.nodes}})
            if (!value.empty()) words.push_back(option + value);
        words.push_back(what.script);
        auto running = run(std::move(words), std::move(what.key));
        auto end = co_await std::move(running);
        std::string id = end.output.substr(0, end.output.find_first_of(";\n"));
        bool const is_number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
        if (end.code != 0 || !is_number) throw submission_refused("sbatch: " + in_one_line(end.output));
        co_return id;
    }

    auto cancel(std::string name, std::string id) -> asio::awaitable<void> override
    {
        std::vector<std::string> words{"scancel", "--name=" + name, id};
        auto running = run(std::move(words), {});
        (void)co_await std::move(running);
    }

    auto jobs() -> asio::awaitable<std::optional<jobs_by_id>> override
    {
        std::vector<std::string> words{
            "squeue", "--noheader", "--me", "--states=all", "--Format=JobID:24,State:24,exit_code:24,Name:400"};
        auto running = run(std::move(words), {});
        auto const answer = co_await std::move(running);
        if (answer.code != 0) co_return std::nullopt;
        jobs_by_id all;
        std::istringstream lines(answer.output);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream in(line);
            std::string id;
            std::uint32_t status = 0;
            reported_job one;
            if (!(in >> id >> one.state >> status >> one.name)) continue;
            one.code = status >> 8U;
            all.emplace(std::move(id), std::move(one));
        }
        co_return all;
    }

private:
    static auto run(std::vector<std::string> words, std::string key) -> asio::awaitable<command_result>
    {
        auto const become = [&] {
            ::unsetenv("CLUSTER_MAKE_CREDENTIAL");
            ::setenv("CLUSTER_MAKE_KEY", key.c_str(), 1);
            std::vector<char*> all;
            for (std::string& word : words) all.push_back(word.data());
            all.push_back(nullptr);
            ::execvp(all[0], all.data());
            std::perror(all[0]);
        };
        auto running = run_child(become);
        co_return co_await std::move(running);
    }
};

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_SLURM_ACCESS_HPP
