// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_MODULE_SOURCE_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_MODULE_SOURCE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language {

/// The address of a module, in parts.
///
/// \source Terraform, module sources; hashicorp/go-getter for the forms of remote addresses
class module_source {
public:
    enum class kind_type : std::uint8_t {
        local,     ///< "./network"
        registry,  ///< "hashicorp/consul/aws"
        remote,    ///< "git::https://example.com/network.git"
    };

    kind_type kind = kind_type::local;
    std::string package;       ///< without the subdirectory: "registry.terraform.io/hashicorp/consul/aws"
    std::string subdirectory;  ///< of the module in its package; empty: the package itself

    /// Nothing if the text is not an address. \param why  then the reason, which may be empty
    [[nodiscard]] static auto parse(std::string_view text, std::string& why) -> std::optional<module_source>;

    /// The address as Terraform writes it into its list of modules.
    [[nodiscard]] auto text() const -> std::string;
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_MODULE_SOURCE_HPP
