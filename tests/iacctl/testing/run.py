#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the test files of the corpus with `iacctl test`, and with `terraform test` if terraform is on PATH. TAP.

    run.py IACCTL [--terraform PROGRAM] [--record] [CONFIGURATION...]

The test compares the status of each run and the exit code. `expected.json` has the results of terraform, recorded with
--record, so iacctl can be tested without it. The configurations below `from_documentation` were written from
Terraform's documentation before its code or its tests were read; those below `further` were written afterwards.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"

# The requirements of a configuration: the minimum version of terraform, and providers whose binaries are present.
LEAST_VERSION = {"from_documentation/parallel_runs": (1, 12), "further/parallel_runs": (1, 12)}
PROVIDERS = {"further/mocked_providers": ["random", "local"]}

# Runs that end with a different status than in terraform, with the cause.
DIFFERENT = {
    "further/runs/tests/target_in_plan.tftest.hcl/only_module": ("pass", "terraform does not evaluate outputs of modules outside of "
                                                                         "the targets"),
}


def configurations():
    return sorted(str(p.parent.relative_to(HERE)) for root in ("from_documentation", "further") for p in HERE.glob(f"{root}/*/main.tf"))


def environment(directory):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    rc = directory.parent / f"{directory.name}.rc"
    mirror = directory.parent / "mirror"
    rc.write_text(f'provider_installation {{ filesystem_mirror {{ path = "{mirror}" }} }}\n' if mirror.exists() else "")
    return dict(kept, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1", TF_CLI_CONFIG_FILE=str(rc))


def call(program, directory, *arguments):
    return subprocess.run([program, *arguments], cwd=directory, env=environment(directory), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)


def results(program, name, scratch, initialize):
    """The status of each run by file, and the exit code."""
    directory = scratch / f"{pathlib.Path(program).name}-{name.replace('/', '-')}"
    shutil.copytree(HERE / name, directory)
    if initialize:
        done = call(program, directory, "init", "-input=false", "-no-color")
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
    done = call(program, directory, "test", "-json")
    files = {}
    errors = []
    for line in done.stdout.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("type") == "test_abstract":
            files = {file: {} for file in event["test_abstract"]}
        if event.get("type") == "test_run" and event["test_run"]["progress"] == "complete":
            files[event["test_run"]["path"]][event["test_run"]["run"]] = event["test_run"]["status"]
        if event.get("type") == "diagnostic" and event["@level"] == "error":
            errors.append(f'{event.get("@testfile", "")}/{event.get("@testrun", "")}: {event["diagnostic"]["summary"]}: '
                          f'{event["diagnostic"]["detail"]}')
    return {"exit": done.returncode, "files": {f: dict(sorted(runs.items())) for f, runs in sorted(files.items())}}, errors + [
        done.stderr[-2000:]]


def version_of(terraform):
    text = subprocess.run([terraform, "version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = re.search(r"v(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2]))


def mirror_of(scratch):
    """Puts cached binaries of providers into a filesystem mirror. Returns the names of the present ones."""
    sys.path.insert(0, str(HERE.parent / "plugin"))
    from released_providers import RELEASES, add_to_mirror, program_path
    there = []
    for name in sorted({n for names in PROVIDERS.values() for n in names}):
        program = program_path(*RELEASES[name][2:])
        if program.exists():
            add_to_mirror(scratch / "mirror", name, program)
            there.append(name)
    return there


class Report:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def line(self, good, name, details=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for detail in () if good else details:
            for line in str(detail).splitlines():
                print(f"# {line}")

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}")


def compare(report, title, got, wanted, errors):
    report.line(got["exit"] == wanted["exit"], f"{title}: exit code", [f"{got['exit']}, not {wanted['exit']}", *errors])
    for file in sorted(wanted["files"] | got["files"]):
        one, other = got["files"].get(file), wanted["files"].get(file)
        report.line(one == other, f"{title}/{file}", [f"{one}, not {other}", *[e for e in errors if e.startswith(file)]])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("iacctl")
    arguments.add_argument("--terraform", default=shutil.which("terraform"))
    arguments.add_argument("--record", action="store_true")
    arguments.add_argument("only", nargs="*")
    asked = arguments.parse_intermixed_args()
    names = [n for n in configurations() if not asked.only or any(o in n for o in asked.only)]
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    report = Report()
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(4) as pool:
        scratch = pathlib.Path(scratch)
        there = mirror_of(scratch) if asked.terraform else []
        version = version_of(asked.terraform) if asked.terraform else None

        def lacks(name):
            if not asked.terraform:
                return "needs terraform"
            least = LEAST_VERSION.get(name, (1, 11))
            if version < least:
                return f"needs version {least[0]}.{least[1]} of terraform"
            missing = [p for p in PROVIDERS.get(name, []) if p not in there]
            return f"needs the provider {missing[0]}" if missing else None

        peers = {n: pool.submit(results, asked.terraform, n, scratch, "/broken_" not in n) for n in names if not lacks(n)}
        if asked.record:
            for name, one in peers.items():
                expected[name] = one.result()[0]
            EXPECTED.write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")
            return 0
        own = {n: pool.submit(results, str(pathlib.Path(asked.iacctl).resolve()), n, scratch, False) for n in names}
        for name in names:
            got, errors = own[name].result()
            compare(report, name, got, adapted(name, expected[name]), errors)
            if why := lacks(name):
                report.skip(f"{name}: as terraform", why)
            else:
                compare(report, f"{name}: as terraform", got, adapted(name, peers[name].result()[0]), errors)
    print(f"1..{report.count}")
    return 1 if report.failed else 0


def adapted(name, wanted):
    """The results of terraform, changed by the known differences."""
    files = {f: {r: DIFFERENT.get(f"{name}/{f}/{r}", (s,))[0] for r, s in runs.items()} for f, runs in wanted["files"].items()}
    return {"exit": DIFFERENT.get(f"{name}: exit", (wanted["exit"],))[0], "files": files}


if __name__ == "__main__":
    sys.exit(main())
