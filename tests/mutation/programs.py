# SPDX-License-Identifier: BSL-1.0
"""Compiles and runs test programs with mutants in them.

The commands are those of a configured build folder. Sources with the same options are joined into few units, because most of the
time of a compilation is that of headers.
"""

import concurrent.futures
import dataclasses
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROBLEM = re.compile(r"^(.+?):(\d+):(\d+): (fatal error|error|note|warning): (.*)$")
DROPPED = re.compile(r"-W(?!l,).*|-O.|-MD|-fcolor-diagnostics|-I.*\.p")
DROPPED_WITH_NEXT = {"-include-pch", "-MQ", "-MF", "-o"}
QUIET = ["-w", "-Wno-c++11-narrowing", "-fno-color-diagnostics", "-ferror-limit=0", "-ftemplate-backtrace-limit=0", "-D_GLIBCXX_ASSERTIONS"]
FAILED = re.compile(r"^\[  FAILED  \] (\S+?)(?: \(|,|$)", re.MULTILINE)
MEMORY = 8 << 30  # bytes of addresses; the stacks of 300 threads take 2.4 GB


@dataclasses.dataclass
class Unit:
    source: pathlib.Path
    options: list  # with the compiler, without the source


@dataclasses.dataclass
class Problem:
    places: list  # (file, line, column) of the error, and of the notes that say where it comes from
    text: str


@dataclasses.dataclass
class Program:
    """A test program: its units, and what is linked with them."""

    name: str
    units: list
    link: list  # the command without the program's own objects and `-o`
    folder: pathlib.Path  # where the commands run
    tests: dict = dataclasses.field(default_factory=dict)  # name: (milliseconds of the processor, numbers of the mutants that it reaches)
    path: pathlib.Path = None

    def reaching(self, number):
        return [name for name, (_, reached) in self.tests.items() if number in reached and name != "*"]


def in_parallel(jobs, call, items):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(call, items))


def commands(build, target):
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True).stdout
    return [shlex.split(line) for line in lines.splitlines() if not line.startswith("ninja:")]


def options_of(command):
    """The options of a compilation without those that the mutants do not need, and the source."""
    kept, skip = [], False
    for word in command[:-2] if command[-2] == "-c" else command:
        if skip:
            skip = False
        elif word in DROPPED_WITH_NEXT:
            skip = True
        elif not DROPPED.fullmatch(word):
            kept.append(word)
    return kept, command[-1]


def joined(sources, folder, name, count):
    """Units of at most `count` sources with the same options."""
    groups = {}
    for options, source in sources:
        groups.setdefault(tuple(options), []).append(source)
    units = []
    for options, files in groups.items():
        parts = -(-len(files) // count)
        for part in range(parts):
            path = folder / f"{name}_{len(units)}.cpp"
            text = "".join(f'#include "{file}"\n' for file in files[part::parts])
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
            units.append(Unit(path, list(options)))
    return units


def moved(options, build, replaced):
    """The options with other folders of headers."""
    found = []
    for word in options:
        folder = pathlib.Path(os.path.normpath(os.path.join(build, word[2:]))) if word.startswith("-I") else None
        found.append(f"-I{replaced[folder]}" if folder in replaced else word)
    return found


def compilations(build, target, replaced):
    """The options and the source of each unit of a target."""
    for command in commands(build, target):
        if "-c" in command and command[-1].endswith(".cpp") and not command[-1].endswith("pch/shared/shared.cpp"):
            options, source = options_of(command)
            yield moved(options, build, replaced), (build / source).resolve()


def link_of(build, target):
    """The command that links a program, without the name of the program."""
    for command in commands(build, target):
        if "-o" in command and command[command.index("-o") + 1] == target:
            place = command.index("-o")
            return command[:place] + command[place + 2:]
    raise SystemExit(f"error: the build has no program {target}")


def units_of(build, target, folder, replaced):
    """The units of a target with other folders of headers."""
    return joined(compilations(build, target, replaced), folder, target.replace("/", "_"), 20)


def program_of(build, target, folder, replaced):
    """A program that is compiled completely, with other folders of headers."""
    link = [word for word in link_of(build, target) if word.startswith(("/", "-")) or not word.endswith((".o", ".a"))]
    return Program(target.replace("/", "_"), units_of(build, target, folder, replaced), link, build)


def program_beside(build, target, folder, sources, replaced):
    """A program of which only these sources are compiled, in other files; the rest is that of the build."""
    found = [(options, sources[source]) for options, source in compilations(build, target, replaced) if source in sources]
    name = target.replace("/", "_")
    return Program(name, joined(found, folder, name, 20), link_of(build, target), build)


def parsing_options(build, options, replaced):
    """The options that a parser of the same sources needs."""
    found, words = [], iter(moved(options[1:], build, replaced))
    for word in words:
        if word.startswith(("-I", "-isystem")) and word != "-isystem":
            kind = "-I" if word.startswith("-I") else "-isystem"
            found.append(kind + os.path.normpath(os.path.join(build, word[len(kind):])))
        elif word == "-isystem":
            found += [word, os.path.normpath(os.path.join(build, next(words)))]
        elif word.startswith(("-D", "-std")):
            found.append(word)
    return found


def problems_of(text, folder):
    """The errors that the compiler prints."""
    problems = []
    for line in text.splitlines():
        match = PROBLEM.match(line)
        if match is None:
            continue
        place = (os.path.normpath(os.path.join(folder, match[1])), int(match[2]), int(match[3]))
        if match[4].endswith("error"):
            problems.append(Problem([place], match[5]))
        elif match[4] == "note" and problems:
            problems[-1].places.append(place)
    return problems


def compiled(unit, folder, words):
    """Compiles a unit. Returns its errors."""
    command = [*unit.options, *QUIET, "-include", HERE / "mutant.hpp", *words, unit.source]
    if "-fsyntax-only" in words and command[0] == "ccache":
        command = command[1:]  # there is nothing to store
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    problems = problems_of(done.stderr, folder) if done.returncode else []
    if done.returncode and not problems:
        raise SystemExit(f"error: {shlex.join(map(str, command))}\n{done.stderr}")
    return problems


def check(unit, folder, defines=()):
    """Compiles without an object. Returns the errors."""
    return compiled(unit, folder, [*defines, "-fsyntax-only"])


def build(program, folder, jobs, mutants, defines=(), suffix=""):
    """Compiles and links the program. Returns the errors."""
    units = program.units + ([] if suffix else [Unit(HERE / "select.cpp", program.units[0].options)])
    objects = [folder / f"{program.name}_{unit.source.stem}{suffix}.o" for unit in units]
    problems = in_parallel(jobs, lambda each: compiled(each[0], program.folder,
        [*defines, f"-DSTRIDER_MUTANTS={mutants}", "-c", "-o", each[1]]), zip(units, objects))
    if any(problems):
        return [problem for each in problems for problem in each]
    program.path = folder / f"{program.name}{suffix}"
    # The objects with mutants come first, and so hide those of the build.
    command = [program.link[0], *objects, *program.link[1:], "-o", program.path]
    linked = subprocess.run(command, cwd=program.folder, capture_output=True, text=True, check=False)
    if linked.returncode:
        raise SystemExit(f"error: {shlex.join(map(str, command))}\n{linked.stderr}")
    return []


def execute(program, environment, seconds, tests=None):
    """Runs tests of the program, for so many seconds of the processor. Returns None if they pass, else how they fail."""
    environment = {**os.environ, **environment}
    if tests is not None and len(tests) < 1500:
        environment["GTEST_FILTER"] = ":".join(tests)

    def limit():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "output"), "w+b") as output:
        os.chmod(folder, 0o755)  # some tests become another user
        environment["TMPDIR"] = folder
        child = subprocess.Popen([program.path, "--gtest_fail_fast", "--gtest_brief=1"], cwd=program.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=limit)
        try:
            # The limit of the processor time ends loops, this one ends waits. Other work on the machine makes programs wait too.
            status = child.wait(timeout=10 + 10 * seconds)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        output.seek(0)
        text = output.read()[-1_000_000:].decode(errors="replace")
    if status == 0:
        return None
    if status is None or status == -signal.SIGXCPU:
        return "time"
    if status < 0:
        return f"signal {-status}"
    failed = FAILED.search(text)
    return failed[1] if failed else f"exit {status}: {text.strip()[-200:]}"


def record(program, folder):
    """Runs all tests without a mutant, and reads which mutants each reaches. Returns how they fail, or None."""
    reached = folder / f"{program.name}.reached"
    failure = execute(program, {"STRIDER_SELECTED_MUTANT": "-1", "STRIDER_REACHED_MUTANTS": str(reached)}, 600)
    if failure is None:
        outside = set()
        for line in reached.read_text().splitlines():
            name, time, numbers = line.split("\t")
            if name == "*":
                outside |= set(map(int, numbers.split()))
            else:
                program.tests[name] = (int(time), set(map(int, numbers.split())))
        program.tests["*"] = (0, outside)
    return failure


def kill(program, number):
    """Runs the tests that reach the mutant. Returns the test that fails, and whether any test reaches it."""
    tests = program.reaching(number)
    if not tests and number not in program.tests["*"][1]:
        return None, False
    if number in program.tests["*"][1]:
        tests = [name for name in program.tests if name != "*"]  # a thread or a constructor reached it
    seconds = 1 + 5 * sum(program.tests[name][0] for name in tests) / 1000
    return execute(program, {"STRIDER_SELECTED_MUTANT": str(number)}, seconds, tests), True
