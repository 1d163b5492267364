#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes two units that include every header: make_units.py FOLDER HEADER... writes FOLDER/one.cpp and FOLDER/two.cpp."""

import pathlib
import sys

NOTE = "// SPDX-License-Identifier: BSL-1.0\n// Written by tests/tools/make_units.py.\n"


def main(arguments):
    folder, headers = pathlib.Path(arguments[0]), arguments[1:]
    everything = "".join(f"#include <{header}>\n" for header in headers)
    for half in ("one", "two"):
        function = f"strider::version_number const* version_in_{half}() {{ return &strider::version; }}\n"
        (folder / f"{half}.cpp").write_text(NOTE + everything + function, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
