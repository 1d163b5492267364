#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Mutation tests: small faults of the library that its own tests must find.

    run.py --build FOLDER [--seed N] [--count N] [--jobs N] [--list] [--again] [--work FOLDER] FLOOR...

A mutant is one change of one place: another relational, arithmetic or logical operator, a negated condition, a removed statement,
another return value, another constant. `--count` mutants of each floor (200) are drawn by the seed (1), and compiled once, all of
them into one program; a variable selects one. The tests of the floor that reach it must fail; if none does, those of the next floor
must. A mutant in a constant expression is compiled alone, with the static assertions too.

Survivors are listed, except those that explained.txt shows to be no faults. `--list` prints the mutants and runs nothing; `--again`
runs only those that the last run in the same folder did not kill. The build folder is a configured one of meson; the record store
needs built libraries. The exit status is 1 if a survivor is not explained.
"""

import argparse
import collections
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import find  # noqa: E402
import programs  # noqa: E402
import schemata  # noqa: E402

ROOT = HERE.parent.parent
HEADERS = ROOT / "include"
IACCTL = ROOT / "examples" / "iacctl"
SPACE = re.compile(r"\s+")
# The test programs of each floor, and after them those of the next floor. The backends have the record store in PostgreSQL.
FLOORS = {
    "core": ["core", "algorithm"],
    "algorithm": ["algorithm", "transform"],
    "transform": ["transform", "lifecycle"],
    "lifecycle": ["lifecycle", "infra"],
    "walk": ["walk", "sim"],
    "infra": ["infra", "lifecycle_suite"],
    "record": ["iacctl_state", "iacctl_workspace", "iacctl_backends"],
}


def explanations(path):
    """The mutants that are no faults. A paragraph has lines `file | function | operator | text`, then the reason."""
    explained = {}
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        keys = [line for line in lines if line.count(" | ") >= 3]
        for line in keys:
            explained[tuple(line.split(" | ", 3))] = " ".join(each.strip() for each in lines if each not in keys)
    return explained


class Run:
    """Mutants of some files, and the programs that must find them.

    The files, and the others of the folder that are included beside them, are copied to `mutated`. The programs read them there.
    """

    def __init__(self, name, root, files, others, work, jobs=2):
        self.name = name
        self.root = root
        self.files = files
        self.others = others
        self.work = work
        self.mutated = work / "mutated"
        self.jobs = jobs
        self.programs = []
        self.static = []  # units of static assertions
        self.regions = {}
        self.invalid = []

    def write(self, mutants):
        """Copies the files with these mutants in them. A file that does not change keeps its time."""
        by_file = collections.defaultdict(list)
        for mutant in mutants:
            by_file[mutant.file].append(mutant)
        for path in self.files + self.others:
            name = str(path.relative_to(self.root))
            text, regions = schemata.written(path.read_bytes(), by_file[name])
            target = self.mutated / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != text:
                target.write_bytes(text)
            lines = [0] + [at + 1 for at, byte in enumerate(text) if byte == ord("\n")]
            self.regions[str(target)] = (lines, regions)

    def culprits(self, problem):
        """The mutants at the innermost place of the error, or of what it comes from."""
        for file, line, column in problem.places:
            if file not in self.regions:
                continue
            lines, regions = self.regions[file]
            at = lines[line - 1] + column - 1
            around = [region for region in regions if region.start <= at < region.end]
            if around:
                return min(around, key=lambda region: region.end - region.start).mutants
            # The error is that of an expression around mutants.
            next_line = lines[line] if line < len(lines) else at + 1
            inside = [region for region in regions if lines[line - 1] <= region.start < next_line]
            if inside:
                return [mutant for region in inside for mutant in region.mutants]
        return []

    def drop(self, problems):
        """Mutants that do not compile lose their number."""
        dropped = [mutant for problem in problems for mutant in self.culprits(problem)]
        if problems and not dropped:
            file, line, _ = problems[0].places[0]
            raise SystemExit(f"error: {file}:{line}: {problems[0].text}")
        for mutant in dropped:
            if mutant.number:
                self.invalid.append(mutant)
            mutant.number = 0

    def prepare(self, drawn, count):
        """Builds the programs with the first mutants that compile."""
        own = self.programs[0]
        known = self.work / "invalid.txt"
        invalid = set(known.read_text(encoding="utf-8").splitlines()) if known.exists() else set()
        self.invalid = [mutant for mutant in drawn if str(mutant) in invalid]
        drawn = [mutant for mutant in drawn if str(mutant) not in invalid]
        mutants, drawn = self.written(drawn[:count]), drawn[count:]
        for problems in [] if known.exists() else programs.in_parallel(self.jobs, lambda unit: programs.check(unit, own.folder), own.units):
            self.drop(problems)
        while True:
            valid = [mutant for mutant in mutants if mutant.number]
            missing = count - len(valid)
            mutants, drawn = self.written(valid + drawn[:missing]), drawn[missing:]
            problems = []
            for program in self.programs:
                problems = problems or programs.build(program, self.work, self.jobs, len(mutants))
            if not problems:
                break
            self.drop(problems)
        known.write_text("".join(f"{mutant}\n" for mutant in self.invalid), encoding="utf-8")
        for program in self.programs:
            # A second time for a test that other work on the machine disturbs.
            failure = programs.record(program, self.work) and programs.record(program, self.work)
            if failure:
                raise SystemExit(f"error: without a mutant, {program.name} fails: {failure}")
        return mutants

    def written(self, mutants):
        for number, mutant in enumerate(mutants, 1):
            mutant.number = number
        self.write(mutants)
        return mutants

    def judge(self, mutant):
        """Returns whether a test finds the mutant, and which one: (kind, by what)."""
        covered = False
        for program in self.programs:
            failure, reached = programs.kill(program, mutant.number)
            covered = covered or reached
            if failure:
                return "killed", f"{program.name}: {failure}"
        return ("survived", "") if covered else ("not reached", "")

    def judge_constant(self, mutant):
        """The same for an expression that the compiler evaluates: it is compiled alone."""
        selected = [f"-DSTRIDER_MUTANT={mutant.number}"]
        own = self.programs[0]
        for unit in self.static + ([] if mutant.constant else own.units):
            for problem in programs.check(unit, own.folder, selected):
                return "killed", f"compiler: {problem.text[:100]}"
        if not mutant.constant:
            return "survived", ""
        alone = programs.Program(own.name, own.units, own.link, own.folder)
        for problem in programs.build(alone, self.work, 1, 0, selected, f".{mutant.number}"):
            return "killed", f"compiler: {problem.text[:100]}"
        failure = programs.execute(alone, {}, 5 + 5 * sum(each[0] for each in own.tests.values()) / 1000)
        for file in self.work.glob(f"*.{mutant.number}*"):
            file.unlink()
        return ("killed", f"{own.name}: {failure}") if failure else ("survived", "")

    def results(self, mutants):
        """The results of the prepared mutants: {number: (kind, by what)}."""
        at_run_time = [mutant for mutant in mutants if not mutant.constant]
        found = dict(zip((mutant.number for mutant in at_run_time), programs.in_parallel(self.jobs, self.judge, at_run_time)))
        compiled = [mutant for mutant in mutants if mutant.constant or (mutant.constexpr and found[mutant.number][0] != "killed")]
        found.update(zip((mutant.number for mutant in compiled), programs.in_parallel(self.jobs, self.judge_constant, compiled)))
        return found


def files_of_record():
    """The files of the record store, and those of the rest of iacctl that a source may include."""
    mine = sorted((IACCTL / "state" / "record").glob("*.?pp"))
    return mine, [path for path in sorted(IACCTL.rglob("*")) if path.suffix in (".hpp", ".def") and path not in mine]


def run_of(floor, build, work, jobs):
    """The run of a floor in a build folder of meson, and the options to parse its files."""
    names = [f"tests/{name}_test" for name in FLOORS[floor]]
    if floor == "record":
        mine, others = files_of_record()
        run = Run(floor, IACCTL, mine, others, work, jobs)
        run.programs = [programs.program_beside(build, name, work, {path: run.mutated / path.relative_to(IACCTL) for path in run.files},
            {IACCTL: run.mutated}) for name in names]
        return run, programs.parsing_options(build, run.programs[0].units[0].options, {run.mutated: IACCTL})
    headers = sorted((HEADERS / "strider").rglob("*.hpp"))
    mine = [path for path in headers if path.relative_to(HEADERS).parts[1] == floor and path.parent != HEADERS / "strider/infra/sim"]
    run = Run(floor, HEADERS, mine, [path for path in headers if path not in mine], work, jobs)
    run.programs = [programs.program_of(build, name, work, {HEADERS: run.mutated}) for name in names]
    run.static = programs.units_of(build, "tests/static/libstatic_checks.a", work, {HEADERS: run.mutated})
    return run, programs.parsing_options(build, run.programs[0].units[0].options, {run.mutated: HEADERS})


def killed_before(work):
    """The mutants that the last run in this folder killed, as its results name them."""
    path = work / "results.tsv"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {mutant: by for kind, mutant, by in (line.split("\t") for line in lines) if kind == "killed"}


def report(run, mutants, results, explained):
    """Prints the survivors, and returns those that are not explained, and the last line."""
    counts, lines, survivors = collections.Counter(), [], []
    for mutant in sorted(mutants, key=lambda each: (each.file, each.line)):
        kind, by = results[mutant.number]
        if kind != "killed" and mutant.key() in explained:
            kind, by = "explained", explained[mutant.key()]
        counts[kind] += 1
        lines.append("\t".join([kind, str(mutant), SPACE.sub(" ", by)]) + "\n")
        if kind in ("survived", "not reached"):
            survivors.append(mutant)
            print(f"{kind}: {mutant}")
    (run.work / "results.tsv").write_text("".join(lines), encoding="utf-8")
    share = 100 * counts["killed"] / max(1, len(mutants) - counts["explained"])
    return survivors, f"{run.name}: {len(mutants)} mutants, {counts['killed']} killed, {counts['explained']} explained, " \
        f"{len(survivors)} survived: {share:.1f} %"


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("floors", nargs="+", choices=FLOORS, metavar="FLOOR", help=", ".join(FLOORS))
    arguments = parser.parse_args(words)
    if find.cindex is None:
        parser.error("the module clang.cindex is missing: install python3-clang-19")
    build = arguments.build.resolve()
    lines, survivors = [], []
    for floor in arguments.floors:
        began = time.monotonic()
        work = (arguments.work.resolve() if arguments.work else build / "mutants") / floor
        work.mkdir(parents=True, exist_ok=True)
        run, options = run_of(floor, build, work, arguments.jobs)
        mutants = find.mutants_of(run.files, run.root, options)
        drawn = find.drawn(mutants, arguments.seed)
        if arguments.list:
            print(*drawn[:arguments.count], sep="\n")
            continue
        chosen = run.prepare(drawn, arguments.count)
        print(f"{floor}: {len(mutants)} mutants, {len(chosen)} drawn by seed {arguments.seed}, {len(run.invalid)} more do not compile "
            f"({time.monotonic() - began:.0f} s)", flush=True)
        before = killed_before(work) if arguments.again else {}
        results = run.results([mutant for mutant in chosen if str(mutant) not in before])
        results.update((mutant.number, ("killed", before[str(mutant)])) for mutant in chosen if str(mutant) in before)
        more, line = report(run, chosen, results, explanations(HERE / "explained.txt"))
        survivors += more
        lines.append(f"{line} ({time.monotonic() - began:.0f} s)")
        print(lines[-1], flush=True)
    if len(lines) > 1:
        print(*lines, sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
