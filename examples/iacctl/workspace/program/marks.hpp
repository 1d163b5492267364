// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_MARKS_HPP
#define IACCTL_WORKSPACE_PROGRAM_MARKS_HPP

#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::program {

/// The paths of sensitive values in a value, in the format of state files: a list of paths, each a list of steps. Empty
/// if there are none.
[[nodiscard]] auto sensitive_paths(language::value const& v) -> std::string;

/// The value in which the values at these paths are marked sensitive. A path that does not exist is ignored.
[[nodiscard]] auto with_sensitive_paths(language::value const& v, std::string_view paths) -> language::value;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_MARKS_HPP
