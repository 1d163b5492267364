// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_MARKS_HPP
#define IACCTL_PROGRAM_MARKS_HPP

#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::program {

/// Where in a value secrets lie, as state files write it: a list of paths, each a list of steps. Empty if nowhere.
[[nodiscard]] auto sensitive_paths(language::value const& of) -> std::string;

/// The value with what the paths name marked sensitive. A path that leads nowhere is passed over.
[[nodiscard]] auto with_sensitive_paths(language::value const& of, std::string_view paths) -> language::value;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_MARKS_HPP
