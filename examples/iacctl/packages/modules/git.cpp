// SPDX-License-Identifier: BSL-1.0
#include "git.hpp"

#include "base/blocking_child.hpp"
#include "base/characters.hpp"
#include "base/durable_file.hpp"
#include "base/http/url.hpp"
#include "base/input_file.hpp"
#include "base/url_secrets.hpp"
#include "messages/module_sources.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

auto refuse(std::string const& address, std::string const& why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::invalid_git_address, {address, why}));
}

class git_work {
public:
    explicit git_work(git_revision const& revision) : of_(revision) {}

    // Runs git. \return its output; nothing after a failure, which is added to `problems`
    auto run(std::vector<std::string> words, bool may_fail = false,
        std::string_view protocols = "https:http:ssh:git:file") -> std::optional<std::string>
    {
        child_command command;
        // Hooks and programs that the repository configures must not run.
        command.words = {
            "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false"};
        command.words.insert(command.words.end(), words.begin(), words.end());
        command.added = {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ALLOW_PROTOCOL", std::string(protocols)}};
        // The repository around the current directory must not affect the command.
        command.withheld = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"};
        auto made = run_child(std::move(command), std::chrono::minutes(10), std::size_t{16} << 20U);
        if (made.succeeded()) return std::move(made.output);
        if (!may_fail) problems.add(messages::make_error(messages::git_failed, {of_.url, made.why, made.errors}));
        return std::nullopt;
    }

    infra::diagnostics problems;

private:
    git_revision const& of_;
};

// Removes the passwords of addresses from a configuration file of git.
auto remove_secrets_from(fs::path const& file) -> infra::diagnostics
{
    auto const text = read_input(file);
    if (!text || !has_url_secrets(*text)) return {};
    std::string kept = without_url_secrets(*text);
    constexpr std::string_view hidden = "://***@";
    for (auto at = kept.find(hidden); at != std::string::npos; at = kept.find(hidden, at))
        kept.replace(at, hidden.size(), "://");
    if (auto const error = replace_file(file, kept, 0644))
        return {messages::make_error(messages::module_package_unavailable, {file.string(), error.message()})};
    return {};
}

// git stores the address of a repository with its password, also for submodules.
auto forget_secrets(fs::path const& repository) -> infra::diagnostics
{
    auto problems = remove_secrets_from(repository / ".git" / "config");
    std::error_code none;
    for (auto const& entry : fs::recursive_directory_iterator(repository / ".git" / "modules", none))
        if (entry.path().filename() == "config" && entry.is_regular_file())
            problems.add(remove_secrets_from(entry.path()));
    return problems;
}

// Clones a repository and checks out its revision, with its submodules.
auto clone_and_check_out(git_revision const& revision, fs::path const& to) -> infra::diagnostics
{
    git_work git(revision);
    std::vector<std::string> clone{"clone", "--quiet", "--no-checkout"};
    if (!revision.depth.empty()) {
        clone.insert(clone.end(), {"--depth", revision.depth});
        if (!revision.ref.empty()) clone.insert(clone.end(), {"--branch", revision.ref});
    }
    clone.insert(clone.end(), {"--", revision.url, to.string()});
    std::vector<std::string> const in{"-C", to.string()};
    auto const with = [&](std::vector<std::string> words) {
        words.insert(words.begin(), in.begin(), in.end());
        return words;
    };
    if (!git.run(std::move(clone))) return std::move(git.problems);
    std::string commit = "HEAD";
    if (!revision.ref.empty() && revision.depth.empty()) {
        commit.clear();
        for (std::string const& name :
            {"refs/remotes/origin/" + revision.ref, "refs/tags/" + revision.ref, revision.ref}) {
            if (!commit.empty()) break;
            auto found =
                git.run(with({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}), true);
            if (found) commit = found->substr(0, found->find('\n'));
        }
        if (commit.empty()) return {messages::make_error(messages::git_ref_not_found, {revision.url, revision.ref})};
    }
    if (!git.run(with({"checkout", "--quiet", "--detach", commit, "--"}))) return std::move(git.problems);
    std::error_code ignored;
    if (!fs::exists(to / ".gitmodules", ignored)) return {};
    std::vector<std::string> submodules{"submodule", "--quiet", "update", "--init", "--recursive"};
    if (!revision.depth.empty()) submodules.insert(submodules.end(), {"--depth", revision.depth});
    // Submodules of a foreign repository must not refer to files of this machine.
    if (!git.run(with(std::move(submodules)), false, "https:http:ssh:git")) return std::move(git.problems);
    return {};
}

}  // namespace

auto git_revision::parse(std::string const& address) -> expected<git_revision>
{
    git_revision made;
    auto const question = std::min(address.find('?'), address.size());
    made.url = address.substr(0, question);
    static constexpr std::array<std::string_view, 5> schemes{"https://", "http://", "ssh://", "git://", "file://"};
    auto const scheme = std::ranges::find_if(schemes, [&](auto item) { return made.url.starts_with(item); });
    if (scheme == schemes.end()) return refuse(address, "its scheme is not https, http, ssh, git or file");
    auto const host = made.url.substr(scheme->size());
    if (host.empty() || host.starts_with('-')) return refuse(address, "it has no host");
    std::string_view rest = address;
    rest.remove_prefix(std::min(question + 1, rest.size()));
    std::string kept;
    while (!rest.empty()) {
        auto const end = std::min(rest.find('&'), rest.size());
        auto const one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        auto const equals = std::min(one.find('='), one.size());
        auto const name = one.substr(0, equals);
        auto value = equals < one.size() ? http::percent_decoded(one.substr(equals + 1)) : std::string();
        if (name == "ref") made.ref = std::move(value);
        else if (name == "depth") made.depth = std::move(value);
        else if (name == "sshkey")
            return refuse(address.substr(0, question), "keys in addresses are not supported; use an agent");
        else kept += (kept.empty() ? "?" : "&") + std::string(one);
    }
    made.url += kept;
    bool const plain =
        std::ranges::all_of(made.ref, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
    if (made.ref.starts_with('-') || !plain || made.ref.find("..") != std::string::npos
        || made.ref.find(':') != std::string::npos)
        return refuse(address, "\"ref\" is not a branch, a tag or a commit");
    if (!made.depth.empty() && (!is_digits(made.depth) || made.depth.size() > 9))
        return refuse(address, "\"depth\" is not a whole number");
    if (made.depth.find_first_not_of('0') == std::string::npos) made.depth.clear();
    return made;
}

auto fetch_git(git_revision const& revision, fs::path const& to) -> infra::diagnostics
{
    auto problems = clone_and_check_out(revision, to);
    if (problems.empty() && has_url_secrets(revision.url)) problems = forget_secrets(to);
    return problems;
}

}  // namespace iacctl::packages
