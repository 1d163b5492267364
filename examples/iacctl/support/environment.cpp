// SPDX-License-Identifier: BSL-1.0
#include "environment.hpp"

#include <unistd.h>

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

}  // namespace iacctl
