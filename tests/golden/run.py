#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs golden scenarios against iacctl and reports in TAP.

A scenario is a text file of sections:

    === file NAME          the following lines are the new content of NAME
    === remove NAME        removes the file
    === typed              the following lines are the input of the next run
    === run ARGUMENTS      runs iacctl; the following lines are its results, as reported by facts.py: the plan with its values,
                           operations in their order, diagnostics without their details, and the differences of state afterwards
    === screen ARGUMENTS   runs iacctl; the following lines are its expected output, standard error after standard output
    === shell COMMAND      runs a shell command, with its output; $IACCTL is the program, its messages become facts
    === says WORD...       each word is in the output of the run above, including details of diagnostics
    === hides WORD...      none of the words is in this output
    === exit N             the exit code of the run above, if it is not 0

Scenarios check the results of commands, so they do not depend on texts of the program. Only scenarios for the output to
users have screens.

Ids are numbered in the order of their first occurrence in facts, so that a kept object can be distinguished from a new
one; in screens they are <uuid>. Keys of deposed objects and times are replaced by names. Runs get -no-color or -json,
and -parallelism=1 where order matters.

    run.py IACCTL SCENARIO...            compares
    run.py --update IACCTL SCENARIO...   writes the results into the scenarios; the words of `says` and `hides` do not change

STRIDER_GOLDEN_PARALLELISM=N adds -parallelism=N to runs. With N above 1, the lines of each object are compared in
order; the order of two objects is only compared if one depends on the other.
STRIDER_GOLDEN_SLICE=K/N runs every N-th scenario, beginning with the K-th.
"""
import concurrent.futures
import datetime
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import facts

PARALLELISM = int(os.environ.get("STRIDER_GOLDEN_PARALLELISM", "1"))
ORDERED = {"plan", "apply", "destroy", "refresh"}
COLOURED = {"init", "validate", "plan", "apply", "destroy", "show", "output"}
JSON = ORDERED | {"validate", "show"}
# Commands whose standard output is data.
TELLING = {"output", "graph", "why", "providers", "get", "fmt", "console", "version", "state list", "state pull", "state show",
           "workspace list", "workspace show"}
# Commands after which state is compared.
CHANGING = {"apply", "destroy", "refresh", "import", "taint", "untaint", "state push", "state mv", "state rm", "workspace new",
            "workspace select"}
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
HEADINGS = {"planned", "drifted", "applied", "destroyed", "state", "error", "warning"}


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
    text = re.sub(UUID, "<uuid>", text)
    text = re.sub(r"deposed( object)? [0-9a-f]{8}", r"deposed\1 <key>", text)
    text = re.sub(r'"deposed": "[0-9a-f]{8}"', '"deposed": "<key>"', text)
    text = re.sub(r'"(serial|@?timestamp)": ?[^,\n]+', r'"\1": <\1>', text)
    text = re.sub(r"after \d+s", "after 0s", text)
    return [line.rstrip() for line in text.splitlines()]


def trimmed(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def in_any_order(lines):
    """Lines for the comparison if the order of objects is random; the order of the lines of each object is kept."""
    def place(line):
        head, colon, _ = line.partition(": ")
        return line if head in HEADINGS or not colon else head

    return sorted((re.sub(r'"<\d+>"', '"<uuid>"', line) for line in lines), key=place)


def message_of(line):
    """The message of a `-json` stream in a line; nothing if the line is not one."""
    if not line.startswith('{"@level"'):
        return None
    message = facts.parsed(line)
    return message if "type" in message else None


def said_in(text):
    """The readable content of a text; the details of diagnostics for messages in JSON."""
    said = []
    for line in text.splitlines():
        message = message_of(line)
        said.append(line if message is None else message.get("diagnostic", {}).get("detail", ""))
    return "\n".join(said)


class Scenario:
    """The directory in which a scenario runs, and the known content of its state."""

    def __init__(self, binary, directory, outside):
        self.binary, self.directory, self.outside = binary, directory, outside
        self.environment = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", IACCTL=str(binary))
        for key in [k for k in self.environment if k.startswith("TF_")]:
            del self.environment[key]
        self.known, self.depend, self.numbers = {}, {}, {}
        self.typed, self.printed, self.said, self.problems = "", "", "", []

    def execute(self, command):
        done = subprocess.run(command, cwd=self.directory, env=self.environment, input=self.typed.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.typed = ""
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def screen(self, argument):
        words, at, name = self.words(argument)
        extra = (["-no-color"] if name in COLOURED else []) + self.parallelism(name)
        code, out, err = self.execute([self.binary] + words[:at] + extra + words[at:])
        self.printed, self.said, self.depend = out + err, said_in(out + err), None
        lines = trimmed(normalized(out + err, self.directory))
        return code, sorted(lines) if PARALLELISM != 1 else lines

    def shell(self, argument):
        """Converts messages of a stream in the output to facts."""
        code, out, err = self.execute(["/bin/sh", "-c", argument])
        self.printed, self.said, self.depend = out + err, said_in(out + err), None
        lines, stream = [], None
        for line in (out + err).splitlines():
            message = message_of(line)
            if message is None or message["type"] == "version":
                lines += stream.finish() if stream else []
                stream = None if message is None else facts.Stream()
                lines += (normalized(line, self.directory) or [""]) if message is None else []
            elif stream:
                stream.add(message)
        lines = self.named(lines + (stream.finish() if stream else []))
        return code, sorted(lines) if PARALLELISM != 1 else lines

    def run(self, argument):
        words, at, name = self.words(argument)
        command = f"{name} {words[at]}" if name in ("state", "workspace") and at < len(words) else name
        extra = (["-json"] if name in JSON and "-json" not in words else []) + self.parallelism(name)
        plan = None
        if name == "plan":
            given = [word.partition("=")[2] for word in words if re.match("--?out=", word)]
            plan = pathlib.Path(given[0]) if given else self.outside / "plan"
            extra += [] if given else [f"-out={plan}"]
            (self.directory / plan).unlink(missing_ok=True)
        code, out, err = self.execute([self.binary] + words[:at] + extra + words[at:])
        self.printed, self.said = out + err, said_in(out + err)
        is_saved = plan is not None and (self.directory / plan).exists()
        stream, lines = facts.Stream(is_saved), []
        if name in ORDERED:
            for line in out.splitlines():
                message = message_of(line)
                if message is not None:
                    stream.add(message)
            lines += stream.finish()
        elif name in JSON and out.startswith("{"):
            lines += self.document(facts.parsed(out))
        else:
            told, found = facts.text_and_diagnostics(out)
            lines += (trimmed(normalized(told, self.directory)) if command in TELLING else []) + found
        if is_saved:
            shown = self.show(words[:at - 1], str(plan))
            lines[stream.counts:stream.counts] = facts.plan_lines(shown) if shown else ["planned: cannot be read"]
        lines += facts.text_and_diagnostics(err)[1]
        if command in CHANGING:
            lines += self.difference(words[:at - 1], stream.operations)
        lines = self.named(lines)
        return code, lines if PARALLELISM == 1 else in_any_order(lines) if name in ORDERED else sorted(lines)

    def document(self, of):
        if "diagnostics" in of:
            self.said = "\n".join(one["detail"] for one in of["diagnostics"])
            return [facts.diagnostic_line(one) for one in of["diagnostics"]] or ["valid"]
        if "resource_changes" in of or "planned_values" in of:
            relevant = ["relevant: " + facts.path_text(one["attribute"], one["resource"]) for one in of.get("relevant_attributes", [])]
            return facts.plan_lines(of) + relevant
        return facts.state_lines(facts.state_facts(of))

    def difference(self, before, operations):
        """The differences of state; an order of operations that contradicts dependencies is a problem."""
        state = self.show(before)
        if state is None:
            return ["state: cannot be read"]
        known, depend = self.known, self.depend
        self.known, self.depend = facts.state_facts(state), facts.dependencies(state)
        self.problems += facts.disorder(operations, depend or {}, self.depend)
        return facts.state_lines(self.known, known)

    def show(self, before, *what):
        code, out, _ = self.execute([self.binary] + before + ["show", "-json", *what])
        return facts.parsed(out) if code == 0 else None

    def named(self, lines):
        """Lines with names in place of values that differ in every run."""
        today = datetime.datetime.now(datetime.timezone.utc)
        days = "|".join((today - datetime.timedelta(days=back)).strftime("%Y-%m-%d") for back in (0, 1))
        text = "\n".join(lines).replace(str(self.directory), "<dir>").replace(str(self.outside), "<outside>")
        text = re.sub(rf"({days})T\d\d:\d\d:\d\dZ", "<time>", text)
        text = re.sub(UUID, lambda found: f"<{self.numbers.setdefault(found[0], len(self.numbers) + 1)}>", text)
        return trimmed(text.splitlines())

    def says(self, word):
        """Whether the word is in the output of the last run; for messages in JSON, in the details of diagnostics."""
        return word in self.said or word in re.sub(r"\s+", " ", self.said)

    def hides(self, word):
        return word not in self.printed and json.dumps(word)[1:-1] not in self.printed

    def words(self, argument):
        """The words of a command line, the position after the command, and the command."""
        words = shlex.split(argument)
        name = next((word for word in words if not word.startswith("-")), "")
        return words, words.index(name) + 1 if name in words else len(words), name

    @staticmethod
    def parallelism(name):
        return [f"-parallelism={PARALLELISM}"] if name in ORDERED else []


def play(binary, path, update):
    """The differences between a scenario and its results; with `update`, the updated scenario."""
    result, problems, code, last = [], [], None, ""
    with tempfile.TemporaryDirectory() as inside, tempfile.TemporaryDirectory() as outside:
        at = Scenario(binary, pathlib.Path(inside).resolve(), pathlib.Path(outside).resolve())
        for kind, argument, lines in sections(path.read_text()) + [["end", "", []]]:
            if code is not None and kind not in ("exit", "says", "hides"):
                if code != 0:
                    problems.append(f"exit code {code} after: {last}")
                    result.append(["exit", str(code), []])
                code = None
            if kind == "file":
                target = at.directory / argument
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(lines).rstrip("\n") + "\n")
            elif kind == "remove":
                (at.directory / argument).unlink()
            elif kind == "typed":
                at.typed = "".join(line + "\n" for line in lines)
            elif kind in ("says", "hides"):
                wrong = [word for word in shlex.split(argument) if not getattr(at, kind)(word)]
                problems += [f"{'not said' if kind == 'says' else 'not hidden'}: {word}, after: {last}" for word in wrong]
            elif kind in ("run", "screen", "shell"):
                code, found = getattr(at, kind)(argument)
                expected = trimmed(lines)
                if PARALLELISM != 1:
                    is_stream = kind == "run" and at.words(argument)[2] in ORDERED
                    expected = in_any_order(expected) if is_stream else sorted(expected)
                if found != expected:
                    problems += [f"--- {argument}"] + list(difflib.unified_diff(expected, found, "expected", "found", lineterm="", n=2))
                problems += at.problems
                at.problems, last, lines = [], argument, found + [""]
            elif kind == "exit":
                if code != int(argument):
                    problems.append(f"exit code {code}, expected {argument}, after: {last}")
                argument, code = str(code), None
            if kind != "end" and (kind, argument) != ("exit", "0"):
                result.append([kind, argument, lines])
    if update:
        path.write_text("".join((f"=== {kind} {argument}".rstrip() + "\n" if kind != "title" else "") + "".join(line + "\n" for line in lines)
                                for kind, argument, lines in result))
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

    def attempt(path):
        try:
            problems = play(binary, path, update)
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            problems = [f"cannot be run: {type(error).__name__}: {error}"]
        if update:
            problems = [line for line in problems if line.startswith(("cannot be run", "not said", "not hidden"))]
        return problems

    print(f"1..{len(scenarios)}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for number, (path, problems) in enumerate(zip(scenarios, pool.map(attempt, scenarios)), 1):
            failed += bool(problems)
            print(f"{'not ok' if problems else 'ok'} {number} - {path.stem}", flush=True)
            for line in problems:
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
