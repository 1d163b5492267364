#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the units that prove each header self-contained, and the two that include them all.

make_units.py FOLDER HEADER... writes FOLDER/<header>.cpp for each header (`strider_core_edge_hpp.cpp`), which includes it
alone and twice; one.cpp and two.cpp, which include everything; and headers_main.cpp, which asks every unit for its name.
"""

import pathlib
import re
import sys

NOTE = "// SPDX-License-Identifier: BSL-1.0\n// Written by tests/tools/make_units.py.\n"


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def identifier(header):
    return re.sub(r"\W", "_", header)


def main(arguments):
    folder, headers = pathlib.Path(arguments[0]), arguments[1:]
    for header in headers:
        include = f"#include <{header}>\n"
        name = f"char const* name_of_{identifier(header)}() {{ return \"{header}\"; }}\n"
        write(folder / f"{identifier(header)}.cpp", NOTE + include + include + name)

    everything = "".join(f"#include <{header}>\n" for header in headers)
    for half in ("one", "two"):
        function = f"strider::version_number const* version_in_{half}() {{ return &strider::version; }}\n"
        write(folder / f"{half}.cpp", NOTE + everything + function)

    declared = "".join(f"char const* name_of_{identifier(header)}();\n" for header in headers)
    entries = "".join(f"    {{\"{header}\", name_of_{identifier(header)}}},\n" for header in headers)
    write(folder / "headers_main.cpp", f"""{NOTE}#include <cstdio>
#include <cstring>

{declared}
namespace {{
struct unit {{
    char const* header;
    char const* (*name)();
}};
unit const units[] = {{
{entries}}};
}}  // namespace

int main()
{{
    int number = 0;
    std::printf("1..%d\\n", {len(headers)});
    for (unit const& each : units)
        std::printf("%s %d - %s compiles alone, and linked with the others\\n",
            std::strcmp(each.header, each.name()) == 0 ? "ok" : "not ok", ++number, each.header);
}}
""")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
