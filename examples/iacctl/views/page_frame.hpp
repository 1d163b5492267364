// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PAGE_FRAME_HPP
#define IACCTL_VIEWS_PAGE_FRAME_HPP

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::views {

/// A self-contained page, without other files or a network. \param data  a JSON document: `page_data`
[[nodiscard]] auto page_around(std::string_view data) -> std::string;

/// The same page with its style and script as files of the console, for a policy that permits nothing inside of a page.
[[nodiscard]] auto linked_page_around(std::string_view data) -> std::string;

/// A file of the console of `state serve`, with its type.
struct web_file {
    std::string text;
    std::string_view type;
};
/// The file with a name below "/console/"; an empty name is the page. Nothing if there is none.
[[nodiscard]] auto console_file(std::string_view name) -> std::optional<web_file>;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PAGE_FRAME_HPP
