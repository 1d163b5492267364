#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs released providers with iacctl and, if it is on PATH, with terraform, and compares the results. TAP.

    real_providers.py IACCTL [--suite] [--table] [--keep DIRECTORY] [NAME...]

Each provider has one configuration of all its types. The sequence: plan, apply, plan without changes, change, apply,
import, destroy. Both programs use the same packages from one filesystem mirror. The test compares the exit codes,
`show -json` of each plan, the states, the outputs, the schemas and the lock files.
"""
import argparse
import base64
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from provider_scenarios import SCENARIOS
from released_providers import RELEASES, SUITE_BUILDS, add_to_mirror, program_of

# The members of a plan that are compared. The others have the time and the version of the program, or repeat the
# configuration.
PLAN_MEMBERS = ["resource_changes", "output_changes", "resource_drift", "planned_values", "prior_state", "applyable",
                "complete", "errored", "deferred_changes"]

# Known differences: a pattern for their path, and the cause.
KNOWN = [
    # terraform loses the marks of the schema when it plans a replacement; `after_sensitive` of the change has them in both.
    (r"planned_values\..*\.sensitive_values\.\w+: iacctl true, terraform has none", "terraform omits marks of new objects"),
    # Identities of objects are new in terraform 1.12.
    (r"\.((before_|after_)?identity(_schema_version)?|resource_identity_schemas): iacctl .*, terraform has none",
     "terraform before 1.12 has no identities"),
]

LONGEST_BUILD = 40 * 60

CALLS = ["GetProviderSchema", "GetResourceIdentitySchemas", "ValidateProviderConfig", "ConfigureProvider",
         "ValidateResourceConfig", "ValidateDataResourceConfig", "UpgradeResourceState", "ReadResource", "PlanResourceChange",
         "ApplyResourceChange", "ImportResourceState", "ReadDataSource", "CallFunction", "ValidateEphemeralResourceConfig",
         "OpenEphemeralResource", "CloseEphemeralResource"]
BEGIN = "<!-- calls: written by tools/test-providers --table -->"
END = "<!-- end of calls -->"


class Workplace:
    """A directory in which one program runs the sequence. It records the answers of the program."""

    def __init__(self, program, directory, name, mirror, variables):
        self.program = program
        self.directory = directory
        self.name = name
        self.scenario = SCENARIOS[name]
        self.record = {}
        self.protocol = None
        directory.mkdir(parents=True)
        rc = directory.parent / f"{directory.name}.rc"
        rc.write_text(f'provider_installation {{ filesystem_mirror {{ path = "{mirror}" }} }}\n')
        self.log = directory.parent / f"{directory.name}.log"
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "PG"))}
        self.environment = dict(inherited, TF_CLI_CONFIG_FILE=str(rc), TF_LOG="TRACE", TF_LOG_PATH=str(self.log),
                                TF_IN_AUTOMATION="1", CHECKPOINT_DISABLE="1", **variables)
        for file, text in self.scenario.files.items():
            path = directory / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (1_700_000_000, 1_700_000_000))

    def configure(self, state):
        namespace, release = RELEASES[self.name][:2]
        source = f'{{ source = "{namespace}/{self.name}", version = "{release}" }}'
        head = f"terraform {{\n  required_providers {{\n    {self.name} = {source}\n  }}\n}}\n"
        (self.directory / "main.tf").write_text(head + self.scenario.text(state))

    def run(self, *arguments, codes=(0,)):
        done = subprocess.run([self.program, *arguments], cwd=self.directory, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert done.returncode in codes, (f"{pathlib.Path(self.program).name} {' '.join(arguments)}: exit "
                                          f"{done.returncode}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
        return done

    def json(self, *arguments):
        text = self.run(*arguments).stdout
        return json.loads(text) if text.strip() else {}

    def plan(self, step, expected, *options):
        done = self.run("plan", "-input=false", "-no-color", "-detailed-exitcode", "-out=planned", *options, codes=(0, 2))
        shown = self.json("show", "-json", "planned")
        self.record[f"{step}: exit code"] = done.returncode
        self.record[f"{step}: plan"] = {k: v for k, v in shown.items() if k in PLAN_MEMBERS}
        assert done.returncode == expected, f"{step}: exit {done.returncode}, not {expected}\n{done.stdout[-3000:]}"

    def apply(self, step):
        self.run("apply", "-input=false", "-no-color", "planned")
        state = self.json("state", "pull")
        self.record[f"{step}: state"] = {k: v for k, v in state.items() if k in ("version", "outputs", "resources",
                                                                             "check_results")}
        self.record[f"{step}: outputs"] = self.json("output", "-json")
        return state

    def attributes(self, address):
        kind, name, index = re.fullmatch(r"(\w+)\.(\w+)(?:\[(\d+)\])?", address).groups()
        state = self.json("state", "pull")
        for resource in state["resources"]:
            if (resource["mode"], resource["type"], resource["name"]) == ("managed", kind, name):
                return resource["instances"][int(index or 0)]["attributes"]
        raise AssertionError(f"{address} is not in state")

    def set_back(self):
        """Sets objects back to an older schema version, as an older release of the provider would have written them."""
        state = self.json("state", "pull")
        for resource in state["resources"]:
            version = self.scenario.older.get(f"{resource['type']}.{resource['name']}")
            for instance in resource["instances"] if version is not None else ():
                instance["schema_version"] = version
        state["serial"] += 1
        (self.directory / "older.json").write_text(json.dumps(state))
        self.run("state", "push", "older.json")

    def sequence(self):
        self.configure(1)
        self.run("init", "-input=false", "-no-color")
        validation = self.json("validate", "-json")
        validation.pop("dialects", None)  # of iacctl only: the programs whose rules the modules follow
        self.record["validation"] = validation
        self.record["schemas"] = self.json("providers", "schema", "-json")
        self.plan("create", 2)
        self.apply("create")
        self.plan("unchanged", 0)
        if self.scenario.older:
            self.set_back()
            self.plan("older", 0)
        self.configure(2)
        self.plan("change", 2)
        self.apply("change")
        for address, identity in self.scenario.imports:
            imported = identity(self.attributes(address))
            self.run("state", "rm", address)
            self.run("import", "-input=false", "-no-color", address, imported)
        if self.scenario.imports:
            done = self.run("plan", "-input=false", "-no-color", "-detailed-exitcode", codes=(0, 2))
            self.plan("import", done.returncode)
            self.apply("import")
        self.plan("destroy", 2, "-destroy")
        state = self.apply("destroy")
        assert not state.get("resources"), "destroy: objects are left"

    def calls(self):
        """The number of runs of each call. The log of either program has a line for each run."""
        if not self.log.exists():
            return collections.Counter()
        lines = re.findall(r"\[TRACE\] .*?GRPCProvider(\.v6)?: (\w+)", self.log.read_text(errors="replace"))
        self.protocol = 6 if any(version for version, _ in lines) else 5
        return collections.Counter(call for _, call in lines if call in CALLS)


def shape(value):
    """A value with its texts and numbers replaced by their type."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value]
    if isinstance(value, bool) or value is None:
        return value
    return "a text" if isinstance(value, str) else "a number"


def comparable(document, varying):
    """The document with varying attributes replaced by their shapes, and private data decoded."""
    def attributes(of, kind, name):
        if not isinstance(of, dict):
            return of
        return {k: shape(v) if f"{kind}.{k}" in varying or f"{kind}.{name}.{k}" in varying else v for k, v in of.items()}

    def walk(node):
        if isinstance(node, list):
            return [walk(n) for n in node]
        if not isinstance(node, dict):
            return node
        made = {k: walk(v) for k, v in node.items()}
        if "type" in made and "name" in made:
            kind, name = made["type"], made["name"]
            for part in ("before", "after"):
                if isinstance(made.get("change"), dict) and part in made["change"]:
                    made["change"][part] = attributes(made["change"][part], kind, name)
            if isinstance(made.get("values"), dict):
                made["values"] = attributes(made["values"], kind, name)
            for one in made.get("instances", []):
                one["attributes"] = attributes(one.get("attributes"), kind, name)
        for unordered in ("sensitive_attributes", "replace_paths"):  # terraform writes sets of paths in any order
            if isinstance(made.get(unordered), list):
                made[unordered].sort(key=json.dumps)
        if isinstance(made.get("private"), str):
            decoded = base64.b64decode(made["private"]).decode(errors="replace")
            with contextlib.suppress(ValueError):
                decoded = json.loads(decoded)
            made["private"] = decoded
        return made

    return walk(document)


def identified(items):
    """The items of a list as a dictionary by their address, or by mode, type and name; None if they have neither."""
    if not items or not all(isinstance(i, dict) for i in items):
        return None
    if all("address" in i for i in items):
        return {i["address"] + i.get("deposed", ""): i for i in items}
    if all("mode" in i and "instances" in i for i in items):
        return {f'{i["mode"]}.{i["type"]}.{i["name"]}': i for i in items}
    return None


def differences(ours, theirs, place=""):
    """Lines that name each place at which two documents differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key not in ours:
                yield f"{place}.{key}: iacctl has none, terraform {short(theirs[key])}"
            elif key not in theirs:
                yield f"{place}.{key}: iacctl {short(ours[key])}, terraform has none"
            else:
                yield from differences(ours[key], theirs[key], f"{place}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list):
        left, right = identified(ours), identified(theirs)
        if left is not None and right is not None:
            yield from differences(left, right, place)
        elif len(ours) != len(theirs):
            yield f"{place}: iacctl {short(ours)}, terraform {short(theirs)}"
        else:
            for index, (a, b) in enumerate(zip(ours, theirs)):
                yield from differences(a, b, f"{place}[{index}]")
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield f"{place}: iacctl {short(ours)}, terraform {short(theirs)}"


def short(value):
    text = json.dumps(value, sort_keys=True)
    return text if len(text) < 160 else text[:160] + "…"


def unknown_differences(ours, theirs, varying):
    found = []
    for document in sorted(ours.keys() | theirs.keys()):
        a, b = (comparable(r.get(document), varying) for r in (ours, theirs))
        found += [line for line in differences(a, b, document) if not any(re.search(p, line) for p, _ in KNOWN)]
    return found


def lock_file_is_kept(by, of, program_name):
    """Checks that a lock file of the other program is accepted and not changed."""
    shutil.copy(of.directory / ".terraform.lock.hcl", by.directory / ".terraform.lock.hcl")
    written = (of.directory / ".terraform.lock.hcl").read_bytes()
    for options in (["-lockfile=readonly"], []):
        by.run("init", "-input=false", "-no-color", *options)
        assert (by.directory / ".terraform.lock.hcl").read_bytes() == written, f"{program_name} changes the lock file"


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


def check(name, iacctl, root, mirror, report):
    """The tests of one provider. Returns the workplaces."""
    terraform = shutil.which("terraform")
    tests = [f"{name}: iacctl runs the sequence", f"{name}: states, plans and outputs are those of terraform",
             f"{name}: lock files are exchanged with terraform"]
    places = {}
    with contextlib.ExitStack() as stack:
        try:
            variables = stack.enter_context(SCENARIOS[name].environment())
        except LookupError as missing:
            for test in tests:
                report.add(test, skip=str(missing))
            return places
        problems = {}
        for program, path in [("iacctl", iacctl)] + ([("terraform", terraform)] if terraform else []):
            place = places[program] = Workplace(path, root / name / program, name, mirror, variables(program))
            try:
                place.sequence()
            except (AssertionError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                problems[program] = str(error) or repr(error)
        report.add(tests[0], problems.get("iacctl", ""))
        if not terraform:
            for test in tests[1:]:
                report.add(test, skip="needs terraform")
            return places
        both = places["iacctl"].record, places["terraform"].record
        found = unknown_differences(*both, SCENARIOS[name].varying)
        report.add(tests[1], "\n".join(filter(None, [problems.get("terraform", "")] + found)))
        try:
            places["iacctl"].configure(1)
            places["terraform"].configure(1)
            lock_file_is_kept(places["iacctl"], places["terraform"], "iacctl")
            lock_file_is_kept(places["terraform"], places["iacctl"], "terraform")
            report.add(tests[2])
        except (AssertionError, OSError) as error:
            report.add(tests[2], str(error))
    return places


def write_table(file, counted):
    """Replaces the table of calls in a document."""
    lines = [f"Calls of `iacctl`, {time.strftime('%Y-%m-%d')}:", "",
             "| | " + " | ".join(f"{name} {RELEASES[name][1]}" for name in counted) + " |",
             "|---" * (len(counted) + 1) + "|",
             "| protocol | " + " | ".join(str(protocol) for protocol, _ in counted.values()) + " |"]
    lines += [f"| `{call}` | " + " | ".join(str(calls[call] or "") for _, calls in counted.values()) + " |" for call in CALLS]
    text = file.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    file.write_text(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:])


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("iacctl")
    arguments.add_argument("--suite", action="store_true", help="in the test suite: builds only where go is required")
    arguments.add_argument("--table", action="store_true", help="writes the table of calls in docs/providers.md")
    arguments.add_argument("--keep", help="an empty directory to work in, which is kept")
    arguments.add_argument("names", nargs="*", default=[])
    options = arguments.parse_intermixed_args()
    names = options.names or [name for name in RELEASES if name != "aws"]
    iacctl = os.path.abspath(options.iacctl)
    until = time.monotonic() + SUITE_BUILDS
    report = Report(3 * len(names))
    counted = {}
    with tempfile.TemporaryDirectory(prefix="iacctl-providers-") as temporary:
        root = pathlib.Path(options.keep or temporary).resolve()
        mirror = root / "mirror"
        for name in names:
            left = max(0, until - time.monotonic()) if options.suite else LONGEST_BUILD
            program, reason = program_of(name, left)
            if program is None:
                for part in ("sequence", "comparison", "lock file"):
                    report.add(f"{name}: {part}", skip=reason)
                continue
            add_to_mirror(mirror, name, program)
            places = check(name, iacctl, root, mirror, report)
            if "iacctl" in places:
                calls = places["iacctl"].calls()
                counted[name] = places["iacctl"].protocol, calls
            if options.keep:
                for program, place in places.items():
                    (root / name / f"{program}.json").write_text(json.dumps(place.record, indent=1, sort_keys=True))
    if options.table:
        write_table(pathlib.Path(__file__).resolve().parents[3] / "docs" / "providers.md", counted)
    return report.failed


if __name__ == "__main__":
    sys.exit(main())
