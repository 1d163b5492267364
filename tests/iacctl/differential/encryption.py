#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares encrypted states and plans with those of OpenTofu: each program reads what the other has written.

    encryption.py IACCTL --peer PROGRAM

Both programs use each configuration in turn, on one state file. The first program creates an object. The second one
plans no changes and then changes the object. Then the first one plans no changes. The file must be encrypted after each
step. With `fallback`, the second program replaces the method of the first one. Both programs use the configuration with
`fallback` once, because iacctl also encrypts its copy of the state.

The output is TAP. The peer can also be given by STRIDER_PEER; without a peer, the comparison is skipped.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MODULE = """
variable "text" {
  default = "first"
}
resource "terraform_data" "a" {
  input = "hidden ${var.text}"
}
"""
KEY_PROGRAM = """#!/usr/bin/env python3
import base64, json, sys
print(json.dumps({"magic": "OpenTofu-External-Key-Provider", "version": 1}), flush=True)
asked = json.loads(sys.stdin.read() or "null")
key = base64.b64encode(b"k" * 32).decode()
keys = {"encryption_key": key} | ({} if asked is None else {"decryption_key": key})
print(json.dumps({"keys": keys, "meta": {"external_data": {"id": "1"}}}))
"""
METHOD_PROGRAM = """#!/usr/bin/env python3
import base64, json, sys
print(json.dumps({"magic": "OpenTofu-External-Encryption-Method", "version": 1}), flush=True)
payload = base64.b64decode(json.loads(sys.stdin.read())["payload"])
print(json.dumps({"payload": base64.b64encode(bytes(one ^ 0x5a for one in payload)).decode()}))
"""


def passphrase(name, more=""):
    return f'key_provider "pbkdf2" "{name}" {{\n  passphrase = "a passphrase of {name} words"\n{more}}}\n'


def aes(key, more="", name="m"):
    return f'method "aes_gcm" "{name}" {{\n  keys = key_provider.{key}\n{more}}}\n'


EXTERNAL_KEY = 'key_provider "external" "e" {\n  command = ["../key"]\n}\n'
EXTERNAL = 'method "external" "m" {\n  encrypt_command = ["../method"]\n  decrypt_command = ["../method"]\n'
NAMED = {
    "a passphrase": passphrase("p") + aes("pbkdf2.p"),
    "a passphrase with all options": passphrase("p",
        '  iterations = 200000\n  salt_length = 16\n  hash_function = "sha256"\n  key_length = 24\n') + aes("pbkdf2.p"),
    "a name for the metadata": passphrase("p", '  encrypted_metadata_alias = "other"\n') + aes("pbkdf2.p"),
    "additional data": passphrase("p") + aes("pbkdf2.p", "  aad = [1, 2, 3]\n"),
    "keys of a program": EXTERNAL_KEY + aes("external.e"),
    "a chain of key providers":
        EXTERNAL_KEY + 'key_provider "pbkdf2" "p" {\n  chain = key_provider.external.e\n}\n' + aes("pbkdf2.p"),
    "a program that encrypts": EXTERNAL + "}\n",
    "a program that encrypts with keys": passphrase("p") + EXTERNAL + "  keys = key_provider.pbkdf2.p\n}\n",
}


def target(method, old=None):
    fallback = f"fallback {{\n    method = method.{old}\n  }}\n" if old else ""
    return "".join(f"{kind} {{\n  method = method.{method}\n  {fallback}}}\n" for kind in ("state", "plan"))


class Place:
    """A directory with a state file that both programs use."""

    def __init__(self, parent):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=parent))

    def write(self, blocks):
        (self.path / "main.tofu").write_text(f"terraform {{\n  encryption {{\n{blocks}}}\n}}\n{MODULE}")

    def run(self, program, *arguments, code=0):
        environment = {name: text for name, text in os.environ.items() if not name.startswith("TF_")}
        done = subprocess.run([program, *arguments], cwd=self.path, env=environment | {"TF_CLI_CONFIG_FILE": os.devnull},
            capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{program.name} {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}"

    def step(self, program, text, changes, state):
        """Saves a plan, applies it, and reads the encrypted state."""
        if not state:
            self.run(program, "init", "-input=false")
        self.run(program, "plan", "-input=false", "-detailed-exitcode", "-out=plan", f"-var=text={text}", *state,
            code=2 if changes else 0)
        self.run(program, "apply", "-input=false", *state, "plan")
        stored = (self.path / "terraform.tfstate").read_text()
        assert "encrypted_data" in json.loads(stored) and "hidden" not in stored, stored[:200]
        assert b"hidden" not in (self.path / "plan").read_bytes()


def compare(parent, one, other, first, second, third):
    """The encryption blocks of three phases: created by `one`, changed by `other`, and read by `one`."""
    place = Place(parent)
    place.write(first)
    place.step(one[0], "first", True, one[1])
    place.write(second)
    place.step(other[0], "first", False, other[1])
    place.step(other[0], "second", True, other[1])
    place.step(one[0], "second", False, one[1])
    place.write(third)
    place.step(one[0], "second", False, one[1])
    place.step(other[0], "second", False, other[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("iacctl", type=pathlib.Path)
    arguments.add_argument("--peer", default=os.environ.get("STRIDER_PEER", ""))
    asked = arguments.parse_args()
    if not asked.peer:
        print("1..1\nok 1 - each program reads the files of the other # SKIP needs tofu")
        return 0
    own = (asked.iacctl.resolve(), ["-state=terraform.tfstate"])
    peer = (pathlib.Path(asked.peer).resolve(), [])
    failed = number = 0
    print(f"1..{2 * len(NAMED) + 2}")
    with tempfile.TemporaryDirectory(prefix="encryption-") as parent:
        for name, text in (("key", KEY_PROGRAM), ("method", METHOD_PROGRAM)):
            program = pathlib.Path(parent) / name
            program.write_text(text)
            program.chmod(0o755)
        old, new = passphrase("old") + aes("pbkdf2.old", name="o"), passphrase("new") + aes("pbkdf2.new", name="n")
        cases = {name: [blocks + target("external.m" if EXTERNAL in blocks else "aes_gcm.m")] * 3
            for name, blocks in NAMED.items()}
        cases["a fallback"] = [old + target("aes_gcm.o"), old + new + target("aes_gcm.n", "aes_gcm.o"),
            new + target("aes_gcm.n")]
        for name, phases in cases.items():
            for one, other in ((own, peer), (peer, own)):
                number += 1
                what = f"{name}: {other[0].name} reads files of {one[0].name}, and vice versa"
                try:
                    compare(parent, one, other, *phases)
                    print(f"ok {number} - {what}", flush=True)
                except AssertionError as problem:
                    failed += 1
                    print(f"not ok {number} - {what}")
                    for line in str(problem).splitlines():
                        print("#", line, flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
