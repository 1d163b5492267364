#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Counts test cases; the last line is `N passed, N failed`.

tally.py BUILD...                 those of the last `meson test` in each build folder
tally.py --tap NAME COMMAND...    runs a command that prints TAP, and counts its cases

It counts cases, not executables: for a GoogleTest executable the cases of its XML report, for a TAP program its lines,
for any other program one. An executable that crashed, exceeded its time or left no report counts as one additional
failed case.

A test that lacks a tool is skipped with the reason "needs TOOL". STRIDER_REQUIRE lists tools that must be present: if a
test is skipped because it lacks one of them, it counts as failed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

TAP = re.compile(r"^(not )?ok\b(?: \d+)?(?: - )?([^#\n]*)(?:# ?(SKIP|TODO)\S*\s*(.*))?$", re.MULTILINE | re.IGNORECASE)
COMMENTS = re.compile(r"\n?(?:#.*\n?)*")
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)
GOOD = {"OK", "EXPECTEDFAIL"}
NEEDS = re.compile(r"\(needs (\w+)")


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.details = {}

    def add_gtest(self, name, report):
        for case in report.iter("testcase"):
            label = f"{name}: {case.get('classname', '?')}.{case.get('name')}"
            skip = case.find("skipped")
            if case.get("status") == "notrun" or skip is not None:
                reason = (skip.get("message") or "").strip().splitlines() if skip is not None else ["disabled"]
                self.skipped.append(f"{label} ({reason[-1]})" if reason else label)
            elif case.find("failure") is not None or case.find("error") is not None:
                self.failed.append(label)
            else:
                self.passed += 1

    def add_tap(self, name, text):
        seen = 0
        for point in TAP.finditer(text):
            wrong, what, directive, reason = (group or "" for group in point.groups())
            seen += 1
            label = f"{name}: {what.strip()}"
            if directive.upper() == "SKIP":
                self.skipped.append(f"{label} ({reason.strip()})")
            elif wrong:
                self.failed.append(label)
                self.details[label] = COMMENTS.match(text, point.end()).group(0).strip().splitlines()
            else:
                self.passed += 1
        return seen

    def add(self, test, protocol, folder):
        name, good = test["name"].rpartition(" / ")[2], test["result"] in GOOD
        before = len(self.failed)
        plan = PLAN.search(test.get("stdout") or "")
        if protocol.get(name) == "gtest":
            try:
                self.add_gtest(name, xml.parse(folder / f"{name}.xml"))
            except (OSError, xml.ParseError):
                self.failed.append(f"{name}: ended without a report")
        elif plan is not None:
            seen = self.add_tap(name, test["stdout"])
            if seen != int(plan.group(1)):
                self.failed.append(f"{name}: planned {plan.group(1)} cases, ran {seen}")
        elif test["result"] == "SKIP":
            self.skipped.append(name)
        elif good:
            self.passed += 1
        if not good and test["result"] != "SKIP" and len(self.failed) == before:
            self.failed.append(f"{name}: {test['result'].lower()}, exit {test['returncode']}")

    def require(self, tools):
        """If a test is skipped because it lacks one of these tools, it has failed."""
        for name in list(self.skipped):
            need = NEEDS.search(name)
            if need and need.group(1) in tools:
                self.skipped.remove(name)
                self.failed.append(f"{name}: {need.group(1)} is required, and it was skipped")


def count(folder, total=None):
    """Counts the results of the last run in one build folder."""
    total = total or Count()
    log = folder / "meson-logs" / "testlog.json"
    tests = json.loads((folder / "meson-info" / "intro-tests.json").read_text(encoding="utf-8"))
    protocol = {test["name"]: test["protocol"] for test in tests}
    for line in log.read_text(encoding="utf-8").splitlines():
        total.add(json.loads(line), protocol, folder)
    return total


def run(name, command, total):
    """Runs a command, shows its output, and counts the cases of its TAP."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    status = process.returncode
    total.add({"name": name, "stdout": "".join(lines), "result": "FAIL" if status else "OK", "returncode": status}, {}, None)


def main(arguments):
    total = Count()
    if arguments[:1] == ["--tap"]:
        run(arguments[1], arguments[2:], total)
        arguments = []
    for folder in arguments:
        try:
            count(pathlib.Path(folder), total)
        except (OSError, ValueError) as error:
            total.failed.append(f"{folder}: no readable test log ({error})")
    total.require(os.environ.get("STRIDER_REQUIRE", "").split())
    room = 200
    for title, names in (("skipped", total.skipped), ("FAILED", total.failed)):
        for name in names:
            print(f"{title}: {name}")
            for line in total.details.get(name, [])[: min(room, 40)]:
                print(f"    {line}")
                room -= 1
    print(f"{total.passed} passed, {len(total.failed)} failed")
    return 0 if (total.passed or total.skipped) and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
