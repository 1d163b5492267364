# SPDX-License-Identifier: BSL-1.0
"""Random configurations as data: nodes (resources and calls of modules) in an order, references only to earlier ones, and edits.

A module is {"order": [names], "nodes": {name: node}, "moved": [(kind, from, to)], "removed": [(name, destroy)],
"checks": [..], "outputs": [names]}. References to absent or later nodes become texts. So each node can be removed,
which makes shrinking simple.
"""
import copy
import random

TEXTS = ["x", "y", "z"]


def edges(node):
    """All expressions of a node that refer to another node, as (holder, key)."""
    return [(node, key) for key in ("input", "triggers", "pre", "value") if node.get(key)]


def uses(expression):
    if expression[0] == "ref":
        return [expression[1]]
    return [n for part in expression[1] for n in uses(part)] if expression[0] == "both" else []


class Writer:
    def __init__(self, seed, runs=3, opentofu=False):
        self.random = random.Random(seed)
        self.opentofu = opentofu
        module = self.module(0)
        self.steps = []
        for number in range(runs):
            if number:
                module = copy.deepcopy(module)
                module["moved"], module["removed"] = [], []
                for _ in range(self.random.randint(1, 3)):
                    self.edit(module)
            self.steps.append({"module": module, "arguments": self.arguments(module, number),
                               "values": {"text": self.random.choice(TEXTS), "on": self.random.choice(["true", "false"])}})

    def chance(self, p):
        return self.random.random() < p

    def arguments(self, module, number):
        r, found = self.random, []
        if number and self.chance(0.08):
            found.append("-destroy")
        if self.chance(0.12):
            found.append("-target=" + self.address(module))
        elif self.opentofu and self.chance(0.1):
            found.append("-exclude=" + self.address(module))
        if number and "-destroy" not in found and self.chance(0.15):
            names = [n for n in module["order"] if module["nodes"][n]["kind"] == "resource" and module["nodes"][n]["shape"][0] == "single"]
            if names:
                found.append("-replace=terraform_data." + r.choice(names))
        if self.chance(0.12):
            found.append("-refresh=false")
        return found

    def address(self, module):
        name = self.random.choice(module["order"])
        node = module["nodes"][name]
        address = ("terraform_data." if node["kind"] == "resource" else "module.") + name
        if node["shape"][0] == "count" and self.chance(0.5):
            address += "[0]"
        return address

    def module(self, depth):
        module = {"order": [], "nodes": {}, "moved": [], "removed": [], "checks": [], "outputs": [], "depth": depth}
        for _ in range(self.random.randint(2, 6) if depth == 0 else self.random.randint(1, 3)):
            self.add(module)
        module["outputs"] = [n for n in module["order"] if self.chance(0.5)]
        return module

    def add(self, module):
        free = [n for n in ("abcdefgh" if module["depth"] == 0 else "ijkl") if n not in module["nodes"]]
        if free:
            name = self.random.choice(free)
            call = module["depth"] < 2 and self.chance(0.25 if module["depth"] == 0 else 0.12)
            module["nodes"][name] = self.call(module) if call else self.resource(module)
            module["order"].append(name)

    def shape(self, module):
        r = self.random
        kind = r.choices(["single", "count", "each", "map", "unknown"], [10, 4, 3, 3 if module["order"] else 0, 1 if module["order"] else 0])[0]
        return {"single": lambda: ["single"], "count": lambda: ["count", r.choice(["1", "2", "var.on ? 2 : 1", "var.on ? 1 : 0"])],
                "each": lambda: ["each", r.choice(['["k"]', '["k", "l"]', 'var.on ? ["k", "m"] : ["l"]', "[]"])],
                "map": lambda: ["map", r.choice(module["order"])], "unknown": lambda: ["unknown", r.choice(module["order"])]}[kind]()

    def expression(self, module):
        r = self.random
        if module["order"] and self.chance(0.6):
            return ["ref", r.choice(module["order"]), r.choice(["id", "input", "output"])]
        if module["order"] and self.chance(0.2):
            return ["both", [["ref", r.choice(module["order"]), "output"], ["var"]]]
        return r.choice([["text", r.choice(TEXTS)], ["var"], ["local"], ["on"]])

    def call(self, module):
        return {"kind": "call", "shape": self.shape(module), "value": self.expression(module), "module": self.module(module["depth"] + 1),
                "depends": [self.random.choice(module["order"])] if module["order"] and self.chance(0.4) else []}

    def resource(self, module):
        node = {"kind": "resource", "shape": self.shape(module), "input": self.expression(module), "flags": {}}
        if self.chance(0.35):
            node["triggers"] = self.expression(module)
        if module["order"] and self.chance(0.2):
            node["depends"] = [self.random.choice(module["order"])]
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            self.flag(module, node)
        return node

    def flag(self, module, node):
        """Changes one of the flags of a resource."""
        r, flags = self.random, node["flags"]
        what = r.choices(["cbd", "prevent", "ignore", "trigger", "pre", "post", "provisioner", "destroyer"], [6, 1, 2, 3, 2, 1, 4, 3])[0]
        if what in flags:
            del flags[what]
        elif what == "ignore":
            flags[what] = r.choice(["[input]", "[triggers_replace]", "all", "[input, triggers_replace]"])
        elif what == "trigger":
            if module["order"]:
                flags[what] = [r.choice(module["order"]), r.choice(["", ".input", ".id", ".output"])]
        elif what in ("pre", "post"):
            flags[what] = r.choice(['var.text != "z"', 'var.text != "none"', "var.on || true"])
        elif what in ("provisioner", "destroyer"):
            flags[what] = r.choices(["fine", "continue", "fail"], [8, 2, 1])[0]
        else:
            flags[what] = True

    def edit(self, module):
        r = self.random
        what = r.choices(["add", "remove", "rename", "reverse", "flag", "value", "shape", "inner", "check", "forget"], [3, 3, 3, 1, 4, 3, 1, 2, 1, 1])[0]
        names = list(module["order"])
        if what == "add" or not names:
            self.add(module)
            return
        name = r.choice(names)
        node = module["nodes"][name]
        if what in ("remove", "forget") and len(names) > 1:
            if what == "forget" and node["kind"] == "resource":
                module["removed"].append([name, r.choice(["true", "false"])])
            leave_out(module, name)
        elif what == "rename":
            self.rename(module, name)
        elif what == "reverse":
            reverse(module)
        elif what == "flag" and node["kind"] == "resource":
            self.flag(module, node)
        elif what == "value":
            at = module["order"].index(name)
            before = dict(module, order=module["order"][:at])
            node["input" if node["kind"] == "resource" else "value"] = self.expression(before)
            if node["kind"] == "resource" and self.chance(0.4):
                node["triggers"] = self.expression(before)
        elif what == "shape":
            before = dict(module, order=module["order"][:module["order"].index(name)])
            node["shape"] = self.shape(before)
        elif what == "inner" and node["kind"] == "call":
            self.edit(node["module"])
        elif what == "check":
            module["checks"] = [] if module["checks"] else [[name, r.choice(['"none"', "var.text"])]]

    def rename(self, module, name):
        free = [n for n in "pqrstuv" if n not in module["nodes"] and all(n not in m[1:] for m in module["moved"])]
        if any(name == m[2] for m in module["moved"]) or any(name == m[0] for m in module["removed"]) or not free:
            return
        new = self.random.choice(free)
        node = module["nodes"].pop(name)
        module["nodes"][new] = node
        module["order"][module["order"].index(name)] = new
        module["moved"].append([node["kind"], name, new])
        replace_name(module, name, new)


def replace_name(module, old, new):
    def expression(e):
        return ["ref", new, e[2]] if e[0] == "ref" and e[1] == old else ["both", [expression(p) for p in e[1]]] if e[0] == "both" else e
    for node in module["nodes"].values():
        for holder, key in edges(node):
            holder[key] = expression(holder[key])
        if node["shape"][0] in ("map", "unknown") and node["shape"][1] == old:
            node["shape"] = [node["shape"][0], new]
        node["depends"] = [new if d == old else d for d in node.get("depends", [])]
        if node.get("flags", {}).get("trigger", [""])[0] == old:
            node["flags"]["trigger"] = [new, node["flags"]["trigger"][1]]
    module["outputs"] = [new if n == old else n for n in module["outputs"]]
    module["checks"] = [[new if c[0] == old else c[0], c[1]] for c in module["checks"]]


def leave_out(module, name):
    if name in module["nodes"]:
        del module["nodes"][name]
        module["order"].remove(name)


def reverse(module):
    """Reverses the references between resources."""
    pairs = []
    for name in module["order"]:
        for holder, key in edges(module["nodes"][name]):
            pairs += [(name, key, used) for used in uses(holder[key])]
            if uses(holder[key]):
                holder[key] = ["text", "x"]
    module["order"].reverse()
    for user, key, used in pairs:
        if used in module["nodes"]:
            node = module["nodes"][used]
            node["input" if node["kind"] == "resource" else "value"] = ["ref", user, "output"]


def absolute(node, name):
    return ("terraform_data." if node["kind"] == "resource" else "module.") + name


class Render:
    """The files of a module, {path: text}."""

    def __init__(self, module, directory="", path=""):
        self.module, self.path = module, path
        self.files = {}
        lines = ['variable "text" {\n  default = "x"\n}\n', 'variable "on" {\n  type    = bool\n  default = true\n}\n',
                 'locals {\n  text = "${var.text}-l"\n}\n']
        if path:
            lines.append('variable "value" {\n  default = null\n}\n')
        self.before = []
        for name in module["order"]:
            lines.append(self.node(name, module["nodes"][name], directory))
            self.before.append(name)
        for kind, old, new in module["moved"]:
            prefix = "terraform_data." if kind == "resource" else "module."
            if new in module["nodes"] and old not in module["nodes"]:
                lines.append("moved {\n  from = %s%s\n  to   = %s%s\n}\n" % (prefix, old, prefix, new))
        for name, destroy in module["removed"]:
            if name not in module["nodes"]:
                lines.append("removed {\n  from = terraform_data.%s\n  lifecycle {\n    destroy = %s\n  }\n}\n" % (name, destroy))
        for number, (name, text) in enumerate(module["checks"]):
            if name in module["nodes"]:
                lines.append('check "c%d" {\n  assert {\n    condition     = jsonencode(%s) != %s\n    error_message = "Wrong."\n  }\n}\n'
                             % (number, self.expression(["ref", name, "output"]), text))
        for name in module["outputs"]:
            if name in module["nodes"]:
                lines.append('output "of_%s" {\n  value = %s\n}\n' % (name, self.expression(["ref", name, "output"])))
        if path:
            made = next((n for n in reversed(module["order"])), None)
            lines.append('output "made" {\n  value = %s\n}\n' % (self.expression(["ref", made, "output"]) if made else '"none"'))
        self.files[directory + "main.tf"] = "\n".join(lines)

    def expression(self, e):
        if e[0] == "text":
            return '"%s"' % e[1]
        if e[0] == "both":
            return '"%s"' % "-".join("${jsonencode(%s)}" % self.expression(p) for p in e[1])
        if e[0] == "ref":
            if e[1] not in self.before:
                return '"absent"'
            node = self.module["nodes"][e[1]]
            many, address = node["shape"][0], absolute(node, e[1])
            attribute = e[2] if node["kind"] == "resource" else "made"
            return "%s.%s" % (address, attribute) if many == "single" else "%s[*].%s" % (address, attribute) if many == "count" else \
                "[for v in %s : v.%s]" % (address, attribute)
        return {"var": "var.value" if self.path else "var.text", "local": "local.text", "on": "var.on ? 1 : 2"}[e[0]]

    def shape(self, shape):
        if shape[0] == "count":
            return ["  count = " + shape[1]]
        if shape[0] == "each":
            return ["  for_each = toset(%s)" % shape[1]]
        if shape[0] == "map":
            return ['  for_each = { for k in ["k", "n"] : k => %s }' % self.expression(["ref", shape[1], "id"])]
        return ["  for_each = toset([jsonencode(%s)])" % self.expression(["ref", shape[1], "input"])] if shape[0] == "unknown" else []

    def node(self, name, node, directory):
        lines = self.shape(node["shape"])
        depends = [absolute(self.module["nodes"][d], d) for d in node.get("depends", []) if d in self.before]
        if depends:
            lines.append("  depends_on = [%s]" % ", ".join(depends))
        if node["kind"] == "call":
            inner = Render(node["module"], directory + name + "/", self.path + name + ".")
            self.files.update(inner.files)
            lines += ['  source = "./%s"' % name, "  value = " + self.expression(node["value"]), "  text = var.text", "  on = var.on"]
            return 'module "%s" {\n%s\n}\n' % (name, "\n".join(lines))
        flags = node["flags"]
        lines.append("  input = " + self.expression(node["input"]))
        if node.get("triggers"):
            lines.append("  triggers_replace = " + self.expression(node["triggers"]))
        for flag, when in (("provisioner", ""), ("destroyer", "    when = destroy\n")):
            if flag in flags:
                failing = "" if flags[flag] == "fine" else "; exit 1"
                rule = "    on_failure = continue\n" if flags[flag] == "continue" else ""
                lines.append('  provisioner "local-exec" {\n%s%s    command = "echo %s %s ${self.id} >> order.log%s"\n  }'
                             % (when, rule, flag, self.path + name, failing))
        rules = []
        if "cbd" in flags:
            rules.append("    create_before_destroy = true")
        if "prevent" in flags:
            rules.append("    prevent_destroy = true")
        if "ignore" in flags:
            rules.append("    ignore_changes = " + flags["ignore"])
        if "trigger" in flags and flags["trigger"][0] in self.before:
            used = self.module["nodes"][flags["trigger"][0]]
            if used["kind"] == "resource":
                rules.append("    replace_triggered_by = [terraform_data.%s%s]"
                             % (flags["trigger"][0], flags["trigger"][1] if used["shape"][0] == "single" else ""))
        for flag in ("pre", "post"):
            if flag in flags:
                rules.append('    %scondition {\n      condition     = %s\n      error_message = "Not so."\n    }' % (flag, flags[flag]))
        if rules:
            lines.append("  lifecycle {\n" + "\n".join(rules) + "\n  }")
        return 'resource "terraform_data" "%s" {\n%s\n}\n' % (name, "\n".join(lines))


def smaller(steps):
    """The sequences that are a little simpler than the given one, the simplest first."""
    for at in range(len(steps)):
        if len(steps) > 1:
            yield steps[:at] + steps[at + 1:]
    yield from without_parts(steps, lambda step: step["module"])
    for at, step in enumerate(steps):
        for argument in step["arguments"]:
            yield steps[:at] + [dict(step, arguments=[a for a in step["arguments"] if a != argument])] + steps[at + 1:]


def without_parts(steps, of):
    def changed(change, only=None):
        copied = copy.deepcopy(steps)
        for number, step in enumerate(copied):
            if (only is None or only == number) and of(step) is not None:
                change(of(step))
        return copied
    modules = [of(s) for s in steps if of(s) is not None]
    names = sorted({n for m in modules for n in m["nodes"]})
    for name in names:
        yield changed(lambda m, n=name: leave_out(m, n))
    for part in ("moved", "removed", "checks", "outputs"):
        if any(m[part] for m in modules):
            yield changed(lambda m, p=part: m.update({p: []}))
    for name in names:
        nodes = [m["nodes"][name] for m in modules if name in m["nodes"]]
        def on(change, n=name):
            return changed(lambda m: change(m["nodes"][n]) if n in m["nodes"] else None)
        for flag in sorted({f for node in nodes for f in node.get("flags", {})}):
            yield on(lambda node, f=flag: node.get("flags", {}).pop(f, None))
        if any(node.get("depends") for node in nodes):
            yield on(lambda node: node.update(depends=[]))
        if any(node.get("triggers") for node in nodes):
            yield on(lambda node: node.pop("triggers", None))
        if any(node["shape"] != ["single"] for node in nodes):
            yield on(lambda node: node.update(shape=["single"]))
        for key in ("input", "value"):
            if any(key in node and node[key][0] != "text" for node in nodes):
                yield on(lambda node, k=key: node.update({k: ["text", "x"]}) if k in node else None)
        if any(node["kind"] == "call" for node in nodes):
            yield from without_parts(steps, lambda s, n=name, o=of: ((o(s) or {}).get("nodes", {}).get(n) or {}).get("module"))
