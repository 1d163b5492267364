#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the table of headers in a page with what the headers of the floors include: umbrellas.py PAGE INCLUDE COMPILER...

Prints TAP.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| `(strider/\w+\.hpp)` \| (.*?) ?\| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
WHOLE_LIBRARIES = ("boost/asio.hpp", "range/v3/all.hpp")
THIRD_PARTIES = {"range-v3": "/range/v3/", "Boost": "/boost/", "Asio": "/boost/asio/"}
MARK = re.compile(r'^# \d+ "([^"<]+)"', re.MULTILINE)


def files_of(header, include, compiler):
    """The files that the preprocessor opens. The list of clang's -M also has those that `__has_include` looks for."""
    command = [*compiler, "-std=c++20", f"-I{include}", "-E", "-x", "c++", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n", capture_output=True, text=True, check=True, timeout=60)
    return set(MARK.findall(done.stdout))


class Headers:
    def __init__(self, include, compiler):
        self.include, self.compiler = include, compiler
        self.public = {path.relative_to(include).as_posix() for path in include.rglob("*.hpp") if "detail" not in path.parts}

    def files_of(self, header):
        return files_of(header, self.include, self.compiler)

    def own(self, files):
        return {path.removeprefix(f"{self.include}/") for path in files} & self.public

    def third_parties(self, files):
        return {name for name, folder in THIRD_PARTIES.items() if any(folder in path for path in files)}

    def check(self, header, floors, third, omitted):
        wrong, floor = [], header.removeprefix("strider/").removesuffix(".hpp")
        files = self.files_of(header)
        own = self.own(files)
        if "strider/core.hpp" not in own:
            wrong.append("strider/core.hpp is not included")
        found = {name.split("/")[1] for name in own if name.count("/") > 1} - {floor}
        if found != floors:
            wrong.append(f"the lower floors are {', '.join(sorted(found))}")
        if self.third_parties(files) != third:
            wrong.append(f"the third-party headers are those of {', '.join(sorted(self.third_parties(files)))}")
        wrong += [f"{name} is included" for name in WHOLE_LIBRARIES if any(path.endswith("/" + name) for path in files)]
        return wrong + self.check_omitted(floor, own, omitted)

    def check_omitted(self, floor, own, omitted):
        """A header that is not included is named by the table, or is included by one that the table names."""
        missing = {name for name in self.public if name.startswith(f"strider/{floor}/")} - own
        named = {name for name in missing if any(fnmatch.fnmatch(name, f"strider/{pattern}") for pattern in omitted)}
        reached = set().union(*(self.own(self.files_of(name)) for name in named))
        wrong = [f"{name} is neither included nor in the last column" for name in sorted(missing - named - reached)]
        for pattern in omitted:
            if not fnmatch.filter(missing, f"strider/{pattern}"):
                wrong.append(f"the last column has {pattern}, which is included, or does not exist")
        return wrong


def main(arguments):
    page, include, compiler = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2:]
    headers = Headers(include, compiler)
    rows = {row[0]: row[1:] for row in ROW.findall(page.read_text(encoding="utf-8"))}
    umbrellas = {name for name in headers.public if name.count("/") == 1} - {"strider/version.hpp"}
    differ = [f"only in one of the page and the library: {name}" for name in sorted(umbrellas ^ rows.keys())]
    tests = [(f"{page.name} has a row for each header of a floor", lambda: differ)]
    for name, (floors, third, omitted) in rows.items():
        quoted = [set(re.findall(r"`([^`]+)`", cell)) for cell in (floors, omitted)]
        parties = set(re.findall(r"range-v3|Boost|Asio", third))
        tests.append((f"{name} includes what {page.name} says",
                      lambda name=name, quoted=quoted, parties=parties: headers.check(name, quoted[0], parties, quoted[1])))
    print(f"1..{len(tests)}")
    failed = False
    for number, (name, check) in enumerate(tests, 1):
        try:
            wrong = check()
        except (OSError, subprocess.SubprocessError) as error:
            wrong = str(error).splitlines()
        failed = failed or bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
        for line in wrong:
            print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
