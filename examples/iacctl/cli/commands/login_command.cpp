// SPDX-License-Identifier: BSL-1.0
// Stores and removes tokens for hosts.
#include "base/shown_text.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "packages/login.hpp"
#include "packages/services.hpp"
#include "session.hpp"

#include <optional>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

using messages::make_error;

auto host_asked_for(command_options const& options) -> expected<std::string>
{
    // As in Terraform, the default is the host of HCP Terraform.
    std::string const text = options.arguments.empty() ? "app.terraform.io" : options.arguments.front();
    auto const host = packages::canonical_host(text);
    if (!host) return infra::failure(make_error(messages::invalid_host, {text}));
    return *host;
}

auto login(no_options const& options, session const& s) -> int
{
    auto const host = host_asked_for(options);
    if (!host) return s.report(host.error());
    auto const settings = packages::cli_configuration::load();
    if (!settings) return s.report(settings.error());
    packages::service_client client(*settings);
    if (!settings->helper && settings->directory.empty()) return s.report(make_error(messages::no_home_directory));
    if (!s.input_allowed()) return s.report(make_error(messages::login_needs_input));
    s.out() << "A token for " << *host << " will be stored in " << client.stored_credentials().place()
            << (settings->helper ? "" : ", as plain text that only its owner can read") << ".\n";
    s.out() << "Enter \"yes\" to continue: " << std::flush;
    if (s.read_answer() != "yes") {
        s.out() << '\n';
        return s.report(make_error(messages::login_cancelled));
    }
    packages::login_dialog dialog;
    dialog.show = [&](std::string const& text) { s.out() << shown_text(text) << std::flush; };
    dialog.ask = [&](std::string const& question, bool hidden) {
        s.out() << question << std::flush;
        auto answer = s.read_answer(hidden);
        if (hidden) s.out() << '\n';
        return answer.value_or("");
    };
    auto const token = packages::obtain_token(client, *host, dialog);
    if (!token) return s.report(token.error());
    if (int const code = s.report(client.stored_credentials().store(*host, *token)); code != 0) return code;
    s.out() << "\nThe token for " << *host << " has been stored.\n";
    return 0;
}

auto logout(no_options const& options, session const& s) -> int
{
    auto const host = host_asked_for(options);
    if (!host) return s.report(host.error());
    auto const settings = packages::cli_configuration::load();
    if (!settings) return s.report(settings.error());
    packages::credentials stored(*settings);
    if (int const code = s.report(stored.forget(*host)); code != 0) return code;
    s.out() << "No token for " << *host << " is stored.\n";
    return 0;
}

}  // namespace

constinit command const login_command{"login", {}, begin<login>, "Store a token for a host",
    "Stores an API token for a host, for example of a registry.", {"[HOST]", 1}};

constinit command const logout_command{"logout", {}, begin<logout>, "Remove the token for a host",
    "Removes the token that \"iacctl login\" stored.", {"[HOST]", 1}};

}  // namespace iacctl::commands
