// SPDX-License-Identifier: BSL-1.0
#include "credentials.hpp"

#include "base/blocking_child.hpp"
#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

// The host in the name of a variable: "__" is a hyphen, "_" a dot.
auto host_of_variable(std::string_view name) -> std::optional<std::string>
{
    std::string host;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] != '_') host += name[i];
        else if (i + 1 < name.size() && name[i + 1] == '_') {
            host += '-';
            ++i;
        } else host += '.';
    }
    return canonical_host(host);
}

auto token_of_environment(std::string const& host) -> std::string
{
    constexpr std::string_view prefix = "TF_TOKEN_";
    for (auto const& [name, value] : environment())
        if (name.starts_with(prefix) && host_of_variable(name.substr(prefix.size())) == host) return std::string(value);
    return {};
}

}  // namespace

auto credentials::token(std::string const& host) -> expected<std::string>
{
    if (auto of_environment = token_of_environment(host); !of_environment.empty()) return of_environment;
    if (auto const configured = from_->tokens.find(host); configured != from_->tokens.end()) return configured->second;
    if (!from_->helper) return std::string();
    if (auto const known = known_.find(host); known != known_.end()) return known->second;
    auto const answer = run_helper("get", host, {});
    if (!answer) return answer.error();
    auto const document = parse_json(*answer);
    if (!document || document->members() == nullptr)
        return infra::failure(messages::make_error(
            messages::credentials_helper_failed, {from_->helper->name, host, "its output is not a JSON object", {}}));
    auto const* const token = document->find("token");
    std::string text = token != nullptr && token->text() != nullptr ? *token->text() : std::string();
    known_.insert_or_assign(host, text);
    return text;
}

auto credentials::store(std::string const& host, std::string const& token) -> infra::diagnostics
{
    if (!from_->helper) return change_file(host, &token);
    json::object members;
    members.push_back({"token", json(token)});
    auto const done = run_helper("store", host, compact_text(json(std::move(members))));
    known_.erase(host);
    return done ? infra::diagnostics() : done.error().why();
}

auto credentials::forget(std::string const& host) -> infra::diagnostics
{
    if (!token_of_environment(host).empty()) return {messages::make_error(messages::token_of_environment, {host})};
    if (!from_->helper) return change_file(host, nullptr);
    auto const done = run_helper("forget", host, {});
    known_.erase(host);
    return done ? infra::diagnostics() : done.error().why();
}

auto credentials::place() const -> std::string
{
    return from_->helper ? "the credentials helper \"" + from_->helper->name + "\"" : file().string();
}

auto credentials::change_file(std::string const& host, std::string const* token) -> infra::diagnostics
{
    auto const unwritable = [&](error_code const& error) {
        return infra::diagnostics{
            messages::make_error(messages::package_file_unwritable, {file().string(), error.message()})};
    };
    if (from_->directory.empty()) return {messages::make_error(messages::no_home_directory)};
    auto const text = read_input(file());
    if (!text && !is_missing(text.error()))
        return {messages::make_error(messages::package_file_unreadable, {file().string(), text.error().message()})};
    auto const document = text ? parse_json(*text) : json(json::object());
    auto const* const members = document ? document->members() : nullptr;
    if (members == nullptr)
        return {messages::make_error(messages::package_file_unreadable, {file().string(), "it is not a JSON object"})};
    json::object all = *members;
    auto block = std::ranges::find(all, "credentials", &json::member::name);
    if (block == all.end()) block = all.insert(all.end(), json::member{"credentials", json(json::object())});
    auto hosts = block->value.members() == nullptr ? json::object() : *block->value.members();
    auto const removed = std::erase_if(hosts, [&](json::member const& m) { return canonical_host(m.name) == host; });
    if (token == nullptr && removed == 0)
        return from_->tokens.contains(host)
            ? infra::diagnostics{messages::make_error(messages::token_of_other_file, {host})}
            : infra::diagnostics();
    if (token != nullptr) {
        json::object entry;
        entry.push_back({"token", json(*token)});
        hosts.push_back({host, json(std::move(entry))});
    }
    std::ranges::sort(hosts, {}, &json::member::name);
    block->value = json(std::move(hosts));
    std::ranges::sort(all, {}, &json::member::name);
    std::string const made = indented_json(compact_text(json(std::move(all)))) + '\n';
    if (auto const error = make_private_directories(from_->directory)) return unwritable(error);
    if (auto const error = replace_file(file(), made, 0600)) return unwritable(error);
    if (auto const error = sync_directory(from_->directory)) return unwritable(error);
    return {};
}

auto credentials::run_helper(std::string const& verb, std::string const& host, std::string const& input) const
    -> expected<std::string>
{
    auto const& helper = *from_->helper;
    auto const fail = [&](std::string const& why, std::string const& errors) {
        return infra::failure(
            messages::make_error(messages::credentials_helper_failed, {helper.name, host, why, errors}));
    };
    std::string const name = "terraform-credentials-" + helper.name;
    fs::path program;
    for (fs::path const& directory :
        {from_->directory / "plugins" / platform::current().text(), from_->directory / "plugins"})
        if (program.empty() && ::access((directory / name).c_str(), X_OK) == 0) program = directory / name;
    if (program.empty() || helper.name.find('/') != std::string::npos)
        return fail("there is no program \"" + name + "\" in " + (from_->directory / "plugins").string(), {});
    child_command command;
    command.words.push_back(program.string());
    command.words.insert(command.words.end(), helper.arguments.begin(), helper.arguments.end());
    command.words.push_back(verb);
    command.words.push_back(host);
    command.input = input;
    auto run = run_child(std::move(command), std::chrono::minutes(1), std::size_t{1} << 20U);
    if (!run.succeeded()) return fail(run.why, run.errors.empty() ? "" : " Its standard error:\n\n" + run.errors);
    return std::move(run.output);
}

}  // namespace iacctl::packages
