#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Policies in Rego, with a substitute for opa, and with opa if it is installed. Usage: policies.py IACCTL"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
SECRET = "very-secret-key"
FILES = f"""variable "key" {{
  default   = "{SECRET}"
  sensitive = true
}}
resource "terraform_data" "a" {{
  input = var.key
}}
"""
REGO = """# A policy.
package terraform.a

import rego.v1

deny contains {"msg": sprintf("%s has %s", [c.address, c.change.after.input]), "address": c.address} if {
  some c in input.resource_changes
  "create" in c.change.actions
}

warn contains "looked at" if count(input.resource_changes) > 0
"""
# Prints the content of the file "answer", and stores its arguments and its input.
FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "$OPA_PLACE/arguments"
cat > "$OPA_PLACE/input"
cat "$OPA_PLACE/answer"
exit "$(cat "$OPA_PLACE/code")"
"""


def run(place, *arguments, code=0, path=None):
    environment = dict(os.environ, OPA_PLACE=str(place), PATH=path or f"{place / 'bin'}:/usr/bin:/bin")
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    reported = [one["diagnostic"] for one in messages if one["type"] == "diagnostic"]
    return [(one["severity"], one["code"], one.get("address", ""), one["detail"]) for one in reported]


def prepared(place, answer=None, code=0, files=(("a.rego", REGO),)):
    (place / "main.tf").write_text(FILES)
    (place / "rego").mkdir()
    for name, text in files:
        (place / "rego" / name).write_text(text)
    (place / "bin").mkdir()
    program = place / "bin" / "opa"
    program.write_text(FAKE)
    program.chmod(0o755)
    result = {} if answer is None else {"result": [{"expressions": [{"value": answer}]}]}
    (place / "answer").write_text(json.dumps(result))
    (place / "code").write_text(str(code))


def rules_reject_and_warn(place):
    prepared(place, [{"deny": [["no", {"msg": f"it is {SECRET}", "address": "terraform_data.a"}]], "violation": [True], "warn": [["hm"]]}],
             files=(("a.rego", REGO), ("b.rego", "package terraform.a\n"), ("a_test.rego", "package other\n")))
    reported = run(place, "plan", "-json", "-policies=rego", "-out=p", code=1)
    assert [one[:3] for one in reported] == [
        ("warning", "policy_warning", ""),
        ("error", "policy_violated", ""),
        ("error", "policy_violated", "terraform_data.a"),
        ("error", "policy_violated", ""),
    ], reported
    assert not any(SECRET in one[3] for one in reported), reported
    assert "(sensitive value)" in reported[2][3]
    assert not (place / "p").exists()
    words = (place / "arguments").read_text().splitlines()
    assert words[:6] == ["eval", "--format=json", "--stdin-input", "--data=rego/a.rego", "--data=rego/b.rego",
                         '[{"deny": [x | x := data.terraform.a.deny], "violation": [x | x := data.terraform.a.violation], '
                         '"warn": [x | x := data.terraform.a.warn]}]'], words
    document = json.loads((place / "input").read_text())
    assert document["resource_changes"][0]["address"] == "terraform_data.a"
    assert document["configuration"]["root_module"]["resources"][0]["type"] == "terraform_data"
    run(place, "apply", "-auto-approve", "-json", "-policies=rego", code=1)
    assert not (place / "terraform.tfstate").exists()


def rules_without_results_accept_a_plan(place):
    prepared(place, [{"deny": [[]], "violation": [], "warn": [False]}])
    assert run(place, "plan", "-json", "-policies=rego") == []


def no_plan_passes_without_its_rego_files(place):
    prepared(place)
    assert run(place, "plan", "-json", "-policies=rego", code=1)[0][1] == "rego_failed"
    (place / "answer").write_text("nonsense " + SECRET)
    (place / "code").write_text("2")
    ((_, code, _, detail),) = run(place, "plan", "-json", "-policies=rego", code=1)
    assert code == "rego_failed" and "nonsense" in detail and SECRET not in detail, detail
    (place / "bin" / "opa").unlink()
    empty = place / "empty"
    empty.mkdir()
    ((_, code, _, _),) = run(place, "plan", "-json", "-policies=rego", code=1, path=str(empty))
    assert code == "rego_program_missing"


def results_of_another_form_are_rejected(place):
    prepared(place, [{"deny": [{"a": 1}], "violation": [[{"text": "a"}]], "warn": [[1]]}])
    assert [one[1] for one in run(place, "plan", "-json", "-policies=rego", code=1)] == ["rego_answer_invalid"] * 3


def opa_evaluates_the_files(place):
    if shutil.which("opa") is None:
        raise tap.Missing("opa")
    prepared(place)
    reported = run(place, "plan", "-json", "-policies=rego", code=1, path=os.environ["PATH"])
    assert [one[:3] for one in reported] == [("warning", "policy_warning", ""), ("error", "policy_violated", "terraform_data.a")], reported
    assert not any(SECRET in one[3] for one in reported), reported


if __name__ == "__main__":
    sys.exit(tap.run([
        rules_reject_and_warn,
        rules_without_results_accept_a_plan,
        no_plan_passes_without_its_rego_files,
        results_of_another_form_are_rejected,
        opa_evaluates_the_files,
    ]))
