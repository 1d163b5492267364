// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PAGE_FRAME_HPP
#define IACCTL_VIEWS_PAGE_FRAME_HPP

#include <string>
#include <string_view>

namespace iacctl::views {

/// A self-contained page, without other files or a network. \param data  a JSON document: `page_data`
[[nodiscard]] auto page_around(std::string_view data) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PAGE_FRAME_HPP
