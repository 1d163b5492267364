// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_ARGUMENTS_ADDRESSES_HPP
#define IACCTL_CLI_ARGUMENTS_ADDRESSES_HPP

#include "base/expected.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <string>

namespace iacctl::commands {

namespace infra = strider::infra;

/// Parses the address of a resource, of an instance, or of a module (which has no type), as in options.
/// \return on failure the mistake in the text; the caller sets its summary
[[nodiscard]] auto read_target(std::string const& text) -> expected<infra::address>;

/// The same, for addresses of resources and instances only.
[[nodiscard]] auto read_instance(std::string const& text) -> expected<infra::address>;

/// The mistake in the text of an address that could not be read, as a sentence.
[[nodiscard]] auto mistake_in(infra::failure const& unread) -> std::string const&;

/// ` Did you mean "..."?` with the nearest address of an instance, a resource or a module in state; empty if there is
/// none.
[[nodiscard]] auto address_suggestion(std::string const& text, infra::snapshot const& in) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_ARGUMENTS_ADDRESSES_HPP
