#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a header of the page: embed.py page.html page.css SCRIPT... OUTPUT, the scripts in the order in which the scripts run.

The content security policy names the style and the script by their hashes, so the page runs nothing else and loads nothing.
"""

import base64
import hashlib
import pathlib
import sys

HEADER = """// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_PAGE_PARTS_HPP
#define IACCTL_UI_PAGE_PARTS_HPP

#include <string_view>

namespace iacctl::views::page_parts {{

// The page before and after its data, in pieces.
inline constexpr std::string_view head[] = {{
    {}}};
inline constexpr std::string_view tail[] = {{
    {}}};

}}  // namespace iacctl::views::page_parts

#endif  // IACCTL_UI_PAGE_PARTS_HPP
"""


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def literal(text):
    # Compilers accept at least 64 KiB in a literal.
    pieces = [text[at : at + 16000] for at in range(0, len(text), 16000)]
    assert ')page~"' not in text
    return ",\n    ".join('R"page~(' + piece + ')page~"' for piece in pieces)


def main(html, css, *scripts, output):
    style = pathlib.Path(css).read_text()
    body = "".join(pathlib.Path(one).read_text() for one in scripts)
    script = "(() => {\n'use strict';\n" + body + "})();\n"
    policy = "; ".join(
        ["default-src 'none'", "script-src " + hash_of(script), "style-src " + hash_of(style), "base-uri 'none'", "form-action 'none'"]
    )
    page = pathlib.Path(html).read_text()
    for mark, text in (("{{policy}}", policy), ("{{style}}", style), ("{{script}}", script)):
        assert page.count(mark) == 1, mark
        page = page.replace(mark, text)
    head, tail = page.split("{{data}}")
    pathlib.Path(output).write_text(HEADER.format(literal(head), literal(tail)))


if __name__ == "__main__":
    main(*sys.argv[1:-1], output=sys.argv[-1])
