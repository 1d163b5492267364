// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_GO_QUOTED_HPP
#define IACCTL_BASE_GO_QUOTED_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// Text in quotes in Go's format `%q`: characters that cannot be printed are escaped, and so are bytes that are not
/// UTF-8.
[[nodiscard]] auto go_quoted(std::string_view text) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_GO_QUOTED_HPP
