#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the commands of a page with iacctl and compares their output: console_blocks.py IACCTL PAGE; prints TAP.

The blocks of a page are used in their order, in one new folder:

    <!-- file NAME -->        the block below is the content of the file NAME
    <!-- append NAME -->      the block below is added to the file NAME
    <!-- setup ... -->        the lines of the comment are run by a shell; readers do not see them
    <!-- needs PROGRAM -->    the console block below is skipped if there is no such program

In a block fenced as `console`, lines that begin with "$ " are commands, and the lines below are their whole output, standard
output and standard error. A line "..." stands for any number of lines, and "…" for any text within a line. The text
after "Enter a value: " is given to the command as its input. A command may end with "# exit N".
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PART = re.compile(
    r"^<!-- setup\n(?P<setup>.*?)^-->$"
    r"|^(?:<!-- (?P<kind>file|append|needs) (?P<name>\S+) -->\s*)?^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL)
QUESTION = re.compile(r"(Enter a value(?: \(yes or no\))?: ?)(\w*)$", re.MULTILINE)
EXIT = re.compile(r"\s+# exit (\d+)$")


def commands(block):
    """(command, expected exit code, expected output) for each command of a console block."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            code = EXIT.search(line)
            found.append([EXIT.sub("", line[2:]), int(code.group(1)) if code else 0, []])
        elif found:
            found[-1][2].append(line)
    return [(command, code, "".join(line + "\n" for line in lines)) for command, code, lines in found]


def answers(expected):
    return "".join(found.group(2) + "\n" for found in QUESTION.finditer(expected))


def pattern(expected):
    """A regular expression for the whole output. Empty lines at its begin and its end are not compared."""
    parts = []
    for line in expected.strip("\n").splitlines():
        if line == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        question = QUESTION.search(line)
        text = line[:question.end(1)].rstrip() if question else line
        part = re.escape(text.rstrip()).replace("…", ".*?")
        parts.append(part + (r" *\n?" if question else r"[ \t]*\n"))
    return "".join(parts)


def differs(command, code, expected, done):
    output = done.stdout.strip("\n") + "\n"
    if done.returncode != code:
        return [f"$ {command}", f"exit code {done.returncode} instead of {code}", *output.splitlines()]
    if re.fullmatch(pattern(expected), output if output != "\n" else "") is None:
        return [f"$ {command}", "printed:", *output.splitlines(), "but the page contains:", *expected.splitlines()]
    return []


class Page:
    def __init__(self, iacctl, folder):
        self.folder = folder / "project"
        self.folder.mkdir()
        programs = folder / "programs"
        programs.mkdir()
        (programs / "iacctl").symlink_to(iacctl)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "IACCTL_"))}
        self.environment |= {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), "NO_COLOR": "1", "TERM": "dumb",
                             "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull, "LC_ALL": "C.UTF-8"}

    def shell(self, command, text=""):
        return subprocess.run(["sh", "-c", command], input=text, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=120)

    def run(self, block):
        for command, code, expected in commands(block):
            wrong = differs(command, code, expected, self.shell(command, answers(expected)))
            if wrong:
                return wrong
        return []

    def use(self, part):
        """The mistakes of a console block, or None for another part."""
        if part["setup"] is not None:
            done = self.shell(part["setup"])
            if done.returncode != 0:
                raise ValueError(f"the set-up failed: {done.stdout}")
        elif part["kind"] in ("file", "append"):
            with open(self.folder / part["name"], "w" if part["kind"] == "file" else "a", encoding="utf-8") as file:
                file.write(part["text"])
        elif part["language"] == "console":
            return self.run(part["text"])
        return None


def main(arguments):
    iacctl, page = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1])
    text = page.read_text(encoding="utf-8")
    number, failed = 0, False
    with tempfile.TemporaryDirectory() as folder:
        project = Page(iacctl, pathlib.Path(folder))
        for part in PART.finditer(text):
            line = text.count("\n", 0, part.start()) + 1
            skip = part["kind"] == "needs" and shutil.which(part["name"]) is None
            wrong = [] if skip else project.use(part)
            if wrong is None:
                continue
            number += 1
            failed = failed or bool(wrong)
            reason = f" # SKIP needs {part['name']}" if skip else ""
            print(f"{'not ok' if wrong else 'ok'} {number} - block at {page.name}:{line}{reason}", flush=True)
            for each in wrong:
                print(f"# {each}")
    print(f"1..{number}")
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
