#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests what a compiler reports of the library with flags that it does not support: refused.py INCLUDE COMPILER...; prints TAP.

The report has one sentence, whichever public header comes first. The second line is about a file that does not exist, by which
the sentence ends the compilation.
"""

import pathlib
import re
import subprocess
import sys

REFUSED = {
    "-std=c++17": "strider needs C++20: compile with -std=c++20 or later",
    "-fno-exceptions": "strider needs exceptions: compile without -fno-exceptions",
}


def check(compiler, flag, sentence, include, header):
    command = [compiler, "-std=c++20", flag, "-fsyntax-only", f"-I{include}", "-x", "c++", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n", capture_output=True, text=True, check=False, timeout=60)
    errors = re.findall(r"error: (.*)", done.stderr)
    if done.returncode != 0 and len(errors) == 2 and sentence in errors[0] and "the error above" in errors[1]:
        return []
    return [f"exit {done.returncode}", *done.stderr.splitlines()[:40]]


def main(arguments):
    include, compilers = pathlib.Path(arguments[0]), [name for name in arguments[1:] if name]
    headers = sorted(path.relative_to(include).as_posix() for path in (include / "strider").glob("*.hpp"))
    cases = [(compiler, flag, header) for compiler in compilers for flag in REFUSED for header in headers]
    print(f"1..{len(cases)}")
    failed = False
    for number, (compiler, flag, header) in enumerate(cases, 1):
        wrong = check(compiler, flag, REFUSED[flag], include, header)
        failed = failed or bool(wrong)
        name = f"{pathlib.Path(compiler).name} {flag} is refused by <{header}> in one sentence"
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
        for line in wrong:
            print(f"# {line}")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
