// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_GO_QUOTED_HPP
#define IACCTL_SUPPORT_GO_QUOTED_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// Text between quotes as Go writes it (`%q`): what cannot be printed is escaped, and so are bytes that are no UTF-8.
[[nodiscard]] auto go_quoted(std::string_view text) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_GO_QUOTED_HPP
