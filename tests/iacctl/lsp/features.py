#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the answers of "iacctl lsp" about each kind of file and reference. Usage: features.py IACCTL FAKE_PROVIDER"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "golden"))
sys.path.insert(0, str(HERE))
import tap  # noqa: E402
from editor import ABILITIES, FAKE, Editor, with_provider  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
FAKE_PROVIDER = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None

MAIN = """variable "region" {
  default = "eu"
}

locals {
  name = var.region
}

module "net" {
  source    = "./net"
  for_each  = toset(["a"])
  size      = 1
}

resource "terraform_data" "web" {
  count      = 2
  input      = "${local.name}-${count.index}-${terraform.workspace}"
  depends_on = [module.net]
  provisioner "local-exec" {
    command = "echo ${self.id}"
  }
}

resource "terraform_data" "each" {
  for_each = toset(["a", "b"])
  input    = { key = each.key, text = templatefile("${path.module}/hello.tftpl", {}) }
}

data "external" "facts" {
  program = ["true"]
}

check "up" {
  assert {
    condition     = terraform_data.web[0].id != data.external.facts.id
    error_message = file("hello.tftpl")
  }
}

output "first" {
  value = module.net["a"].first
}
"""
CHILD = """variable "size" {
  type = number
}

resource "terraform_data" "host" {
  input = [var.size, path.module, path.root]
}

output "first" {
  value = terraform_data.host.output
}
"""
SETUP = 'variable "kind" {\n}\n\noutput "id" {\n  value = var.kind\n}\n'
TESTS = """variables {
  region = "us"
}

mock_provider "external" {
  mock_data "external" {
    defaults = {}
  }
}

override_resource {
  target = module.net["a"].terraform_data.host
}

run "setup" {
  variables {
    kind = "x"
  }
  module {
    source = "./setup"
  }
}

run "main" {
  command = plan
  variables {
    region = run.setup.id
  }
  assert {
    condition     = terraform_data.web[0].input == local.name && output.first != null
    error_message = var.region
  }
  expect_failures = [check.up, var.region, output.first, data.external.facts]
}
"""
FILES = {"main.tf": MAIN, "net/main.tf": CHILD, "setup/main.tf": SETUP, "tests/main.tftest.hcl": TESTS,
         "hello.tftpl": "hello\n", "prod.tfvars": 'region = "us"\n'}


def started(place, files, opened=None, capabilities=None, environment=None):
    editor = Editor(IACCTL, place.resolve(), env=environment)
    editor.start(files, [name for name in files if not name.endswith(".tftpl")] if opened is None else opened, capabilities)
    return editor


def places(editor, result):
    """The files and lines of locations."""
    root = editor.client.root.as_uri() + "/"
    return sorted((one["uri"].removeprefix(root), one["range"]["start"]["line"])
                  for one in ([result] if isinstance(result, dict) else result or []))


def line(name, piece, files=None):
    text = (files or FILES)[name]
    assert text.count(piece) == 1, piece
    return name, text[:text.index(piece)].count("\n")


def each_kind_of_reference_has_definition_references_and_hover(place):
    editor = started(place, FILES)
    test = "tests/main.tftest.hcl"
    for name in ("main.tf", test):
        assert editor.diagnostics(name) == []
    cases = [  # place of the name, place of its declaration, part of the hover, number of references
        ("main.tf", "= var.reg|ion\n", ("main.tf", 'variable "region"'), "var.region", 6),
        ("main.tf", "${local.na|me}", ("main.tf", "  name = var.region"), "local.name", 2),
        ("main.tf", "[module.n|et]", ("main.tf", 'module "net"'), 'module "net"', 3),
        ("main.tf", '["a"].fi|rst', ("net/main.tf", 'output "first"'), "output first", 1),
        ("main.tf", "si|ze      = 1", ("net/main.tf", 'variable "size"'), "var.size", 2),
        ("main.tf", "terraform_data.w|eb[0].id", ("main.tf", '"terraform_data" "web"'), "terraform_data.web", 2),
        ("main.tf", "!= data.external.fa|cts", ("main.tf", 'data "external"'), "data.external.facts", 2),
        (test, "terraform_data.w|eb[0]", ("main.tf", '"terraform_data" "web"'), "terraform_data.web", 2),
        (test, "== local.na|me", ("main.tf", "  name = var.region"), "local.name", 2),
        (test, "output.fi|rst !=", ("main.tf", 'output "first"'), "output first", 2),
        (test, "check.u|p,", ("main.tf", 'check "up"'), "check.up", 1),
        (test, "output.fi|rst,", ("main.tf", 'output "first"'), "output first", 2),
        (test, "data.external.fa|cts]", ("main.tf", 'data "external"'), "data.external.facts", 2),
        (test, "= var.reg|ion\n", ("main.tf", 'variable "region"'), "var.region", 6),
        (test, "  reg|ion = run", ("main.tf", 'variable "region"'), "var.region", 6),
        (test, "run.se|tup.id", (test, 'run "setup"'), 'run "setup"', 1),
        (test, "run.setup.i|d", ("setup/main.tf", 'output "id"'), "output id", 1),
        (test, "ki|nd = ", ("setup/main.tf", 'variable "kind"'), "var.kind", 2),
        (test, "terraform_data.ho|st", ("net/main.tf", '"terraform_data" "host"'), "terraform_data.host", 2),
        (test, 'target = module.n|et', ("main.tf", 'module "net"'), 'module "net"', 3),
        ("prod.tfvars", "re|gion", ("main.tf", 'variable "region"'), "var.region", 6),
    ]
    for name, marked, declared, shown, count in cases:
        assert places(editor, editor.ask("definition", name, marked)) == [line(*declared)], marked
        found = places(editor, editor.ask("references", name, marked, context={"includeDeclaration": False}))
        assert len(found) == count, (marked, found)
        assert shown in editor.hover(name, marked), (marked, editor.hover(name, marked))
    assert editor.client.end() == 0


def a_declaration_is_what_introduces_a_name_into_its_module(place):
    files = {"main.tf": FAKE + 'provider "fake" {\n  alias = "west"\n}\n\nmodule "net" {\n  source = "./net"\n  size   = 1\n}\n\n'
             'output "o" {\n  value = module.net.first\n}\n\nresource "fake_simple" "a" {\n  provider = fake.west\n  name = local.n\n}\n\n'
             'locals {\n  n = 1\n}\n', "net/main.tf": CHILD}
    editor = started(place, files)
    for marked, declared, defined in (
            ("module.net.fi|rst", ("main.tf", 'module "net"'), ("net/main.tf", 'output "first"')),
            ("  si|ze ", ("main.tf", 'module "net"'), ("net/main.tf", 'variable "size"')),
            ("= fa|ke.west", ("main.tf", "    fake ="), ("main.tf", 'provider "fake"')),
            ("local.|n", ("main.tf", "  n = 1"), ("main.tf", "  n = 1"))):
        assert places(editor, editor.ask("declaration", "main.tf", marked)) == [line(*declared, files)], marked
        assert places(editor, editor.ask("definition", "main.tf", marked)) == [line(*defined, files)], marked
    assert editor.client.end() == 0


def a_rename_also_changes_tests_and_addresses_in_other_modules(place):
    editor = started(place, FILES)
    test = "tests/main.tftest.hcl"
    for name, marked, new, piece in (
            ("net/main.tf", 'data" "ho|st"', "machine", 'module.net["a"].terraform_data.machine'),
            ("main.tf", 'variable "reg|ion"', "zone", "  zone = run.setup.id"),
            ("main.tf", 'check "u|p"', "", ""),
            (test, 'run "se|tup"', "before", "run.before.id"),
            ("setup/main.tf", 'output "i|d"', "name", "run.before.name")):
        if not new:
            assert editor.ask("prepareRename", name, marked) is None
            continue
        editor.apply(editor.ask("rename", name, marked, newName=new))
        assert piece in editor.texts[test], (piece, editor.texts[test])
    assert "zone = " in editor.texts["prod.tfvars"]
    assert editor.diagnostics("main.tf") == [] and editor.diagnostics(test) == []
    assert editor.client.end() == 0


def values_that_are_not_declared_are_described(place):
    editor = started(place, FILES)
    editor.diagnostics("main.tf")
    for name, marked, pieces in (
            ("main.tf", "each.k|ey", ["each.key", "element", 'for_each = toset(["a", "b"])']),
            ("main.tf", "ea|ch.key", ["each", 'for_each = toset(["a", "b"])']),
            ("main.tf", "count.in|dex", ["count.index", "from 0", "count = 2"]),
            ("main.tf", "terraform.work|space", ['terraform.workspace = "default"', "name of the workspace"]),
            ("main.tf", "se|lf.id", ["self = terraform_data.web"]),
            ("main.tf", "path.mod|ule", ['path.module = "."']),
            ("net/main.tf", "path.mod|ule", ['path.module = "./net"']),
            ("net/main.tf", "path.ro|ot", ['path.root = "."', "root module"])):
        shown = editor.hover(name, marked)
        assert all(piece in shown for piece in pieces), (marked, shown)
    assert editor.hover("main.tf", 'default = "e|u"') == ""
    assert editor.client.end() == 0


def completion_knows_the_arguments_that_are_not_expressions(place):
    place = place.resolve()
    environment = with_provider(place, FAKE_PROVIDER) if FAKE_PROVIDER else None
    files = {**FILES, "main.tf": FAKE.replace("terraform {\n", 'terraform {\n  backend "" {\n    \n  }\n', 1) + MAIN}
    if environment is None:
        raise tap.Missing("the fake provider, which needs the libraries of iacctl")
    editor = started(place, files, environment=environment)
    editor.diagnostics("main.tf")

    def labels(old, new, marked):
        assert files["main.tf"].count(old) == 1, old
        editor.set("main.tf", files["main.tf"].replace(old, new))
        return editor.labels("main.tf", marked)

    assert labels('source    = "./net"', 'source    = "./"', 'source    = "./|"') >= {"net", "setup", "tests"}
    assert labels('source    = "./net"', 'source    = "', 'source    = "|') == {"./", "../"}
    assert labels('source    = "./net"', 'source    = "./n"', 'source    = "./n|"') >= {"net"}
    editor.set("main.tf", files["main.tf"].replace('source    = "./net"', 'source    = "./n"'))
    item = next(one for one in editor.ask("completion", "main.tf", 'source    = "./n|"')["items"] if one["label"] == "net")
    assert item["textEdit"]["range"]["end"]["character"] - item["textEdit"]["range"]["start"]["character"] == 1, item
    assert labels('backend ""', 'backend ""', 'backend "|"') >= {"local", "s3", "gcs", "azurerm", "http", "consul"}
    assert labels('backend "" {\n    \n', 'backend "s3" {\n    \n', 'backend "s3" {\n    |') >= {"bucket", "key", "region"}
    assert labels('backend "" {\n    \n', 'backend "local" {\n    \n', 'backend "local" {\n    |') >= {"path", "workspace_dir"}
    assert labels('backend "" {\n    \n', 'backend "consul" {\n    \n', 'backend "consul" {\n    |') >= {"address", "path"}
    assert labels("    fake = {", "    \n    fake = {", "providers {\n    |") >= {"random", "null", "external"}
    assert "fake" not in editor.labels("main.tf", "providers {\n    |")
    assert labels('{ source = "example.com/acme/fake" }', "{  }", "fake = { | }") == {"source", "version", "configuration_aliases"}
    assert labels('"example.com/acme/fake"', '""', 'source = "|"') >= {"hashicorp/random", "example.com/acme/fake"}
    assert labels('    fake = {', '    random = { source = "hashicorp/random", version = "" }\n    fake = {', 'version = "|"')
    depends = labels("[module.net]", "[]", "depends_on = [|]")
    assert depends == {"module.net", "terraform_data.each", "data.external.facts"}, depends
    assert labels("[module.net]", "[terraform_data.]", "depends_on = [terraform_data.|]") == {"each"}
    assert labels("[module.net]", "[module.]", "depends_on = [module.|]") == {"net"}
    aliases = FAKE.replace("    fake = {", "    fake = { configuration_aliases = [fake.east],")
    editor.write({"net/more.tf": aliases})
    editor.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": editor.client.uri("net/more.tf"), "type": 1}]})
    assert labels("  size      = 1\n", "  providers = {  }\n", "providers = { | }") == {"fake", "fake.east"}
    west = '  providers = { fake =  }\n}\nprovider "fake" {\n  alias = "west"\n'
    assert labels("  size      = 1\n", west, "fake = | }") == {"fake.west"}
    whole = labels("  depends_on = [module.net]\n", "  lifecycle {\n    \n  }\n", "lifecycle {\n    |")
    assert whole == {"create_before_destroy", "prevent_destroy", "destroy", "enabled", "ignore_changes",
                     "replace_triggered_by", "precondition", "postcondition", "action_trigger"}, whole
    assert labels('  size      = 1\n', "  lifecycle {\n    \n  }\n", "lifecycle {\n    |") == {"enabled"}
    assert labels('  program = ["true"]\n', "  lifecycle {\n    \n  }\n", "lifecycle {\n    |") == {
        "precondition", "postcondition", "enabled"}
    more = "removed {\n  from = terraform_data.old\n  lifecycle {\n    \n  }\n}\n"
    assert labels('check "up"', more + 'check "up"', "lifecycle {\n    |") == {"destroy"}
    assert labels('check "up"', "moved {\n  from = terraform_data.a\n  to   = \n}\n" + 'check "up"', "to   = |") >= {
        "terraform_data.web", "module.net"}
    assert labels('check "up"', 'import {\n  id = "x"\n  to = \n}\ncheck "up"', "to = |") == {
        "terraform_data.web", "terraform_data.each"}
    assert editor.client.end() == 0


def words_of_the_other_program_are_not_completed(place):
    resource = 'resource "terraform_data" "a" {\n  lifecycle {\n    \n  }\n}\n\n'
    required = 'terraform {\n  required_version = "~> 1.14.0"\n  \n}\n'
    editor = started(place, {"main.tf": resource, "tofu/main.tofu": resource, "old/main.tf": resource + required})
    at = "lifecycle {\n    |"
    assert {"enabled", "action_trigger"} <= editor.labels("main.tf", at)
    tofu = editor.labels("tofu/main.tofu", at)
    assert "enabled" in tofu and "action_trigger" not in tofu, tofu
    old = editor.labels("old/main.tf", at)
    assert "action_trigger" in old and "enabled" not in old, old
    assert "encryption" not in editor.labels("old/main.tf", '"~> 1.14.0"\n  |')
    assert editor.client.end() == 0


def tests_have_completion_of_their_blocks_and_references(place):
    editor = started(place, FILES)
    test = "tests/main.tftest.hcl"

    def labels(old, new, marked):
        assert TESTS.count(old) == 1, old
        editor.set(test, TESTS.replace(old, new))
        return editor.labels(test, marked)

    top = labels('run "setup"', '\nrun "setup"', '}\n\n|\nrun "setup"')
    assert top == {"run", "variables", "variable", "provider", "mock_provider", "override_resource", "override_data",
                   "override_module", "test"}, top
    assert labels("  command = plan\n", "  \n", 'run "main" {\n  |') >= {"command", "assert", "module", "plan_options"}
    assert labels("command = plan", "command = ", "command = |") == {"apply", "plan"}
    assert labels("run.setup.id", "run.", "= run.|") == {"setup"}
    assert labels("run.setup.id", "run.setup.", "= run.setup.|") == {"id"}
    assert labels("== local.name", "== ", "== |") >= {"run", "output", "var", "local", "terraform_data", "data", "module"}
    assert labels("output.first != null", "output. != null", "output.| !=") == {"first"}
    assert labels("    kind = ", "    ki = ", "ki| = ") == {"kind"}
    assert labels("    region = run", "    re = run", "re| = run") == {"region"}
    expected = labels("[check.up, var.region, output.first, data.external.facts]", "[]", "expect_failures = [|]")
    assert expected == {"check.up", "var.region", "output.first", "data.external.facts", "terraform_data.web",
                        "terraform_data.each"}, expected
    assert labels('mock_data "external"', 'mock_data ""', 'mock_data "|"') >= {"external"}
    assert labels('mock_provider "external"', 'mock_provider ""', 'mock_provider "|"') >= {"external", "random"}
    assert labels('source = "./setup"', 'source = "./"', 'source = "./|"') >= {"setup", "net"}
    assert editor.client.end() == 0


def queries_and_mocks_have_diagnostics_completion_and_definitions(place):
    if FAKE_PROVIDER is None:
        raise tap.Missing("the fake provider, which needs the libraries of iacctl")
    place = place.resolve()
    query = ('locals {\n  size = 2\n}\n\nlist "fake_simple" "all" {\n  provider = fake\n  config {\n    size = local.size\n  }\n'
             '}\n\nlist "fake_simple" "more" {\n  provider = fake\n  config {\n    size = list.fake_simple.all.data[0]\n  }\n}\n')
    files = {"main.tf": FAKE, "all.tfquery.hcl": query, "mocks/a.tfmock.hcl": 'mock_resource "fake_simple" {\n}\n',
             "main.tftest.hcl": 'mock_provider "fake" {\n  source = "./mocks"\n}\nrun "a" {\n}\n'}
    editor = started(place, files, environment=with_provider(place, FAKE_PROVIDER))
    name = "all.tfquery.hcl"
    assert [one["code"] for one in editor.diagnostics(name)] == [], "a reference to another list is allowed"
    assert places(editor, editor.ask("definition", name, "local.si|ze")) == [(name, 1)]
    assert places(editor, editor.ask("definition", name, "list.fake_simple.a|ll.data")) == [(name, 4)]
    editor.set(name, query.replace("local.size", "local.siez"))
    assert [one["range"]["start"]["line"] for one in editor.diagnostics(name)] == [7]
    editor.set(name, query.replace('list "fake_simple" "all" {\n', 'list "fake_simple" "all" {\n  \n'))
    assert {"config", "limit", "include_resource", "count", "for_each"} <= editor.labels(name, '"all" {\n  |')
    editor.set(name, query.replace('"fake_simple" "all"', '"" "all"'))
    assert editor.labels(name, 'list "|" "all"') == {"fake_simple"}
    editor.set(name, "\n" + query)
    assert editor.labels(name, "|\nlocals") == {"list", "locals", "provider", "variable"}
    mocks = "mocks/a.tfmock.hcl"
    editor.set(mocks, 'mock_resource "fake_simple" {\n  \n}\n')
    assert editor.labels(mocks, "{\n  |") == {"defaults", "override_during"}
    editor.set(mocks, 'mock_resource "fake_simple" {\n  defautls = {}\n}\n')
    editor.client.notify("textDocument/didSave", {"textDocument": {"uri": editor.client.uri("main.tf")}})
    found = editor.diagnostics(mocks, lambda problems: problems)
    assert [(one["code"], one["range"]["start"]["line"]) for one in found] == [("unsupported_argument", 1)], found
    assert editor.client.end() == 0


def every_kind_of_file_is_checked_and_formatted(place):
    texts = {"a.tf": 'output "a" {\n  value = nothing.x\n}\n', "b.tofu": 'output "b" {\n  value = nothing.x\n}\n',
             "c.tftest.hcl": 'run "c" {\n  comand = plan\n}\n', "d.tofutest.hcl": 'run "d" {\n  comand = plan\n}\n',
             "e.tfquery.hcl": "locals {\n  e = nothing.x\n}\n", "terraform.tfvars": "f = 1\n",
             "g.tf.json": '{"output": {"g": {"valeu": 1}}}\n', "h.tftest.json": '{"run": {"h": {"comand": "plan"}}}\n',
             "tests/i.tftest.hcl": 'run "i" {\n  comand = plan\n}\n', "prod.tfvars": "j = 1\n"}
    editor = started(place, texts)
    for name in texts:
        assert editor.diagnostics(name, lambda problems: problems), name
        if name.endswith(".json"):
            continue
        options = {"options": {"tabSize": 2, "insertSpaces": True}}
        editor.set(name, texts[name].replace(" = ", "    =    "))
        edits = editor.client.result("textDocument/formatting", {"textDocument": {"uri": editor.client.uri(name)}, **options})
        assert edits and "    =    " not in edits[0]["newText"], (name, edits)
    assert editor.client.end() == 0


def what_is_not_installed_is_reported_at_the_line_that_requires_it(place):
    files = {"main.tf": 'terraform {\n  required_providers {\n    thing = { source = "acme/thing" }\n  }\n}\n\n'
             'module "far" {\n  source = "acme/far/thing"\n}\n\nmodule "near" {\n  source = "./near"\n}\n\n'
             'module "gone" {\n  source = "./gone"\n}\n',
             "near/main.tf": '# A child.\nresource "other_thing" "a" {\n}\n'}
    editor = started(place, files)
    problems = {(one["code"], one["range"]["start"]["line"]) for one in editor.diagnostics("main.tf", lambda all: len(all) > 2)}
    assert problems == {("unavailable_provider", 2), ("module_not_installed", 6), ("unreadable_module_directory", 15)}, problems
    near = {(one["code"], one["range"]["start"]["line"]) for one in editor.diagnostics("near/main.tf", lambda all: all)}
    assert near == {("unavailable_provider", 1)}, near
    (editor.client.root / ".terraform.lock.hcl").write_text('provider "registry.terraform.io/acme/thing" {\n  version = 1 +\n}\n')
    editor.client.notify("textDocument/didSave", {"textDocument": {"uri": editor.client.uri("main.tf")}})
    lock = editor.client.diagnostics(".terraform.lock.hcl", lambda all: all)["diagnostics"]
    assert lock[0]["range"]["start"]["line"] in (1, 2), lock
    assert editor.client.end() == 0


def sources_of_modules_and_files_are_links(place):
    more = '\nmodule "far" {\n  source = "git::https://example.com/far.git//net?ref=v1"\n}\n'
    editor = started(place, {**FILES, "main.tf": MAIN + more})

    def links(name):
        root = editor.client.root.as_uri() + "/"
        found = editor.client.result("textDocument/documentLink", {"textDocument": {"uri": editor.client.uri(name)}})
        lines = editor.texts[name].split("\n")
        return sorted((lines[one["range"]["start"]["line"]][one["range"]["start"]["character"]:one["range"]["end"]["character"]],
                       one["target"].removeprefix(root)) for one in found)

    assert links("main.tf") == [
        ("${path.module}/hello.tftpl", "hello.tftpl"), ("./net", "net/main.tf"),
        ("git::https://example.com/far.git//net?ref=v1", "https://example.com/far.git"), ("hello.tftpl", "hello.tftpl")], links("main.tf")
    assert links("tests/main.tftest.hcl") == [("./setup", "setup/main.tf")]
    assert editor.client.end() == 0


def lenses_count_references_and_run_tests(place):
    capabilities = {**ABILITIES, "experimental": {"showReferencesCommandId": "show.references"},
                    "workspace": {"codeLens": {"refreshSupport": True}}}
    files = {"main.tf": 'variable "size" {\n  default = 1\n}\n\noutput "size" {\n  value = var.size\n}\n\noutput "none" {\n  value = 1\n}\n',
             "tests/main.tftest.hcl": 'run "good" {\n  assert {\n    condition     = output.size == 1\n    error_message = "not 1"\n  }\n}\n\n'
             'run "bad" {\n  assert {\n    condition     = run.good.size == 2\n    error_message = "not 2"\n  }\n}\n'}
    editor = started(place, files, capabilities=capabilities)
    test = "tests/main.tftest.hcl"

    def lenses(name):
        found = editor.client.result("textDocument/codeLens", {"textDocument": {"uri": editor.client.uri(name)}})
        return [(one["range"]["start"]["line"], one["command"]["title"], one["command"]["command"]) for one in found]

    assert lenses("main.tf") == [(0, "1 reference", "show.references"), (4, "2 references", "show.references"),
                                 (8, "0 references", "")], lenses("main.tf")
    assert lenses(test) == [
        (0, "Run the tests of this file", "iacctl.runTests"), (0, "1 reference", "show.references"),
        (7, "Run the tests of this file", "iacctl.runTests"), (7, "0 references", "")], lenses(test)
    wrong = {"command": "iacctl.runTests", "arguments": [editor.client.uri("main.tf")]}
    assert editor.client.request("workspace/executeCommand", wrong)["error"]["code"] == -32602
    assert editor.client.request("workspace/executeCommand", {"command": "rm"})["error"]["code"] == -32602
    run = {"command": "iacctl.runTests", "arguments": [editor.client.uri(test)]}
    assert editor.client.result("workspace/executeCommand", run) is None
    assert editor.client.request("workspace/executeCommand", run)["error"]["code"] == -32803, "they are running"
    shown = editor.client.wait_for(lambda one: one.get("method") == "window/showMessage", 60)["params"]
    assert shown["type"] == 1 and "1 passed, 1 failed" in shown["message"], shown
    assert editor.client.wait_for(lambda one: one.get("method") == "workspace/codeLens/refresh")
    failed = editor.diagnostics(test, lambda problems: problems)
    assert [(one["code"], one["range"]["start"]["line"]) for one in failed] == [("test_assertion_failed", 9)], failed
    assert lenses(test)[2][1] == "Run the tests of this file (last: fail)" and lenses(test)[0][1].endswith("(last: pass)")
    editor.set(test, files[test].replace("== 2", "== 1"))
    assert editor.diagnostics(test) == []
    (editor.client.root / test).write_text(editor.texts[test])
    assert editor.client.result("workspace/executeCommand", run) is None
    assert editor.client.wait_for(lambda one: one.get("method") == "window/showMessage", 60)["params"]["type"] == 3
    assert editor.client.end() == 0


def tests_that_cannot_run_are_reported_with_a_reason(place):
    editor = started(place, {"main.tf": ""})

    def run(uri):
        document = {"uri": uri, "languageId": "terraform-test", "version": 1, "text": 'run "a" {}\n'}
        editor.client.notify("textDocument/didOpen", {"textDocument": document})
        return editor.client.request("workspace/executeCommand", {"command": "iacctl.runTests", "arguments": [uri]})

    for _ in range(2):
        refused = run("untitled:new")["error"]
        assert refused["code"] == -32803 and refused["message"].startswith("Save the document first"), refused
    for _ in range(2):
        assert run(editor.client.uri("absent/a.tftest.hcl"))["result"] is None
        shown = editor.client.wait_for(lambda one: one.get("method") == "window/showMessage", 60)["params"]
        assert shown["message"] == "a.tftest.hcl: The tests did not run (No such file or directory).", shown
    assert editor.client.end() == 0


def every_prefix_of_each_kind_of_file_is_answered(place):
    more = ('moved {\n  from = module.net["a"].terraform_data.x\n  to = terraform_data.web\n}\nterraform {\n  backend "s3" {\n'
            '    key = "x"\n  }\n  required_providers {\n    a = { source = "a/b", version = "~> 1" }\n  }\n}\n')
    editor = started(place, FILES)
    for name, text in (("main.tf", more), ("tests/main.tftest.hcl", TESTS), ("prod.tfvars", 'region = "us"\n')):
        for size in range(0, len(text) + 1):
            editor.set(name, text[:size])
            at = editor.position(text, size)
            document = {"textDocument": {"uri": editor.client.uri(name)}}
            for method in ("completion", "hover", "definition", "declaration"):
                editor.client.result("textDocument/" + method, {**document, "position": at})
            for method in ("codeLens", "documentLink", "documentSymbol"):
                editor.client.result("textDocument/" + method, document)
            editor.client.result("textDocument/codeAction", {**document, "range": {"start": at, "end": at},
                                                             "context": {"diagnostics": [
                                                                 {"range": {"start": at, "end": at}, "code": "missing_argument",
                                                                  "message": 'Did you mean "x"?'}]}})
    assert editor.client.end() == 0


if __name__ == "__main__":
    sys.exit(tap.run([
        each_kind_of_reference_has_definition_references_and_hover,
        a_declaration_is_what_introduces_a_name_into_its_module,
        a_rename_also_changes_tests_and_addresses_in_other_modules,
        values_that_are_not_declared_are_described,
        completion_knows_the_arguments_that_are_not_expressions,
        words_of_the_other_program_are_not_completed,
        tests_have_completion_of_their_blocks_and_references,
        queries_and_mocks_have_diagnostics_completion_and_definitions,
        every_kind_of_file_is_checked_and_formatted,
        what_is_not_installed_is_reported_at_the_line_that_requires_it,
        sources_of_modules_and_files_are_links,
        lenses_count_references_and_run_tests,
        tests_that_cannot_run_are_reported_with_a_reason,
        every_prefix_of_each_kind_of_file_is_answered,
    ]))
