#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Joins programs into one translation unit: join_programs.py OUTPUT SOURCE...

The resulting program takes the name of a program as its argument and runs it. The headers, which take most of the
compile time, are compiled once. Each program is in its own namespace; its `main` is the last function.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r"^#include (<[^>]+>)$", re.MULTILINE)
MAIN = re.compile(r"^(?:int main\(\)|auto main\(\) -> int)$", re.MULTILINE)


def joined(name, path, text):
    if len(MAIN.findall(text)) != 1 or not text.endswith("\n}\n"):
        raise ValueError(f"{path}: has no function main() at its end")
    # Only the real `main` of a program returns 0 without a return statement.
    body = MAIN.sub("int main_of_program()", INCLUDE.sub("", text))[: -len("}\n")] + "    return 0;\n}\n"
    return f'namespace {name} {{\n#line 1 "{path}"\n{body}}}  // namespace {name}\n'


def join(sources):
    texts = {"program_" + path.stem: (path, path.read_text(encoding="utf-8")) for path in sources}
    headers = {"<string_view>"} | {header for _, text in texts.values() for header in INCLUDE.findall(text)}
    cases = "".join(f'    if (name == "{key.removeprefix("program_")}") return {key}::main_of_program();\n' for key in texts)
    return "\n".join(
        [
            *(f"#include {header}" for header in sorted(headers)),
            *(joined(name, path, text) for name, (path, text) in texts.items()),
            "int main(int count, char** words)",
            "{",
            '    std::string_view const name = count == 2 ? words[1] : "";',
            f"{cases}    return 2;",
            "}",
            "",
        ]
    )


def main(arguments):
    try:
        pathlib.Path(arguments[0]).write_text(join([pathlib.Path(name) for name in arguments[1:]]), encoding="utf-8")
    except (IndexError, OSError, ValueError) as error:
        print(f"join_programs.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
