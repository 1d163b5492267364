// SPDX-License-Identifier: BSL-1.0
#include "page_frame.hpp"

#include <page_parts.hpp>

#include <span>

namespace iacctl::views {

namespace {

using pieces = std::span<std::string_view const>;

void append(std::string& to, pieces const& text)
{
    for (std::string_view const piece : text) to += piece;
}

auto joined(pieces const& text) -> std::string
{
    std::string made;
    append(made, text);
    return made;
}

// The elements of a page that are in it, or refer to other files.
struct page_elements {
    std::string policy;
    std::string style;
    std::string script;
};

auto page_of(page_elements const& with, std::string_view data) -> std::string
{
    std::string page;
    append(page, page_parts::before_policy);
    page += with.policy;
    append(page, page_parts::before_style);
    page += with.style;
    append(page, page_parts::before_data);
    // The data must not contain "</script", which would end their element, so the character is written as an escape of
    // JSON.
    for (char const c : data) {
        if (c == '<') page += "\\u003c";
        else page += c;
    }
    append(page, page_parts::before_script);
    page += with.script;
    append(page, page_parts::after_script);
    return page;
}

}  // namespace

auto page_around(std::string_view data) -> std::string
{
    return page_of(
        {R"(<meta http-equiv="Content-Security-Policy" content=")" + joined(page_parts::policy) + "\">",
            "<style>" + joined(page_parts::style) + "</style>", "<script>" + joined(page_parts::script) + "</script>"},
        data);
}

auto linked_page_around(std::string_view data) -> std::string
{
    return page_of(
        {"", R"(<link rel="icon" href="/console/icon.svg"><link rel="stylesheet" href="/console/console.css">)",
            R"(<script src="/console/graph.js"></script>)"},
        data);
}

auto console_file(std::string_view name) -> std::optional<web_file>
{
    constexpr std::string_view script = "text/javascript; charset=utf-8";
    if (name.empty()) return web_file{joined(page_parts::console_html), "text/html; charset=utf-8"};
    if (name == "console.css") return web_file{joined(page_parts::console_style), "text/css; charset=utf-8"};
    if (name == "console.js") return web_file{joined(page_parts::console_script), script};
    if (name == "icon.svg") return web_file{joined(page_parts::icon), "image/svg+xml"};
    if (name == "graph.js") return web_file{joined(page_parts::script), script};
    return std::nullopt;
}

}  // namespace iacctl::views
