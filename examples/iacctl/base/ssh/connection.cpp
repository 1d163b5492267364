// SPDX-License-Identifier: BSL-1.0
#include "connection.hpp"

#include "agent_identity.hpp"
#include "askpass.hpp"
#include "base/trimmed.hpp"
#include "proxy_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::ssh {

namespace fs = std::filesystem;

namespace {

using kind = problem::kind_type;

constexpr int exit_code_of_no_program = 127;

// Keys in the format of OpenSSH must end with a line, and Windows ends lines differently.
auto key_text(std::string_view key) -> std::string
{
    std::string text;
    for (char const c : trimmed(key))
        if (c != '\r') text += c;
    return text + "\n";
}

// Lines that a condition accepts.
template <class Condition>
auto lines_of(std::string_view text, Condition accepts) -> std::string
{
    std::string made;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view const line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || !accepts(line)) continue;
        if (!made.empty()) made += '\n';
        made += line;
    }
    return made;
}

// A long warning about another key of the machine names a file that was made for this connection.
auto reason_of(std::string const& errors) -> std::string
{
    static constexpr std::string_view refusal = "Host key verification failed";
    if (errors.find(refusal) == errors.npos) return std::string(trimmed(errors));
    return lines_of(
        errors, [](std::string_view line) { return line.starts_with("SHA256:") || line.starts_with(refusal); });
}

// "sub/name" to "sub" and "name", as Go's filepath.Dir and filepath.Base do.
auto directory_and_name(std::string const& path) -> std::pair<std::string, std::string>
{
    auto const slash = path.rfind('/');
    std::string const before = slash == path.npos ? "" : path.substr(0, slash + 1);
    std::string directory = before.empty() ? "." : fs::path(before).lexically_normal().string();
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    std::string whole = path;
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    std::string const name = whole.substr(whole.rfind('/') + 1);
    return {directory, whole.empty() ? "." : name};
}

}  // namespace

connection::connection(boost::asio::any_io_executor executor, settings how)
    : executor_(std::move(executor)),
      how_(std::move(how))
{}

auto connection::program(std::vector<std::string> words) const -> process_command
{
    process_command command;
    command.words = std::move(words);
    command.withheld = how_.withheld;
    // `ssh` uses it for local commands.
    command.added = {{"SHELL", "/bin/sh"}, {"TERM", "xterm"}};
    return command;
}

auto connection::write_file(std::string_view name, std::string_view content, std::string& path)
    -> std::optional<problem>
{
    auto written = directory_->write(name, content);
    if (!written) return problem{kind::file, written.error().message(), {}};
    path = *std::move(written);
    return std::nullopt;
}

auto connection::check_key(std::string path, std::string name) -> task<std::optional<problem>>
{
    child_command command;
    static_cast<process_command&>(command) = program({"ssh-keygen", "-y", "-P", "", "-f", std::move(path)});
    command.keeps_errors_apart = true;
    auto checking = run_child(std::move(command), [](std::string_view) { return true; });
    child_outcome const outcome = co_await std::move(checking);
    if (outcome.start_error != 0)
        co_return problem{kind::program, std::generic_category().message(outcome.start_error), "ssh-keygen"};
    if (outcome.stopped) co_return problem{kind::cancelled, {}, {}};
    if (outcome.succeeded()) co_return std::nullopt;
    // "Load key "/dev/shm/…": incorrect passphrase supplied to decrypt private key"
    std::string_view const why = trimmed(outcome.errors);
    auto const after_path = why.rfind("\": ");
    std::string_view const reason = after_path == why.npos ? why : why.substr(after_path + 3);
    if (reason.starts_with("incorrect passphrase")) co_return problem{kind::key, "it is encrypted", std::move(name)};
    co_return problem{kind::key, std::string(reason), std::move(name)};
}

auto connection::write_files(endpoint const& of, std::string prefix, endpoint_files& files)
    -> task<std::optional<problem>>
{
    if (!of.private_key.empty()) {
        if (of.private_key.find("PRIVATE KEY") == std::string::npos)
            co_return problem{kind::key, "it is not the text of a private key", prefix + "private_key"};
        if (auto wrong = write_file(prefix + "private_key", key_text(of.private_key), files.private_key))
            co_return wrong;
        auto checking = check_key(files.private_key, prefix + "private_key");
        if (auto wrong = co_await std::move(checking)) co_return wrong;
    }
    if (!of.certificate.empty())
        if (auto wrong = write_file(prefix + "certificate", key_text(of.certificate), files.certificate))
            co_return wrong;
    if (!of.password.empty())
        if (auto wrong = write_file(prefix + "password", of.password, files.password)) co_return wrong;
    if (!of.host_key.empty())
        if (auto wrong = write_file(prefix + "known_hosts", known_hosts_text(of.host_key), files.known_hosts))
            co_return wrong;
    co_return std::nullopt;
}

auto connection::prepare() -> task<std::optional<problem>>
{
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto made = private_directory::make();
    if (!made) co_return problem{kind::file, made.error().message(), {}};
    directory_ = *std::move(made);
    files_.control = directory_->path_of("control");
    auto for_target = write_files(how_.target, "", files_.target);
    if (auto wrong = co_await std::move(for_target)) co_return wrong;
    if (how_.bastion) {
        auto for_bastion = write_files(*how_.bastion, "bastion_", files_.bastion);
        if (auto wrong = co_await std::move(for_bastion)) co_return wrong;
    }
    if (how_.agent && !how_.agent_identity.empty()) {
        auto finding = find_agent_key(how_.agent_identity, how_.withheld);
        std::string const key = co_await std::move(finding);
        if (!key.empty())
            if (auto wrong = write_file("agent_identity", key, files_.agent_identity)) co_return wrong;
    }
    if (how_.proxy)
        if (auto wrong = write_file("proxy", proxy_text(*how_.proxy), files_.proxy)) co_return wrong;
    co_return std::nullopt;
}

auto connection::connect(clock::time_point deadline) -> task<std::optional<problem>>
{
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto command = program(connecting_words(how_, files_));
    std::string const& password = files_.target.password.empty() ? files_.bastion.password : files_.target.password;
    if (!password.empty()) command.added.merge(askpass_environment(password));
    auto started = piped_process::start(executor_, command);
    if (!started) co_return problem{kind::program, started.error().message(), "ssh"};
    piped_process ssh = std::move(*started);
    std::string output;
    std::array<char, 256> buffer{};
    piped_process::received got;
    while (!got.error && output.find('\n') == output.npos) {
        auto reading = ssh.read_some(boost::asio::buffer(buffer), deadline);
        got = co_await std::move(reading);
        output.append(buffer.data(), got.size);
    }
    if (got.error == boost::asio::error::operation_aborted) co_return problem{kind::cancelled, {}, {}};
    if (!got.error && trimmed(output) == connected_line) {
        directory_->remove_files();
        master_ = std::move(ssh);
        co_return std::nullopt;
    }
    int const status = ssh.end();
    std::string errors = reason_of(ssh.errors());
    bool const is_late = got.error == boost::asio::error::timed_out;
    if (errors.empty() && !is_late) errors = "ssh ended: " + process_status_text(status);
    co_return problem{kind::unreachable, errors, {}};
}

auto connection::errors() const -> std::string
{
    // It reports that its input is not a terminal, which each session has on the other machine only.
    auto const is_relevant = [](std::string_view line) { return !line.starts_with("mux_"); };
    return master_ ? lines_of(master_->errors(), is_relevant) : std::string();
}

auto connection::run(std::string command, std::function<bool(std::string_view)> output) -> task<child_outcome>
{
    bool const terminal = how_.target_platform == platform::posix;
    child_command session;
    static_cast<process_command&>(session) = program(session_words(how_, files_, terminal, std::move(command)));
    auto running = run_child(std::move(session), std::move(output));
    co_return co_await std::move(running);
}

auto connection::copy(std::vector<std::string> receiver, copying send) -> task<std::optional<problem>>
{
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    std::string const command = remote_command(how_.target_platform, receiver);
    auto started = piped_process::start(executor_, program(session_words(how_, files_, false, command)));
    if (!started) co_return problem{kind::program, started.error().message(), "ssh"};
    piped_process ssh = std::move(*started);
    copy_sender sender(ssh);
    auto beginning = sender.begin();
    copy_problem wrong = co_await std::move(beginning);
    if (!wrong) {
        auto sending = send(sender);
        wrong = co_await std::move(sending);
    }
    if (sender.was_cancelled()) co_return problem{kind::cancelled, {}, {}};
    ssh.close_input();
    // The receiver has confirmed all, or refused something, so it ends now.
    constexpr std::chrono::seconds longest_end(10);
    std::array<char, 256> rest{};
    piped_process::received got;
    while (!got.error) {
        auto reading = ssh.read_some(boost::asio::buffer(rest), clock::now() + longest_end);
        got = co_await std::move(reading);
    }
    auto waiting = ssh.wait();
    if (got.error != boost::asio::error::timed_out) (void)co_await std::move(waiting);
    int const status = ssh.end();
    if (!wrong && status == 0) co_return std::nullopt;
    if (!is_open()) co_return problem{kind::lost, {}, {}};
    std::string why(trimmed(ssh.errors()));
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_code_of_no_program)
        why = "the machine has no program \"scp\", which receives files; install an SSH client there";
    else if (wrong && !trimmed(*wrong).empty()) why = trimmed(*wrong);
    else if (why.empty()) why = "scp ended: " + process_status_text(status);
    co_return problem{kind::refused, why, {}};
}

auto connection::upload(file_descriptor content, std::string path, std::string mode) -> task<std::optional<problem>>
{
    auto const [directory, name] = directory_and_name(path);
    copying const send = [&content, &mode, file = name](copy_sender& to) { return to.send_file(content, file, mode); };
    auto sending = copy({"scp", "-t", "-d", directory}, send);
    co_return co_await std::move(sending);
}

namespace {

auto send_all(copy_sender& to, std::vector<copied_entry> entries) -> connection::task<copy_problem>
{
    for (copied_entry& one : entries) {
        auto sending = to.send(std::move(one));
        if (auto wrong = co_await std::move(sending)) co_return wrong;
    }
    co_return std::nullopt;
}

}  // namespace

auto connection::upload_directory(fs::path source, bool content_only, std::string destination)
    -> task<std::optional<problem>>
{
    std::vector<copied_entry> entries;
    std::error_code unreadable;
    try {
        if (content_only) entries = entries_of(source);
        else entries.push_back({source.filename().string(), source, true});
    } catch (fs::filesystem_error const& why) {
        unreadable = why.code();
    }
    if (unreadable)
        co_return problem{kind::refused, "\"" + source.string() + "\" cannot be read: " + unreadable.message(), {}};
    copying const send = [&entries](copy_sender& to) { return send_all(to, std::move(entries)); };
    std::vector<std::string> receiver{"scp", "-r", "-t"};
    if (content_only) receiver.emplace_back("-d");  // the destination must be a directory
    receiver.push_back(std::move(destination));
    auto sending = copy(std::move(receiver), send);
    co_return co_await std::move(sending);
}

}  // namespace iacctl::ssh
