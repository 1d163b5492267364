#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The code actions of "iacctl lsp": each is applied as an editor does. Usage: edits.py IACCTL FAKE_PROVIDER"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "golden"))
sys.path.insert(0, str(HERE))
import tap  # noqa: E402
from editor import FAKE, Editor, with_provider  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
FAKE_PROVIDER = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None

CHILD = 'variable "size" {\n  type = number\n}\n\noutput "first" {\n  value = var.size\n}\n'
BASE = FAKE + """variable "region" {
  type    = string
  default = "eu"
}

locals {
  name = var.region
}

module "net" {
  source = "./net"
  size   = 1
}

resource "terraform_data" "web" {
  input = local.name
}

data "external" "facts" {
  program = ["true"]
}

ephemeral "fake_token" "password" {
  name = "x"
}

action "local_command" "told" {
  config {
    command = "true"
  }
}

output "first" {
  value = module.net.first
}
"""


def started(place, files, opened=None):
    place = place.resolve()
    environment = None
    if any(FAKE in text for text in files.values()):
        if FAKE_PROVIDER is None:
            raise tap.Missing("the fake provider, which needs the libraries of iacctl")
        environment = with_provider(place, FAKE_PROVIDER)
    editor = Editor(IACCTL, place, env=environment)
    editor.start(files, opened)
    return editor


def problem(editor, name, code):
    """The diagnostic of a file with that code."""
    found = editor.diagnostics(name, lambda problems: any(one.get("code") == code for one in problems), hints=True)
    return next(one for one in found if one.get("code") == code)


def take(editor, name, code, title):
    """Takes the action for the diagnostic with a code, and applies it."""
    one = problem(editor, name, code)
    at = one["range"]["start"]
    actions = {action["title"]: action for action in editor.client.result("textDocument/codeAction", {
        "textDocument": {"uri": editor.client.uri(name)}, "range": one["range"], "context": {"diagnostics": [one]}})}
    assert title in actions, (title, at, sorted(actions))
    assert actions[title]["kind"] == "quickfix" and actions[title]["diagnostics"] == [one], actions[title]
    editor.apply(actions[title]["edit"])


# A wrong text in place of a right one in BASE or in a file, the code of its diagnostic, and the suggestion.
MISSPELT = [
    ("main.tf", "var.region\n", "var.regoin\n", "undeclared_input_variable", "region"),
    ("main.tf", "input = local.name", "input = local.nmae", "undeclared_local_value", "name"),
    ("main.tf", "module.net.first", "module.nett.first", "undeclared_module_call", "net"),
    ("main.tf", "module.net.first", "module.net.frist", "no_such_attribute", "first"),
    ("main.tf", "value = module.net.first", "value = terraform_data.wbe.id", "undeclared_resource", "terraform_data.web"),
    ("main.tf", "value = module.net.first", "value = data.external.fact.id", "undeclared_data_source", "data.external.facts"),
    ("main.tf", "input = local.name", "depends_on = [ephemeral.fake_token.passwrod]", "undeclared_ephemeral_resource",
     "ephemeral.fake_token.password"),
    ("main.tf", "  input = local.name", "  lifecycle {\n    action_trigger {\n      events  = [after_create]\n"
     "      actions = [action.local_command.tell]\n    }\n  }", "undeclared_action", "action.local_command.told"),
    ("main.tf", "input = local.name", "inptu = local.name", "unsupported_argument", "input"),
    ("main.tf", "  input = local.name", "  lifecycl {\n  }", "unsupported_block", "lifecycle"),
    ("main.tf", "size   = 1", "sise   = 1", "unsupported_argument", "size"),
    ("main.tf", '"terraform_data" "web"', '"terraform_dat" "web"', "unknown_resource_type", "terraform_data"),
    ("main.tf", 'data "external" "facts" {\n  program = ["true"]', 'data "local_fiel" "facts" {\n  filename = "main.tf"',
     "unknown_data_source", "local_file"),
    ("main.tf", 'ephemeral "fake_token"', 'ephemeral "fake_tokne"', "unknown_ephemeral_type", "fake_token"),
    ("main.tf", 'action "local_command"', 'action "local_comand"', "unknown_action_type", "local_command"),
    ("main.tf", "value = module.net.first", "value = terraform_data.web.outptu", "unknown_object_attribute", "output"),
    ("main.tf", "value = module.net.first", 'value = uper("x")', "unknown_function", "upper"),
    ("main.tf", "value = module.net.first", "value = path.modul", "unknown_path_attribute", "module"),
    ("main.tf", "value = module.net.first", 'value = "%{ fro x in [] }%{ endfor }"', "misspelled_template_keyword", "for"),
    ("terraform.tfvars", "region", "regoin", "undeclared_variable_in_file", "region"),
    ("tests/main.tftest.hcl", "command", "comand", "unsupported_argument", "command"),
    ("all.tfquery.hcl", "local.where", "local.wher", "undeclared_local_value", "where"),
    ("all.tfquery.hcl", '"fake_simple"', '"fake_simpel"', "unknown_list_type", "fake_simple"),
    ("more.tf.json", '"value"', '"valeu"', "unsupported_json_property", "value"),
]


def each_did_you_mean_is_an_action_that_solves_its_problem(place):
    files = {"main.tf": BASE, "net/main.tf": CHILD, "terraform.tfvars": 'region = "us"\n',
             "tests/main.tftest.hcl": 'run "all" {\n  command = plan\n}\n',
             "all.tfquery.hcl": 'locals {\n  where = 1\n}\nlist "fake_simple" "all" {\n  provider = fake\n'
                                '  limit    = local.where\n  config {\n    size = 2\n  }\n}\n',
             "more.tf.json": '{"output": {"json": {"value": "x"}}}\n'}
    editor = started(place, files)
    for name in files:
        editor.diagnostics(name, lambda problems: not problems)
    for name, right, wrong, code, suggestion in MISSPELT:
        assert files[name].count(right) == 1, right
        editor.set(name, files[name].replace(right, wrong))
        take(editor, name, code, f'Change to "{suggestion}"')
        left = editor.diagnostics(name, lambda problems, code=code: not any(one.get("code") == code for one in problems))
        assert not left, (wrong, left)
        editor.set(name, files[name])
    assert editor.client.end() == 0


def a_name_without_a_declaration_can_be_declared_for_each_kind(place):
    files = {"main.tf": BASE, "net/main.tf": CHILD, "variables.tf": "", "tests/main.tftest.hcl": 'run "all" {\n}\n'}
    editor = started(place, files)
    wanted = [
        ("var.zone", "undeclared_input_variable", "Declare var.zone", "main.tf", 'variable "zone" {\n}'),
        ("local.other", "undeclared_local_value", "Declare local.other", "main.tf", "  other = null\n}"),
        ("module.far.x", "undeclared_module_call", "Declare module.far", "main.tf", 'module "far" {\n  source = "./far"\n}'),
        ("module.net.second", "no_such_attribute", "Declare output.second in net", "net/main.tf",
         'output "second" {\n  value = null\n}'),
        ("terraform_data.db.id", "undeclared_resource", "Declare terraform_data.db", "main.tf",
         'resource "terraform_data" "db" {\n}'),
        ("data.external.more.id", "undeclared_data_source", "Declare data.external.more", "main.tf",
         'data "external" "more" {\n  program = []\n}'),
    ]
    for reference, code, title, where, text in wanted:
        editor.set("main.tf", BASE.replace("value = module.net.first", f"value = {reference}"))
        take(editor, "main.tf", code, title)
        assert text in editor.texts[where], editor.texts[where]
        if where == "net/main.tf":
            editor.set(where, CHILD)
    editor.set("main.tf", BASE.replace("input = local.name", "input = ephemeral.fake_token.more.value"))
    take(editor, "main.tf", "undeclared_ephemeral_resource", "Declare ephemeral.fake_token.more")
    assert 'ephemeral "fake_token" "more" {\n  name = ""\n}' in editor.texts["main.tf"]
    editor.set("main.tf", BASE.replace("  input = local.name", "  lifecycle {\n    action_trigger {\n"
                                       "      events  = [after_create]\n      actions = [action.local_command.new]\n    }\n  }"))
    take(editor, "main.tf", "undeclared_action", "Declare action.local_command.new")
    assert 'action "local_command" "new" {\n  config {\n    command = ""\n  }\n}' in editor.texts["main.tf"]
    editor.set("main.tf", BASE.replace("  input = local.name", "  provider = terraform.west"))
    assert "Declare provider.terraform.west" in editor.actions("main.tf", "terraform.we|st")
    editor.set("main.tf", BASE.replace("size   = 1", "size   = 1\n  width  = [1, 2]"))
    take(editor, "main.tf", "unsupported_argument", "Declare var.width in net")
    assert 'variable "width" {\n  type = list(number)\n}' in editor.texts["net/main.tf"]
    editor.diagnostics("main.tf", lambda problems: not problems)
    test = "tests/main.tftest.hcl"
    editor.set(test, 'run "all" {\n  assert {\n    condition     = run.first.x == 1\n    error_message = "x"\n  }\n}\n')
    take(editor, test, "unknown_test_run", "Declare run.first")
    assert editor.texts[test].startswith('run "first" {\n}\n\nrun "all" {'), editor.texts[test]
    editor.set(test, 'run "all" {\n  expect_failures = [check.up]\n}\n')
    editor.apply(editor.actions(test, "check.u|p")["Declare check.up"]["edit"])
    assert 'check "up" {\n  assert {' in editor.texts["main.tf"], editor.texts["main.tf"]
    assert editor.client.end() == 0


def a_value_for_no_variable_can_be_declared_or_removed(place):
    editor = started(place, {"main.tf": "", "variables.tf": 'variable "a" {\n}\n\noutput "a" {\n  value = var.a\n}\n',
                             "terraform.tfvars": 'a = 1\nb = ["x"]\n'})
    take(editor, "terraform.tfvars", "undeclared_variable_in_file", "Declare var.b")
    assert 'variable "b" {\n  type = list(string)\n}' in editor.texts["variables.tf"], editor.texts["variables.tf"]
    editor.set("variables.tf", 'variable "a" {\n}\n')
    take(editor, "terraform.tfvars", "undeclared_variable_in_file", "Remove the value for b")
    assert editor.texts["terraform.tfvars"] == "a = 1\n"
    assert editor.client.end() == 0


def missing_arguments_are_added_with_values_of_their_types(place):
    editor = started(place, {"main.tf": 'module "net" {\n  source = "./net"\n}\n\noutput "x" {\n}\n', "net/main.tf": CHILD})
    take(editor, "main.tf", "missing_argument", "Add the missing arguments")
    take(editor, "main.tf", "missing_argument", "Add the missing arguments")
    assert editor.texts["main.tf"] == (
        'module "net" {\n  size = 0\n  source = "./net"\n}\n\noutput "x" {\n  value = null\n}\n'), editor.texts["main.tf"]
    editor.diagnostics("main.tf", lambda problems: not problems)
    assert editor.client.end() == 0


def what_nothing_refers_to_is_a_hint_and_can_be_removed(place):
    unused = """terraform {
  required_providers {
    null   = { source = "hashicorp/null" }
    random = { source = "hashicorp/random" }
  }
}

variable "kept" {
}

variable "spare" {
}

locals {
  kept  = var.kept
  spare = 1
}

data "external" "spare" {
  program = ["true"]
}

provider "random" {
  alias = "spare"
}

resource "terraform_data" "a" {
  input = local.kept
}
"""
    editor = started(place, {"main.tf": unused, "terraform.tfvars": "spare = 1\nkept = 1\n"})
    def hints(problems):
        return [one for one in problems if one["code"] == "unused_declaration"]

    left = hints(editor.diagnostics("main.tf", lambda problems: len(hints(problems)) == 5, hints=True))
    assert all(one["severity"] == 4 and one["tags"] == [1] for one in left), left
    removed = []
    while left:
        action = next(one for one in editor.client.result("textDocument/codeAction", {
            "textDocument": {"uri": editor.client.uri("main.tf")}, "range": left[0]["range"],
            "context": {"diagnostics": [left[0]], "only": ["quickfix"]}}) if one["title"].startswith("Remove the unused"))
        removed.append(action["title"].removeprefix("Remove the unused "))
        editor.apply(action["edit"])
        left = hints(editor.diagnostics("main.tf", hints=True))
    assert sorted(removed) == ['data source "spare"', 'local value "spare"', 'provider configuration "random.spare"',
                               'required provider "null"', 'required provider "random"', 'variable "spare"'], removed
    assert "spare" not in editor.texts["main.tf"] and "kept  = var.kept" in editor.texts["main.tf"]
    assert "\n\n\n" not in editor.texts["main.tf"], editor.texts["main.tf"]
    assert editor.client.end() == 0


def no_declaration_is_unused_while_a_file_has_a_syntax_error(place):
    editor = started(place, {"main.tf": 'variable "a" {\n}\n', "broken.tf": "locals {\n  x = \n"})
    editor.diagnostics("broken.tf", lambda problems: problems)
    assert editor.diagnostics("main.tf", hints=True) == []
    assert editor.client.end() == 0


def a_provider_is_added_to_required_providers(place):
    editor = started(place, {"main.tf": 'resource "random_password" "a" {\n  length = 8\n}\n'})
    editor.diagnostics("main.tf")
    editor.apply(editor.actions("main.tf", '"random_|password"')["Add random to required_providers"]["edit"])
    assert editor.texts["main.tf"].startswith(
        'terraform {\n  required_providers {\n    random = {\n      source  = "hashicorp/random"\n'), editor.texts["main.tf"]
    editor.diagnostics("main.tf", lambda problems: not problems)
    assert "Add random to required_providers" not in editor.actions("main.tf", '"random_|password"')
    editor.set("main.tf", 'module "net" {\n  source    = "./net"\n  providers = { random = random }\n}\n')
    assert "Add random to required_providers" in editor.actions("main.tf", "= ran|dom }")
    editor.set("main.tf", 'terraform {\n}\n\nprovider "null" {\n}\n')
    editor.apply(editor.actions("main.tf", 'provider "nu|ll"')["Add null to required_providers"]["edit"])
    assert editor.texts["main.tf"].startswith(
        'terraform {\n  required_providers {\n    null = {\n      source  = "hashicorp/null"\n'), editor.texts["main.tf"]
    assert editor.client.end() == 0


def a_resource_or_module_that_was_renamed_by_hand_is_moved(place):
    place = place.resolve()
    files = {"main.tf": 'module "net" {\n  source = "./net"\n}\n\nresource "terraform_data" "web" {\n}\n',
             "net/main.tf": 'resource "terraform_data" "host" {\n}\n'}
    editor = Editor(IACCTL, place)
    editor.write(files)
    for command in (["init"], ["apply", "-auto-approve"]):
        done = subprocess.run([IACCTL, *command], cwd=place, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
    editor.start(files)
    editor.diagnostics("main.tf")
    assert not editor.actions("main.tf", '"we|b"')
    editor.set("main.tf", files["main.tf"].replace('"web"', '"site"').replace('"net" {', '"network" {'))
    editor.diagnostics("main.tf")
    editor.client.notify("textDocument/didSave", {"textDocument": {"uri": editor.client.uri("main.tf")}})
    editor.diagnostics("main.tf")
    editor.apply(editor.actions("main.tf", '"si|te"')["Add a moved block from terraform_data.web"]["edit"])
    editor.apply(editor.actions("main.tf", '"netw|ork"')["Add a moved block from module.net"]["edit"])
    assert not editor.actions("main.tf", '"si|te"') and not editor.actions("main.tf", '"netw|ork"')
    (place / "main.tf").write_text(editor.texts["main.tf"])
    subprocess.run([IACCTL, "init"], cwd=place, capture_output=True, check=True, timeout=60)
    planned = subprocess.run([IACCTL, "plan", "-detailed-exitcode", "-json"], cwd=place, capture_output=True, text=True, timeout=60)
    assert '"add":0' in planned.stdout and '"remove":0' in planned.stdout, planned.stdout + planned.stderr
    assert editor.client.end() == 0


if __name__ == "__main__":
    sys.exit(tap.run([
        each_did_you_mean_is_an_action_that_solves_its_problem,
        a_name_without_a_declaration_can_be_declared_for_each_kind,
        a_value_for_no_variable_can_be_declared_or_removed,
        missing_arguments_are_added_with_values_of_their_types,
        what_nothing_refers_to_is_a_hint_and_can_be_removed,
        no_declaration_is_unused_while_a_file_has_a_syntax_error,
        a_provider_is_added_to_required_providers,
        a_resource_or_module_that_was_renamed_by_hand_is_moved,
    ]))
