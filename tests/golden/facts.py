# SPDX-License-Identifier: BSL-1.0
"""The results of a run of iacctl as lines. Each states one fact, and does not change if only a text of the program changes.

Streams of `-json`, plans and states in JSON, and diagnostics in text become lines like these; ? is an unknown value:

    terraform_data.a: refresh                            operations in the order of their begin; an operation without an end is reported
    terraform_data.a: local-exec: hello                  a line that a provisioner printed
    planned: update terraform_data.a {input: 1 -> 2}
    planned: delete, create terraform_data.b (replace_because_cannot_update: triggers_replace) {triggers_replace: 1 -> ?}
    planned: output update o = 1 -> ?
    planned: 1 to add, 1 to change, 1 to destroy
    applied: 1 added, 1 changed, 1 destroyed
    error: Unsupported argument [unsupported_argument] at main.tf:3,5-11 (terraform_data.a)
    state: terraform_data.a {id: "<1>", input: 2, output: 2} after terraform_data.b

The details of diagnostics are omitted: `says` in a scenario checks names in them.
"""
import json
import re

LONGEST = 60
# Attributes that follow from the content of a file.
CHECKSUMS = re.compile("content_(md5|(base64)?sha[0-9]+)$")


class Number(str):
    """A number as it was written, because some do not fit into a floating-point type."""


def parsed(text):
    return json.loads(text, parse_float=Number, parse_int=lambda digits: int(digits) if len(digits) < 20 else Number(digits))


def marked(marks, key):
    """The marks of one element of a value whose marks are these."""
    if marks is True:
        return True
    if isinstance(marks, dict):
        return marks.get(key, False)
    if isinstance(marks, list):
        return marks[key] if isinstance(key, int) and key < len(marks) else False
    return False


def value_text(value, unknown=False, sensitive=False, top=True):
    """A value as a line: like JSON, with ? for unknown values, and without attributes that are null or checksums."""
    if value is None and not unknown:
        return "null"
    if sensitive is True:
        return "(sensitive)"
    if unknown is True:
        return "?"
    if isinstance(value, Number):
        return str(value) if len(value) <= LONGEST else f"{value[:LONGEST // 2]}...{len(value)}"
    if isinstance(value, dict) or (value is None and isinstance(unknown, dict) and unknown):
        value = value or {}
        names = sorted(value.keys() | (unknown.keys() if isinstance(unknown, dict) else set()))
        each = [(name, value_text(value.get(name), marked(unknown, name), marked(sensitive, name), False)) for name in names]
        return "{" + ", ".join(f"{name}: {text}" for name, text in each
                               if not top or text != "null" and not CHECKSUMS.match(name)) + "}"
    if isinstance(value, list) or (value is None and isinstance(unknown, list) and unknown):
        value = value or []
        length = max(len(value), len(unknown) if isinstance(unknown, list) else 0)
        each = [value_text(value[i] if i < len(value) else None, marked(unknown, i), marked(sensitive, i), False) for i in range(length)]
        return "[" + ", ".join(each) + "]"
    if isinstance(value, str) and len(value) > LONGEST:
        return json.dumps(value[:LONGEST // 2], ensure_ascii=False) + f"...{len(value)}"
    return json.dumps(value, ensure_ascii=False)


def attribute_changes(change):
    """The changed attributes of a change: `name: old -> new`."""
    before, after, unknown = change.get("before"), change.get("after"), change.get("after_unknown") or {}
    secret_before, secret_after = change.get("before_sensitive"), change.get("after_sensitive")
    if before is None:
        return " " + value_text(after, unknown, secret_after)
    if after is None and unknown is not True and not unknown:
        return " " + value_text(before, False, secret_before)
    names = sorted(before.keys() | (after or {}).keys() | (unknown.keys() if isinstance(unknown, dict) else set()))
    changed = []
    for name in [name for name in names if not CHECKSUMS.match(name)]:
        old = value_text(before.get(name), False, marked(secret_before, name), False)
        new = value_text((after or {}).get(name), marked(unknown, name), marked(secret_after, name), False)
        if old != new or before.get(name) != (after or {}).get(name) and marked(unknown, name) is False:
            changed.append(f"{name}: {old} -> {new}")
    return " {" + ", ".join(changed) + "}"


def path_text(path, of=""):
    return (of + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)).lstrip(".")


def change_line(one):
    """A change of a plan; nothing for one without an action or a move."""
    change = one["change"]
    actions, importing, previous = change["actions"], change.get("importing"), one.get("previous_address")
    if actions == ["no-op"] and not importing and not previous:
        return None
    notes = [one["action_reason"]] if "action_reason" in one else []
    if change.get("replace_paths"):
        paths = ", ".join(path_text(path) for path in change["replace_paths"])
        notes = [f"{notes[0]}: {paths}" if notes else paths]
    if previous:
        notes.append(f"moved from {previous}")
    if importing:
        notes.append(f"imported as {importing.get('id')}")
    text = ", ".join(actions) + " " + one["address"]
    if "deposed" in one:
        text += " deposed <key>"
    if notes:
        text += " (" + "; ".join(notes) + ")"
    return text + ("" if actions == ["no-op"] else attribute_changes(change))


def check_lines(checks):
    found = {}
    for one in checks or []:
        name = one["address"]["to_display"]
        instances = one.get("instances") or [{"address": {"to_display": name}, "status": one["status"]}]
        for instance in instances:
            # Of a message of the program itself, its summary.
            problems = "".join(f": {problem['message'].partition(': ')[0]}" for problem in instance.get("problems", []))
            found["check " + instance["address"]["to_display"]] = instance["status"] + problems
    return found


def summary(counts):
    imports = f"{counts['import']} to import, " if counts["import"] else ""
    return f"{imports}{counts['add']} to add, {counts['change']} to change, {counts['remove']} to destroy"


def plan_lines(plan):
    """The facts of a plan in JSON."""
    lines = []
    for one in plan.get("resource_drift", []):
        text = change_line(one)
        lines += [f"drifted: {text}"] if text else []
    for one in plan.get("resource_changes", []):
        text = change_line(one)
        lines += [f"planned: {text}"] if text else []
    for one in plan.get("deferred_changes", []):
        text = change_line(one["resource_change"])
        lines += [f"deferred: {text} ({one['reason']})"] if text else []
    for name, change in plan.get("output_changes", {}).items():
        if change["actions"] == ["no-op"]:
            continue
        old = value_text(change.get("before"), False, change.get("before_sensitive"))
        new = value_text(change.get("after"), change.get("after_unknown", False), change.get("after_sensitive"))
        action = ", ".join(change["actions"])
        shown = new if action == "create" else old if action == "delete" else f"{old} -> {new}"
        lines.append(f"planned: output {action} {name} = {shown}")
    lines += [f"planned: {name} {status}" for name, status in check_lines(plan.get("checks")).items()]
    kind = [word for word, holds in (("nothing to apply", not plan["applyable"]), ("not all", not plan["complete"]),
                                     ("errored", plan["errored"])) if holds]
    return lines + [f"planned: {word}" for word in kind]


def resources_of(module):
    yield from module.get("resources", [])
    for child in module.get("child_modules", []):
        yield from resources_of(child)


def state_facts(state):
    """The content of a state in JSON, by name."""
    facts = {}
    values = state.get("values", {})
    for one in resources_of(values.get("root_module", {})):
        name = one["address"] + (" deposed <key>" if "deposed_key" in one else "")
        text = value_text(one["values"], False, one.get("sensitive_values"))
        if one.get("tainted"):
            text += " tainted"
        if one.get("depends_on"):
            text += " after " + ", ".join(one["depends_on"])
        facts[name] = facts[name] + " and " + text if name in facts else text
    for name, one in values.get("outputs", {}).items():
        facts[f"output {name} ="] = value_text(one.get("value"), False, one["sensitive"])
    facts.update(check_lines(state.get("checks")))
    return facts


def state_lines(facts, known=None):
    """The content of state; with the content before, the difference."""
    if known is None:
        return [f"state: {name} {text}" for name, text in facts.items()] or ["state: nothing"]
    gone = [f"state: no {name.removesuffix(' =')}" for name in known if name not in facts]
    return gone + [f"state: {name} {text}" for name, text in facts.items() if known.get(name) != text]


def diagnostic_line(of):
    text = f"{of['severity']}: {of['summary']}"
    if of.get("code"):
        text += f" [{of['code']}]"
    if "range" in of:
        begin, end = of["range"]["start"], of["range"]["end"]
        last = f"{end['column']}" if begin["line"] == end["line"] else f"{end['line']},{end['column']}"
        text += f" at {of['range']['filename']}:{begin['line']},{begin['column']}-{last}"
    return text + (f" ({of['address']})" if of.get("address") else "")


def text_and_diagnostics(text):
    """The text output of a command: the part before its diagnostics, and the diagnostics."""
    lines = []
    before, *parts = re.split(r"^(?=(?:Error|Warning): )", text, flags=re.MULTILINE)
    for part in parts:
        first, *rest = part.splitlines()
        severity, _, title = first.partition(": ")
        title = title.partition(": ")[0] if title.startswith("-") else title  # of an option, its name
        code = re.search(r"(?:^|\s)\[([a-z][a-z0-9_]*)\]$", part, re.MULTILINE)
        address = re.search(r"^  with (.*?),?$", part, re.MULTILINE)
        place = re.search(r"^  on (.*) line (\d+)(?:,|:|$)", part, re.MULTILINE)
        lines.append(f"{severity.lower()}: {title.rstrip()}" + (f" [{code[1]}]" if code else "")
                     + (f" at {place[1]}:{place[2]}" if place else "") + (f" ({address[1]})" if address else ""))
    return before, lines


class Stream:
    """The messages of one `-json` run: lines, in order, and the operations on objects with their times."""

    def __init__(self, planned_elsewhere=False):
        """With `planned_elsewhere`, only the sums of the plan are reported, and `counts` is the place of the rest."""
        self.planned_elsewhere, self.counts = planned_elsewhere, None
        self.lines, self.operations = [], []  # operations: (address, action, begin, end)
        self.open, self.time = [], 0

    def add(self, of):
        kind = of["type"]
        self.time += 1
        if kind == "diagnostic":
            self.lines.append(diagnostic_line(of["diagnostic"]))
        elif kind == "change_summary":
            counts = of["changes"]
            if counts["operation"] == "plan":
                self.counts = len(self.lines)
                self.lines.append(f"planned: {summary(counts)}")
            else:
                imported = f"{counts['import']} imported, " if counts["import"] else ""
                self.lines.append(f"{'applied' if counts['operation'] == 'apply' else 'destroyed'}: {imported}{counts['add']} added, "
                                  f"{counts['change']} changed, {counts['remove']} destroyed")
        elif kind in ("planned_change", "resource_drift"):
            if not self.planned_elsewhere:
                change = of["change"]
                notes = [change["reason"]] if "reason" in change else []
                if "previous_resource" in change:
                    notes.append(f"moved from {change['previous_resource']['addr']}")
                if "importing" in change:
                    notes.append(f"imported as {change['importing']['id']}")
                self.lines.append(f"{'planned' if kind == 'planned_change' else 'drifted'}: {change['action']} {change['resource']['addr']}"
                                  + (f" ({'; '.join(notes)})" if notes else ""))
        elif kind == "outputs":
            for name, one in of["outputs"].items():
                if "action" in one and one["action"] != "noop" and not self.planned_elsewhere:
                    self.lines.append(f"planned: output {one['action']} {name}" + (" (sensitive)" if one["sensitive"] else ""))
        elif "hook" in of:
            self.event(kind, of["hook"])

    def event(self, kind, hook):
        address = hook["resource"]["addr"]
        if kind.startswith("provision_"):
            name = hook["provisioner"]
            if kind == "provision_progress":
                self.lines.append(f"{address}: {name}: {hook['output']}")
            elif kind == "provision_errored":
                self.lines.append(f"{address}: {name} failed")
            return
        action = "refresh" if kind.startswith("refresh_") else hook["action"]
        if kind.endswith("_start"):
            self.lines.append(f"{address}: {action}")
            self.open.append((address, action, self.time))
        elif not kind.endswith("_progress"):
            begun = next((one for one in self.open if one[:2] == (address, action)), None)
            if begun is None:
                self.lines.append(f"{address}: {action} ends without a beginning")
                return
            self.open.remove(begun)
            if kind == "apply_complete":
                self.operations.append((*begun, self.time))
            elif kind == "apply_errored":
                self.lines.append(f"{address}: {action} failed")

    def finish(self):
        self.lines += [f"{address}: {action} has no end" for address, action, _ in self.open]
        return self.lines


def dependencies(state):
    return {one["address"]: one["depends_on"] for one in resources_of(state.get("values", {}).get("root_module", {}))
            if one.get("depends_on") and "deposed_key" not in one}


def disorder(operations, before, after):
    """Operations that were too early: an object was created or changed before its dependency, or destroyed before its dependent.

    Only objects without keys are checked, because an instance may depend on some instances and not on others.
    """
    problems = []
    for actions, depend, dependency_is_first in ((("create", "update"), after, True), (("delete",), before, False)):
        done = [one for one in operations if one[1] in actions]
        for address, action, begin, end in done:
            for other, other_action, other_begin, other_end in done:
                if other not in depend.get(address, []):
                    continue
                if begin < other_end if dependency_is_first else other_begin < end:
                    problems.append(f"{address} depends on {other}: {action} and {other_action} came in the wrong order")
    return problems
