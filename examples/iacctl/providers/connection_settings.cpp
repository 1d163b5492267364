// SPDX-License-Identifier: BSL-1.0
#include "connection_settings.hpp"

#include "base/duration.hpp"
#include "base/environment.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "resource_type.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace iacctl::providers {

namespace {

using language::attribute_problem;
using language::type;
using messages::make_error;
using strider::infra::diagnostic;
using strider::infra::failure;

constexpr std::int64_t highest_port = 65535;
constexpr std::string_view default_script = "/tmp/terraform_%RAND%.sh";
constexpr std::string_view default_windows_script = "C:/windows/temp/terraform_%RAND%.cmd";

auto wrong(std::string name, diagnostic problem) -> attribute_problem
{
    return {{std::move(name)}, std::move(problem)};
}

// The text of a number that is not a port.
auto number_text(value const& given) -> std::string
{
    return language::to_json(given);
}

// Reports values that no connection can have, except for WinRM. Any of them may be unknown.
auto judge_of_any_program(value const& of) -> std::optional<attribute_problem>
{
    std::string const kind = text_of(of, "type");
    if (!kind.empty() && kind != "ssh" && kind != "winrm")
        return wrong("type", make_error(messages::connection_type_unknown, {kind}));
    std::string const platform = text_of(of, "target_platform");
    if (!platform.empty() && platform != "unix" && platform != "windows")
        return wrong("target_platform", make_error(messages::connection_platform_unknown, {platform}));
    std::string const scheme = text_of(of, "proxy_scheme");
    if (!scheme.empty() && scheme != "http" && scheme != "https")
        return wrong("proxy_scheme", make_error(messages::connection_proxy_scheme_unknown, {scheme}));
    for (std::string const name : {"port", "bastion_port", "proxy_port"}) {
        value const given = attribute(of, name);
        if (!given.has_data()) continue;
        auto const number = number_of(of, name);
        if (!number || *number < 0 || *number > highest_port)
            return wrong(name, make_error(messages::connection_port_invalid, {name, number_text(given)}));
    }
    return std::nullopt;
}

auto judge(value const& of) -> std::optional<attribute_problem>
{
    if (text_of(of, "type") == "winrm") return wrong("type", make_error(messages::connection_winrm_unsupported));
    return judge_of_any_program(of);
}

auto judge_portable(value const& of) -> std::optional<attribute_problem>
{
    if (auto found = judge_of_any_program(of)) return found;
    if (text_of(of, "type") != "winrm") return std::nullopt;
    return wrong("type", messages::make_warning(messages::connection_winrm_unsupported));
}

auto make_schema(decltype(language::schema::judge) judged_by) -> language::schema
{
    language::schema made;
    made.attributes.push_back({.name = "host", .of = type::string(), .required = true});
    for (auto const* const name : {"type", "user", "password", "timeout", "script_path", "target_platform",
             "private_key", "certificate", "host_key", "agent_identity", "proxy_scheme", "proxy_host",
             "proxy_user_name", "proxy_user_password", "bastion_host", "bastion_host_key", "bastion_user",
             "bastion_password", "bastion_private_key", "bastion_certificate", "cacert"})
        made.attributes.push_back({.name = name, .of = type::string(), .optional = true});
    for (auto const* const name : {"port", "proxy_port", "bastion_port"})
        made.attributes.push_back({.name = name, .of = type::number(), .optional = true});
    for (auto const* const name : {"agent", "https", "insecure", "use_ntlm"})
        made.attributes.push_back({.name = name, .of = type::boolean(), .optional = true});
    made.judge = judged_by;
    return made;
}

auto as_failure(attribute_problem found) -> failure
{
    auto problem = std::move(found.problem);
    problem.attribute = "connection." + std::get<std::string>(found.path.front());
    return failure(std::move(problem));
}

// A name or an address: neither an option of a program, nor several words.
auto is_host(std::string_view text) -> bool
{
    static constexpr std::string_view others = "-._:%";
    auto const is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || others.find(c) != others.npos;
    };
    return !text.empty() && !text.starts_with('-') && std::ranges::all_of(text, is_part);
}

auto without_brackets(std::string host) -> std::string
{
    bool const has_both = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
    return has_both ? host.substr(1, host.size() - 2) : host;
}

auto with_brackets(std::string const& host) -> std::string
{
    return host.find(':') == host.npos ? host : "[" + host + "]";
}

auto port_of(value const& block, std::string_view name, unsigned otherwise) -> unsigned
{
    auto const number = number_of(block, name).value_or(0);
    return number == 0 ? otherwise : static_cast<unsigned>(number);
}

auto or_else(std::string text, std::string otherwise) -> std::string
{
    return text.empty() ? std::move(otherwise) : std::move(text);
}

auto target_of(value const& block) -> ssh::endpoint
{
    ssh::endpoint made;
    made.host = without_brackets(text_of(block, "host"));
    made.port = port_of(block, "port", 22);
    made.user = or_else(text_of(block, "user"), "root");
    made.password = text_of(block, "password");
    made.private_key = text_of(block, "private_key");
    made.certificate = text_of(block, "certificate");
    made.host_key = text_of(block, "host_key");
    return made;
}

// A setting that the bastion does not have is that of the target, except for the key of the host.
auto bastion_of(value const& block, ssh::endpoint const& target) -> std::optional<ssh::endpoint>
{
    std::string const host = without_brackets(text_of(block, "bastion_host"));
    if (host.empty()) return std::nullopt;
    ssh::endpoint made;
    made.host = host;
    made.port = port_of(block, "bastion_port", target.port);
    made.user = or_else(text_of(block, "bastion_user"), target.user);
    made.password = or_else(text_of(block, "bastion_password"), target.password);
    made.private_key = or_else(text_of(block, "bastion_private_key"), target.private_key);
    made.certificate = or_else(text_of(block, "bastion_certificate"), target.certificate);
    made.host_key = text_of(block, "bastion_host_key");
    return made;
}

auto proxy_of(value const& block) -> std::optional<ssh::http_proxy>
{
    std::string const host = without_brackets(text_of(block, "proxy_host"));
    if (host.empty()) return std::nullopt;
    std::string const scheme = or_else(text_of(block, "proxy_scheme"), "http");
    return ssh::http_proxy{scheme, host, port_of(block, "proxy_port", scheme == "https" ? 443 : 80),
        text_of(block, "proxy_user_name"), text_of(block, "proxy_user_password")};
}

auto timeout_of(value const& block, strider::infra::diagnostics& warnings) -> std::chrono::nanoseconds
{
    constexpr std::chrono::minutes otherwise(5);
    std::string const text = text_of(block, "timeout");
    if (text.empty()) return otherwise;
    if (auto const parsed = parse_duration(text)) return *parsed;
    warnings.add(messages::make_warning(messages::connection_timeout_invalid, {text}));
    return otherwise;
}

auto yes_no(bool is_set) -> std::string
{
    return is_set ? "true" : "false";
}

void announce_endpoint(std::vector<std::string>& to, ssh::endpoint const& at, bool agent)
{
    to.push_back("  Host: " + with_brackets(at.host));
    to.push_back("  User: " + at.user);
    to.push_back("  Password: " + yes_no(!at.password.empty()));
    to.push_back("  Private key: " + yes_no(!at.private_key.empty()));
    to.push_back("  Certificate: " + yes_no(!at.certificate.empty()));
    to.push_back("  SSH Agent: " + yes_no(agent));
    to.push_back("  Checking Host Key: " + yes_no(!at.host_key.empty()));
}

// Reports what is wrong with the hosts and the agent.
auto problem_of(ssh::settings const& how, value const& block) -> std::optional<failure>
{
    auto const about = [](std::string name, diagnostic problem) {
        problem.attribute = "connection." + std::move(name);
        return failure(std::move(problem));
    };
    if (how.target.host.empty()) return about("host", make_error(messages::connection_host_empty));
    if (!is_host(how.target.host))
        return about("host", make_error(messages::connection_host_invalid, {"host", how.target.host}));
    if (how.bastion && !is_host(how.bastion->host))
        return about(
            "bastion_host", make_error(messages::connection_host_invalid, {"bastion_host", how.bastion->host}));
    if (how.proxy && !is_host(how.proxy->host))
        return about("proxy_host", make_error(messages::connection_host_invalid, {"proxy_host", how.proxy->host}));
    bool const has_agent = !environment_variable("SSH_AUTH_SOCK").empty();
    if (flag_of(block, "agent") && !has_agent) return about("agent", make_error(messages::connection_agent_missing));
    return std::nullopt;
}

}  // namespace

auto connection_schema() -> language::schema const&
{
    static language::schema const s = make_schema(judge);
    return s;
}

auto portable_connection_schema() -> language::schema const&
{
    static language::schema const s = make_schema(judge_portable);
    return s;
}

auto connection_settings::announcement() const -> std::vector<std::string>
{
    std::vector<std::string> lines{"Connecting to remote host via SSH..."};
    announce_endpoint(lines, how.target, how.agent);
    lines.push_back(
        std::string("  Target Platform: ") + (how.target_platform == ssh::platform::windows ? "windows" : "unix"));
    if (how.bastion) {
        lines.emplace_back("Using configured bastion host...");
        announce_endpoint(lines, *how.bastion, how.agent);
    }
    if (how.proxy) {
        lines.emplace_back("Using configured proxy host...");
        lines.push_back("  ProxyHost: " + with_brackets(how.proxy->host));
        lines.push_back("  ProxyPort: " + std::to_string(how.proxy->port));
        lines.push_back("  ProxyUserName: " + how.proxy->user);
        lines.push_back("  ProxyUserPassword: " + yes_no(!how.proxy->password.empty()));
    }
    return lines;
}

auto read_connection(value const& marked_block, std::set<std::string> withheld, strider::infra::diagnostics& warnings)
    -> expected<connection_settings>
{
    value const block = marked_block.unmarked_deep();
    if (auto found = judge(block)) return as_failure(std::move(*found));
    connection_settings made;
    made.how.target = target_of(block);
    made.how.bastion = bastion_of(block, made.how.target);
    made.how.proxy = proxy_of(block);
    value const agent = attribute(block, "agent");
    made.how.agent = agent.is_null() ? !environment_variable("SSH_AUTH_SOCK").empty() : flag_of(block, "agent");
    made.how.agent_identity = text_of(block, "agent_identity");
    if (text_of(block, "target_platform") == "windows") made.how.target_platform = ssh::platform::windows;
    made.how.withheld = std::move(withheld);
    if (auto found = problem_of(made.how, block)) return *found;
    bool const windows = made.how.target_platform == ssh::platform::windows;
    made.script_path =
        or_else(text_of(block, "script_path"), std::string(windows ? default_windows_script : default_script));
    made.timeout = timeout_of(block, warnings);
    return made;
}

}  // namespace iacctl::providers
