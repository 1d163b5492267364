// SPDX-License-Identifier: BSL-1.0
#include "command_words.hpp"

#include "askpass.hpp"
#include "base/shell_words.hpp"
#include "base/trimmed.hpp"
#include "proxy_connection.hpp"

#include <cstddef>
#include <utility>

namespace iacctl::ssh {

namespace {

using words = std::vector<std::string>;

void add_option(words& to, std::string option)
{
    to.emplace_back("-o");
    to.push_back(std::move(option));
}

void add_host_key(words& to, endpoint_files const& files)
{
    bool const checked = !files.known_hosts.empty();
    add_option(to, std::string("StrictHostKeyChecking=") + (checked ? "yes" : "no"));
    add_option(to, "UserKnownHostsFile=" + (checked ? files.known_hosts : "/dev/null"));
    add_option(to, "GlobalKnownHostsFile=/dev/null");
}

// With a private key, no other key is offered: a server closes the connection after some keys.
void add_identity(words& to, settings const& how, endpoint_files const& files, std::string const& agent_identity)
{
    bool const has_key = !files.private_key.empty();
    if (has_key) {
        add_option(to, "IdentitiesOnly=yes");
        add_option(to, "IdentityFile=" + files.private_key);
        if (!files.certificate.empty()) add_option(to, "CertificateFile=" + files.certificate);
    } else add_option(to, "IdentityFile=" + (agent_identity.empty() ? "none" : agent_identity));
    if (!how.agent) add_option(to, "IdentityAgent=none");
    bool const has_password = !files.password.empty();
    static constexpr std::string_view by_password = "password,keyboard-interactive";
    std::string const order = !has_password ? "publickey"
        : has_key                           ? "publickey," + std::string(by_password)
                                            : std::string(by_password) + ",publickey";
    add_option(to, "PreferredAuthentications=" + order);
    add_option(to, has_password ? "NumberOfPasswordPrompts=1" : "BatchMode=yes");
}

void add_endpoint(words& to, endpoint const& at)
{
    to.insert(to.end(), {"-l", at.user, "-p", std::to_string(at.port), "--", at.host});
}

auto first_words() -> words
{
    words made{"ssh", "-F", "none"};
    add_option(made, "LogLevel=ERROR");
    return made;
}

void add_connection(words& to)
{
    add_option(to, "ConnectTimeout=15");
    add_option(to, "ServerAliveInterval=15");
    add_option(to, "ServerAliveCountMax=8");
}

// Words as the value of the option ProxyCommand, in which % has a meaning.
auto proxy_option(words const& command) -> std::string
{
    std::string text;
    for (std::string const& word : command) {
        if (!text.empty()) text += ' ';
        for (char const c : shell_word(word)) text += c == '%' ? std::string("%%") : std::string(1, c);
    }
    return "ProxyCommand=" + text;
}

// The option for the first connection, if it is not a TCP connection of `ssh` itself.
void add_proxy(words& to, settings const& how, connection_files const& files, endpoint const& first)
{
    if (how.proxy)
        add_option(to,
            proxy_option({this_program(), std::string(proxy_connection_argument), files.proxy, first.host,
                std::to_string(first.port)}));
}

// `ssh` whose streams are a connection from the bastion to the target.
auto bastion_words(settings const& how, connection_files const& files) -> words
{
    words made;
    if (!files.bastion.password.empty())
        made = {"env", std::string(password_file_variable) + "=" + files.bastion.password};
    words const begin = first_words();
    made.insert(made.end(), begin.begin(), begin.end());
    add_connection(made);
    add_host_key(made, files.bastion);
    add_identity(made, how, files.bastion, files.agent_identity);
    add_proxy(made, how, files, *how.bastion);
    bool const is_ipv6 = how.target.host.find(':') != std::string::npos;
    std::string const host = is_ipv6 ? "[" + how.target.host + "]" : how.target.host;
    made.insert(made.end(), {"-W", host + ":" + std::to_string(how.target.port)});
    add_endpoint(made, *how.bastion);
    return made;
}

// As the C runtime of Windows splits it: backslashes have a meaning before quotes only.
auto windows_word(std::string_view word) -> std::string
{
    if (!word.empty() && word.find_first_of(" \t\"") == word.npos) return std::string(word);
    std::string text = "\"";
    std::size_t backslashes = 0;
    for (char const c : word) {
        if (c == '"') text.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        text += c;
    }
    return text.append(backslashes, '\\') + "\"";
}

}  // namespace

auto connecting_words(settings const& how, connection_files const& files) -> words
{
    words made = first_words();
    add_connection(made);
    add_host_key(made, files.target);
    add_identity(made, how, files.target, files.agent_identity);
    if (how.bastion) add_option(made, proxy_option(bastion_words(how, files)));
    else add_proxy(made, how, files, how.target);
    add_option(made, std::string("ForwardAgent=") + (how.agent ? "yes" : "no"));
    add_option(made, "ControlMaster=yes");
    add_option(made, "ControlPersist=no");
    add_option(made, "ControlPath=" + files.control);
    add_option(made, "PermitLocalCommand=yes");
    add_option(made, "LocalCommand=echo " + std::string(connected_line));
    made.insert(made.end(), {"-N", "-T"});
    add_endpoint(made, how.target);
    return made;
}

auto session_words(settings const& how, connection_files const& files, bool terminal, std::string command) -> words
{
    words made = first_words();
    add_option(made, "ControlMaster=no");
    add_option(made, "ControlPath=" + files.control);
    // Without the connection, `ssh` would make another one.
    add_option(made, "ProxyCommand=false");
    add_option(made, std::string("ForwardAgent=") + (how.agent ? "yes" : "no"));
    made.emplace_back(terminal ? "-tt" : "-T");
    add_endpoint(made, how.target);
    made.push_back(std::move(command));
    return made;
}

auto remote_command(platform of, words const& command) -> std::string
{
    std::string text;
    for (std::string const& word : command) {
        if (!text.empty()) text += ' ';
        text += of == platform::windows ? windows_word(word) : shell_word(word);
    }
    return text;
}

auto known_hosts_text(std::string_view host_key) -> std::string
{
    std::string const key(trimmed(host_key));
    return "* " + key + "\n@cert-authority * " + key + "\n";
}

}  // namespace iacctl::ssh
