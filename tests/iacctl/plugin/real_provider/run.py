#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the client of the plugin protocol with a real provider: run.py PROBE prints TAP.

The provider is a Go program in a cache folder. If it is not there, it is built from Go's module proxy where
STRIDER_REQUIRE lists go; elsewhere the test is skipped with a reason.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from released_providers import SUITE_BUILDS, program_of


def main():
    program, reason = program_of("random", SUITE_BUILDS)
    if program is None:
        print(f"1..1\nok 1 - random # SKIP {reason}")
        return 0
    return subprocess.run([sys.argv[1], str(program)]).returncode


if __name__ == "__main__":
    sys.exit(main())
