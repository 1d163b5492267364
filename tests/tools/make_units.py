#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes two units that include every header: make_units.py FOLDER INCLUDE writes FOLDER/ascending.cpp and FOLDER/descending.cpp.

The first unit includes the headers by ascending number of headers that each one includes, the second unit in the opposite order: each
header compiles before and after every other one that it does not include. Then both units include all headers again.

The first unit asks after each header, the second unit at its end, what concepts answer (tests/odr/ask.hpp). A header that specializes a
template of another header is in the first unit after that header, so an answer that it changes differs from those before.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r"^#include <(strider/[^>]+)>", re.MULTILINE)


def closures(include):
    """By header, the headers of the library that it includes, with itself."""
    direct = {path.relative_to(include).as_posix(): INCLUDE.findall(path.read_text(encoding="utf-8")) for path in include.rglob("*.hpp")}
    known = {}

    def closure(header):
        if header not in known:
            known[header] = {header}.union(*(closure(included) for included in direct[header]))
        return known[header]

    return {header: closure(header) for header in direct}


def ascending(include):
    found = closures(include)
    return sorted(found, key=lambda header: (len(found[header]), header))


def unit(name, headers, asks_after):
    lines = ["// SPDX-License-Identifier: BSL-1.0", "// Written by tests/tools/make_units.py.", '#include "odr/answers.hpp"', f'#define UNIT "{name}"']
    for number, header in enumerate(headers):
        lines.append(f"#include <{header}>")
        if asks_after(number):
            lines += [f"#define POSITION position_{number}", f'#define HEADER "{header}"', '#include "odr/ask.hpp"']
    lines += [f"#include <{header}>" for header in headers]
    lines.append(f"auto version_in_{name}() -> strider::version_number const* {{ return &strider::version; }}")
    return "\n".join(lines) + "\n"


def main(arguments):
    folder, headers = pathlib.Path(arguments[0]), ascending(pathlib.Path(arguments[1]))
    last = len(headers) - 1
    for name, ordered, asks_after in (
        ("ascending", headers, lambda number: True),
        ("descending", headers[::-1], lambda number: number == last),
    ):
        (folder / f"{name}.cpp").write_text(unit(name, ordered, asks_after), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
