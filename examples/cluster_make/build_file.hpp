// SPDX-License-Identifier: BSL-1.0
#ifndef CLUSTER_MAKE_BUILD_FILE_HPP
#define CLUSTER_MAKE_BUILD_FILE_HPP

#include <strider/core.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Tasks as text. A task is a line `NAME [ATTRIBUTE...]: DEPENDENCY...` and indented lines of a shell script. Attributes are
/// `label=TEXT`, `once`, and `job` with `time=`, `cpus=`, `memory=` and `nodes=`; a line that begins with `#` is a comment.
namespace cluster_make {

/// The resources of a task that is a separate Slurm job, in the syntax of `sbatch`. Empty: the defaults of the cluster.
struct job_needs {
    std::string time;  // the limit: minutes, or HOURS:MINUTES:SECONDS
    std::string cpus;
    std::string memory;
    std::string nodes;
};

struct task {
    std::string name;
    std::vector<std::string> dependencies;
    std::vector<std::string> labels;
    std::string script;
    bool once = false;  // not idempotent: it is not run again when its outcome is unknown
    std::optional<job_needs> job;
    std::uint64_t digest = 0;
};

[[nodiscard]] inline auto words_of(std::string const& text) -> std::vector<std::string>
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(std::move(word));
    return words;
}

/// The position of the colon after the name and the attributes. A colon in a time, such as `time=1:30:00`, does not
/// count.
[[nodiscard]] inline auto end_of_head(std::string const& line) -> std::size_t
{
    auto colon = line.find(':');
    while (colon != std::string::npos) {
        auto const word = line.find_last_of(" \t", colon) + 1;  // 0: there is none
        bool const in_time = line.compare(word, 5, "time=") == 0 && colon + 1 < line.size() && line[colon + 1] >= '0'
            && line[colon + 1] <= '9';
        if (!in_time) break;
        colon = line.find(':', colon + 1);
    }
    return colon;
}

/// The need of an attribute of a job; null: there is none.
[[nodiscard]] inline auto need_of(std::optional<job_needs>& of, std::string const& kind) -> std::string*
{
    if (!of) return nullptr;
    if (kind == "time") return &of->time;
    if (kind == "cpus") return &of->cpus;
    if (kind == "memory") return &of->memory;
    return kind == "nodes" ? &of->nodes : nullptr;
}

/// Reads tasks. \throws std::runtime_error with the line of an error
[[nodiscard]] inline auto read_tasks(std::string const& file) -> std::vector<task>
{
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    std::vector<task> tasks;
    std::set<std::string> names;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        auto const fail = [&](std::string const& what) {
            throw std::runtime_error(file + ':' + std::to_string(number) + ": " + what);
        };
        bool const is_indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');
        auto const words = words_of(line);
        if (words.empty() || (!is_indented && words[0][0] == '#')) continue;
        if (is_indented) {
            if (tasks.empty()) fail("a command needs a task before it");
            tasks.back().script += line.substr(line.find_first_not_of(" \t")) + '\n';
            continue;
        }
        auto const colon = end_of_head(line);
        if (colon == std::string::npos) fail("expected NAME [ATTRIBUTE...]: DEPENDENCY...");
        auto const head = words_of(line.substr(0, colon));
        if (head.empty()) fail("the task has no name");
        task t;
        t.name = head[0];
        if (t.name.find('/') != std::string::npos || t.name[0] == '.')
            fail("a name contains no '/' and does not begin with '.', because it is the name of a log: " + t.name);
        if (!names.insert(t.name).second) fail("there is another task with this name: " + t.name);
        for (std::size_t i = 1; i < head.size(); ++i) {
            if (head[i] == "once") t.once = true;
            else if (head[i] == "job") t.job.emplace();
            else if (head[i].starts_with("label=")) t.labels.push_back(head[i].substr(6));
        }
        for (std::size_t i = 1; i < head.size(); ++i) {
            auto const sign = head[i].find('=');
            std::string const kind = head[i].substr(0, sign);
            if (head[i] == "once" || head[i] == "job" || (kind == "label" && sign != std::string::npos)) continue;
            std::string* const needed = need_of(t.job, kind);
            if (needed == nullptr || sign == std::string::npos || sign + 1 == head[i].size())
                fail("unknown attribute, expected label=TEXT, once, or job with time=, cpus=, memory= or nodes=: "
                    + head[i]);
            *needed = head[i].substr(sign + 1);
        }
        t.dependencies = words_of(line.substr(colon + 1));
        tasks.push_back(std::move(t));
    }
    for (task const& t : tasks)
        for (std::string const& d : t.dependencies)
            if (!names.contains(d))
                throw std::runtime_error(file + ": task " + t.name + " depends on " + d + ", which is not a task");
    return tasks;
}

/// Makes the graph of all tasks. The digest of a task covers its script and the digests of its dependencies.
/// \throws std::runtime_error for a cycle
[[nodiscard]] inline auto graph_of(std::vector<task> const& tasks) -> strider::dag<task>
{
    auto draft = strider::make_digraph(tasks, &task::name, &task::dependencies);
    if (!draft) throw std::runtime_error(draft.error().message());
    auto frozen = strider::freeze(*std::move(draft));
    if (!frozen) throw std::runtime_error(frozen.error().message());
    auto graph = std::move(frozen).value();
    for (strider::vertex_id const v : graph.vertices()) {  // dependencies first
        std::uint64_t digest = 0xcbf2'9ce4'8422'2325U;  // FNV-1a
        auto const add = [&digest](std::string const& text) {
            for (char const c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3U;
        };
        add(graph[v].script);
        for (strider::vertex_id const d : graph.dependencies(v)) add(std::to_string(graph[d].digest));
        graph[v].digest = digest;
    }
    return graph;
}

}  // namespace cluster_make

#endif  // CLUSTER_MAKE_BUILD_FILE_HPP
