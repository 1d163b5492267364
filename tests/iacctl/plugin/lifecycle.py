#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the lifecycle of objects of a provider plugin, from the installation to the destroy, with the fake provider.
TAP.

    lifecycle.py IACCTL FAKE_PROVIDER
"""
import collections
import json
import re
import sys

from place import ACTION, HEADER, TWENTY, Place, run_all

NESTED = HEADER + """
provider "fake" {
  endpoint = "there"
}
resource "fake_simple" "a" {
  name   = "a"
  value  = "first"
  secret = "hidden"
}
resource "fake_nested" "n" {
  kept   = fake_simple.a.id
  words  = ["a", "b"]
  tags   = ["x"]
  labels = { l = "1" }
  pair   = { left = "l", right = 2 }
  one {
    key = "1"
  }
  some {
    key = "2"
    deeper {
      key = "3"
    }
  }
  distinct {
    key = "4"
  }
  by_key "m" {
    key = "5"
  }
  always {
    key = "6"
  }
  single_object = { key = "7" }
  object_list   = [{ key = "8" }]
  object_set    = [{ key = "9" }]
  object_map    = { z = { key = "10" } }
}
data "fake_lookup" "l" {
  name = fake_simple.a.name
}
output "found" {
  value = data.fake_lookup.l.found
}
"""
def nested_values_are_preserved_by_all_operations():
    """Objects with every kind of nested value are created, kept, updated, replaced and destroyed"""
    with Place(NESTED) as place:
        place.run("apply", "-auto-approve")
        made = place.objects()
        simple, nested = made["fake_simple.a[]"], made["fake_nested.n[]"]
        assert simple["attributes"]["secret"] is None and simple["schema_version"] == 1
        assert simple["private"], simple
        assert nested["attributes"]["some"] == [
            {"key": "2", "made": "made-made", "deeper": [{"key": "3", "made": "made-made"}]}], nested
        assert nested["attributes"]["object_map"] == {"z": {"key": "10", "made": "made-made"}}
        assert place.state()["outputs"]["found"]["value"] == "made-found"
        assert not place.changes()

        place.write(NESTED.replace('"first"', '"second"').replace('key = "2"', 'key = "22"'))
        changes = place.changes()
        assert {address: c["actions"] for address, c in changes.items()} == {
            "data.fake_lookup.l": ["read"], "fake_simple.a": ["update"], "fake_nested.n": ["update"]}, changes
        place.run("apply", "-auto-approve", "p")
        place.write(NESTED.replace('name   = "a"', 'name   = "b"'))
        change = place.changes()["fake_simple.a"]
        assert change["actions"] == ["delete", "create"] and change["replace_paths"] == [["name"]], change
        place.run("apply", "-auto-approve")
        place.run("destroy", "-auto-approve")
        assert not place.objects() and not place.providers()


def objects_of_an_older_schema_are_upgraded():
    """An object that an older version of the provider stored is upgraded before it is planned"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        place.run("apply", "-auto-approve")
        state = place.state()
        instance = state["resources"][0]["instances"][0]
        instance["schema_version"] = 0
        instance["attributes"]["title"] = instance["attributes"].pop("name")
        state["serial"] += 1
        (place.root / "work" / "old.json").write_text(json.dumps(state))
        place.run("state", "push", "old.json")
        assert not place.changes()


def imported_objects_are_in_state():
    """An object is imported by its id; an id that does not exist is an error"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        place.run("import", "fake_simple.a", "gone", code=1)
        place.run("import", "fake_simple.a", "seven")
        assert list(place.objects()) == ["fake_simple.a[]"]


def identities_are_kept_and_upgraded():
    """The identity of an object is in state, and an older one is upgraded; what the provider cannot upgrade is an error"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        place.run("apply", "-auto-approve")

        def stored():
            one = place.objects()["fake_simple.a[]"]
            return one["identity_schema_version"], one["identity"]

        def push(version, identity):
            state = place.state()
            state["resources"][0]["instances"][0] |= {"identity_schema_version": version, "identity": identity}
            state["serial"] += 1
            (place.root / "work" / "old.json").write_text(json.dumps(state))
            place.run("state", "push", "old.json")

        assert stored() == (2, {"name": "a", "region": "here"}), stored()
        shown = json.loads(place.run("show", "-json"))["values"]["root_module"]["resources"][0]
        assert (shown["identity_schema_version"], shown["identity"]) == stored(), shown
        record = place.root / "record"
        place.run("plan", modes=f"record={record}")
        assert "UpgradeResourceIdentity" not in record.read_text()
        push(1, {"title": "a"})
        assert stored() == (1, {"title": "a"}), stored()
        place.run("plan", modes=f"record={record}")
        assert "UpgradeResourceIdentity" in record.read_text()
        place.write(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n  value = "new"\n}\n')
        change = place.changes()["fake_simple.a"]
        assert change["before_identity"] == change["after_identity"] == {"name": "a", "region": "here"}, change
        place.run("apply", "-auto-approve")
        assert stored() == (2, {"name": "a", "region": "here"}), stored()
        push(0, {"label": "a"})
        assert "Unknown identity" in place.run("plan", code=1)
        schema = json.loads(place.run("providers", "schema", "-json"))["provider_schemas"]["example.com/acme/fake"]
        assert schema["resource_identity_schemas"]["fake_simple"] == {"version": 2, "attributes": {
            "name": {"type": "string", "required_for_import": True},
            "region": {"type": "string", "optional_for_import": True}}}, schema["resource_identity_schemas"]


def objects_are_imported_by_identity():
    """An import block with an identity finds the object; an identity that is not of the schema is refused"""
    one = HEADER + 'resource "fake_simple" "a" {\n  for_each = toset(["x", "y"])\n  name = each.key\n}\n'
    with Place(one + 'import {\n  for_each = toset(["x", "y"])\n  to = fake_simple.a[each.key]\n'
            "  identity = { name = each.key }\n}\n") as place:
        place.run("validate")
        assert "2 to import" in place.run("plan", "-out=p")
        changes = json.loads(place.run("show", "-json", "p"))["resource_changes"]
        assert [c["change"]["importing"] for c in changes] == [
            {"identity": {"name": name, "region": "here"}} for name in ("x", "y")], changes
        assert "2 imported" in place.run("apply", "-auto-approve", "p")
        assert place.objects()["fake_simple.a[y]"]["identity"] == {"name": "y", "region": "here"}
        assert not place.changes()
    simple = HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\nresource "fake_nested" "n" {}\n'
    with Place(simple) as place:
        for arguments, message in (('identity = { nam = "a" }', 'there is no attribute "nam"'),
                ('identity = { region = "here" }', 'the attribute "name" is required'),
                ("identity = null", "it is null"), ('identity = "a"', "it is not an object"),
                ("identity = { name = fake_nested.n.id }", "known only after an apply"),
                ('identity = { name = sensitive("a") }', "cannot have sensitive"),
                ('identity = { name = "gone" }', "Cannot import non-existent object gone"),
                ('identity = { name = "a" }\n  id = "a"', "Remove one of the two"), ("", "Add one of the two")):
            place.write(simple + f"import {{\n  to = fake_simple.a\n  {arguments}\n}}\n")
            output = place.run("plan", code=1)
            assert message in " ".join(output.replace("│", " ").split()), (arguments, output)
        place.write(simple + 'import {\n  to = fake_nested.n\n  identity = { name = "a" }\n}\n')
        assert "has no identity for this type" in " ".join(place.run("plan", code=1).replace("│", " ").split())


def providers_defer_their_answers():
    """With -allow-deferral a provider may leave its answer to a later plan; so are the changes that depend on it"""
    config = HEADER + """
resource "fake_nested" "n" {
}
resource "fake_simple" "a" {
  name = fake_nested.n.id
}
resource "fake_simple" "b" {
  name       = "b"
  depends_on = [fake_simple.a]
}
"""
    def deferred(place, modes=""):
        place.run("plan", "-allow-deferral", "-out=p", modes=modes)
        plan = json.loads(place.run("show", "-json", "p"))
        return [(d["resource_change"]["address"], d["reason"]) for d in plan.get("deferred_changes", [])]

    with Place(config) as place:
        assert deferred(place) == [("fake_simple.a", "resource_config_unknown"), ("fake_simple.b", "deferred_prereq")]
        place.run("apply", "-auto-approve", "p")
        assert sorted(place.objects()) == ["fake_nested.n[]"]
        assert deferred(place) == []
        place.run("apply", "-auto-approve", "p")
        assert sorted(place.objects()) == ["fake_nested.n[]", "fake_simple.a[]", "fake_simple.b[]"]
        before = place.objects()
        found = deferred(place, "lie=deferred_read")
        assert found == [("fake_nested.n", "absent_prereq"), ("fake_simple.a", "absent_prereq"),
            ("fake_simple.b", "absent_prereq")], found
        assert place.objects() == before
        assert "it defers the answer" in place.run("plan", code=1, modes="lie=deferred_read")
    unknown = HEADER + """
resource "fake_nested" "n" {
}
ephemeral "fake_token" "t" {
  count = fake_nested.n.id == "x" ? 1 : 2
  name  = "made-token"
}
action "fake_notify" "n" {
  count = fake_nested.n.id == "x" ? 1 : 2
  config {
    message = "made"
  }
}
"""
    with Place(unknown) as place:
        record = place.root / "record"
        place.run("plan", "-allow-deferral", modes=f"record={record}")
        assert "OpenEphemeralResource" not in record.read_text()
        output = place.run("plan", "-allow-deferral", "-invoke=action.fake_notify.n", code=1)
        assert "[action_instances_unknown]" in " ".join(output.split()), output


def objects_move_between_types():
    """A moved block gives an object to another type, if the provider of that type supports it"""
    old = HEADER + 'resource "fake_0" "a" {\n  name = "a"\n}\nresource "null_resource" "n" {\n  triggers = { a = "1" }\n}\n'
    new = HEADER + """
resource "fake_simple" "a" {
  name = "a"
}
resource "terraform_data" "n" {
  triggers_replace = { a = "1" }
}
moved {
  from = fake_0.a
  to   = fake_simple.a
}
moved {
  from = null_resource.n
  to   = terraform_data.n
}
"""
    with Place(old) as place:
        place.run("apply", "-auto-approve", modes="large=1")
        before = place.objects()
        place.write(new)
        place.run("plan", "-out=p", modes="large=1")
        changes = json.loads(place.run("show", "-json", "p", modes="large=1"))["resource_changes"]
        assert {c["address"]: (c["previous_address"], c["change"]["actions"]) for c in changes} == {
            "fake_simple.a": ("fake_0.a", ["no-op"]), "terraform_data.n": ("null_resource.n", ["no-op"])}, changes
        place.run("apply", "-auto-approve", "p", modes="large=1")
        moved = place.objects()
        assert moved["fake_simple.a[]"]["attributes"]["id"] == before["fake_0.a[]"]["attributes"]["id"], moved
        assert moved["terraform_data.n[]"]["attributes"]["triggers_replace"]["value"] == {"a": "1"}, moved
        assert not place.changes()
        place.write(HEADER + 'resource "fake_nested" "a" {}\nmoved {\n  from = fake_simple.a\n  to = fake_nested.a\n}\n')
        assert "Move not supported" in place.run("plan", code=1)


QUERY = """
variable "prefix" {
  type      = string
  default   = "made"
  sensitive = true
}
locals {
  sizes = { small = 1, large = 3 }
}
provider "fake" {
  alias    = "there"
  endpoint = "there"
}
list "fake_simple" "each" {
  for_each = local.sizes
  provider = fake.there
  config {
    prefix = var.prefix
    size   = each.value
  }
}
list "fake_simple" "later" {
  provider         = fake
  include_resource = true
  limit            = 2
  config {
    prefix = list.fake_simple.each["large"].data[2].identity.name
    size   = 1000
  }
}
"""


def lists_find_objects():
    """A query prints the objects of lists in the order of the provider, and reads no more than the limit"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        (place.root / "work" / "all.tfquery.hcl").write_text(QUERY)
        for protocol in ("5", "6"):
            lines = [json.loads(line) for line in place.run("query", "-json", modes=f"protocol={protocol}").splitlines()]
            found = {}
            for line in lines:
                if line["type"] == "list_resource_found":
                    one = line["list_resource_found"]
                    found.setdefault(one["address"], []).append(one)
            assert [len(all) for all in found.values()] == [3, 1, 2], found
            assert list(found) == ['list.fake_simple.each["large"]', 'list.fake_simple.each["small"]',
                "list.fake_simple.later"], found
            first, last = found['list.fake_simple.each["small"]'][0], found["list.fake_simple.later"][1]
            assert first["identity"] == {"name": "made0", "region": "here"} and first["identity_version"] == 2, first
            assert first["display_name"] == "Object 0" and "resource_object" not in first, first
            assert last["resource_object"]["name"] == "made21", last
            starts = {line["list_start"]["address"]: line["list_start"] for line in lines if line["type"] == "list_start"}
            small = starts['list.fake_simple.each["small"]']
            assert small["input_config"] == {"prefix": None, "size": 1}, small
            assert small["sensitive_attribute_paths"] == [".prefix"], small
            assert [line["list_complete"]["total"] for line in lines if line["type"] == "list_complete"] == [3, 1, 2]
        assert "Object 2" in place.run("query") and not place.run("state", "pull") and not place.providers()
        # No other command reads query files.
        place.run("validate")
        place.run("validate", "-query")
        assert list(place.changes()) == ["fake_simple.a"]


def found_objects_are_imported_by_generated_configuration():
    """The configuration that a query generates imports the objects that it found"""
    with Place(HEADER) as place:
        query = place.root / "work" / "all.tfquery.hcl"
        query.write_text('list "fake_simple" "all" {\n  provider = fake\n  config {\n    size = 2\n  }\n}\n')
        place.run("query", "-generate-config-out=found.tf")
        found = place.root / "work" / "found.tf"
        assert "to = fake_simple.all_1" in " ".join(found.read_text().split()), found.read_text()
        assert "exists" in place.run("query", "-generate-config-out=found.tf", code=1)
        place.run("apply", "-auto-approve")
        assert {name: one["attributes"]["name"] for name, one in place.objects().items()} == {
            "fake_simple.all_0[]": "object0", "fake_simple.all_1[]": "object1"}
        query.write_text('list "fake_simple" "all" {\n  provider = fake\n  config {\n    size = 0\n  }\n}\n')
        output = " ".join(place.run("query").split())
        assert "[lists_without_objects]" in output and "list.fake_simple.all" in output, output


def wrong_lists_are_refused():
    """A query that cannot be made, or whose answer breaks the protocol, is refused and says why"""
    block = 'list "%s" "all" {\n  provider = %s\n%s}\n'
    config = "  config {\n    size = %s\n    prefix = %s\n  }\n"
    cases = (
        ("", "no_lists"),
        (block % ("fake_simple", "fake", ""), "missing_nested_block"),
        (block % ("fake_nested", "fake", config % (1, "null")), "unknown_list_type"),
        (block % ("fake_simple", "fake", config % (1, '"bad"')), "a bad prefix"),
        (block % ("fake_simple", "fake", config % (1, '"lie"')), "an object has no identity"),
        (block % ("fake_simple", "fake", config % (2, '"fail"')), "no permission"),
        (block % ("fake_simple", "fake", "  limit = -1\n" + config % (2, "null")), "list_limit_negative"),
        (block % ("fake_simple", "fake", "  limit = 1.5\n" + config % (2, "null")), "list_limit_negative"),
        (block % ("fake_simple", "fake", "  limit = 1e30\n" + config % (2, "null")), "on all.tfquery.hcl line 3, in list"),
        (block % ("fake_simple", "fake", config % (2, "fake_simple.a.id")), "list_arguments_unknown"),
        (block % ("fake_simple", "fake", config % (2, "list.fake_simple.other.data[0]")), "undeclared_list"),
        (block % ("fake_simple", "fake.absent", config % (2, "null")), "provider_configuration"),
        (block % ("fake_simple", "fake", "  depends_on = []\n" + config % (2, "null")), "unsupported_argument"),
        (block % ("fake_simple", "fake", "  lifecycle {}\n" + config % (2, "null")), "unsupported_block"),
        (block % ("fake_simple", "fake", config % (2, "null") + config % (2, "null")), "block"),
        ('list "fake_simple" "all" {\n' + config % (2, "null") + "}\n", "missing_argument"),
        ('output "o" {\n  value = 1\n}\n', "unsupported_block"),
    )
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        for text, code in cases:
            (place.root / "work" / "all.tfquery.hcl").write_text(text)
            output = " ".join(place.run("query", code=1).split())
            assert code in output, (text, output)
        (place.root / "work" / "all.tfquery.hcl").write_text(block % ("fake_simple", "fake", config % (1, '"warn"')))
        output = " ".join(place.run("query").split())
        assert "one region did not answer" in output and "warn0" in output, output
        place.write(HEADER + block % ("fake_simple", "fake", config % (1, "null")))
        assert "[list_outside_query_file]" in " ".join(place.run("validate", code=1).split())


def values_are_generated_by_a_plan():
    """A provider repeats a value that it generated for a plan from the private data of the plan, and plans an identity"""
    with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
        place.run("plan", "-out=p", modes="lie=generates")
        change = json.loads(place.run("show", "-json", "p"))["resource_changes"][0]["change"]
        assert change["after_identity"] == {"name": "a", "region": "here"} and "before_identity" not in change, change
        assert change["after"]["key"].startswith("key of process"), change
        place.run("apply", "p", modes="lie=generates")
        assert place.objects()["fake_simple.a[]"]["attributes"]["key"] == change["after"]["key"]
        assert not place.changes()


def wrong_results_are_rejected():
    """A plan or a result that breaks the protocol is refused, and names the provider"""
    for lie, summary in (("planned", "Provider produced invalid plan"),
            ("applied", "Provider produced inconsistent result after apply"), ("msgpack", "Invalid answer of a provider"),
            ("deferred", "it defers the answer"), ("identity_unknown", "its identity has unknown values"),
            ("identity_type", "its identity does not have the type of the schema")):
        with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
            output = " ".join(place.run("apply", "-auto-approve", modes=f"lie={lie}", code=1).split())
            assert summary in output and "example.com/acme/fake" in output, output


def write_only_values_are_never_stored():
    """A provider that returns the value of a write-only attribute is refused, and no value is stored"""
    for lie in ("planned_secret", "applied_secret"):
        with Place(HEADER + 'resource "fake_simple" "a" {\n  name = "a"\n}\n') as place:
            output = place.run("apply", "-auto-approve", modes=f"lie={lie}", code=1)
            assert "write-only" in output and "kept" not in output, output
            assert "kept" not in place.run("state", "pull")


def data_of_modules_are_passed_on():
    """A provider receives the block provider_meta of the module of an object; the block must be of its schema"""
    def meta(argument):
        return f'terraform {{\n  provider_meta "fake" {{\n    {argument}\n  }}\n}}\n'

    with Place(HEADER + 'module "child" {\n  source = "./child"\n}\n' + meta('module = "root"')) as place:
        (place.root / "work" / "child").mkdir()
        (place.root / "work" / "child" / "main.tf").write_text(
            HEADER + meta('module = "child"') + 'resource "fake_simple" "a" {\n  name = "a"\n}\n')
        place.run("init")
        assert "Planned for module child" in place.run("plan")
        place.write(HEADER + meta("modul = 1"))
        assert "Unsupported argument" in place.run("validate", code=1)
        place.write(HEADER + meta("modul = 1") + 'resource "fake_simple" "a" {\n  name = "a"\n}\n')
        place.run("validate", modes="lie=no_meta")
        assert "provider_without_meta" in place.run("plan", code=1, modes="lie=no_meta")
        place.write(HEADER + meta("modul = 1"))
        place.run("plan", modes="lie=no_meta")


def configurations_are_validated():
    """`validate` asks providers about all configurations, and shows the place that a provider names"""
    wrong = HEADER + """
provider "fake" {
  endpoint = "bad"
}
resource "fake_simple" "a" {
  name = ""
}
resource "fake_nested" "n" {
  some {
    key = "good"
  }
  some {
    key = "bad"
  }
}
data "fake_lookup" "l" {
  name = fake_simple.a.id
}
"""
    with Place(wrong) as place:
        record = place.root / "record"
        report = json.loads(place.run("validate", "-json", modes=f"record={record}", code=1))
        lines = {d["summary"]: d["snippet"]["code"].strip() for d in report["diagnostics"]}
        assert lines == {"Invalid endpoint": 'endpoint = "bad"', "Empty name": 'name = ""', "Bad key": 'key = "bad"'}, lines
        calls = set(record.read_text().split())
        assert "ValidateDataResourceConfig" in calls and "ConfigureProvider" not in calls, calls
        assert not place.providers()


def errors_are_shown_at_their_attribute():
    """Errors of a plan and of an apply stand at the attribute on their path, also in nested and dynamic blocks"""
    written = HEADER + """
resource "fake_nested" "n" {
  some {
    key = "good"
  }
  some {
    key = "KEY"
  }
}
resource "fake_nested" "d" {
  dynamic "some" {
    for_each = ["good", "KEY"]
    content {
      key = some.value
    }
  }
}
"""
    for key, command in (("not planned", ["plan"]), ("not applied", ["apply", "-auto-approve"])):
        with Place(written.replace("KEY", key)) as place:
            found = [json.loads(line) for line in place.run(*command, "-json", code=1).splitlines()]
            lines = {(d["diagnostic"]["address"], d["diagnostic"]["snippet"]["code"].strip().splitlines()[0])
                     for d in found if d["type"] == "diagnostic"}
            assert lines == {("fake_nested.n", f'key = "{key}"'), ("fake_nested.d", "key = some.value")}, lines


def functions_are_called():
    """A function of a provider gives a value, an unknown value for an unknown argument, and errors that name the argument"""
    shouts = HEADER + """
resource "fake_simple" "a" {
  name = provider::fake::shout("a")
}
output "known" {
  value = [for word in ["x", "y"] : provider::fake::shout(word)]
}
output "later" {
  value = provider::fake::shout(fake_simple.a.id)
}
output "secret" {
  value     = provider::fake::shout(sensitive("s"))
  sensitive = true
}
"""
    with Place(shouts) as place:
        place.run("validate")
        place.run("plan", "-out=p")
        planned = json.loads(place.run("show", "-json", "p"))["output_changes"]
        assert planned["known"]["after"] == ["X", "Y"] and planned["later"]["after_unknown"] is True, planned
        place.run("apply", "-auto-approve", "p")
        assert place.objects()["fake_simple.a[]"]["attributes"]["name"] == "A"
        assert json.loads(place.run("output", "-json", "later")) == "MADE-ID"
        for call, message in (('shout("")', 'The parameter "words" cannot have this value: there are no words.'),
                ("shout(null)", 'The parameter "words" cannot have this value: it is null.'), ("shout()", "Not enough function arguments"),
                ('shout("a", "b")', "Too many function arguments"), ('whisper("a")', "Unknown provider function")):
            place.write(HEADER + f'output "o" {{\n  value = provider::fake::{call}\n}}\n')
            output = place.run("validate", code=1)
            assert message in " ".join(output.replace("│", " ").split()), output
        place.write(HEADER + 'output "o" {\n  value = provider::fake::shout("a")\n}\n')
        output = place.run("plan", modes="crash=CallFunction", code=1)
        assert "panic: a fake defect" in output, output
        assert not place.providers()
        schema = json.loads(place.run("providers", "schema", "-json"))["provider_schemas"]["example.com/acme/fake"]
        assert schema["functions"]["shout"] == {
            "return_type": "string", "parameters": [{"name": "words", "type": "string"}]}, schema["functions"]
        assert "fake_token" in schema["ephemeral_resource_schemas"]


EPHEMERAL = HEADER + """
ephemeral "fake_token" "t" {
  for_each = toset(["a", "b"])
  name     = each.key
  lifecycle {
    postcondition {
      condition     = self.token == "made-token"
      error_message = "It has another token."
    }
  }
}
locals {
  name = ephemeral.fake_token.t["a"].name
}
provider "fake" {
  alias    = "configured"
  endpoint = ephemeral.fake_token.t["b"].token
}
resource "fake_simple" "a" {
  count    = 8
  provider = fake.configured
  name     = "n${count.index}"
  secret   = local.name
}
ephemeral "fake_token" "later" {
  name = fake_simple.a[0].id
}
"""


def ephemeral_resources_are_open_for_a_walk():
    """An ephemeral resource is opened for a plan and for an apply, renewed, closed, and never stored"""
    with Place(EPHEMERAL) as place:
        record = place.root / "record"

        def calls(*arguments, modes=""):
            record.unlink(missing_ok=True)
            output = place.run(*arguments, modes=f"record={record} {modes}")
            return output, collections.Counter(record.read_text().split())

        output, counted = calls("plan", "-out=p")
        assert counted["OpenEphemeralResource"] == counted["CloseEphemeralResource"] == 2, counted
        assert "ephemeral.fake_token.later: Configuration unknown, deferring..." in output, output
        assert 'ephemeral.fake_token.t["a"]: Opening complete after 0s' in output, output
        assert "made-token" not in place.run("show", "-json", "p")
        _, counted = calls("plan", "-target=ephemeral.fake_token.t")
        assert counted["OpenEphemeralResource"] == 2 and not counted["PlanResourceChange"], counted
        output, counted = calls("apply", "-auto-approve", "-parallelism=1", "p", modes="slow=ApplyResourceChange")
        assert counted["OpenEphemeralResource"] == counted["CloseEphemeralResource"] == 3, counted
        assert counted["RenewEphemeralResource"] >= 2, counted
        assert output.index("fake_token.later: Closing...") > output.index("fake_simple.a[7]: Creation complete"), output
        assert "made-token" not in place.run("state", "pull") and "fake_token" not in place.run("state", "list")
        assert not place.changes()
        place.write(EPHEMERAL.replace('"made-token"', '"other"'))
        assert "It has another token." in place.run("plan", code=1)
        place.write(EPHEMERAL + 'output "o" {\n  value = local.name\n}\n')
        assert "Ephemeral value not allowed" in place.run("validate", code=1)
        place.write(EPHEMERAL.replace("  secret ", "  value  "))
        assert "Invalid use of ephemeral value" in place.run("validate", code=1)
        place.write(EPHEMERAL)
        place.run("plan", modes="refuse=OpenEphemeralResource", code=1)
        place.run("plan", modes="refuse=CloseEphemeralResource", code=1)
        assert not place.providers()
        place.run("destroy", "-auto-approve")


def actions_of_a_provider_are_invoked():
    """An action is validated, planned and invoked by both protocols; its progress is shown, and its errors fail the apply"""
    for modes in ("protocol=5", "protocol=6"):
        with Place(ACTION) as place:
            record = place.root / "record"
            output = place.run("apply", "-auto-approve", modes=f"{modes} record={record}")
            identity = re.search(r"fake_simple.a: Creation complete after 0s \[id=(.*)\]", output)[1]
            assert f"action.fake_notify.n: told made {identity}\naction.fake_notify.n: told it again\n" in output, output
            calls = collections.Counter(record.read_text().split())
            assert [calls[one] for one in ("ValidateActionConfig", "PlanAction", "InvokeAction")] == [1, 1, 1], calls
            assert "fake_notify" in place.run("providers", "schema", "-json", modes=modes)
    for message, told in (("wrong", "a wrong message"), ("unplannable", "it cannot be planned"), ("fail", "nobody listens"),
                          ("endless", 'without the event "completed"')):
        with Place(ACTION.replace("made ${fake_simple.a.id}", message)) as place:
            assert told in " ".join(place.run("apply", "-auto-approve", code=1).split()), message
            created = message in ("fail", "endless")
            assert ("fake_simple.a" in place.run("state", "list", code=0 if created else 1)) == created


def blocks_can_be_computed():
    """The provider determines blocks that the configuration does not have; it must keep to those that are configured"""
    def written(blocks):
        return HEADER + 'resource "fake_open" "o" {\n  value = "v"\n' + blocks + '}\noutput "key" {\n  value = fake_open.o.some[0].key\n}\n'

    with Place(written("")) as place:
        place.run("plan", "-out=p")
        (change,) = json.loads(place.run("show", "-json", "p"))["resource_changes"]
        unknown = change["change"]["after_unknown"]
        assert all(unknown[one] is True for one in ("one", "some", "distinct", "by_key")), unknown
        place.run("apply", "p")
        made = {"key": "made-key", "made": "made-made"}
        found = place.objects()["fake_open.o[]"]["attributes"]
        assert found["some"] == found["distinct"] == [made] and found["one"] == made and found["by_key"] == {"a": made}, found
        place.run("plan", "-detailed-exitcode")
        place.write(written('  some {\n    key = "k"\n  }\n  some {\n  }\n  one {\n    key = "l"\n  }\n'))
        place.run("apply", "-auto-approve")
        found = place.objects()["fake_open.o[]"]["attributes"]
        assert [one["key"] for one in found["some"]] == ["k", "made-key"] and found["one"]["key"] == "l", found
        assert found["distinct"] == [made] and found["by_key"] == {"a": made}, found
        place.write(written(""))  # what is not configured any more is computed again: the provider keeps it
        place.run("plan", "-detailed-exitcode")
        place.write(written('  some {\n    key = "other"\n  }\n'))
        assert "[invalid_provider_plan]" in " ".join(place.run("plan", modes="lie=planned_blocks", code=1).split())
        assert "[inconsistent_result_after_apply]" in " ".join(place.run("apply", "-auto-approve", modes="lie=null_blocks", code=1).split())


def a_destroy_validates_the_configurations_of_its_providers():
    """The plan of a destroy checks the variables that the configurations of providers need; its apply checks none"""
    text = HEADER + """
variable "v" {
  default = "there"
  validation {
    condition     = length(var.v) == 5 && data.fake_lookup.l[0].found != ""
    error_message = "Five letters."
  }
}
data "fake_lookup" "l" {
  count    = 1
  provider = fake.other
  name     = "l"
}
provider "fake" {
  alias = "other"
}
provider "fake" {
  endpoint = var.v
}
resource "fake_simple" "a" {
  name = "a"
}
"""
    with Place(text) as place:
        place.run("apply", "-auto-approve")
        for more in ([], ["-refresh=false"]):
            assert "Five letters." in place.run("plan", "-destroy", "-var=v=bad", *more, code=1), more
        place.run("destroy", "-auto-approve")
        assert place.objects() == {}


def an_apply_repeats_no_call_of_its_plan():
    """An apply uses the process of its plan, and plans an object again only if its values were not known"""
    with Place(TWENTY + 'resource "fake_simple" "later" {\n  name = fake_simple.a[0].id\n}\n') as place:
        record = place.root / "record"
        place.run("apply", "-auto-approve", modes=f"record={record}")
        calls = collections.Counter(record.read_text().split())
        expected = {"GetProviderSchema": 1, "ConfigureProvider": 1, "ValidateResourceConfig": 22, "PlanResourceChange": 22,
            "ApplyResourceChange": 21}
        assert {call: calls[call] for call in expected} == expected, calls


def equal_configurations_are_validated_once():
    """Instances with the same values share one validation, other instances do not; 16 configurations of a type are stored"""
    for name, count in (("same", 1), ("a ${count.index % 16}", 16), ("a ${count.index % 17}", 34), ("a ${count.index}", 34)):
        with Place(HEADER + f'resource "fake_simple" "a" {{\n  count = 34\n  name  = "{name}"\n}}\n') as place:
            record = place.root / "record"
            place.run("plan", "-parallelism=1", modes=f"record={record}")
            calls = collections.Counter(record.read_text().split())
            assert (calls["ValidateResourceConfig"], calls["PlanResourceChange"]) == (count, 34), calls
    with Place(HEADER + 'resource "fake_simple" "a" {\n  count = 2\n  name  = ""\n}\n') as place:
        report = place.run("plan", "-parallelism=1", code=1)
        assert all(f"fake_simple.a[{i}]" in report for i in range(2)), report


TESTS = [nested_values_are_preserved_by_all_operations, objects_move_between_types,
    objects_of_an_older_schema_are_upgraded, imported_objects_are_in_state,
    identities_are_kept_and_upgraded, objects_are_imported_by_identity,
    lists_find_objects, found_objects_are_imported_by_generated_configuration, wrong_lists_are_refused,
    providers_defer_their_answers, values_are_generated_by_a_plan, wrong_results_are_rejected,
    write_only_values_are_never_stored, data_of_modules_are_passed_on, configurations_are_validated,
    errors_are_shown_at_their_attribute,
    functions_are_called,
    ephemeral_resources_are_open_for_a_walk, actions_of_a_provider_are_invoked, blocks_can_be_computed, a_destroy_validates_the_configurations_of_its_providers,
    an_apply_repeats_no_call_of_its_plan, equal_configurations_are_validated_once]

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
