// SPDX-License-Identifier: BSL-1.0
#include "page_frame.hpp"

#include <page_parts.hpp>

namespace iacctl::views {

auto page_around(std::string_view data) -> std::string
{
    std::string page;
    for (auto const piece : page_parts::head) page += piece;
    // The data must not contain "</script", which would end their element, so the character is written as an escape of
    // JSON.
    for (char const c : data) {
        if (c == '<') page += "\\u003c";
        else page += c;
    }
    for (auto const piece : page_parts::tail) page += piece;
    return page;
}

}  // namespace iacctl::views
