// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_PROVIDER_ADDRESS_HPP
#define IACCTL_BASE_PROVIDER_ADDRESS_HPP

#include "characters.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// The default host and namespace of the source of a provider.
inline constexpr std::string_view usual_provider_host = "registry.terraform.io/";
inline constexpr std::string_view usual_provider_namespace = "hashicorp/";

/// Returns whether the text has one to three parts, none of them empty: "aws", "hashicorp/aws",
/// "registry.terraform.io/hashicorp/aws".
[[nodiscard]] inline auto is_provider_source(std::string_view text) -> bool
{
    return !text.empty() && std::ranges::count(text, '/') < 3 && !text.starts_with('/') && !text.ends_with('/')
        && text.find("//") == std::string_view::npos;
}

/// The address for the source of a provider: "registry.terraform.io/hashicorp/aws" for "aws".
[[nodiscard]] inline auto provider_address(std::string_view source) -> std::string
{
    std::string address = ascii_lower_case(source);
    auto const slashes = std::ranges::count(address, '/');
    if (slashes == 0) address.insert(0, usual_provider_namespace);
    if (slashes < 2) address.insert(0, usual_provider_host);
    return address;
}

/// Returns whether an address has the default host and namespace: "registry.terraform.io/hashicorp/aws".
[[nodiscard]] inline auto is_usual_provider(std::string_view address) noexcept -> bool
{
    return address.starts_with(usual_provider_host)
        && address.substr(usual_provider_host.size()).starts_with(usual_provider_namespace);
}

/// An address for messages, without the default host: "hashicorp/aws".
[[nodiscard]] inline auto shown_provider(std::string_view address) -> std::string
{
    if (address.starts_with(usual_provider_host)) address.remove_prefix(usual_provider_host.size());
    return std::string(address);
}

/// The parts of the name of a provider in a module, "aws.west": the one before the dot, and the one after it, which may
/// be empty.
[[nodiscard]] inline auto local_provider_name(std::string_view name) noexcept -> std::string_view
{
    return name.substr(0, name.find('.'));
}
[[nodiscard]] inline auto provider_alias(std::string_view name) noexcept -> std::string_view
{
    auto const dot = name.find('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// The last part of an address: "aws".
[[nodiscard]] inline auto provider_type(std::string_view address) noexcept -> std::string_view
{
    return address.substr(address.rfind('/') + 1);
}

/// The name of a configuration of a provider in a state file: `module.m.provider["ADDRESS"].alias`, where module and
/// alias are optional. The members are views of the text.
struct provider_configuration_name {
    std::string_view module;
    std::string_view address;
    std::string_view alias;

    /// Nothing if the text is invalid.
    [[nodiscard]] static auto parse(std::string_view text) noexcept -> std::optional<provider_configuration_name>;
};

/// The address in the name of a configuration; the text itself if it is not such a name.
[[nodiscard]] auto provider_address_in(std::string_view name) noexcept -> std::string_view;

}  // namespace iacctl

#endif  // IACCTL_BASE_PROVIDER_ADDRESS_HPP
