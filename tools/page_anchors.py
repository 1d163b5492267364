#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints a page for Doxygen: page_anchors.py PAGE. Its headings get the same anchors as on GitHub, and its links refer
to them."""

import pathlib
import re
import sys


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def convert(stem, text):
    """Anchors begin with the name of their page, so they are unique in the site. Code blocks are unchanged."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for number in range(0, len(parts), 2):
        # The first heading is the title of the page.
        part = re.sub(r"(?<=\n)(#+ )(.+)$", lambda found: f"{found[0]} {{#{stem}-{anchor(found[2])}}}", parts[number],
                      flags=re.MULTILINE)
        part = re.sub(r"\]\(#([\w-]+)\)", rf"](#{stem}-\1)", part)
        part = re.sub(r"\]\((\w+)\.md#([\w-]+)\)", r"](#\1-\2)", part)
        parts[number] = part
    return "".join(parts)


def main(arguments):
    page = pathlib.Path(arguments[0])
    sys.stdout.write(convert(page.stem, page.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
