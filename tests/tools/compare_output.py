#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs a program and compares its output with a file: compare_output.py EXPECTED PROGRAM [ARGUMENT...]."""

import difflib
import pathlib
import subprocess
import sys


def main(arguments):
    expected = pathlib.Path(arguments[0])
    ran = subprocess.run(arguments[1:], stdout=subprocess.PIPE, check=False, timeout=60)
    if ran.returncode != 0:
        print(f"{arguments[1]} exited with {ran.returncode}")
        return 1
    wanted = expected.read_text(encoding="utf-8").splitlines(keepends=True)
    printed = ran.stdout.decode("utf-8", "replace").splitlines(keepends=True)
    sys.stdout.writelines(difflib.unified_diff(wanted, printed, str(expected), "printed"))
    return 0 if wanted == printed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
