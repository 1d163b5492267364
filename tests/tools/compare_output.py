#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs programs and compares their output with files; prints TAP.

compare_output.py NAME EXPECTED PROGRAM [ARGUMENT...] [-- NAME EXPECTED PROGRAM [ARGUMENT...]]...
"""

import difflib
import itertools
import pathlib
import subprocess
import sys


def differences(expected, command):
    try:
        ran = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [str(error)]
    if ran.returncode != 0:
        return [f"{command[0]} exited with {ran.returncode}"]
    # Not `splitlines`, which takes a text without a last newline for one that has it.
    wanted = pathlib.Path(expected).read_text(encoding="utf-8").split("\n")
    printed = ran.stdout.decode("utf-8", "replace").split("\n")
    return list(difflib.unified_diff(wanted, printed, expected, "printed", lineterm=""))


def main(arguments):
    cases = [list(case) for separates, case in itertools.groupby(arguments, "--".__eq__) if not separates]
    print(f"1..{len(cases)}")
    failed = False
    for name, expected, *command in cases:
        different = differences(expected, command)
        failed = failed or bool(different)
        print(f"{'not ok' if different else 'ok'} - {name}", flush=True)
        for line in different:
            print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
