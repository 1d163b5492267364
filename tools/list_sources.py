#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Lists the test sources, so that build files do not need to list them.

Prints one line `folder:file`, relative to the given folder, for each C++ source of a test executable. A folder with at
least one `*.test.cpp` is an executable; all other `.cpp` files of the folder are linked into it. Folders with their own
runner (static, compile_fail, headers, odr, install, ...) are omitted. The largest folder is the first: ninja begins with
the target that was defined first, and a long compilation at the end would leave other processors idle.

With a pattern as the second argument, prints the names of the files in the folder that match it.
"""

import pathlib
import sys

OWN_RUNNER = {"static", "compile_fail", "headers", "odr", "install", "golden", "support", "pch", "tools", "readme"}


def list_sources(root):
    executables = []
    for folder in sorted(path for path in root.rglob("*") if path.is_dir()):
        relative = folder.relative_to(root)
        if relative.parts[0] in OWN_RUNNER or not any(folder.glob("*.test.cpp")):
            continue
        sources = sorted(folder.glob("*.cpp"))
        lines = [f"{relative.as_posix()}:{source.relative_to(root).as_posix()}" for source in sources]
        executables.append((sum(source.stat().st_size for source in sources), lines))
    executables.sort(key=lambda one: -one[0])
    return [line for _, lines in executables for line in lines]


def main(arguments):
    if len(arguments) not in (1, 2) or not pathlib.Path(arguments[0]).is_dir():
        print("usage: list_sources.py FOLDER [PATTERN]", file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0])
    found = list_sources(root) if len(arguments) == 1 else sorted(path.name for path in root.glob(arguments[1]))
    print("\n".join(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
