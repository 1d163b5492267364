#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Moves states between all backends by `init -migrate-state`. TAP.

    moves.py IACCTL CACHE [TEST or KIND]...

Servers are those of places.py. Without one of them, tests are skipped.
"""
import hashlib
import json
import pathlib
import re
import sys
import threading

CHOSEN = sys.argv[3:]
sys.argv[3:] = []
import places  # noqa: E402

SEVERAL = ["azurerm", "gcs", "local", "pg", "pg_native", "s3"]
ONE = ["http"]  # only the workspace "default"
KINDS = SEVERAL + ONE
RESOURCES = """
variable "turn" {
  default = 0
}
resource "terraform_data" "a" {
  input = "${terraform.workspace} ${var.turn}"
}
output "o" {
  value     = terraform_data.a.output
  sensitive = true
}
"""


def circuit(kinds):
    """Every pair of kinds, as a walk that begins and ends with the first kind and moves from each to each other one."""
    left = {one: [other for other in kinds if other != one] for one in kinds}
    walk, stack = [], [kinds[0]]
    while stack:
        if left[stack[-1]]:
            stack.append(left[stack[-1]].pop())
        else:
            walk.append(stack.pop())
    return walk[::-1]


def expect(got, wanted, what):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


def contains(text, wanted):
    text = " ".join(text.replace("│", " ").split())
    assert wanted in text, f"{wanted!r} is not in: {text}"


def files(directory):
    """The contents of all files of a directory, and of those that only the program uses."""
    return {str(one.relative_to(directory)): hashlib.sha256(one.read_bytes()).hexdigest()
            for one in directory.rglob("*") if one.is_file()}


def applied(at, name, kind, key, workspaces=("default",)):
    """A directory with a state in workspaces at a place. "default" is selected."""
    work = places.Directory(at, name, RESOURCES)
    work.choose(kind, key)
    work.initialize()
    for workspace in [one for one in workspaces if one != "default"]:
        work.run("workspace", "new", workspace)
        work.run("apply", "-auto-approve")
        work.run("workspace", "select", "default")
    work.run("apply", "-auto-approve")
    return work


def move_around(at, walk, key, workspaces):
    work = applied(at, key, walk[0], key, workspaces)
    for turn, (before, after) in enumerate(zip(walk, walk[1:]), 1):
        # The state that an earlier move has left at the place is an earlier version.
        work.run("apply", "-auto-approve", f"-var=turn={turn}")
        states = {one: work.content(one) for one in workspaces}
        work.choose(after, key)
        text = work.initialize("-migrate-state", "-force-copy")
        for one in workspaces:
            expect(work.content(one), states[one], f"{one} after the move from {before} to {after}")
        contains(work.run("plan", f"-var=turn={turn}"), "No changes")
        assert "another state" not in text, text


def available(at, kinds):
    """The kinds that have a server; the others are named in the output."""
    for kind in kinds:
        if reason := at.reason(kind):
            print(f"# without {kind}: {reason}")
    return [one for one in kinds if not at.reason(one)]


def every_pair(at):
    """the states of all workspaces move from each backend to each other one"""
    move_around(at, circuit(available(at, SEVERAL)), "pairs", ("default", "blue"))


def every_pair_with_one_workspace(at):
    """a state moves from a backend with one workspace to each other one, and back"""
    walk = [one for kind in available(at, SEVERAL) for one in ("http", kind)] + ["http"]
    move_around(at, walk, "pairs_of_one", ("default",))


def dry_run(at, kind):
    """a dry run names the states that would move and their places, and changes nothing"""
    key = f"dry_{kind}"
    work = applied(at, key, "local" if kind != "local" else "s3", key, ("default", "blue"))
    serial = work.pull()["serial"]
    place = {"azurerm": "azurerm://", "gcs": "gs://", "http": "https://", "local": str(at.root), "s3": "s3://"}.get(kind, "postgres")
    work.choose(kind, key)
    configured = files(work.directory)
    requests = []
    at.clouds.fault = lambda host, method, path: requests.append(f"{method} {host}{path}")
    text = work.initialize("-migrate-state", "-dry-run")
    at.clouds.fault = lambda host, method, path: None
    contains(text, f'- workspace "default": 1 resource instance, serial {serial} from ')
    contains(text, 'workspace "blue": not copied' if kind in ONE else '- workspace "blue": 1 resource instance, serial ')
    contains(text, f" to {place}")
    assert "Secret" not in text, text
    contains(text, "Nothing was copied or changed, because of -dry-run.")
    expect(files(work.directory), configured, "files")
    expect([one for one in requests if one.split()[0] not in ("GET", "HEAD")], [], "requests that write")
    if kind.startswith("pg"):
        server = at.servers.find("postgresql")
        expect(server.sql(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{key}'"), "0", "schemas")
    contains(work.run("plan", code=1), "[backend_changed]")

    work.initialize("-migrate-state", "-force-copy")
    contains(work.run("plan"), "No changes")
    work.choose("local" if kind != "local" else "s3", key)
    text = work.initialize("-migrate-state", "-dry-run")
    contains(text, '- workspace "default": the same state is there already')


def conflict(at, kind):
    """a state with another lineage, or with changes that the moved one lacks, is not replaced without -force-copy"""
    key, other = f"conflict_{kind}", "local" if kind != "local" else "s3"
    for lineage in ("another", "the same"):
        theirs = applied(at, f"{key}-{lineage.split()[0]}-theirs", kind, f"{key}_{lineage.split()[0]}")
        ours = applied(at, f"{key}-{lineage.split()[0]}-ours", other, f"{key}_{lineage.split()[0]}")
        if lineage == "the same":
            (ours.directory / "copy.json").write_text(theirs.run("state", "pull"))
            ours.run("state", "push", "-force", "copy.json")
            ours.run("destroy", "-auto-approve")
            ours.run("state", "push", "-force", "copy.json")
            for turn in (1, 2, 3, 4, 5):
                theirs.run("apply", "-auto-approve", f"-var=turn={turn}")
            expect(ours.pull()["resources"] != theirs.pull()["resources"], True, "different states")
        state, mine = theirs.pull(), ours.pull()
        ours.choose(kind, f"{key}_{lineage.split()[0]}")
        for options in (["-migrate-state"], ["-migrate-state", "-dry-run"]):
            text = ours.initialize(*options, code=1)
            contains(text, "[migration_conflict]")
            contains(text, f"serial {state['serial']}, lineage {state['lineage']}, 1 resource instance")
            expect(theirs.pull(), state, "the state there")
        ours.initialize("-migrate-state", "-force-copy")
        expect(ours.pull()["resources"], mine["resources"], "the state that was moved")
        (saved,) = (ours.directory / ".iacctl" / ".replaced").iterdir()
        expect(json.loads(saved.read_text())["resources"], state["resources"], "the state that was replaced")


def killed(at, kind):
    """a move that is killed while it writes is repeated, after the release of the locks that it has left"""
    key = f"killed_{kind}"
    work = applied(at, key, "local", key, ("default", "blue") if kind in SEVERAL else ("default",))
    names = ["default"] if kind in ONE else ["default", "blue"]
    states = {one: work.content(one) for one in names}
    work.choose(kind, key)
    is_write = {"azurerm": lambda method, path: method == "PUT" and "comp=" not in path,
                "gcs": lambda method, path: method == "POST" and "/upload/" in path,
                "http": lambda method, path: method == "POST",
                "s3": lambda method, path: method == "PUT" and not path.split("?")[0].endswith(".tflock")}[kind]
    left = [0]
    running, guard = [None], threading.Lock()

    def fault(_host, method, path):
        with guard:
            left[0] -= is_write(method, path)
            if left[0] != 0 or running[0] is None:
                return None
            running[0].kill()
            running[0] = None
        return "lost"  # the request arrives

    kills = 0
    for moment in range(1, 8):
        left[0] = moment
        at.clouds.fault = fault
        running[0] = process = work.start("init", "-input=false", "-migrate-state", "-force-copy")
        printed, _ = process.communicate(timeout=60)
        at.clouds.fault = lambda host, method, path: None
        was_killed = process.returncode < 0
        kills += was_killed
        if not was_killed:
            expect(process.returncode, 0, f"the move at moment {moment}: {printed}")
            break
        contains(work.run("plan", code=1), "[backend_changed]")
        for _ in range(2 * len(names)):
            refused = work.start("init", "-input=false", "-migrate-state", "-force-copy")
            text, _ = refused.communicate(timeout=60)
            if refused.returncode == 0:
                break
            text = " ".join(text.replace("│", " ").split())
            found = re.search(r"(?:TF_WORKSPACE=(\S+) )?iacctl force-unlock ([0-9a-zA-Z-]+)", text)
            assert refused.returncode == 3 and found, f"exit {refused.returncode}: {text}"
            work.environment["TF_WORKSPACE"] = found[1] or "default"
            work.run("force-unlock", "-force", found[2])
            del work.environment["TF_WORKSPACE"]
        for one in names:
            expect(work.content(one), states[one], f"{one} after a kill at write {moment}")
        # Back, for the next moment.
        work.run("apply", "-auto-approve", f"-var=turn={moment}")
        states = {one: work.content(one) for one in names}
        work.choose("local", key)
        work.initialize("-migrate-state", "-force-copy")
        work.choose(kind, key)
    expect(kills > 0, True, "a kill")
    for one in names:
        expect(work.content(one), states[one], one)


def keys(*pairs, fallback=None):
    text = "".join(f'    key_provider "file" "{name}" {{ path = "{path}" }}\n    method "aes_gcm" "{name}" {{ keys = key_provider.file.{name} }}\n'
                   for name, path in pairs)
    methods = [f"method.aes_gcm.{name}" for name, _ in pairs] + (['method.unencrypted.plain'] if fallback else [])
    if fallback == "first":
        methods = methods[::-1]
    inner = f"\n      fallback {{ method = {methods[1]} }}" if len(methods) > 1 else ""
    return (f'  encryption {{\n{text}    method "unencrypted" "plain" {{}}\n    state {{\n      method = {methods[0]}{inner}\n    }}\n  }}\n')


def encrypted(at, kind):
    """a state moves from and to encryption, and to another key; without the key of either side nothing is written"""
    one, two = at.root / "key-1", at.root / "key-2"
    one.write_text("1" * 64)
    two.write_text("2" * 64)
    key, other = f"sealed_{kind}", "local" if kind != "local" else "s3"
    work = applied(at, key, other, key)
    state = work.content()

    def move(to, place, encryption, code=0):
        work.choose(to, place, encryption)
        text = work.initialize("-migrate-state", "-force-copy", code=code)
        if code == 0:
            expect(work.content(), state, f"the state at {to} with {encryption}")
        return text

    contains(move(kind, key + "_1", keys(("one", one)), code=1), "data_not_encrypted")
    move(kind, key + "_1", keys(("one", one), fallback="last"))
    work.choose(kind, key + "_1")
    contains(work.run("state", "pull", code=1), "encryption_not_configured")
    contains(move(other, key + "_2", keys(("two", two)), code=4), "decryption_failed")
    contains(move(other, key + "_2", "", code=1), "encryption_not_configured")
    move(other, key + "_2", keys(("two", two), ("one", one)))
    move(kind, key + "_3", keys(("two", two)))
    # A state at the new place that the keys do not open is not replaced.
    theirs = places.Directory(at, key + "-theirs", RESOURCES)
    theirs.choose(other, key + "_4", keys(("one", one)))
    theirs.initialize()
    theirs.run("apply", "-auto-approve")
    before = theirs.pull()
    if other != "local":
        contains(move(other, key + "_4", keys(("two", two)), code=4), "decryption_failed")
        expect(theirs.pull(), before, "the state of the other key")
    move(other, key + "_5", keys(("two", two), fallback="first"))
    work.choose(other, key + "_5")
    expect(work.content(), state, "the state without encryption")


TESTS = ([(every_pair, [], [], []), (every_pair_with_one_workspace, [], [], [])]
         + [(dry_run, [], [kind, "s3"], [kind]) for kind in KINDS] + [(conflict, [], [kind, "s3"], [kind]) for kind in KINDS]
         + [(killed, [], [kind], [kind]) for kind in ("azurerm", "gcs", "http", "s3")]
         + [(encrypted, [], [kind, "s3"], [kind]) for kind in KINDS])

if __name__ == "__main__":
    places.run_all(TESTS, pathlib.Path(sys.argv[2]), CHOSEN)
