#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs golden scenarios against iacctl and reports in TAP.

A scenario is a text file of sections:

    === file NAME          what follows is the content of NAME, in place of what was there
    === remove NAME        the file is gone from here on
    === typed              what follows is what is typed into the next run
    === run ARGUMENTS      iacctl is run; what follows is what it must print, standard error after standard output
    === shell COMMAND      a command of the shell, with its output; $IACCTL is the program
    === exit N             the exit code of the run above, if it is not 0

Ids, keys of deposed objects and times are replaced by names. Runs get -no-color, and -parallelism=1 where order matters.

    run.py IACCTL SCENARIO...            compares
    run.py --update IACCTL SCENARIO...   writes what was printed into the scenarios

STRIDER_GOLDEN_PARALLELISM=N gives runs -parallelism=N; with N above 1 the order of lines is not compared.
STRIDER_GOLDEN_SLICE=K/N runs every N-th scenario, beginning with the K-th.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PARALLELISM = int(os.environ.get("STRIDER_GOLDEN_PARALLELISM", "1"))
ORDERED = {"plan", "apply", "destroy", "refresh"}
COLOURED = {"init", "validate", "plan", "apply", "destroy", "show", "output"}


def sections(text):
    """The sections of a scenario: (kind, argument, lines)."""
    found = []
    for line in text.splitlines():
        if line.startswith("=== "):
            kind, _, argument = line[4:].partition(" ")
            found.append([kind, argument, []])
        elif found:
            found[-1][2].append(line)
        else:
            found.append(["title", "", [line]])
    return found


def normalized(text, directory):
    text = text.replace(str(directory), "<dir>")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>", text)
    text = re.sub(r"deposed( object)? [0-9a-f]{8}", r"deposed\1 <key>", text)
    text = re.sub(r'"deposed": "[0-9a-f]{8}"', '"deposed": "<key>"', text)
    text = re.sub(r'"(serial|@?timestamp)": ?[^,\n]+', r'"\1": <\1>', text)
    text = re.sub(r"after \d+s", "after 0s", text)
    return [line.rstrip() for line in text.splitlines()]


def command_of(binary, argument):
    words = shlex.split(argument)
    name = next((w for w in words if not w.startswith("-")), "")
    extra = []
    if name in COLOURED:
        extra.append("-no-color")
    if name in ORDERED:
        extra.append(f"-parallelism={PARALLELISM}")
    at = words.index(name) + 1 if name in words else len(words)
    return [binary] + words[:at] + extra + words[at:]


def play(binary, path, update):
    """Differences between what a scenario says and what happens; with `update`, the scenario as it would be."""
    wanted = sections(path.read_text())
    result, problems, code = [], [], 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name).resolve()
        environment = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", IACCTL=str(binary))
        for key in [k for k in environment if k.startswith("TF_")]:
            del environment[key]
        pending_exit, typed = None, ""
        for kind, argument, lines in wanted + [["end", "", []]]:
            if pending_exit is not None and kind != "exit":
                if pending_exit != 0:
                    problems.append(f"exit code {pending_exit} after: {last}")
                    result.append(["exit", str(pending_exit), []])
                pending_exit = None
            if kind == "title":
                result.append([kind, argument, lines])
            elif kind == "file":
                target = directory / argument
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(lines).rstrip("\n") + "\n")
                result.append([kind, argument, lines])
            elif kind == "remove":
                (directory / argument).unlink()
                result.append([kind, argument, lines])
            elif kind == "typed":
                typed = "".join(line + "\n" for line in lines)
                result.append([kind, argument, lines])
            elif kind in ("run", "shell"):
                command = command_of(binary, argument) if kind == "run" else ["/bin/sh", "-c", argument]
                done = subprocess.run(command, cwd=directory, env=environment, input=typed.encode(),
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                typed = ""
                printed = normalized((done.stdout + done.stderr).decode("utf-8", "replace"), directory)
                while printed and not printed[-1]:
                    printed.pop()
                expected = [line.rstrip() for line in lines]
                while expected and not expected[-1]:
                    expected.pop()
                if PARALLELISM != 1:
                    printed, expected = sorted(printed), sorted(expected)
                if printed != expected:
                    problems += [f"--- {argument}"] + list(difflib.unified_diff(expected, printed, "expected", "printed", lineterm="", n=2))
                last, pending_exit = argument, done.returncode
                result.append([kind, argument, printed + [""]])
            elif kind == "exit":
                if pending_exit != int(argument):
                    problems.append(f"exit code {pending_exit}, expected {argument}, after: {last}")
                if pending_exit:
                    result.append(["exit", str(pending_exit), []])
                pending_exit = None
    if update:
        text = ""
        for kind, argument, lines in result:
            if kind != "title":
                text += f"=== {kind}{' ' if argument else ''}{argument}\n"
            text += "".join(line + "\n" for line in lines)
        path.write_text(text)
    return problems


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    if update:
        arguments = arguments[1:]
    binary, scenarios = str(pathlib.Path(arguments[0]).resolve()), [pathlib.Path(a) for a in arguments[1:]]
    if not scenarios:
        first, _, step = os.environ.get("STRIDER_GOLDEN_SLICE", "1/1").partition("/")
        scenarios = sorted(pathlib.Path(__file__).parent.glob("*.golden"))[int(first) - 1::int(step)]
    print(f"1..{len(scenarios)}")
    failed = 0
    for number, path in enumerate(scenarios, 1):
        try:
            problems = play(binary, path, update)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            problems = [str(error)]
        failed += bool(problems) and not update
        print(f"{'not ok' if problems and not update else 'ok'} {number} - {path.stem}")
        if not update:
            for line in problems:
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
