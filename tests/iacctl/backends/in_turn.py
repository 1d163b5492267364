#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses terraform and iacctl in turn on one state, in every backend that both have: neither reports changes that the other has
not made. TAP.

    in_turn.py IACCTL CACHE [KIND]...

Servers are those of places.py. Without one of them, or without terraform, tests are skipped.
"""
import json
import pathlib
import sys

CHOSEN = sys.argv[3:]
sys.argv[3:] = []
import places  # noqa: E402
from places import IACCTL  # noqa: E402

RESOURCES = """
variable "size" {
  default = 2
}
resource "terraform_data" "several" {
  count = var.size
  input = { number = count.index + 0.5, text = "ä & <\\u0001>", list = [true, null, "x"], where = terraform.workspace }
}
resource "terraform_data" "keyed" {
  for_each         = toset(["a", "b \\"c\\""])
  input            = sensitive(each.key)
  triggers_replace = [terraform_data.several[0].id]
  lifecycle {
    create_before_destroy = true
  }
}
output "ids" {
  value = terraform_data.several[*].id
}
output "hidden" {
  value     = terraform_data.keyed["a"].output
  sensitive = true
}
check "size" {
  assert {
    condition     = var.size > 0
    error_message = "too small"
  }
}
"""


class Program:
    """One of the programs, in a directory of its own."""

    def __init__(self, at, kind, program, key):
        self.of = places.Directory(at, f"{key}-{'iacctl' if program == IACCTL else 'terraform'}", RESOURCES)
        self.program, self.options = program, []
        if kind != "file":
            self.of.choose(kind, key)
        else:  # Terraform's own file, which iacctl uses in place of its database
            self.of.choose("", "")
            if program == IACCTL:
                self.options = [f"-state={at.root / f'{key}-terraform' / 'terraform.tfstate'}"]
        self.run("init", "-input=false")

    def run(self, *arguments, code=0):
        return self.of.run(*arguments, code=code, program=self.program)

    def apply(self, *options):
        self.run("apply", "-auto-approve", "-input=false", *self.options, *options)

    def finds_no_changes(self, *options):
        self.run("plan", "-input=false", "-detailed-exitcode", *self.options, *options)

    def finds_changes(self, *options):
        return self.run("plan", "-input=false", "-detailed-exitcode", *self.options, *options, code=2)


def changes_in_turn(terraform, iacctl):
    """Each program creates, replaces, removes and destroys what the other has made."""
    for size, (program, other) in enumerate(2 * [(terraform, iacctl), (iacctl, terraform)], 1):
        option = f"-var=size={size}"
        program.apply(option)
        other.finds_no_changes(option)
        program.apply(option, "-replace=terraform_data.several[0]")
        other.finds_no_changes(option)
        program.finds_no_changes(option)
        program.run("state", "rm", *program.options, "terraform_data.several[0]")
        other.finds_changes(option)
        other.apply(option)
        program.finds_no_changes(option)
        program.run("taint", *program.options, "terraform_data.several[0]")
        other.finds_changes(option)
        other.apply(option)
        program.finds_no_changes(option)
        program.run("destroy", "-auto-approve", "-input=false", *program.options, option)
        other.finds_changes(option)


def workspaces_in_turn(terraform, iacctl):
    """Each program makes a workspace that the other uses and deletes."""
    for program, other, name in ((terraform, iacctl, "red"), (iacctl, terraform, "green")):
        program.run("workspace", "new", name)
        program.apply()
        other.run("workspace", "select", name)
        other.finds_no_changes()
        other.run("destroy", "-auto-approve", "-input=false")
        program.run("workspace", "select", "default")
        other.run("workspace", "select", "default")
        other.run("workspace", "delete", name)
        assert name not in program.run("workspace", "list"), name


def in_turn(at, kind):
    """terraform and iacctl in turn on one state report no changes"""
    terraform, iacctl = (Program(at, kind, program, f"turn_{kind}") for program in ("terraform", IACCTL))
    changes_in_turn(terraform, iacctl)
    if kind in ("azurerm", "gcs", "pg", "s3"):
        workspaces_in_turn(terraform, iacctl)
    # No member of the state is lost on the way through the other program.
    terraform.apply()
    before = json.loads(terraform.run("state", "pull", *terraform.options))
    iacctl.apply("-replace=terraform_data.several[1]")
    iacctl.apply("-refresh-only")
    after = json.loads(terraform.run("state", "pull", *terraform.options))
    assert before["lineage"] == after["lineage"] and before["serial"] < after["serial"], (before, after)
    for name in before:
        assert (name in after) and type(before[name]) is type(after[name]), f"{name} is lost: {after}"
    assert [sorted(one) for one in before["resources"]] == [sorted(one) for one in after["resources"]], (before, after)


KINDS = ["azurerm", "file", "gcs", "http", "pg", "s3", "served"]
TESTS = [(in_turn, ["terraform"], [kind], [kind]) for kind in KINDS]

if __name__ == "__main__":
    places.run_all(TESTS, pathlib.Path(sys.argv[2]), CHOSEN)
