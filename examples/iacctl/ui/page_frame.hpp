// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_PAGE_FRAME_HPP
#define IACCTL_UI_PAGE_FRAME_HPP

#include <string>
#include <string_view>

namespace iacctl::ui {

/// A self-contained page, without other files or a network. \param data  a JSON document: `page_data`
[[nodiscard]] auto page_around(std::string_view data) -> std::string;

}  // namespace iacctl::ui

#endif  // IACCTL_UI_PAGE_FRAME_HPP
