#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles units that must, or must not, compile; prints TAP.

compile_units.py MODE --cache FOLDER --include FOLDER... [--compiler=COMMAND]... [--flag=FLAG]... [--files FILE...]

MODE headers       every public header alone, parsed by each compiler. Headers of which each includes the one before, and
                   with it all that precedes, share a unit: nothing in it can provide a name that a later one lacks
MODE static        every FILE in each compiler
MODE compile_fail  every FILE must fail in each compiler, and say the sentences of its lines `// expect: SENTENCE`. All
                   files are compiled as one unit, each in a namespace of its own; its errors are those that name the file.
                   Files with a line `// unit: NAME` form another unit: they see no headers of other files

If a compiler is not installed (an empty COMMAND, or `name=` before it: `clang=`), the test is skipped. A result is
stored under a hash of the command and of every source of our tree that the unit includes, so an unchanged unit is not
compiled twice.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
INCLUDE_LINE = re.compile(r"^#include .*$", re.MULTILINE)
SOURCE = re.compile(r"^ *\d* \|")  # a line of the source in a message
UNIT = re.compile(r"^// unit: (.*)$", re.MULTILINE)
EXPECT = re.compile(r"^// expect: (.+)$", re.MULTILINE)


class Compiler:
    def __init__(self, text, flags, includes):
        self.name, _, command = text.partition("=")
        self.command = shlex.split(command)
        self.flags = flags + [f"-I{path}" for path in includes]
        self.identity = ""
        if self.command:
            asked = subprocess.run(self.command + ["--version"], capture_output=True, text=True, check=True)
            self.identity = asked.stdout

    def run(self, text, parse_only, more=()):
        """(compiled?, the output of the compiler) for one unit. g++ instantiates templates only when it makes an object."""
        to_object = self.name == "g++" and not parse_only
        done = subprocess.run(
            self.command + self.flags + (["-c", "-o", os.devnull] if to_object else ["-fsyntax-only"]) + [*more, "-x", "c++", "-"],
            input=text, capture_output=True, text=True, check=False, timeout=300,
        )
        return done.returncode == 0, done.stderr

    def errors(self, text):
        """All errors of a unit, each with its context and its notes."""
        no_limit = [] if self.name == "g++" else ["-ferror-limit=0"]
        found, before = [], []
        for line in self.run(text, parse_only=False, more=no_limit)[1].splitlines():
            if " error: " in line:
                found.append([*before, line])
                before = []
            elif found and (" note: " in line or SOURCE.match(line) and not before):
                found[-1] += [*before, line]
                before = []
            else:
                before.append(line)
        return ["\n".join(lines) for lines in found]


class Closure:
    """All files in our tree that a text includes, directly or indirectly."""

    def __init__(self, includes):
        self.includes = includes
        self.known = {}

    def resolve(self, name):
        for folder in self.includes:
            path = folder / name
            if path.is_file():
                return path
        return None

    def names(self, name):
        """All headers that a header includes, directly or through headers of our tree."""
        seen = set()
        waiting = [name]
        while waiting:
            path = self.resolve(waiting.pop())
            if path is None:
                continue
            for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if included not in seen:
                    seen.add(included)
                    waiting.append(included)
        return seen

    def texts(self, text):
        seen = {}
        waiting = [text]
        while waiting:
            for name in INCLUDE.findall(waiting.pop()):
                path = self.resolve(name)
                if path is not None and path not in seen:
                    if path not in self.known:
                        self.known[path] = path.read_text(encoding="utf-8")
                    seen[path] = self.known[path]
                    waiting.append(seen[path])
        return "".join(f"{path}\n{seen[path]}\n" for path in sorted(seen))


def chains(names, closure):
    """The fewest sequences of headers in which each header includes all that precede it: a minimum chain cover, O(V E)."""
    reached = {name: closure.names(name) for name in names}
    later = {name: [other for other in names if other != name and name in reached[other]] for name in names}
    before = {}

    def extend(name, seen):
        for other in later[name]:
            if other not in seen:
                seen.add(other)
                if other not in before or extend(before[other], seen):
                    before[other] = name
                    return True
        return False

    for name in names:
        extend(name, set())
    after = {earlier: name for name, earlier in before.items()}
    found = []
    for name in names:
        if name not in before:
            found.append([name])
            while found[-1][-1] in after:
                found[-1].append(after[found[-1][-1]])
    return found


def judge_pass(compiler, text, parse_only):
    """The lines that the compiler prints about a unit that it rejects."""
    compiled, said = compiler.run(text, parse_only)
    return [] if compiled else said.splitlines()[:40] or ["the compiler failed without a message"]


def by_unit(units):
    """The files by the unit that they name: those of one unit see all headers of the others."""
    groups = {}
    for name, text in units:
        named = UNIT.search(text)
        groups.setdefault(named.group(1) if named else "", []).append((name, text))
    return groups


def as_one_unit(units):
    """All includes, then each file in a namespace, with its own name and lines in messages."""
    includes = sorted({line for _, text in units for line in INCLUDE_LINE.findall(text)})
    parts = [f'namespace of_{number} {{\n#line 1 "{name}"\n{INCLUDE_LINE.sub("", text)}\n}}'
             for number, (name, text) in enumerate(units)]
    return "\n".join(includes + parts) + "\n"


def judge_fail(compiler, text, units):
    """For each file of a unit, the lines that say why it is not the misuse that it should be."""
    own = {name: [] for name, _ in units}
    named = []
    for error in compiler.errors(text):
        # clang names the place of an instantiation only in the first of its errors.
        named = [name for name in own if re.search(rf"(?<!\w){re.escape(name)}:", error)] or named
        for name in named:
            own[name].append(re.sub(r"\bof_\d+::", "", error))
    wrong = {}
    for name, source in units:
        expected = [sentence.strip() for sentence in EXPECT.findall(source)]
        said = "\n".join(own[name])
        missing = [f"failed without the message: {sentence}" for sentence in expected if sentence not in said]
        if not expected:
            wrong[name] = ["no line '// expect: SENTENCE'"]
        elif not said:
            wrong[name] = ["compiled, but must not"]
        else:
            wrong[name] = missing and missing + said.splitlines()[:40]
    return wrong


def judged(cache, compiler, mode, text, names, closure, judge):
    """For each file of a unit, what is wrong with it. If nothing was before, the unit is not compiled again."""
    key = "\0".join([mode, compiler.identity, *compiler.command, *compiler.flags, text, closure])
    stamp = cache / hashlib.sha256(key.encode("utf-8")).hexdigest()
    if stamp.exists():
        return {name: [] for name in names}
    wrong = judge()
    if not any(wrong.values()):
        stamp.touch()
    return wrong


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["headers", "static", "compile_fail"])
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--include", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--compiler", action="append", default=[])
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--files", nargs="*", type=pathlib.Path, default=[])
    asked = parser.parse_args(arguments)

    if asked.mode == "headers":
        root = asked.include[0]
        # Headers in detail/ are included by others, and are not used alone.
        found = (path.relative_to(root) for path in root.rglob("*.hpp"))
        names = sorted(path.as_posix() for path in found if "detail" not in path.parts)
        units = [
            (" ".join(chain), "".join(f"#include <{name}>\n#include <{name}>\n" for name in chain))
            for chain in chains(names, Closure(asked.include))
        ]
    else:
        units = [(path.name, path.read_text(encoding="utf-8")) for path in sorted(asked.files)]
    misuse = asked.mode == "compile_fail"
    groups = list(by_unit(units).values()) if misuse else [[unit] for unit in units]
    asked.cache.mkdir(parents=True, exist_ok=True)
    closure = Closure(asked.include)
    compilers = [Compiler(text, asked.flag, asked.include) for text in asked.compiler]

    def judge(compiler, group):
        text = as_one_unit(group) if misuse else group[0][1]
        return judged(
            asked.cache, compiler, asked.mode, text, [name for name, _ in group], closure.texts(text),
            lambda: judge_fail(compiler, text, group) if misuse
            else {group[0][0]: judge_pass(compiler, text, asked.mode == "headers")})

    jobs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for compiler in compilers:
            if not compiler.command:
                jobs.append((f"{asked.mode} # SKIP {compiler.name} is not installed", "", None))
                continue
            for group in groups:
                future = pool.submit(judge, compiler, group)
                jobs += [(f"{compiler.name}: {name}", name, future) for name, _ in group]
    if not units:
        jobs = [(f"{asked.mode} # SKIP nothing to compile", "", None)]
    print(f"1..{len(jobs)}")
    failed = 0
    for number, (name, unit, future) in enumerate(jobs, 1):
        wrong = future.result()[unit] if future else []
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
