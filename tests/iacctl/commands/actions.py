#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Actions: their order, failures, plans and messages, with the built-in action local_command. Usage: actions.py IACCTL"""

import json
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()


def action(name, script, head=""):
    return f'action "local_command" "{name}" {{\n{head}  config {{\n    command = "sh"\n    arguments = ["-c", {json.dumps(script)}]\n  }}\n}}\n'


def trigger(events, actions, more=""):
    named = ", ".join("action.local_command." + one for one in actions)
    return f"    action_trigger {{\n      events = [{events}]\n      actions = [{named}]\n{more}    }}\n"


def resource(name, *triggers, content=""):
    return f'resource "terraform_data" "{name}" {{\n{content}  lifecycle {{\n{"".join(triggers)}  }}\n}}\n'


def logs(name, **with_more):
    return action(name, f"echo {name} >> log", **with_more)


def run(place, *arguments, code=0):
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    return done.stdout + done.stderr


def messages(place, *arguments, code=0):
    return [json.loads(line) for line in run(place, *arguments, "-json", code=code).splitlines()]


def codes(place, *arguments):
    reported = [one["diagnostic"] for one in messages(place, *arguments, code=1) if one["type"] == "diagnostic"]
    return [one["code"] for one in reported if one["severity"] == "error"]


def written(place):
    return (place / "log").read_text().split() if (place / "log").exists() else []


def write(place, *parts):
    (place / "main.tf").write_text("".join(parts))


def tainted(place):
    state = json.loads(run(place, "state", "pull") or '{"resources": []}')
    return {one["name"]: one["instances"][0].get("status") == "tainted" for one in state["resources"]}


def actions_run_around_a_change_in_the_order_of_the_source(place):
    write(place, logs("one"), logs("two"), logs("three"), logs("last"),
          action("reads", "echo $((${length(terraform_data.a.id)})) >> log"),
          'resource "terraform_data" "first" {\n  provisioner "local-exec" {\n    command = "echo dependency >> log"\n  }\n}\n',
          resource("a", trigger("before_create, before_update", ["two", "one"]), trigger("after_create", ["reads"]),
                   trigger("before_create", ["three"]), trigger("after_update", ["last"]),
                   content="  input = terraform_data.first.id\n"
                           '  provisioner "local-exec" {\n    command = "echo object >> log"\n  }\n'),
          'resource "terraform_data" "dependent" {\n  input = terraform_data.a.id\n'
          '  provisioner "local-exec" {\n    command = "echo dependent >> log"\n  }\n}\n')
    run(place, "apply", "-auto-approve")
    assert written(place) == ["dependency", "two", "one", "three", "object", "36", "dependent"], written(place)
    (place / "log").unlink()
    run(place, "apply", "-auto-approve")
    assert written(place) == []
    write(place, (place / "main.tf").read_text().replace("input = terraform_data.first.id", 'input = "changed"'))
    run(place, "apply", "-auto-approve")
    assert written(place) == ["two", "one", "last"], written(place)


def a_value_that_an_action_reads_does_not_wait_for_it(place):
    write(place, "locals {\n  id = terraform_data.a.id\n}\n", action("reads", "echo ${local.id} >> log"),
          resource("a", trigger("after_create", ["reads"])),
          'resource "terraform_data" "b" {\n  input = local.id\n  provisioner "local-exec" {\n    command = "echo b >> log"\n  }\n}\n')
    run(place, "apply", "-auto-approve")
    assert len(written(place)) == 2 and written(place)[1] == "b", written(place)


def a_replacement_fires_the_events_of_a_creation(place):
    write(place, logs("before"), logs("after"), logs("update"),
          resource("a", trigger("before_create", ["before"]), trigger("after_create", ["after"]),
                   trigger("before_update, after_update", ["update"]), content='  triggers_replace = "1"\n'
                   '  provisioner "local-exec" {\n    when = destroy\n    command = "echo destroyed >> log"\n  }\n'))
    run(place, "apply", "-auto-approve")
    write(place, (place / "main.tf").read_text().replace('"1"', '"2"'))
    run(place, "apply", "-auto-approve")
    assert written(place) == ["before", "after", "destroyed", "before", "after"], written(place)


def around(**with_more):
    """A resource whose operations, actions and dependent write their names."""
    steps = "".join(
        f'  provisioner "local-exec" {{\n    when = {when}\n    command = "echo {when} >> log"\n  }}\n' for when in ("create", "destroy"))
    events = ["before_create", "after_create", "before_destroy", "after_destroy"]
    return "".join(action(one, f"echo {one} ${{caller.triggers_replace}} >> log") for one in events) + resource(
        "a", *(trigger(one, [one]) for one in events), with_more.get("rule", ""), content=f'  triggers_replace = "{with_more["value"]}"\n{steps}') + (
        'resource "terraform_data" "dependent" {\n  input = terraform_data.a.id\n  provisioner "local-exec" {\n    when = destroy\n'
        '    command = "echo dependent >> log"\n  }\n}\n')


def lines(place):
    found = (place / "log").read_text().splitlines()
    (place / "log").unlink()
    return found


def actions_of_a_destroy_see_the_object_that_is_destroyed(place):
    write(place, around(value="1"))
    run(place, "apply", "-auto-approve")
    assert lines(place) == ["before_create 1", "create", "after_create 1"]
    write(place, around(value="2"))
    run(place, "apply", "-auto-approve")
    assert lines(place) == ["before_destroy 1", "destroy", "after_destroy 1", "before_create 2", "create", "after_create 2"]
    write(place, around(value="3", rule="    create_before_destroy = true\n"))
    run(place, "apply", "-auto-approve")
    assert lines(place) == ["before_create 3", "create", "after_create 3", "before_destroy 2", "after_destroy 2"]
    run(place, "plan", "-destroy", "-out=p")
    made = json.loads(run(place, "show", "-json", "p"))["action_invocations"]
    assert [one["lifecycle_action_trigger"]["action_trigger_event"] for one in made] == ["BeforeDestroy", "AfterDestroy"], made
    run(place, "apply", "p")
    assert lines(place) == ["dependent", "before_destroy 3", "destroy", "after_destroy 3"]


def a_destroy_of_targets_invokes_their_actions_only(place):
    parts = [action("told", "echo ${caller.input} >> log")] + [
        resource(name, trigger("after_destroy", ["told"]), content=f'  input = "{name}"\n  depends_on = [{needs}]\n')
        for name, needs in (("a", ""), ("b", "terraform_data.a"), ("c", ""))]
    write(place, *parts)
    run(place, "apply", "-auto-approve")
    run(place, "destroy", "-auto-approve", "-target=terraform_data.a")
    assert lines(place) == ["b", "a"] and list(tainted(place)) == ["c"]
    run(place, "apply", "-auto-approve")
    run(place, "destroy", "-auto-approve", "-exclude=terraform_data.b")
    assert lines(place) == ["c"] and sorted(tainted(place)) == ["a", "b"]


def removed_instances_invoke_the_actions_of_their_destroy(place):
    def written_for(keys, script="${caller.input}"):
        write(place, action("told", f"echo {script} >> log"), logs("each", head='  for_each = toset(["x", "y"])\n'),
              resource("a", trigger("before_destroy", ["told", "each[each.key]"]), content=f"  for_each = toset({keys})\n  input = each.key\n"))

    written_for('["x", "y"]')
    run(place, "apply", "-auto-approve")
    written_for('["x"]')
    run(place, "apply", "-auto-approve")
    assert lines(place) == ["y", "each"]
    written_for("[]", "${terraform_data.other.id}")
    write(place, (place / "main.tf").read_text(), 'resource "terraform_data" "other" {\n}\n')
    reported = [one["diagnostic"] for one in messages(place, "apply", "-auto-approve") if one["type"] == "diagnostic"]
    assert sorted((one["severity"], one["code"]) for one in reported) == [("warning", "action_not_known"), ("warning", "action_not_planned")], reported
    assert lines(place) == ["each"]


def failed_actions_prevent_a_replacement_but_not_a_destroy(place):
    write(place, action("fails", "exit 1"), resource("a", trigger("before_destroy", ["fails"]), content='  triggers_replace = "1"\n'))
    run(place, "apply", "-auto-approve")
    write(place, (place / "main.tf").read_text().replace('"1"', '"2"'))
    assert codes(place, "apply", "-auto-approve") == ["local_command_failed"]
    assert tainted(place) == {"a": False}
    run(place, "destroy", "-auto-approve")
    assert tainted(place) == {}


def an_object_is_destroyed_after_the_actions_that_refer_to_it(place):
    """The objects to which an action refers are created before the object that triggers it, and destroyed after it"""
    write(place, action("told", "echo ${terraform_data.server.id} >> ids; echo told >> log"),
          resource("a", trigger("after_create, after_destroy", ["told"])),
          'resource "terraform_data" "server" {\n  provisioner "local-exec" {\n    command = "echo server >> log"\n  }\n'
          '  provisioner "local-exec" {\n    when = destroy\n    command = "echo gone >> log"\n  }\n}\n')
    run(place, "apply", "-auto-approve")
    assert lines(place) == ["server", "told"]
    run(place, "destroy", "-auto-approve")
    assert lines(place) == ["told", "gone"] and len(set((place / "ids").read_text().split())) == 1


def conditions_can_wait_for_the_object(place):
    write(place, logs("yes"), logs("no"),
          resource("a", trigger("after_create", ["yes"], '      condition = self.output == "v"\n'),
                   trigger("after_create", ["no"], "      condition = length(caller.id) == 1\n"), content='  input = "v"\n'))
    run(place, "plan", "-out=p")
    assert len(json.loads(run(place, "show", "-json", "p"))["action_invocations"]) == 2
    run(place, "apply", "p")
    assert written(place) == ["yes"]
    (place / "log").unlink()
    write(place, logs("yes"), resource("a", trigger("before_update", ["yes"], '      condition = self.output == "v"\n'), content='  input = "w"\n'))
    run(place, "apply", "-auto-approve")  # the output of the update is not known yet
    assert written(place) == ["yes"]


def updates_without_a_change_invoke_nothing(place):
    write(place, logs("told"), 'resource "terraform_data" "n" {\n  input = "1"\n}\n',
          resource("a", trigger("before_update, after_update", ["told"]), content="  input = length(terraform_data.n.output)\n"))
    run(place, "apply", "-auto-approve")
    write(place, (place / "main.tf").read_text().replace('"1"', '"2"'))
    run(place, "plan", "-out=p")
    assert len(json.loads(run(place, "show", "-json", "p"))["action_invocations"]) == 2
    run(place, "apply", "p")
    assert written(place) == []


def invoke_invokes_an_action_for_each_caller(place):
    write(place, action("told", "echo ${caller.input} >> log"),
          resource("a", trigger("after_update", ["told"]), content='  count = 2\n  input = "a${count.index}"\n'),
          resource("b", trigger("after_update", ["told"]), content='  input = "b"\n'), resource("c", content='  input = "c"\n'))
    assert codes(place, "plan", "-invoke=action.local_command.told") == ["action_caller_missing"] * 2
    run(place, "apply", "-auto-approve")
    run(place, "plan", "-invoke=action.local_command.told", "-out=p")
    made = json.loads(run(place, "show", "-json", "p"))["action_invocations"]
    assert [one["invoke_action_trigger"] for one in made] == [
        {"calling_resource_address": one} for one in ("terraform_data.a[0]", "terraform_data.a[1]", "terraform_data.b")], made
    run(place, "apply", "p")
    assert sorted(lines(place)) == ["a0", "a1", "b"]
    run(place, "apply", "-auto-approve", "-invoke=action.local_command.told", "-target=terraform_data.a[1]", "-target=terraform_data.c")
    assert lines(place) == ["a1"]
    reported = messages(place, "apply", "-auto-approve", "-refresh-only", "-invoke=action.local_command.told", "-target=terraform_data.b")
    assert lines(place) == ["b"] and not [one for one in reported if one["type"] == "diagnostic"]


def invoke_reads_only_dependencies_of_its_action(place):
    write(place, logs("told"), action("reads", "echo ${terraform_data.b.id} >> ids"), resource("a"), resource("b"),
          'output "a" {\n  value = terraform_data.a.id\n}\n')
    run(place, "apply", "-auto-approve")
    def read(*arguments):
        return [one["hook"]["resource"]["addr"] for one in messages(place, "apply", "-auto-approve", *arguments) if one["type"] == "refresh_start"]
    assert read("-invoke=action.local_command.told") == []
    assert read("-invoke=action.local_command.reads") == ["terraform_data.b"]
    assert read("-invoke=action.local_command.told", "-target=terraform_data.a") == ["terraform_data.a"]
    assert len(run(place, "output", "-raw", "a")) == 36


def instances_select_actions_and_conditions_select_instances(place):
    write(place, action("told", "echo ${each.value} >> log", "  for_each = { x = \"X\", y = \"Y\" }\n"),
          resource("a", trigger("after_create", ["told[each.key]"], '      condition = each.key != "y"\n'),
                   content='  for_each = toset(["x", "y"])\n'))
    run(place, "apply", "-auto-approve")
    assert written(place) == ["X"]


def actions_of_modules_belong_to_each_instance_of_the_module(place):
    (place / "m").mkdir()
    (place / "m" / "main.tf").write_text(
        'variable "name" {}\n' + action("told", "echo ${var.name} >> log") + resource("a", trigger("after_create", ["told"]))
        + 'output "id" {\n  value = terraform_data.a.id\n}\n')
    write(place, 'module "m" {\n  source = "./m"\n  for_each = toset(["p", "q"])\n  name = each.key\n}\n',
          'resource "terraform_data" "after" {\n  depends_on = [module.m]\n'
          '  provisioner "local-exec" {\n    command = "echo end >> log"\n  }\n}\n')
    run(place, "init")
    run(place, "apply", "-auto-approve")
    assert sorted(written(place)[:2]) == ["p", "q"] and written(place)[2:] == ["end"], written(place)
    run(place, "apply", "-auto-approve", '-invoke=module.m["q"].action.local_command.told')
    assert written(place)[3:] == ["q"], written(place)


def failures_have_the_effect_of_their_trigger(place):
    for effect, made, is_tainted in (("halt", ["a"], False), ("taint", ["a"], True), ("continue", ["a", "b"], False)):
        inner = place / effect
        inner.mkdir()
        write(inner, action("fails", "echo no >&2; exit 3"), logs("next"),
              resource("a", trigger("after_create", ["fails", "next"], f"      on_failure = {effect}\n")),
              'resource "terraform_data" "b" {\n  input = terraform_data.a.id\n}\n')
        reported = [one["diagnostic"] for one in messages(inner, "apply", "-auto-approve", code=0 if effect == "continue" else 1)
                if one["type"] == "diagnostic"]
        assert [(one["severity"], one["code"], one["address"]) for one in reported] == [
            ("warning" if effect == "continue" else "error", "local_command_failed", "action.local_command.fails")], reported
        assert "no" in reported[0]["detail"] and "fails" not in reported[0]["detail"], reported
        state = tainted(inner)
        assert sorted(state) == made and state["a"] == is_tainted, (effect, state)
        assert written(inner) == (["next"] if effect == "continue" else []), written(inner)
        run(inner, "plan", "-detailed-exitcode", code=0 if effect == "continue" else 2)


def a_failed_action_before_a_change_prevents_it(place):
    write(place, action("fails", "exit 1"), resource("a", trigger("before_create", ["fails"])))
    assert codes(place, "apply", "-auto-approve") == ["local_command_failed"]
    assert tainted(place) == {}


def plans_list_invocations_and_files_keep_them(place):
    write(place, 'variable "s" {\n  default = "hidden"\n  sensitive = true\n}\n', action("told", "echo ${var.s} ${terraform_data.a.id} >> log"),
          resource("a", trigger("after_create", ["told"], "      on_failure = taint\n")))
    text = run(place, "plan", "-out=p")
    assert "Actions after this change" in text and "Actions: 1 to invoke." in text and "hidden" not in text, text
    (one,) = json.loads(run(place, "show", "-json", "p"))["action_invocations"]
    assert one["lifecycle_action_trigger"] == {
        "triggering_resource_address": "terraform_data.a", "action_trigger_event": "AfterCreate",
        "action_trigger_block_index": 0, "actions_list_index": 0, "on_failure": "ActionOnFailureTaint"}, one
    assert one["config_values"]["arguments"] == ["-c", None] and one["config_unknown"] == {"arguments": [False, True]}, one
    kinds = [(one["type"], one["@message"]) for one in messages(place, "apply", "p") if one["type"].startswith("action_")]
    assert kinds == [
        ("action_start", "terraform_data.a.trigger[0]: Action started: action.local_command.told"),
        ("action_complete", "terraform_data.a (0): Action complete: action.local_command.told")], kinds
    assert written(place)[0] == "hidden"


def invoke_calls_an_action_without_a_change(place):
    write(place, action("told", "echo ${terraform_data.a.output} >> log; echo said"), logs("many", head="  count = 2\n"),
          resource("a", content='  input = "value"\n'), 'resource "terraform_data" "new" {\n  count = 0\n}\n')
    assert codes(place, "plan", "-invoke=action.local_command.told") == ["action_not_known"]
    run(place, "apply", "-auto-approve")
    write(place, (place / "main.tf").read_text().replace("count = 0", "count = 1"))
    run(place, "plan", "-invoke=action.local_command.told", "-out=p")
    (one,) = json.loads(run(place, "show", "-json", "p"))["action_invocations"]
    assert one["invoke_action_trigger"] == {} and "lifecycle_action_trigger" not in one, one
    progress = [one["hook"]["message"] for one in messages(place, "apply", "p") if one["type"] == "action_progress"]
    assert written(place) == ["value"] and progress == ["said"], (written(place), progress)
    run(place, "apply", "-auto-approve", "-invoke=action.local_command.many")
    assert written(place) == ["value", "many", "many"]
    assert len(tainted(place)) == 1
    assert codes(place, "apply", "-auto-approve", "-invoke=action.local_command.many[7]") == ["unknown_action"]
    assert codes(place, "apply", "-auto-approve", "-invoke=action.local_command.none") == ["unknown_action"]
    run(place, "apply", "-auto-approve", "-invoke=action.local_command.many[1]", "-invoke=action.local_command.many")
    assert written(place) == ["value", "many", "many", "many", "many"], written(place)
    assert codes(place, "plan", "-invoke=terraform_data.a") == ["invoke_without_action"]
    for other in ("-destroy", "-exclude=terraform_data.a"):
        assert codes(place, "plan", "-invoke=action.local_command.many", other) == ["invoke_with_other_options"]


def actions_cannot_be_targets(place):
    write(place, logs("a"), resource("a", trigger("after_create", ["a"])))
    for address in ("action.local_command.a", 'action.local_command.a["x"]', "module.m.action.local_command.a", "action.local_command.a[0]"):
        assert codes(place, "plan", "-target=" + address) == ["address_of_action"], address
        assert codes(place, "plan", "-exclude=" + address) == ["address_of_action"], address


def targets_include_the_actions_that_they_trigger(place):
    write(place, logs("a"), logs("b"), resource("a", trigger("after_create", ["a"])), resource("b", trigger("after_create", ["b"])))
    run(place, "apply", "-auto-approve", "-target=terraform_data.b")
    assert written(place) == ["b"] and sorted(tainted(place)) == ["b"]
    run(place, "apply", "-auto-approve", "-exclude=terraform_data.b")
    assert written(place) == ["b", "a"]
    write(place, action("reads", "echo ${terraform_data.b.id} >> log"), resource("b"), resource("c", trigger("after_create", ["reads"])))
    run(place, "apply", "-auto-approve", "-exclude=terraform_data.b")
    assert written(place) == ["b", "a"] and "c" not in tainted(place)


def mistakes_are_reported_with_codes(place):
    write(place, action("told", "true"), resource("a", trigger("before_create, never", ["told"])),
          "locals {\n  a = action.local_command.told\n}\n",
          resource("b", trigger("after_create", ["told[0]", "other"], "      on_failure = never\n")),
          'action "local_none" "x" {\n}\naction "random_x" "x" {\n}\naction "local_command" "y" {\n  config {\n    wrong = 1\n  }\n}\n')
    found = json.loads(run(place, "validate", "-json", code=1))["diagnostics"]
    assert sorted(one["code"] for one in found) == [
        "action_has_no_value", "missing_argument", "undeclared_action", "unexpected_instance_key",
        "unknown_action_event", "unknown_action_failure", "unknown_action_type", "unknown_action_type", "unsupported_argument"], [one["code"] for one in found]
    write(place, action("told", "${terraform_data.a.id}"), resource("a", trigger("before_create", ["told"])))
    assert codes(place, "plan") == ["dependency_cycle"]
    write(place, action("told", "${caller.none}"), action("alone", "${caller.id}"), "locals {\n  a = caller.id\n}\n",
          resource("a", trigger("before_create", ["told"], "      condition = self.input == null\n"),
                   trigger("after_destroy", ["told"], "      condition = true\n")))
    found = json.loads(run(place, "validate", "-json", code=1))["diagnostics"]
    assert sorted(one["code"] for one in found) == [
        "caller_unavailable", "caller_unavailable", "destroy_trigger_condition", "self_before_creation", "unknown_object_attribute"], found
    write(place, action("told", "${terraform_data.a.id}"), resource("a", trigger("after_create", ["told"])))
    (warned,) = json.loads(run(place, "validate", "-json"))["diagnostics"]
    assert (warned["code"], warned["severity"]) == ("action_refers_to_trigger", "warning"), warned
    write(place, action("told", "${caller.id}"), resource("a", trigger("before_create", ["told"])))
    assert codes(place, "apply", "-auto-approve") == ["action_not_known"]
    write(place, action("told", "${terraform_data.n.id}"), 'resource "terraform_data" "n" {\n  triggers_replace = "1"\n}\n',
          resource("a", trigger("before_destroy", ["told"]), content='  triggers_replace = "1"\n'))
    run(place, "apply", "-auto-approve")
    write(place, (place / "main.tf").read_text().replace('"1"', '"2"'))
    assert codes(place, "plan") == ["action_not_known"]


def changes_wait_for_actions_whose_instances_are_unknown(place):
    counted = logs("told", head='  count = terraform_data.n.id == "x" ? 1 : 2\n').replace("echo told", "echo ${count.index}")
    write(place, 'resource "terraform_data" "n" {\n}\n', counted,
          resource("a", trigger("after_create", ["told[1]", "told[0]"])), 'resource "terraform_data" "b" {\n  input = terraform_data.a.id\n}\n',
          resource("other", trigger("after_update", ["told[0]"])))
    assert codes(place, "plan") == ["count_unknown"]
    run(place, "plan", "-allow-deferral", "-out=p")
    plan = json.loads(run(place, "show", "-json", "p"))
    assert [one["address"] for one in plan["resource_changes"]] == ["terraform_data.n", "terraform_data.other"]
    assert [(one["resource_change"]["address"], one["reason"]) for one in plan["deferred_changes"]] == [
        ("terraform_data.a", "absent_prereq"), ("terraform_data.b", "deferred_prereq")]
    run(place, "apply", "p")
    assert written(place) == []
    run(place, "apply", "-auto-approve", "-allow-deferral")
    assert written(place) == ["1", "0"]
    assert sorted(tainted(place)) == ["a", "b", "n", "other"]


def an_interrupt_ends_an_action_and_leaves_nothing_pending(place):
    write(place, action("waits", "echo begun >> log; exec sleep 60"), resource("a", trigger("after_create", ["waits"])))
    process = subprocess.Popen([IACCTL, "apply", "-auto-approve"], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 20
    while not written(place):
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode != 0
    assert tainted(place) == {"a": False}
    run(place, "plan", "-detailed-exitcode")


if __name__ == "__main__":
    sys.exit(tap.run([
        actions_run_around_a_change_in_the_order_of_the_source,
        a_value_that_an_action_reads_does_not_wait_for_it,
        a_replacement_fires_the_events_of_a_creation,
        actions_of_a_destroy_see_the_object_that_is_destroyed,
        a_destroy_of_targets_invokes_their_actions_only,
        removed_instances_invoke_the_actions_of_their_destroy,
        failed_actions_prevent_a_replacement_but_not_a_destroy,
        an_object_is_destroyed_after_the_actions_that_refer_to_it,
        conditions_can_wait_for_the_object,
        updates_without_a_change_invoke_nothing,
        invoke_invokes_an_action_for_each_caller,
        invoke_reads_only_dependencies_of_its_action,
        instances_select_actions_and_conditions_select_instances,
        actions_of_modules_belong_to_each_instance_of_the_module,
        failures_have_the_effect_of_their_trigger,
        a_failed_action_before_a_change_prevents_it,
        plans_list_invocations_and_files_keep_them,
        invoke_calls_an_action_without_a_change,
        actions_cannot_be_targets,
        targets_include_the_actions_that_they_trigger,
        mistakes_are_reported_with_codes,
        changes_wait_for_actions_whose_instances_are_unknown,
        an_interrupt_ends_an_action_and_leaves_nothing_pending,
    ]))
