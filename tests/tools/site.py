#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes the site of the library: site.py FOLDER; prints TAP. Without Doxygen the test is skipped."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "every public name is described, and references lead somewhere"


def main(arguments):
    print("1..1")
    if shutil.which("doxygen") is None:
        print(f"ok 1 - {NAME} # SKIP needs doxygen")
        return 0
    done = subprocess.run([ROOT / "tools" / "docs", arguments[0]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=240)
    wrong = done.returncode != 0 or not pathlib.Path(arguments[0], "index.html").is_file()
    print(f"{'not ok' if wrong else 'ok'} 1 - {NAME}")
    for line in done.stdout.splitlines() if wrong else []:
        print(f"# {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
