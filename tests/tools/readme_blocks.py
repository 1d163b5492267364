#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles the C++ blocks of a page and runs those with a main: readme_blocks.py PAGE FOLDER COMPILER [FLAG...].

A page that is a C++ source is one block.

A block fenced as `text` directly below the comment `<!-- output -->` is the expected output of the program above it.
"""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```$(?:\s*<!-- output -->\s*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(page):
    """(line of the first line of code, code, expected output or None) for every C++ block."""
    return [
        (page.count("\n", 0, found.start()) + 2, found.group(1), found.group(2)) for found in BLOCK.finditer(page)
    ]


def check(line, code, expected, page, folder, compiler):
    source = folder / f"block_{line}.cpp"
    source.write_text(f'#line {line} "{page.name}"\n{code}', encoding="utf-8")
    program = source.with_suffix("")
    runs = re.search(r"^int main\(", code, re.MULTILINE) is not None
    output = ["-o", str(program)] if runs else ["-fsyntax-only"]
    built = subprocess.run(
        [*compiler, str(source), *output], capture_output=True, text=True, check=False, timeout=300
    )
    if built.returncode != 0:
        return built.stderr.splitlines()[:40]
    if not runs:
        return []
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=60)
    if ran.returncode != 0:
        return [f"exited with {ran.returncode}", *ran.stderr.splitlines()]
    if expected is not None and ran.stdout != expected:
        return ["printed:", *ran.stdout.splitlines(), "but the page contains:", *expected.splitlines()]
    return []


def main(arguments):
    page, folder, compiler = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2:]
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found = [(1, text, None)] if page.suffix == ".cpp" else blocks(text)
    if not found:
        print(f"1..1\nok 1 - {page.name} # SKIP no C++ block in {page.name}")
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    print(f"1..{len(found)}")
    failed = False
    for number, (line, code, expected) in enumerate(found, 1):
        wrong = check(line, code, expected, page, folder, compiler)
        failed = failed or bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - block at {page.name}:{line}", flush=True)
        for text in wrong:
            print(f"# {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
