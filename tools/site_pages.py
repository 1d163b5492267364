#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes what tools/docs gives to Doxygen besides headers and guides: site_pages.py FOLDER

    FOLDER/pages/*.md     a page for each example with its source and its output, and lists of the examples
    FOLDER/layout.xml     the navigation: a tree for the library, and one for iacctl
    FOLDER/header.html    the header of Doxygen with the scripts of the theme
"""

import pathlib
import re
import subprocess
import sys
import xml.sax.saxutils

import page_anchors

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples"
SCRIPTS = ["darkmode-toggle", "fragment-copy-button", "paragraph-link"]
TAG = re.compile(r"^ *//! \[\w+\]\n", re.MULTILINE)  # marks of the parts of an example that the reference shows

# The navigation: titles with pages, or with lists of pages. Doxygen makes the lists of "!reference".
LIBRARY = [
    ("Tutorial: your first walk", "first_walk"), ("Installation", "install"),
    ("Guides", ["ranges", "ids", "stages", "customize", "walk", "scheduling", "values", "simulation", "remote", "embedding",
                "graph"]),
    ("Examples", "examples"), ("Reference", "!reference"),
    ("Background", ["performance", "comparison", "names", "versions"]),
]
IACCTL = [
    ("Tutorial: your first plan", "first_plan"), ("From Terraform or OpenTofu", "migrate"),
    ("Guides", ["state", "providers", "modules", "policies", "testing", "console", "editors"]),
    ("Examples", "iacctl_examples"),
    ("Reference", ["commands", "language", "compatibility"]),
    ("Background", ["reliability", "protocols"]),
]
REFERENCE = """<tab type="namespaces" visible="yes" title="Namespaces">
<tab type="namespacelist" visible="yes" title="All namespaces"/>
<tab type="namespacemembers" visible="yes" title="Members of namespaces"/></tab>
<tab type="concepts" visible="yes" title="Concepts"/>
<tab type="classes" visible="yes" title="Classes"><tab type="classlist" visible="yes" title="All classes"/>
<tab type="classindex" visible="yes" title="Index of classes"/>
<tab type="classmembers" visible="yes" title="Members of classes"/></tab>
<tab type="files" visible="yes" title="Headers"><tab type="filelist" visible="yes" title="All headers"/>
<tab type="globals" visible="yes" title="Macros"/></tab>"""


def examples():
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.cpp"))


def iacctl_examples():
    return sorted((DOCS / "examples").glob("*.md"))


def spoken(stem):
    """04_build_system: Build system."""
    name = re.sub(r"^\d+_", "", stem).replace("_", " ")
    return name[0].upper() + name[1:]


def description(source):
    """The comment at the begin of an example, after its licence."""
    lines = []
    for line in source.splitlines()[1:]:
        if not line.startswith("// "):
            break
        lines.append(line[3:])
    return " ".join(lines)


def example_page(path):
    source = TAG.sub("", path.read_text(encoding="utf-8"))
    output = path.with_suffix(".expected").read_text(encoding="utf-8")
    code = source.partition("\n")[2]
    code = re.sub(r"\A(?:// .*\n)+", "", code)
    return (f"# {spoken(path.stem)} {{#example_{path.stem}}}\n\n{description(source)}\n\n"
            f"The source is `{path.name}` in the folder `examples`. A test compiles and runs it, and compares the output.\n\n"
            f"```cpp\n{code}```\n\nIt prints:\n\n```text\n{output}```\n")


def table_of_examples():
    rows = "".join(f"| [{spoken(path.stem)}](@ref example_{path.stem}) | {description(path.read_text(encoding='utf-8'))} |\n"
                   for path in examples())
    return (f"# Examples of the library {{#{page_anchors.label('examples')}}}\n\nEach example is a program with one idea. Tests compile "
            f"and run all of them.\n\n| example | idea |\n|---|---|\n{rows}")


def table_of_iacctl_examples():
    rows = ""
    for path in iacctl_examples():
        title, idea = path.read_text(encoding="utf-8").split("\n\n")[:2]
        rows += f"| [{title.removeprefix('# ')}](@ref {page_anchors.label(path.stem)}) | {' '.join(idea.split())} |\n"
    return (f"# Examples of iacctl {{#{page_anchors.label('iacctl_examples')}}}\n\nTests run all commands of these pages, and compare "
            "their output. `tools/demo` plans and applies the larger configuration of `examples/iacctl/demo`.\n\n"
            f"| example | idea |\n|---|---|\n{rows}")


def tab(title, target, inner=""):
    url = f'@ref {target}' if target else ""
    kind = "usergroup" if inner else "user"
    return f'<tab type="{kind}" visible="yes" title={xml.sax.saxutils.quoteattr(title)} url="{url}">{inner}</tab>\n'


def page_tab(stem):
    return tab(page_anchors.title_of(stem), page_anchors.label(stem))


def entries_of(stem):
    if stem == "examples":
        return "".join(tab(spoken(path.stem), f"example_{path.stem}") for path in examples())
    if stem == "iacctl_examples":
        return "".join(tab(path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "), page_anchors.label(path.stem))
                       for path in iacctl_examples())
    return ""


def tree(entries):
    parts = []
    for title, content in entries:
        if content == "!reference":
            parts.append(tab(title, "", REFERENCE).replace('url=""', 'url="[none]"'))
        elif isinstance(content, list):
            parts.append(tab(title, "", "".join(page_tab(stem) for stem in content)).replace('url=""', 'url="[none]"', 1))
        else:
            parts.append(tab(title, page_anchors.label(content), entries_of(content)))
    return "".join(parts)


def layout(standard):
    """The layout file of Doxygen with another navigation."""
    doors = [tab("How it works", page_anchors.label("concepts")), tab("Library", page_anchors.label("library"), tree(LIBRARY)),
             tab("iacctl", page_anchors.label("iacctl"), tree(IACCTL))]
    navigation = '<navindex>\n<tab type="mainpage" visible="yes" title="strider"/>\n' + "".join(doors) + "</navindex>"
    text = re.sub(r"<navindex>.*</navindex>", lambda _: navigation, standard, flags=re.DOTALL)
    # The description of a class stands before the list of its members.
    description = '    <detaileddescription title=""/>\n'
    return re.sub(rf"(<class>.*?<includes [^\n]*\n)(.*?){description}", rf"\1{description}\2", text, count=1, flags=re.DOTALL)


def header(standard):
    """The header of Doxygen with the scripts of the theme and the language of the page."""
    lines = [f'<script type="text/javascript" src="$relpath^doxygen-awesome-{name}.js"></script>' for name in SCRIPTS]
    lines += ['<script type="text/javascript" src="$relpath^site.js"></script>', '<script type="text/javascript">',
              "DoxygenAwesomeDarkModeToggle.init();", "DoxygenAwesomeFragmentCopyButton.init();", "DoxygenAwesomeParagraphLink.init();",
              "</script>", "</head>"]
    return standard.replace("</head>", "\n".join(lines), 1).replace("<html ", '<html lang="en" ', 1)


def template(folder, *arguments):
    """The text of a file that Doxygen generates."""
    path = folder / "template"
    subprocess.run(["doxygen", *[argument.replace("FILE", str(path)) for argument in arguments]], check=True, capture_output=True)
    return path.read_text(encoding="utf-8")


def main(arguments):
    folder = pathlib.Path(arguments[0])
    pages = folder / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    for old in pages.glob("*.md"):
        old.unlink()
    for path in examples():
        (pages / f"example_{path.stem}.md").write_text(example_page(path), encoding="utf-8")
    (pages / "examples.md").write_text(table_of_examples(), encoding="utf-8")
    (pages / "iacctl_examples.md").write_text(table_of_iacctl_examples(), encoding="utf-8")
    (folder / "layout.xml").write_text(layout(template(folder, "-l", "FILE")), encoding="utf-8")
    standard = template(folder, "-w", "html", "FILE", f"{folder}/footer", f"{folder}/style")
    (folder / "header.html").write_text(header(standard), encoding="utf-8")
    for name in ("template", "footer", "style"):
        (folder / name).unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
