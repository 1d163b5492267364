#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that a program is hardened as Debian's are: hardened.py PROGRAM. Prints TAP."""

import subprocess
import sys


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True, capture_output=True, text=True).stdout


def main():
    header, segments, dynamic, symbols = (readelf(part, sys.argv[1]) for part in ("-h", "-l", "-d", "--dyn-syms"))
    checks = {
        "the program is position-independent": "DYN (Position-Independent Executable file)" in header,
        "relocations are read-only after the start": "GNU_RELRO" in segments,
        "all symbols are bound at the start": "BIND_NOW" in dynamic,
        "the stack is not executable": any("GNU_STACK" in line and " RW " in line for line in segments.splitlines()),
        "functions check their stack": "__stack_chk_fail" in symbols,
        "calls of the C library check their buffers": "_chk@" in symbols,
    }
    print(f"1..{len(checks)}")
    for number, (name, holds) in enumerate(checks.items(), 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {name}")
    return 0 if all(checks.values()) else 1


sys.exit(main())
