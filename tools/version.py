#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the version of strider, read from include/strider/version.hpp."""

import pathlib
import re
import sys

HEADER = pathlib.Path(__file__).resolve().parent.parent / "include" / "strider" / "version.hpp"


def read_version(text):
    parts = []
    for part in ("MAJOR", "MINOR", "PATCH"):
        found = re.search(rf"^#define STRIDER_VERSION_{part} (\d+)$", text, re.MULTILINE)
        if found is None:
            raise ValueError(f"no line '#define STRIDER_VERSION_{part} <number>'")
        parts.append(found.group(1))
    return ".".join(parts)


def main():
    try:
        print(read_version(HEADER.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        print(f"version.py: {HEADER}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
