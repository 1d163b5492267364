#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the language with HashiCorp's parser and evaluator, built as a Go module: run.py PROBE.

Both parsers must accept or refuse the same texts: all fixtures, and seeded mutants of them and of texts in this file.
Formatting is compared for the texts that both accept. Values are compared for expressions in this file and for
generated ones. The output is TAP; without Go or its modules, the comparison is skipped.
"""

import base64
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parents[3] / "shared" / "fixtures"

SEEDS = [
    'a = 1\nb = "x${a}y"\nresource "t" "n" {\n  c = [for k, v in m : v if k != "z"]\n  d {\n    e = <<-EOT\n      x '
    '%{ if a }1%{ else }2%{ endif }\n    EOT\n  }\n}\n',
    'x = { a = 1, "b" = [1, 2, 3][*], (c) = d ? e : f }\ny = f(a, b...)\nz = a.*.b[0].c\n# c\n// d\n/* e */\n',
    't = "${~ a ~}$${b}%%{c}\\n\\u00e9"\nn = -1.5e3 + !b && c || d == e != f >= g\nh = <<E\nq ${w}\nE\n',
]
EXPRESSIONS = r"""
1 + 2 * 3
(1 + 2) * 3 - -4
10 / 4
10 % 4
-10 % 3
0.1 + 0.2
1e3 / 3
9007199254740993
!b || n > 5 && s == "text"
n == "7"
n != 7
"a${n}b${s}c${b}"
"${n}"
"%{ if b }yes%{ else }no%{ endif }"
"%{ for x in l ~} ${x} %{ endfor ~}"
t[0]
t[3]
t.1
l[1]
l["0"]
o.a
o["k"]
o.nope
m.one
m["three"]
[for x in t : x]
[for i, x in l : "${i}${x}"]
{for k, v in m : k => v * 2}
{for k, v in m : v => k...}
{for x in l : x => x if x != "x"}
[for x in n : x]
t[*]
o[*].a
[o, o][*].k
[o, o].*.a
s[*]
null[*]
[o, o].*.a.0
b ? 1 : 2
b ? 1 : "x"
b ? [1] : [1, 2]
b ? {a = 1} : {a = "x"}
b ? null : 5
n > 5 ? l : null
{a = 1, "b" = 2, (s) = 3}
{a = 1, a = 2}
upper("x${s}")
upper(n)
concat(t, l)
concat([1]...)
nope(1)
upper()
upper("a", "b")
"\u00e9\n\t\"$${x}%%{y}"
1 < 2 == true
1 + null
"${null}"
"${t}"
-s
!n
n ? 1 : 2
[1, 2,]
{a = 1, b = 2,}
t == [1, "two", false]
l == ["x", "y"]
{a = 1, k = "v"} == o
[] == l
"a" == 1
true == "true"
s.x
l.0
5.x
(o).a
[[1, 2], [3]][0][1]
{a = {b = [{c = 1}]}}.a.b[0].c
"e\u0301" == "\u00e9"
"""


def build_reference(folder):
    """The program that answers with HashiCorp's parser, or the reason why it cannot be built."""
    go = shutil.which("go")
    if go is None:
        return None, "needs go"
    target = folder / "reference"
    environment = dict(os.environ, GOFLAGS="-mod=readonly", GOWORK="off")
    built = subprocess.run([go, "build", "-o", str(target), "."], env=environment, cwd=HERE / "reference",
                           capture_output=True, text=True, check=False, timeout=240)
    if built.returncode != 0:
        return None, "needs go: " + (built.stderr.strip().splitlines() or ["the build failed"])[-1]
    return target, ""


def ask(program, requests):
    text = "".join(kind + base64.b64encode(body).decode() + "\n" for kind, body in requests)
    ran = subprocess.run([str(program)], input=text.encode(), stdout=subprocess.PIPE, check=True, timeout=600)
    return ran.stdout.decode("utf-8", "replace").split("\n")[:len(requests)]


def mutants(texts, count, seed):
    chance = random.Random(seed)
    pieces = [b"{", b"}", b"[", b"]", b"(", b")", b'"', b"\n", b" ", b"=", b",", b".", b"${", b"%{", b"~}", b"<<E\n", b"#",
        b"//", b"/*", b"*/", b"-", b"!", b"?", b":", b"...", b"=>", b"for", b"in", b"if", b"null", b"1", b"x", b"\\", b"'",
        b"&&", b"\xc3\xa9", b"\xff", b"\r\n"]
    made = []
    while len(made) < count:
        body = bytearray(chance.choice(texts))
        for _ in range(chance.randint(1, 2)):
            at = chance.randrange(len(body) + 1)
            kind = chance.randrange(5)
            if kind == 0:
                del body[at:at + chance.randint(1, 4)]
            elif kind == 1:
                body[at:at] = chance.choice(pieces)
            elif kind == 2:
                end = min(len(body), at + chance.randint(1, 30))
                body[at:at] = body[at:end]
            elif kind == 3:
                lines = bytes(body).split(b"\n")
                spot = chance.randrange(len(lines))
                if chance.random() < 0.5:
                    del lines[spot]
                else:
                    lines.insert(spot, chance.choice(lines))
                body = bytearray(b"\n".join(lines))
            else:
                body[at:at + 1] = chance.choice(pieces)
        made.append(bytes(body))
    return made


def generated(count, seed):
    chance = random.Random(seed)

    def make(depth):
        if depth == 0:
            return chance.choice(["n", "s", "b", "t", "l", "o", "m", "1", "2.5", '"q"', "true", "null", "[]", "{}"])
        kind = chance.randrange(11)
        a, b, c = make(depth - 1), make(depth - 1), make(depth - 1)
        operator = chance.choice(["+", "-", "*", "==", "!=", "<", ">=", "&&", "||"])
        return [f"({a} {operator} {b})", f"({a} ? {b} : {c})", f"[{a}, {b}]", f"{{x = {a}, y = {b}}}", f'"p${{{a}}}q"',
            f"[for v in {a} : {b}]", f'{{for k, v in {a} : "${{k}}" => v}}', f"{a}[{b}]", f"{a}[*]", f"upper({a})",
            f"concat({a}, {b})"][kind]

    return [make(chance.randint(1, 3)) for _ in range(count)]


def is_utf8(text):
    """The reference replaces invalid bytes in JSON with U+FFFD; iacctl refuses them."""
    try:
        text.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def skips_an_operand(request, theirs):
    """The reference evaluates both operands of && and ||. iacctl and newer versions of the reference evaluate the
    second operand only if it decides."""
    return theirs == "error" and any(operator in request[1] for operator in (b"&&", b"||"))


def compare(number, name, requests, ours, theirs, shown):
    differ = [i for i in range(len(requests))
              if ours[i] != theirs[i] and theirs[i] != "panic" and not skips_an_operand(requests[i], theirs[i])]
    same = len(requests) - len(differ)
    accepted = sum(1 for answer in theirs if answer not in ("reject", "error", "panic"))
    print(f"{'not ok' if differ else 'ok'} {number} - {name}: {same} of {len(requests)} agree, {accepted} accepted")
    for i in differ[:shown]:
        print(f"# {requests[i][1][:200]!r}: iacctl: {ours[i][:200]!r}, reference: {theirs[i][:200]!r}")
    return not differ, accepted


def main(arguments):
    with tempfile.TemporaryDirectory() as temporary:
        reference, why = build_reference(pathlib.Path(temporary))
        if reference is None:
            print(f"1..1\nok 1 - language_differential # SKIP {why}")
            return 0
        fixtures = sorted(FIXTURES.rglob("*.tf")) if FIXTURES.is_dir() else []
        texts = [path.read_bytes() for path in fixtures] + [seed.encode() for seed in SEEDS]
        small = [text for text in texts if len(text) < 2000]
        json_texts = [path.read_bytes() for path in sorted(FIXTURES.rglob("*.tf.json"))] if fixtures else []
        json_texts.append(b'{"a": {"b": [1, 2.5, "x${y}", null, true]}, "c": "\\u00e9"}')
        expressions = EXPRESSIONS.strip().split("\n") + ["<<E\nx ${n}\nE\n"]
        groups = [
            ("fixtures are accepted or rejected as by the reference", [("P", text) for text in texts]),
            ("mutants are accepted or rejected as by the reference", [("P", text) for text in mutants(small, 2000, 4711)]),
            ("JSON and its mutants are accepted or rejected as by the reference",
                [("J", text) for text in json_texts + mutants(json_texts, 500, 12) if is_utf8(text)]),
            ("expressions have the same values", [("E", text.encode()) for text in expressions]),
            ("generated expressions have the same values", [("E", text.encode()) for text in generated(2000, 99)]),
        ]
        print(f"1..{len(groups) + 1}")
        good = True
        for number, (name, requests) in enumerate(groups, 1):
            ours, theirs = ask(arguments[0], requests), ask(reference, requests)
            same, accepted = compare(number, name, requests, ours, theirs, 10)
            good = same and good
            if number == 2 and fixtures and accepted < 600:
                print("# too few mutants are accepted for a meaningful comparison")
                good = False
        valid = [("F", text) for text in texts]
        verdicts = ask(reference, [("P", text) for _, text in valid])
        valid = [request for request, verdict in zip(valid, verdicts) if verdict == "accept"]
        ours, theirs = ask(arguments[0], valid), ask(reference, valid)
        same, _ = compare(len(groups) + 1, "valid files are formatted as by the reference", valid, ours, theirs, 3)
        good = same and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
