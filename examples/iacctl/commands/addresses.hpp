// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_ADDRESSES_HPP
#define IACCTL_COMMANDS_ADDRESSES_HPP

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <string>

namespace iacctl::commands {

namespace infra = strider::infra;

/// An address as options take it: of a resource, of an instance, or of a module (which has no type).
/// \return the reason says what is wrong with the text; its summary is for the caller to write
[[nodiscard]] auto read_target(std::string const& text) -> infra::expected<infra::address>;

/// The same, but of a resource or an instance only.
[[nodiscard]] auto read_instance(std::string const& text) -> infra::expected<infra::address>;

/// ` Did you mean "..."?` with the nearest address of an instance, a resource or a module in state, or nothing.
[[nodiscard]] auto address_suggestion(std::string const& text, infra::snapshot const& in) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_ADDRESSES_HPP
