// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PACKAGES_PROVIDER_ID_HPP
#define IACCTL_PACKAGES_PROVIDER_ID_HPP

#include "base/provider_address.hpp"
#include "base/version.hpp"

#include <algorithm>
#include <compare>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::packages {

/// The address of a provider in parts, in the order of Terraform's lock files.
class provider_id {
public:
    std::string host;        ///< "registry.terraform.io"
    std::string name_space;  ///< "hashicorp"
    std::string type;        ///< "aws"

    /// Parses a source of one to three parts: "aws", "hashicorp/aws" or "registry.terraform.io/hashicorp/aws". Nothing
    /// if it is invalid.
    [[nodiscard]] static auto parse(std::string_view source) -> std::optional<provider_id>
    {
        if (!is_provider_source(source)) return std::nullopt;
        std::string const address = provider_address(source);
        auto const first = address.find('/');
        auto const second = address.find('/', first + 1);
        provider_id made{
            address.substr(0, first), address.substr(first + 1, second - first - 1), address.substr(second + 1)};
        // The parts are used as names of directories.
        for (std::string const* part : {&made.host, &made.name_space, &made.type})
            if (part->starts_with('.') || part->find_first_of("\\\n\0") != std::string::npos) return std::nullopt;
        return made;
    }

    [[nodiscard]] auto address() const -> std::string { return host + "/" + name_space + "/" + type; }
    /// The address without the default host: "hashicorp/aws".
    [[nodiscard]] auto shown() const -> std::string { return shown_provider(address()); }
    /// The path below a mirror or an installation directory.
    [[nodiscard]] auto directory() const -> std::filesystem::path
    {
        return std::filesystem::path(host) / name_space / type;
    }
    friend auto operator<=>(provider_id const&, provider_id const&) = default;
    friend auto operator==(provider_id const&, provider_id const&) -> bool = default;
};

/// The providers that a configuration requires, each with the versions that it accepts.
using requirements = std::map<provider_id, version_constraints>;

/// An operating system and an architecture, under Go's names: "linux_amd64".
class platform {
public:
    std::string system;
    std::string architecture;

    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<platform>
    {
        auto const bar = text.find('_');
        bool const plain = std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
        if (bar == std::string_view::npos || bar == 0 || bar + 1 == text.size() || !plain) return std::nullopt;
        return platform{std::string(text.substr(0, bar)), std::string(text.substr(bar + 1))};
    }
    /// The platform of this program.
    [[nodiscard]] static auto current() -> platform;

    [[nodiscard]] auto text() const -> std::string { return system + "_" + architecture; }
};

}  // namespace iacctl::packages

#endif  // IACCTL_PACKAGES_PROVIDER_ID_HPP
