// SPDX-License-Identifier: BSL-1.0
#include "remote_provisioners.hpp"

#include "base/environment.hpp"
#include "base/input_file.hpp"
#include "base/last_error.hpp"
#include "base/memory_file.hpp"
#include "base/ssh/connection.hpp"
#include "connection_settings.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "provisioner_output.hpp"
#include "resource_type.hpp"

#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

namespace asio = strider::asio;
namespace fs = std::filesystem;
using language::attribute_problem;
using language::type;
using messages::make_error;
using strider::infra::diagnostic;
using strider::infra::diagnostics;
using request_type = strider::infra::provision_request<value>;
using clock = ssh::connection::clock;

// With which `ssh` also ends if its connection has ended.
constexpr int exit_code_of_ssh = 255;

// A step that begins after a cancellation would not end early.
auto is_cancelled() -> task<bool>
{
    auto const state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

auto about(std::string name, diagnostic problem) -> diagnostics
{
    return about_attribute(name, std::move(problem));
}

/// A provisioner that works on another machine: its connection, and what it prints.
class remote_work {
public:
    remote_work(request_type const& request, std::set<std::string> withheld)
        : name_(request.type),
          printed_(request.print, arguments_of(request.config)),
          block_(attribute(request.config, connection_attribute)),
          withheld_(std::move(withheld))
    {
        printed_.hide(block_);
    }

    /// Connects. \param announces  each attempt is printed \return the errors
    [[nodiscard]] auto open(bool announces) -> task<diagnostics>;
    /// Reports what prevented a step.
    [[nodiscard]] auto problem(ssh::problem const& why, std::string const& step) const -> diagnostics;
    /// Adds the warnings about the connection.
    [[nodiscard]] auto with_warnings(diagnostics problems) const -> diagnostics
    {
        problems.add(warnings_);
        return problems;
    }

    [[nodiscard]] auto connection() -> ssh::connection& { return *connection_; }
    [[nodiscard]] auto printed() -> provisioner_output& { return printed_; }
    [[nodiscard]] auto platform() const -> ssh::platform { return settings_.how.target_platform; }
    /// A path for a script, which no other run uses.
    [[nodiscard]] auto script_path() const -> std::string;
    /// Waits until the connection has ended, for a short time. \return false: it has not
    [[nodiscard]] auto wait_for_loss() -> task<bool>;

private:
    // The arguments of the provisioner without its connection.
    [[nodiscard]] static auto arguments_of(value const& config) -> value
    {
        std::vector<language::value_entry> entries;
        for (auto const& entry : config.entries())
            if (entry.key != connection_attribute) entries.push_back(entry);
        return value::object(std::move(entries));
    }
    [[nodiscard]] auto pause(std::chrono::nanoseconds time) const -> task<bool>;
    [[nodiscard]] auto connect(bool announces) -> task<diagnostics>;

    std::string name_;
    provisioner_output printed_;
    value block_;
    std::set<std::string> withheld_;
    connection_settings settings_;
    diagnostics warnings_;
    std::optional<ssh::connection> connection_;
};

auto remote_work::pause(std::chrono::nanoseconds time) const -> task<bool>
{
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::duration_cast<clock::duration>(time));
    auto token = asio::as_tuple(asio::use_awaitable);
    auto waiting = timer.async_wait(token);
    auto const [error] = co_await std::move(waiting);
    co_return !error;
}

auto remote_work::open(bool announces) -> task<diagnostics>
{
    if (!block_.has_data()) co_return diagnostics(make_error(messages::connection_missing, {name_}));
    auto settings = read_connection(block_, std::move(withheld_), warnings_);
    if (!settings) co_return settings.error().why();
    settings_ = *std::move(settings);
    connection_.emplace(co_await asio::this_coro::executor, settings_.how);
    auto preparing = connection_->prepare();
    if (auto const wrong = co_await std::move(preparing)) co_return problem(*wrong, {});
    auto connecting = connect(announces);
    co_return co_await std::move(connecting);
}

// As Terraform, which also repeats an attempt that was refused: a new machine may accept a key some seconds later.
auto remote_work::connect(bool announces) -> task<diagnostics>
{
    constexpr std::chrono::seconds longest_pause(20);
    auto const deadline = clock::now() + std::chrono::duration_cast<clock::duration>(settings_.timeout);
    std::string reason = "the machine did not complete the connection in time";
    for (std::chrono::seconds rest(1);; rest = std::min(2 * rest, longest_pause)) {
        if (announces)
            for (std::string const& line : settings_.announcement()) printed_.report(line);
        auto checking = is_cancelled();
        bool const stopped = co_await std::move(checking);
        if (stopped) co_return problem({ssh::problem::kind_type::cancelled, {}, {}}, {});
        auto connecting = connection_->connect(deadline);
        auto wrong = co_await std::move(connecting);
        if (wrong && wrong->text.empty()) wrong->text = reason;
        else if (wrong) reason = wrong->text;
        if (!wrong) {
            if (announces) printed_.report("Connected!");
            co_return diagnostics();
        }
        if (wrong->kind != ssh::problem::kind_type::unreachable || clock::now() + rest >= deadline)
            co_return problem(*wrong, {});
        auto pausing = pause(rest);
        bool const complete = co_await std::move(pausing);
        if (!complete) co_return problem({ssh::problem::kind_type::cancelled, {}, {}}, {});
    }
}

auto remote_work::wait_for_loss() -> task<bool>
{
    constexpr std::chrono::milliseconds step(20);
    for (int i = 0; i < 25 && connection_->is_open(); ++i) {
        auto pausing = pause(step);
        bool const complete = co_await std::move(pausing);
        if (!complete) break;
    }
    co_return !connection_->is_open();
}

auto remote_work::problem(ssh::problem const& why, std::string const& step) const -> diagnostics
{
    using kind = ssh::problem::kind_type;
    std::string const& host = settings_.how.target.host;
    switch (why.kind) {
    case kind::cancelled: return make_error(messages::remote_provisioner_stopped, {name_});
    case kind::file: return make_error(messages::connection_files_failed, {why.text});
    case kind::program: return make_error(messages::connection_program_not_started, {why.about, why.text});
    case kind::key:
        return about("connection." + why.about, make_error(messages::connection_key_invalid, {why.about, why.text}));
    case kind::unreachable:
        return make_error(messages::connection_not_made, {settings_.how.target.user, host, shown_output(why.text)});
    case kind::lost: return make_error(messages::connection_lost, {host, name_, shown_output(connection_->errors())});
    case kind::refused: break;
    }
    return make_error(messages::remote_upload_failed, {step, host, printed_.shown(why.text)});
}

auto remote_work::script_path() const -> std::string
{
    static constexpr std::string_view variable = "%RAND%";
    std::random_device random;
    std::string const text = std::to_string(std::uniform_int_distribution<std::int32_t>(0)(random));
    std::string path = settings_.script_path;
    for (auto at = path.find(variable); at != path.npos; at = path.find(variable, at + text.size()))
        path.replace(at, variable.size(), text);
    return path;
}

/// A script, and its name in messages.
struct script {
    std::string name;
    std::string content;
};

auto collect_inline(value const& lines, std::vector<script>& into) -> diagnostics
{
    std::string content;
    for (value const& line : lines.elements()) {
        if (line.is_null() || line.as_string().empty())
            return about("inline", make_error(messages::remote_exec_script_empty, {"inline"}));
        content += line.as_string() + "\n";
    }
    if (content.empty()) return about("inline", make_error(messages::remote_exec_script_empty, {"inline"}));
    into.push_back({"inline", std::move(content)});
    return {};
}

auto collect_file(std::string const& name, value const& path, std::vector<script>& into) -> diagnostics
{
    if (path.is_null() || path.as_string().empty())
        return about(name, make_error(messages::remote_exec_script_empty, {name}));
    auto content = read_input(path.as_string());
    if (!content)
        return about(
            name, make_error(messages::remote_exec_script_unreadable, {path.as_string(), content.error().message()}));
    if (content->empty()) return about(name, make_error(messages::remote_exec_script_empty, {path.as_string()}));
    into.push_back({path.as_string(), *std::move(content)});
    return {};
}

// The names of the arguments that are set. An unknown one may be null.
auto set_arguments(value const& of, std::initializer_list<std::string_view> names) -> std::vector<std::string_view>
{
    std::vector<std::string_view> set;
    for (std::string_view const name : names)
        if (!attribute(of, name).is_null()) set.push_back(name);
    return set;
}

auto judge_scripts(value const& of) -> std::optional<attribute_problem>
{
    auto const set = set_arguments(of, {"inline", "script", "scripts"});
    if (set.size() == 1) return std::nullopt;
    if (set.empty()) return attribute_problem{{}, make_error(messages::remote_exec_script_missing)};
    return attribute_problem{{std::string(set[1])}, make_error(messages::remote_exec_scripts_ambiguous)};
}

auto judge_source(value const& of) -> std::optional<attribute_problem>
{
    auto const set = set_arguments(of, {"source", "content"});
    if (set.size() == 1) return std::nullopt;
    if (set.empty()) return attribute_problem{{}, make_error(messages::file_source_missing)};
    return attribute_problem{{"content"}, make_error(messages::file_source_ambiguous)};
}

auto judged(std::optional<attribute_problem> found) -> diagnostics
{
    return found ? diagnostics(std::move(found->problem)) : diagnostics();
}

auto collect_scripts(value const& config, std::vector<script>& into) -> diagnostics
{
    if (auto found = judged(judge_scripts(config)); !found.empty()) return found;
    if (value const lines = attribute(config, "inline"); !lines.is_null()) return collect_inline(lines, into);
    if (value const path = attribute(config, "script"); !path.is_null()) return collect_file("script", path, into);
    value const paths = attribute(config, "scripts");
    for (value const& path : paths.elements())
        if (auto found = collect_file("scripts", path, into); !found.empty()) return found;
    return {};
}

// A shell removes the script, also if the connection ends: it can be interrupted while it waits, and its end ends the script.
auto command_of(std::string const& path, ssh::platform platform) -> std::string
{
    if (platform == ssh::platform::windows) return path;
    static char const* const steps =
        R"(trap 'rm -f -- "$0"' EXIT; trap 'exit 129' HUP INT TERM; chmod 0700 -- "$0" || exit; )"
        R"(exec 3<&0; "$0" <&3 3<&- & wait $!)";
    return ssh::remote_command(platform, {"/bin/sh", "-c", steps, path});
}

auto upload_script(remote_work& work, script const& one, std::string const& path) -> task<diagnostics>
{
    auto checking = is_cancelled();
    bool const stopped = co_await std::move(checking);
    if (stopped) co_return work.problem({ssh::problem::kind_type::cancelled, {}, {}}, {});
    bool const has_interpreter = one.content.starts_with("#!") || work.platform() == ssh::platform::windows;
    file_descriptor content = memory_file((has_interpreter ? "" : "#!/bin/sh\n") + one.content);
    if (!content) co_return make_error(messages::connection_files_failed, {last_error().message()});
    // Others on the machine must not read it, because it may have secrets.
    auto uploading = work.connection().upload(std::move(content), path, "0700");
    auto const wrong = co_await std::move(uploading);
    co_return wrong ? work.problem(*wrong, path) : diagnostics();
}

auto run_script(remote_work& work, script const& one, std::string const& path) -> task<diagnostics>
{
    using kind = ssh::problem::kind_type;
    auto checking = is_cancelled();
    bool const stopped = co_await std::move(checking);
    if (stopped) co_return work.problem({kind::cancelled, {}, {}}, {});
    auto& printed = work.printed();
    auto running = work.connection().run(command_of(path, work.platform()), [&printed](std::string_view got) {
        printed.take(got);
        return true;
    });
    child_outcome const outcome = co_await std::move(running);
    printed.finish();
    if (outcome.start_error != 0)
        co_return work.problem({kind::program, std::generic_category().message(outcome.start_error), "ssh"}, {});
    if (outcome.succeeded()) co_return diagnostics();
    if (outcome.stopped) co_return work.problem({kind::cancelled, {}, {}}, {});
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == exit_code_of_ssh) {
        auto waiting = work.wait_for_loss();
        bool const lost = co_await std::move(waiting);
        if (lost) co_return work.problem({kind::lost, {}, {}}, path);
    }
    co_return make_error(messages::remote_exec_failed, {printed.shown(one.name), outcome.text(), printed.shown_end()});
}

// Script files of Windows cannot remove themselves.
auto empty_script(remote_work& work, std::string const& path) -> task<void>
{
    if (work.platform() != ssh::platform::windows) co_return;
    auto uploading = work.connection().upload(memory_file({}), path, "0644");
    (void)co_await std::move(uploading);
}

auto run_all(request_type request, std::set<std::string> withheld) -> task<diagnostics>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    remote_work work(request, std::move(withheld));
    std::vector<script> scripts;
    if (auto found = collect_scripts(request.config.unmarked_deep(), scripts); !found.empty()) co_return found;
    auto opening = work.open(true);
    if (auto found = co_await std::move(opening); !found.empty()) co_return work.with_warnings(std::move(found));
    for (script const& one : scripts) {
        std::string const path = work.script_path();
        auto uploading = upload_script(work, one, path);
        if (auto found = co_await std::move(uploading); !found.empty()) co_return work.with_warnings(std::move(found));
        auto running = run_script(work, one, path);
        if (auto found = co_await std::move(running); !found.empty()) co_return work.with_warnings(std::move(found));
        auto emptying = empty_script(work, path);
        co_await std::move(emptying);
    }
    co_return work.with_warnings({});
}

// As Terraform: "~" and "~/name" refer to the home directory.
auto expanded(std::string path) -> std::string
{
    bool const in_home = path == "~" || path.starts_with("~/");
    return in_home ? environment_variable("HOME") + path.substr(1) : path;
}

auto upload_source(remote_work& work, std::string const& source, std::string const& destination) -> task<diagnostics>
{
    bool const content_only = source.ends_with('/');
    auto uploading = work.connection().upload_directory(source, content_only, destination);
    auto const wrong = co_await std::move(uploading);
    co_return wrong ? work.problem(*wrong, source) : diagnostics();
}

auto upload_content(remote_work& work, file_descriptor content, std::string const& destination) -> task<diagnostics>
{
    auto uploading = work.connection().upload(std::move(content), destination, "0644");
    auto const wrong = co_await std::move(uploading);
    co_return wrong ? work.problem(*wrong, destination) : diagnostics();
}

auto content_file(std::string const& content) -> boost::system::result<file_descriptor>
{
    file_descriptor file = memory_file(content);
    if (!file) return last_error();
    return file;
}

// Opens a source, unless it is a directory.
auto open_source(std::string const& source, bool& is_directory) -> boost::system::result<file_descriptor>
{
    std::error_code error;
    auto const status = fs::status(source, error);
    if (error) return boost::system::error_code(error.value(), boost::system::system_category());
    is_directory = fs::is_directory(status);
    if (is_directory) return file_descriptor();
    if (!fs::is_regular_file(status))
        return make_error_code(fs::is_fifo(status) ? input_errc::is_pipe : input_errc::is_device);
    file_descriptor file(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return last_error();
    return file;
}

auto upload(request_type request, std::set<std::string> withheld) -> task<diagnostics>
{
    co_await asio::this_coro::throw_if_cancelled(false);
    remote_work work(request, std::move(withheld));
    value const config = request.config.unmarked_deep();
    if (auto found = judged(judge_source(config)); !found.empty()) co_return found;
    bool const has_content = !attribute(config, "content").is_null();
    std::string const source = expanded(text_of(config, "source"));
    std::string const destination = text_of(config, "destination");
    if (destination.empty()) co_return about("destination", make_error(messages::file_destination_empty));
    bool is_directory = false;
    auto content = has_content ? content_file(text_of(config, "content")) : open_source(source, is_directory);
    if (!content)
        co_return about("source",
            make_error(messages::file_source_unreadable, {work.printed().shown(source), content.error().message()}));
    auto opening = work.open(false);
    if (auto found = co_await std::move(opening); !found.empty()) co_return work.with_warnings(std::move(found));
    auto uploading = is_directory ? upload_source(work, source, destination)
                                  : upload_content(work, std::move(*content), destination);
    auto found = co_await std::move(uploading);
    co_return work.with_warnings(std::move(found));
}

// The steps of a provisioner follow one another, but its timers must not run at the same time as they.
auto on_strand(task<diagnostics> work) -> task<diagnostics>
{
    auto const strand = asio::make_strand(co_await asio::this_coro::executor);
    auto spawned = asio::co_spawn(strand, std::move(work), asio::use_awaitable);
    co_return co_await std::move(spawned);
}

}  // namespace

auto file_schema() -> language::schema const&
{
    static language::schema const s = [] {
        language::schema made{{
            {.name = "content", .of = type::string(), .optional = true},
            {.name = "destination", .of = type::string(), .required = true},
            {.name = "source", .of = type::string(), .optional = true},
        }};
        made.judge = judge_source;
        return made;
    }();
    return s;
}

auto remote_exec_schema() -> language::schema const&
{
    static language::schema const s = [] {
        language::schema made{{
            {.name = "inline", .of = type::list(type::string()), .optional = true},
            {.name = "script", .of = type::string(), .optional = true},
            {.name = "scripts", .of = type::list(type::string()), .optional = true},
        }};
        made.judge = judge_scripts;
        return made;
    }();
    return s;
}

auto upload_file(request_type request, std::set<std::string> withheld) -> task<diagnostics>
{
    return on_strand(upload(std::move(request), std::move(withheld)));
}

auto remote_exec(request_type request, std::set<std::string> withheld) -> task<diagnostics>
{
    return on_strand(run_all(std::move(request), std::move(withheld)));
}

}  // namespace iacctl::providers
