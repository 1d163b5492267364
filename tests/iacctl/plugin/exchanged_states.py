#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Exchanges states between the built-in types and released providers, and with terraform, if it is on PATH. TAP.

    exchanged_states.py IACCTL [--suite]

Each resource type is created by the built-in provider and used by the real one, and the other way around. No plan may
have a change. Objects of older schema versions are upgraded by both providers, with the same result.
"""
import argparse
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from released_providers import SUITE_BUILDS, add_to_mirror, program_of

# The arguments of an object of each type, by provider. A type may have more than one object.
OBJECTS = {
    "random": {
        "random_bytes": ["length = 12"],
        "random_id": ['byte_length = 5\nprefix = "p-"', 'byte_length = 1\nkeepers = { a = "x", b = null }'],
        "random_integer": ["min = 1\nmax = 50000", 'min = -3\nmax = -1\nseed = "s"'],
        "random_password": ["length = 16", 'length = 100\noverride_special = "_+="\nmin_lower = 2\nkeepers = {}',
                            "length = 9\nnumeric = false\nspecial = false"],
        "random_pet": ["", 'length = 3\nprefix = "p"\nseparator = "."'],
        "random_shuffle": ['input = ["a", "b", "c"]', 'input = ["a"]\nresult_count = 3\nseed = "s"', "input = []"],
        "random_string": ["length = 16", 'length = 4\noverride_special = "%&"\nmin_special = 2\nkeepers = { a = "x" }',
                          "length = 9\nnumber = false"],
        "random_uuid": ["", 'keepers = { a = "x" }'],
    },
    "null": {"null_resource": ["", 'triggers = { a = "x" }']},
    "time": {
        "time_offset": ["offset_days = 3", 'base_rfc3339 = "2020-02-12T06:36:13+01:00"\noffset_months = -1\noffset_years = 0'],
        "time_rotating": ["rotation_years = 100",
                          'rfc3339 = "2120-02-12T06:36:13Z"\nrotation_days = 30\ntriggers = { a = "x" }',
                          'rotation_rfc3339 = "2120-02-12T06:36:13Z"'],
        "time_sleep": ['create_duration = "1ms"', 'destroy_duration = "0.5ms"\ntriggers = { a = "x" }'],
        "time_static": ["", 'rfc3339 = "2020-02-12T06:36:13Z"\ntriggers = {}'],
    },
    "local": {
        "local_file": ['filename = "made/a"\ncontent = "text"', 'filename = "made/b"\nsource = "given"',
                       'filename = "made/c"\nsensitive_content = "text"\nfile_permission = "600"'],
        "local_sensitive_file": ['filename = "made/d"\ncontent_base64 = "AAEC"\ndirectory_permission = "0750"'],
    },
}

# By type and older schema version: the attributes that objects of that version do not have.
OLDER = {
    "random_password": {0: ["numeric", "bcrypt_hash"], 1: ["numeric"], 2: []},
    "random_string": {1: ["numeric"]},
}


class Workplace:
    """A directory with the objects of a provider."""

    def __init__(self, iacctl, directory, name, mirror):
        self.iacctl, self.directory, self.name, self.mirror = iacctl, directory, name, mirror
        self.rc = {}
        for program, text in (("iacctl", ""), ("terraform", f'filesystem_mirror {{ path = "{mirror}" }}')):
            self.rc[program] = directory.parent / f"{program}.rc"
            self.rc[program].write_text(f"provider_installation {{ {text} }}\n")
        directory.mkdir()
        (directory / "given").write_text("given\n")
        head = f'terraform {{\n  required_providers {{\n    {name} = {{ source = "hashicorp/{name}" }}\n  }}\n}}\n'
        (directory / "main.tf").write_text(head + "".join(
            f'resource "{kind}" "o{number}" {{\n{body}\n}}\n'
            for kind, bodies in OBJECTS[name].items() for number, body in enumerate(bodies)))

    def run(self, *arguments, program="iacctl", codes=(0,), cwd=None):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
        done = subprocess.run([self.iacctl if program == "iacctl" else program, *arguments], cwd=cwd or self.directory, text=True,
                              env=dict(inherited, TF_CLI_CONFIG_FILE=str(self.rc[program]), TF_IN_AUTOMATION="1",
                                       CHECKPOINT_DISABLE="1"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert done.returncode in codes, (f"{program} {' '.join(arguments)}: exit {done.returncode}\n{done.stdout[-500:]}"
                                          f"{done.stderr[-3000:]}")
        return done.stdout

    def use(self, real):
        """Selects the real provider in the lock file, or removes this file."""
        shutil.rmtree(self.directory / ".terraform", ignore_errors=True)
        (self.directory / ".terraform.lock.hcl").unlink(missing_ok=True)
        said = self.run("init", "-input=false", "-no-color", *([f"-plugin-dir={self.mirror}"] if real else []))
        assert ("is built in to iacctl" in said) == (not real), said

    def apply(self):
        self.run("apply", "-input=false", "-no-color", "-auto-approve")

    def plan(self, program="iacctl", cwd=None):
        self.run("plan", "-input=false", "-no-color", "-out=planned", program=program, cwd=cwd)
        return json.loads(self.run("show", "-json", "planned", program=program, cwd=cwd))

    def changed(self, step, program="iacctl", cwd=None):
        """A line for each object that a plan would change, or that differs from state, by its type."""
        return self.changes_in(self.plan(program, cwd), step)

    @staticmethod
    def changes_in(shown, step):
        found = {}
        for one in shown.get("resource_changes", []) + shown.get("resource_drift", []):
            if one["change"]["actions"] != ["no-op"]:
                change = {k: one["change"].get(k) for k in ("actions", "before", "after", "replace_paths")}
                found.setdefault(one["type"], []).append(f"{step}: {one['address']}: {json.dumps(change)}")
        return found

    def state(self):
        return json.loads(self.run("state", "pull"))

    def push(self, state):
        state["serial"] += 1
        (self.directory / "pushed.json").write_text(json.dumps(state))
        self.run("state", "push", "pushed.json")

    def destroy(self):
        self.run("destroy", "-input=false", "-no-color", "-auto-approve")


def merge(into, found):
    for kind, lines in found.items():
        into.setdefault(kind, []).extend(lines)


def exchange(place, begins_real):
    """Creates the objects with one provider, and lets both plan and apply in turn."""
    wrong = {}
    names = {True: "real", False: "built-in"}
    place.use(begins_real)
    place.apply()
    for real in (not begins_real, begins_real, not begins_real):
        place.use(real)
        merge(wrong, place.changed(f"created by {names[begins_real]}, used by {names[real]}"))
        place.apply()
    return wrong


def with_terraform(place):
    """terraform with the real provider uses the state of the built-in one, and the other way around."""
    there = place.directory.parent / "terraform"
    shutil.copytree(place.directory, there, ignore=lambda _, names: [n for n in names if n.startswith(".")])
    (there / "terraform.tfstate").write_text(place.run("state", "pull"))
    place.run("init", "-input=false", "-no-color", program="terraform", cwd=there)
    wrong = place.changed("terraform", "terraform", there)
    place.run("apply", "-input=false", "-no-color", "-refresh-only", "-auto-approve", program="terraform", cwd=there)
    state = json.loads((there / "terraform.tfstate").read_text())
    state["serial"] = max(state["serial"], place.state()["serial"])
    place.push(state)
    merge(wrong, place.changed("after terraform"))
    return wrong


def upgraded(place, kind, version, missing):
    """The attributes of the objects of a type after an upgrade by each provider, and lines about changes."""
    lines, attributes = [], []
    current = place.state()
    for real in (True, False):
        place.use(real)
        state = copy.deepcopy(current)
        state["serial"] = place.state()["serial"]
        for one in state["resources"]:
            for instance in one["instances"] if one["type"] == kind else ():
                instance["schema_version"] = version
                for name in missing:
                    instance["attributes"].pop(name, None)
        place.push(state)
        shown = place.plan()
        lines += place.changes_in(shown, f"version {version}, {'real' if real else 'built-in'}").get(kind, [])
        found = {}
        for one in shown["prior_state"]["values"]["root_module"]["resources"]:
            if one["type"] == kind:
                found[one["name"]] = dict(one["values"], schema_version=one["schema_version"])
                if "bcrypt_hash" in missing:
                    found[one["name"]]["bcrypt_hash"] = bool(one["values"]["bcrypt_hash"])
        attributes.append(found)
    current["serial"] = place.state()["serial"]
    place.push(current)
    if attributes[0] != attributes[1]:
        lines.append(f"version {version}: the real provider upgrades to {json.dumps(attributes[0])}, the built-in one to "
                     f"{json.dumps(attributes[1])}")
    return lines


class Report:
    def __init__(self, tests):
        self.number = 0
        self.failed = False
        print(f"1..{tests}", flush=True)

    def add(self, name, problem="", skip=""):
        self.number += 1
        self.failed |= bool(problem)
        print(f"{'not ok' if problem else 'ok'} {self.number} - {name}" + (f" # SKIP {skip}" if skip else ""))
        print("".join(f"# {line}\n" for line in problem.splitlines()), end="", flush=True)


def titles(kind):
    return ([f"{kind}: the built-in and the real provider use each other's objects",
             f"{kind}: terraform and the built-in provider use each other's objects"]
            + [f"{kind}: an object of schema version {version} is upgraded as by the real provider" for version in OLDER.get(kind, ())])


def check(name, place, report):
    terraform = shutil.which("terraform")
    problem, wrong, beside = "", {}, {}
    older = {}
    try:
        merge(wrong, exchange(place, False))
        place.destroy()
        merge(wrong, exchange(place, True))
        if terraform:
            place.use(False)
            beside = with_terraform(place)
        older = {(kind, version): upgraded(place, kind, version, missing)
                 for kind in OBJECTS[name] for version, missing in OLDER.get(kind, {}).items()}
    except (AssertionError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        problem = str(error) or repr(error)
    for kind in OBJECTS[name]:
        first, second, *others = titles(kind)
        report.add(first, problem or "\n".join(wrong.get(kind, [])))
        report.add(second, problem or "\n".join(beside.get(kind, [])), "" if terraform else "needs terraform")
        for title, version in zip(others, OLDER.get(kind, {})):
            report.add(title, problem or "\n".join(older[kind, version]))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("iacctl")
    arguments.add_argument("--suite", action="store_true", help="in the test suite: builds only where go is required")
    options = arguments.parse_args()
    until = time.monotonic() + SUITE_BUILDS
    report = Report(sum(len(titles(kind)) for kinds in OBJECTS.values() for kind in kinds))
    with tempfile.TemporaryDirectory(prefix="iacctl-exchange-") as temporary:
        for name, kinds in OBJECTS.items():
            program, reason = program_of(name, max(0, until - time.monotonic()) if options.suite else None)
            if program is None:
                for kind in kinds:
                    for title in titles(kind):
                        report.add(title, skip=reason)
                continue
            root = pathlib.Path(temporary).resolve() / name
            root.mkdir()
            add_to_mirror(root / "mirror", name, program)
            check(name, Workplace(os.path.abspath(options.iacctl), root / "work", name, root / "mirror"), report)
    return report.failed


if __name__ == "__main__":
    sys.exit(main())
