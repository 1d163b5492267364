#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Calls iacctl by the name "terraform" from programs and libraries that were written for Terraform. TAP.

    run.py IACCTL [--all] [NAME...]

Each wrapper has a pinned version, and is installed into a cache from its registry; without it, its test is skipped. --all
adds those whose installation takes minutes. If terraform is on PATH, the same test calls it, too, which shows that the
test is right.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import installed

CONFIGURATION = """
variable "names" {
  type    = list(string)
  default = ["a", "b"]
}
resource "terraform_data" "named" {
  for_each = toset(var.names)
  input    = { name = each.key }
}
module "child" {
  source = "./child"
}
output "names" {
  value = var.names
}
output "password" {
  value     = "hidden"
  sensitive = true
}
"""
CHILD = 'resource "terraform_data" "inner" {\n  input = 7\n}\noutput "seven" {\n  value = terraform_data.inner.output\n}\n'


class Skipped(Exception):
    pass


def expect(expected, found):
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")


class Place:
    """A directory with a configuration, and a program that is called by the name "terraform"."""

    def __init__(self, directory, program):
        self.directory = directory / "work"
        tools = directory / "tools"
        tools.mkdir()
        (tools / "terraform").symlink_to(program)
        self.program = str(tools / "terraform")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
        self.environment |= {"PATH": f"{tools}:{os.environ['PATH']}", "TERRAFORM": self.program, "CHECKPOINT_DISABLE": "1",
                             "TF_CLI_CONFIG_FILE": os.devnull, "TF_IN_AUTOMATION": "1"}
        self.write("main.tf", CONFIGURATION)
        self.write("child/main.tf", CHILD)

    def write(self, name, text):
        (self.directory / name).parent.mkdir(parents=True, exist_ok=True)
        (self.directory / name).write_text(text)

    def run(self, *command, codes=(0,), timeout=120, **environment):
        done = subprocess.run(command, cwd=self.directory, env=self.environment | environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        if done.returncode not in codes:
            raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-3000:]}")
        return done.stdout

    def terraform(self, *arguments, **keywords):
        return self.run(self.program, *arguments, **keywords)

    def python(self, text, packages):
        """Runs a script that imports the packages."""
        place, reason = packages
        if place is None:
            raise Skipped(reason)
        return self.run(sys.executable, "-c", text, PYTHONPATH=str(place))


def go_libraries(place):
    """terraform-exec 0.26.0 and terratest 0.56.0 run all commands (go/*_test.go)"""
    program, reason = installed.of_go(200 if "go" in os.environ.get("STRIDER_REQUIRE", "").split() or ALL else 0)
    if program is None:
        raise Skipped(reason)
    out = place.run(program, "-test.timeout=150s", timeout=170)
    expect("PASS", out.strip().splitlines()[-1])


def tftest(place):
    """tftest 1.8.8 plans, applies, reads outputs and the state, and destroys"""
    place.python("""
import tftest
test = tftest.TerraformTest(".", binary="terraform")
test.setup(cleanup_on_exit=False)
plan = test.plan(output=True, tf_vars={"names": '["a"]'})
assert set(plan.resources) == {'terraform_data.named["a"]'}, plan.resources
assert plan.modules["module.child"].resources["terraform_data.inner"]["values"]["input"] == 7
assert plan.outputs["names"] == ["a"] and plan.variables["names"] == ["a"]
test.apply(tf_vars={"names": '["a"]'})
assert test.output()["names"] == ["a"] and test.output().sensitive == ("password",)
state = test.state_pull()
assert sorted(one["name"] for one in state.resources.values()) == ["inner", "named"], state.resources
assert state.outputs["names"] == ["a"]
assert test.workspace("other") is not None
test.destroy()
""", installed.of_pypi("tftest==1.8.8"))


def python_terraform(place):
    """python-terraform 0.10.1 calls commands with its options"""
    place.python("""
from python_terraform import IsFlagged, Terraform
calls = Terraform(working_dir=".", terraform_bin_path="terraform")
for name, expected, arguments in [
        ("init", 0, {}), ("fmt", 0, {"diff": True}), ("plan", 2, {"out": "planned"}), ("apply", 0, {"skip_plan": True}),
        ("plan", 0, {}), ("show", 0, {}), ("cmd", 0, {})]:
    first = ("graph",) if name == "cmd" else ()
    code, out, err = getattr(calls, name)(*first, **arguments)
    assert code == expected, (name, code, out, err)
assert calls.output()["names"]["value"] == ["a", "b"]
assert calls.create_workspace("other")[0] == 0 and calls.show_workspace()[1].strip() == "other"
assert calls.set_workspace("default")[0] == 0 and calls.delete_workspace("other")[0] == 0
code, out, err = calls.destroy(auto_approve=IsFlagged, force=None)
assert code == 0, (out, err)
""", installed.of_pypi("python-terraform==0.10.1"))


def cdktf(place):
    """cdktf 0.21.0 synthesizes JSON that is planned and applied"""
    modules, reason = installed.of_npm("cdktf@0.21.0", "constructs@10.4.2")
    if modules is None:
        raise Skipped(reason)
    place.write("app.js", """
const { App, TerraformStack, TerraformOutput, TerraformVariable, TerraformLocal, DataResource, Fn, LocalBackend } = require("cdktf");
const app = new App({ outdir: "made" });
const stack = new TerraformStack(app, "stack");
new LocalBackend(stack);
const size = new TerraformVariable(stack, "size", { type: "number", default: 2, description: "objects" });
const names = new TerraformLocal(stack, "names", ["x", "y", "${upper(\\"z\\")}"]);
const first = new DataResource(stack, "first", { input: { size: size.value, list: Fn.join("-", names.asList) } });
new DataResource(stack, "each", { count: 2, input: "n", dependsOn: [first], lifecycle: { createBeforeDestroy: true },
  provisioners: [{ type: "local-exec", command: "echo made" }] });
new TerraformOutput(stack, "joined", { value: Fn.lookup(first.output, "list"), description: "text" });
new TerraformOutput(stack, "hidden", { value: "secret", sensitive: true });
app.synth();
""")
    place.run("node", "app.js", NODE_PATH=str(modules / "node_modules"), CI="1")
    (made,) = (place.directory / "made/stacks/stack").glob("*.tf.json")
    place.directory = made.parent
    place.terraform("init", "-input=false", "-no-color")
    place.terraform("validate", "-no-color")
    place.terraform("apply", "-input=false", "-auto-approve", "-no-color")
    expect("x-y-Z", json.loads(place.terraform("output", "-json"))["joined"]["value"])
    place.terraform("plan", "-detailed-exitcode", "-no-color")
    place.terraform("destroy", "-auto-approve", "-no-color")


# The expressions by which these tools search the text of a command: name, command, expression, matches.
EXPRESSIONS = [
    ("tfcmt, tfnotify", "plan", r"(?m)^(Plan: \d|No changes.)", True),
    ("tfcmt", "plan", r"(?m)^ *# (.*) will be created$", ['terraform_data.new']),
    ("tfcmt", "plan", r"(?m)^ *# (.*) will be updated in-place$", ["terraform_data.changed"]),
    ("tfcmt", "plan", r"(?m)^ *# (.*) will be destroyed$", ["terraform_data.gone"]),
    ("tfcmt", "plan", r"(?m)^ *# (.*?)(?: is tainted, so)? must be replaced$", ["terraform_data.replaced", "terraform_data.tainted"]),
    ("tfcmt", "replace", r"(?m)^ *# (.*?) will be replaced, as requested$", ["terraform_data.kept"]),
    ("tfcmt", "plan", r"(?m)^ *# (.*?) will be replaced due to changes in replace_triggered_by$", ["terraform_data.triggered"]),
    ("tfcmt", "plan", r"(?m)^ *# (.*?) has moved to (.*?)$", [("terraform_data.old", "terraform_data.moved")]),
    ("tfcmt", "plan", r"(?m)^ *# \(imported from (.*?)\)$|^ *# (.*?) will be imported$", True),
    ("tfcmt", "plan", r"(?m)([1-9][0-9]* to destroy.)", True),
    ("tfcmt", "plan", r"(?m)^Changes to Outputs:", True),
    ("tfcmt", "same", r"(?m)^(No changes\.|Plan: (?:\d+ to import, )?0 to add, 0 to change, 0 to destroy\.)", True),
    ("tfcmt", "apply", r"(?m)^(Apply complete!)", True),
    ("tfcmt, tfnotify", "wrong", r"(?m)^([│|] )?(Error: )", True),
    ("atlantis", "plan", r"Plan: (?:(\d+) to import, )?(\d+) to add, (\d+) to change, (\d+) to destroy(?:, (?:\d+) to forget)?\.",
     [("1", "4", "1", "4")]),
    ("atlantis", "same", r"No changes. (Infrastructure is up-to-date|Your infrastructure matches the configuration).", True),
    ("atlantis", "version", r"(?:Terraform|OpenTofu) v(.*?)(\s.*)?\n", True),
    ("terragrunt", "version", r"^(\S+)\s(v?\d+\.\d+\.\d+)", True),
    ("terratest", "outputs", r"(?s)You can apply this plan.+without changing any real infrastructure", True),
]


def expressions(place):
    """tfcmt, tfnotify, atlantis, terragrunt and terratest find facts in the texts of commands"""
    def text(**resources):
        return "".join(f'resource "terraform_data" "{name}" {{\n{body}\n}}\n' for name, body in resources.items())
    shutil.rmtree(place.directory)
    place.write("main.tf", text(changed="input = 1", gone="", replaced="triggers_replace = 1", tainted="", kept="", old="",
                                triggered="lifecycle {\n  replace_triggered_by = [terraform_data.changed]\n}", forgotten=""))
    place.terraform("init")
    place.terraform("apply", "-auto-approve")
    place.terraform("taint", "terraform_data.tainted")
    said = {"replace": place.terraform("plan", "-no-color", "-replace=terraform_data.kept")}
    place.terraform("untaint", "terraform_data.tainted")
    said["same"] = place.terraform("plan", "-no-color")
    place.write("main.tf", (place.directory / "main.tf").read_text() + 'output "o" {\n  value = 1\n}\n')
    said["outputs"] = place.terraform("plan", "-no-color")
    place.terraform("taint", "terraform_data.tainted")
    place.write("main.tf", text(changed="input = 2", replaced="triggers_replace = 2", tainted="", kept="", moved="", new="", got="",
                                triggered="lifecycle {\n  replace_triggered_by = [terraform_data.changed]\n}") + """
moved {
  from = terraform_data.old
  to   = terraform_data.moved
}
import {
  to = terraform_data.got
  id = "some-id"
}
removed {
  from = terraform_data.forgotten
  lifecycle {
    destroy = false
  }
}
output "o" {
  value = 2
}
""")
    said["plan"] = place.terraform("plan", "-no-color")
    said["apply"] = place.terraform("apply", "-no-color", "-auto-approve")
    said["version"] = place.terraform("version")
    place.write("main.tf", "absent {}\n")
    said["wrong"] = place.terraform("plan", "-no-color", codes=(1,))
    wrong = []
    for name, command, expression, expected in EXPRESSIONS:
        found = re.findall(expression, said[command])
        if bool(found) != expected if isinstance(expected, bool) else sorted(found) != sorted(expected):
            wrong.append(f"{name}: {expression}: expected {expected}, found {found}\n")
            if "Plan: " in said[command]:
                wrong.append("".join(line + "\n" for line in said[command].splitlines() if "# " in line or "Plan: " in line))
    if wrong:
        raise AssertionError("\n".join(wrong))


def plan_in_json(place):
    place.terraform("init")
    place.terraform("plan", "-out=planned")
    place.write("plan.json", place.terraform("show", "-json", "planned"))


def command_of(packages, name):
    """The command of a package of PyPI, and its environment."""
    place, reason = packages
    if place is None:
        raise Skipped(reason)
    return [sys.executable, str(place / "bin" / name)], {"PYTHONPATH": str(place)}


def checkov(place):
    """checkov 3.3.30 checks all objects of a plan in JSON"""
    plan_in_json(place)
    place.write("checks/input.yaml", """
metadata:
  id: CKV2_INPUT_1
  name: an object has an input
  category: GENERAL_SECURITY
definition:
  cond_type: attribute
  resource_types: [terraform_data]
  attribute: input
  operator: exists
""")
    command, environment = command_of(installed.of_pypi("checkov==3.3.30", timeout=900), "checkov")
    out = place.run(*command, "-f", "plan.json", "--framework", "terraform_plan", "-o", "json", "--skip-download",
                    "--external-checks-dir", "checks", "-c", "CKV2_INPUT_1", timeout=300, **environment)
    expect(['module.child.terraform_data.inner', 'terraform_data.named["a"]', 'terraform_data.named["b"]'],
           sorted(one["resource"] for one in json.loads(out)["results"]["passed_checks"]))


def terraform_compliance(place):
    """terraform-compliance 1.16.0 tests a plan in JSON by scenarios"""
    plan_in_json(place)
    scenario = "Feature: inputs\n  Scenario: objects have inputs\n    Given I have terraform_data defined\n    Then it must have {}\n"
    command, environment = command_of(installed.of_pypi("terraform-compliance==1.16.0", timeout=300), "terraform-compliance")
    for attribute, code in (("input", 0), ("triggers_replaced", 1)):
        place.write("features/one.feature", scenario.format(attribute))
        place.run(*command, "-p", "plan.json", "-f", "features", codes=(code,), **environment)


WRAPPERS = {one.__name__: one for one in (go_libraries, tftest, python_terraform, cdktf, expressions)}
SLOW = {one.__name__: one for one in (checkov, terraform_compliance)}


def check(wrapper, program):
    with tempfile.TemporaryDirectory(prefix="iacctl-wrapper-") as directory:
        try:
            wrapper(Place(pathlib.Path(directory).resolve(), program))
            return "", ""
        except Skipped as skipped:
            return "", str(skipped)
        except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            return f"{type(error).__name__}: {error}", ""


def main():
    global ALL
    arguments = argparse.ArgumentParser()
    arguments.add_argument("iacctl")
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--all", action="store_true", help="also wrappers whose installation takes minutes")
    options = arguments.parse_intermixed_args()
    ALL = options.all
    wrappers = WRAPPERS | (SLOW if options.all else {})
    named = options.names or list(wrappers)
    programs = [("iacctl", os.path.abspath(options.iacctl)), ("terraform", shutil.which("terraform"))]
    print(f"1..{len(named) * len(programs)}")
    number = failed = 0
    for name in named:
        for called, program in programs:
            number += 1
            problem, skipped = check(wrappers[name], program) if program else ("", f"needs {called}")
            failed += bool(problem)
            title = f"{wrappers[name].__doc__}, by calls of {called}"
            print(f"{'not ok' if problem else 'ok'} {number} - {title}" + (f" # SKIP {skipped}" if skipped else ""))
            print("".join(f"# {line}\n" for line in problem.splitlines()), end="", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
