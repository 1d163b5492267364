#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints a page for Doxygen: page_anchors.py PAGE. Its headings get the same anchors as on GitHub, its links refer to them, and
drawings become a part of the page."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAWINGS = re.compile(r"^!\[[^\]]*\]\([\w/]+\.svg\)(?: !\[[^\]]*\]\([\w/]+\.svg\))*$", re.MULTILINE)


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def label(stem):
    """The label of a page, which is also the name of its HTML file."""
    return f"guide_{stem}"


def title_of(stem):
    """The title of a page in docs, or None."""
    path = ROOT / "docs" / f"{stem}.md"
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ") if path.exists() else None


def named_page(found):
    """`docs/NAME.md` in a text is a link with the title of the page, `examples/NN_NAME.cpp` a link to its page."""
    title = title_of(found["page"]) if found["page"] else None
    if title is not None:
        return f"[{title}](@ref {label(found['page'])})"
    if found["example"]:
        return f"[{found['example']}](@ref example_{found['example']})"
    return found[0]


def drawings(found, folder):
    """The SVG files of a line, inline, so that they follow the colours of the page."""
    files = re.findall(r"\(([\w/]+\.svg)\)", found[0])
    texts = [(folder / name).read_text(encoding="utf-8") for name in files]
    if not all('class="strider-drawing"' in text for text in texts):
        return found[0]
    return '\\htmlonly[block]\n<div class="drawings">\n' + "".join(texts) + "</div>\n\\endhtmlonly"


def convert(stem, text, folder=ROOT / "docs"):
    """Anchors begin with the name of their page, so they are unique in the site. Code blocks are unchanged."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    for number in range(0, len(parts), 2):
        part = parts[number]
        if number == 0:
            part = re.sub(r"\A(# .*[^}\n])$", rf"\1 {{#{label(stem)}}}", part, count=1, flags=re.MULTILINE)
        # The first heading is the title of the page.
        part = re.sub(r"(?<=\n)(#+ )(.+)$", lambda found: f"{found[0]} {{#{stem}-{anchor(found[2])}}}", part, flags=re.MULTILINE)
        part = re.sub(r"\]\(#([\w-]+)\)", rf"](#{stem}-\1)", part)
        part = re.sub(r"\]\((?:[\w./]*/)?(\w+)\.md#([\w-]+)\)", r"](#\1-\2)", part)
        part = re.sub(r"\]\((?:[\w./]*/)?(\w+)\.md\)", lambda found: f"](@ref {label(found[1])})", part)
        part = re.sub(r"`docs/(?P<page>\w+)\.md`|`examples/(?P<example>\d\d_\w+)\.cpp`", named_page, part)
        part = DRAWINGS.sub(lambda found: drawings(found, folder), part)
        parts[number] = part
    return "".join(parts)


def main(arguments):
    page = pathlib.Path(arguments[0])
    sys.stdout.write(convert(page.stem, page.read_text(encoding="utf-8"), page.resolve().parent))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
