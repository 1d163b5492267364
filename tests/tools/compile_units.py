#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles units that must, or must not, compile; prints TAP.

compile_units.py MODE --cache FOLDER --include FOLDER... [--compiler=COMMAND]... [--flag=FLAG]... [--files FILE...]

MODE headers       every public header alone, parsed by each compiler. Headers of which each includes the one before, and
                   with it all that precedes, share a unit: nothing in it can provide a name that a later one lacks
MODE static        every FILE in each compiler
MODE compile_fail  every FILE must fail in each compiler, and say the sentences of its lines `// expect: SENTENCE`

If a compiler is not installed (an empty COMMAND, or `name=` before it: `clang=`), the test is skipped. A result is
stored under a hash of the command and of every source of our tree that the unit includes, so an unchanged unit is not
compiled twice.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading

INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
OURS = re.compile(r"^#include <strider/.*>$", re.MULTILINE)
EXPECT = re.compile(r"^// expect: (.+)$", re.MULTILINE)


class Compiler:
    def __init__(self, text, flags, includes):
        self.name, _, command = text.partition("=")
        self.command = shlex.split(command)
        self.flags = flags + [f"-I{path}" for path in includes]
        self.locks = {}
        self.made = {}
        self.identity = ""
        if self.command:
            asked = subprocess.run(self.command + ["--version"], capture_output=True, text=True, check=True)
            self.identity = asked.stdout

    def run(self, text, parse_only, first=()):
        """(compiled?, the output of the compiler) for one unit. g++ instantiates templates only when it makes an object."""
        more = ["-c", "-o", os.devnull] if self.name == "g++" and not parse_only else ["-fsyntax-only"]
        done = subprocess.run(
            self.command + self.flags + more + [*first, "-x", "c++", "-"],
            input=text, capture_output=True, text=True, check=False, timeout=300,
        )
        return done.returncode == 0, done.stderr

    def precompiled(self, headers, folder):
        """Options by which a unit begins with these headers, which are compiled once; none if that fails."""
        with self.locks.setdefault(headers, threading.Lock()):
            header = pathlib.Path(folder, hashlib.sha256(f"{self.name} {headers}".encode()).hexdigest()[:16] + ".hpp")
            if headers not in self.made:
                header.write_text(headers, encoding="utf-8")
                done = subprocess.run(
                    self.command + self.flags + ["-x", "c++-header", str(header), "-o", f"{header}.gch"],
                    capture_output=True, check=False, timeout=300,
                )
                self.made[headers] = done.returncode == 0
            if not self.made[headers]:
                return []
            return ["-include", str(header)] if self.name == "g++" else ["-include-pch", f"{header}.gch"]


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


def judge_parse(compiler, text):
    return judge_pass(compiler, text, parse_only=True)


def judge_pass(compiler, text, parse_only=False):
    compiled, said = compiler.run(text, parse_only)
    return [] if compiled else said.splitlines()[:40] or ["the compiler failed without a message"]


def judge_fail(compiler, text, folder=None, headers=""):
    expected = [sentence.strip() for sentence in EXPECT.findall(text)]
    if not expected:
        return ["no line '// expect: SENTENCE'"]
    compiled, said = compiler.run(text, parse_only=False, first=compiler.precompiled(headers, folder) if headers else ())
    if compiled:
        return ["compiled, but must not"]
    missing = [f"failed without the message: {sentence}" for sentence in expected if sentence not in said]
    return missing + said.splitlines()[:40] if missing else []


def cached(cache, compiler, mode, text, closure, judge):
    key = "\0".join([mode, compiler.identity, *compiler.command, *compiler.flags, text, closure])
    stamp = cache / hashlib.sha256(key.encode("utf-8")).hexdigest()
    if stamp.exists():
        return []
    wrong = judge(compiler, text)
    if not wrong:
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
    judge = {"headers": judge_parse, "static": judge_pass, "compile_fail": judge_fail}[asked.mode]
    asked.cache.mkdir(parents=True, exist_ok=True)
    closure = Closure(asked.include)
    compilers = [Compiler(text, asked.flag, asked.include) for text in asked.compiler]

    jobs = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        if asked.mode == "compile_fail":
            headers = sorted({header for _, text in units for header in OURS.findall(text)})
            judge = functools.partial(judge_fail, folder=folder, headers="\n".join(headers))
        for compiler in compilers:
            if not compiler.command:
                jobs.append((f"{asked.mode} # SKIP {compiler.name} is not installed", None))
                continue
            for name, text in units:
                future = pool.submit(cached, asked.cache, compiler, asked.mode, text, closure.texts(text), judge)
                jobs.append((f"{compiler.name}: {name}", future))
    if not units:
        jobs = [(f"{asked.mode} # SKIP nothing to compile", None)]
    print(f"1..{len(jobs)}")
    failed = 0
    for number, (name, future) in enumerate(jobs, 1):
        wrong = future.result() if future else []
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
