// SPDX-License-Identifier: BSL-1.0
#include "environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace iacctl {

auto environment_variable(char const* name) -> std::string
{
    char const* const set = std::getenv(name);
    return set == nullptr ? std::string() : std::string(set);
}

auto environment() -> std::vector<std::pair<std::string_view, std::string_view>>
{
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
        std::string_view const text = *entry;
        auto const equals = text.find('=');
        if (equals != std::string_view::npos) all.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
}

auto is_own_secret(std::string_view name, std::string_view value) noexcept -> bool
{
    static constexpr std::array<std::string_view, 6> names{"IACCTL_REPORT", "IACCTL_WORKER_CREDENTIAL", "PG_CONN_STR",
        "TF_ENCRYPTION", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM", "TF_HTTP_PASSWORD"};
    static constexpr std::array<std::string_view, 3> options{"-var ", "-var=", "-backend-config"};
    auto const in_value = [&](std::string_view option) { return value.find(option) != std::string_view::npos; };
    return std::ranges::find(names, name) != names.end() || name.starts_with("TF_TOKEN_")
        || (name.starts_with("TF_CLI_ARGS") && std::ranges::any_of(options, in_value));
}

}  // namespace iacctl
