#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the public headers, sorted, one `strider/<path>.hpp` per line: list_headers.py [INCLUDE-FOLDER].

The translation units of tests/headers and tests/odr are generated from this list, so no build file names a header.
"""

import pathlib
import sys

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "include"


def list_headers(include):
    return sorted(path.relative_to(include).as_posix() for path in include.rglob("*.hpp"))


def main(arguments):
    include = pathlib.Path(arguments[0]) if arguments else INCLUDE
    headers = list_headers(include)
    if not headers:
        print(f"list_headers.py: no headers below {include}", file=sys.stderr)
        return 1
    print("\n".join(headers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
