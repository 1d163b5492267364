// SPDX-License-Identifier: BSL-1.0
#include "provider_address.hpp"

namespace iacctl {

auto provider_configuration_name::parse(std::string_view text) noexcept -> std::optional<provider_configuration_name>
{
    static constexpr std::string_view before = "provider[\"";
    static constexpr std::string_view behind = "\"]";
    auto const open = text.find(before);
    if (open == std::string_view::npos) return std::nullopt;
    auto const begin = open + before.size();
    auto const end = text.find(behind, begin);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view const rest = text.substr(end + behind.size());
    return provider_configuration_name{text.substr(0, open == 0 ? 0 : open - 1), text.substr(begin, end - begin),
        rest.empty() ? rest : rest.substr(1)};
}

auto provider_address_in(std::string_view name) noexcept -> std::string_view
{
    auto const parsed = provider_configuration_name::parse(name);
    return parsed ? parsed->address : name;
}

}  // namespace iacctl
