// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_DIAGNOSTICS_HPP
#define IACCTL_PROGRAM_DIAGNOSTICS_HPP

#include "language/syntax/diagnostic.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::program {

/// A place in a file with the text to show for it, from its first line to the end of `around`.
[[nodiscard]] auto excerpt(language::source_range const& of, std::vector<std::string> notes = {},
    language::source_range const& around = {}) -> strider::infra::source_excerpt;

/// Converts diagnostics of the language into those of the engine. \param address  the instance that was processed
[[nodiscard]] auto convert(language::diagnostics const& of, std::string const& address = {})
    -> strider::infra::diagnostics;
/// Converts diagnostics of the engine into those of the language, without places.
[[nodiscard]] auto convert(strider::infra::diagnostics const& of) -> language::diagnostics;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_DIAGNOSTICS_HPP
