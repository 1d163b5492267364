#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes a header of the pages: embed.py OUTPUT --page page.html page.css SCRIPT... --console console.html console.css icon.svg SCRIPT...
The scripts are in the order in which they run.

A page by itself is one file: its content security policy names the style and the script by their hashes, so it runs nothing else and
loads nothing. A server sends the parts as files of their own, and its policy permits only these.
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

{}
}}  // namespace iacctl::views::page_parts

#endif  // IACCTL_UI_PAGE_PARTS_HPP
"""


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def constant(name, text):
    # Compilers accept at least 64 KiB in a literal.
    pieces = [text[at : at + 16000] for at in range(0, len(text), 16000)] or [""]
    assert ')page~"' not in text
    return f"inline constexpr std::string_view {name}[] = {{\n    " + ",\n    ".join('R"page~(' + piece + ')page~"' for piece in pieces) + "};\n"


def joined(files):
    return "".join(pathlib.Path(one).read_text() for one in files)


def script_of(files):
    return "(() => {\n'use strict';\n" + joined(files) + "})();\n"


def main(output, page, console):
    style, script = joined([page[1]]), script_of(page[2:])
    policy = "; ".join(
        ["default-src 'none'", "script-src " + hash_of(script), "style-src " + hash_of(style), "base-uri 'none'", "form-action 'none'"]
    )
    html = joined([page[0]])
    pieces = []
    for name, mark in (("before_policy", "{{policy}}"), ("before_style", "{{style}}"), ("before_data", "{{data}}"), ("before_script", "{{script}}")):
        assert html.count(mark) == 1, mark
        before, html = html.split(mark)
        pieces.append(constant(name, before))
    pieces.append(constant("after_script", html))
    parts = {"policy": policy, "style": style, "script": script, "console_html": joined([console[0]]),
        "console_style": style + joined([console[1]]), "console_script": script_of(console[3:]), "icon": joined([console[2]])}
    pathlib.Path(output).write_text(HEADER.format("".join(pieces + [constant(*one) for one in parts.items()])))


if __name__ == "__main__":
    arguments = sys.argv[2:]
    middle = arguments.index("--console")
    main(sys.argv[1], arguments[1:middle], arguments[middle + 1 :])
