#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Kills and interrupts iacctl during an apply, or withholds resources from it, and checks the remaining state. TAP.

    crash.py IACCTL [ROUNDS]        the number of killed applies; seeds are printed
"""
import fcntl
import http.server
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import tap

FILES = 40
# What the version before a mark was kept (commit c086a1d) has left when it was killed in a provisioner, and what it read there.
FORMAT_2 = pathlib.Path(__file__).resolve().parent / "format_2"
BINARY = str(pathlib.Path(sys.argv[1]).resolve())
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 12


def configuration(directory):
    text = ""
    for i in range(FILES):
        before = f"terraform_data.d{i - 1}.id" if i % 8 else '"first"'
        text += f'resource "terraform_data" "d{i}" {{\n  input = {before}\n}}\n'
        text += f'resource "local_file" "f{i}" {{\n  filename = "out/f{i}"\n  content  = terraform_data.d{i}.id\n}}\n'
    (directory / "main.tf").write_text(text)


def run(directory, *arguments, code=0, **options):
    done = subprocess.run([BINARY, *arguments, "-no-color"] if arguments[0] != "state" else [BINARY, *arguments],
                          cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **options)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done


def files_in(directory):
    out = directory / "out"
    return sorted(f.name for f in out.iterdir()) if out.exists() else []


def killed_applies_converge(directory):
    """kill -9 at any moment: reported results are in state, others are determined, nothing is created twice."""
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"# seed {seed}")
    chance = random.Random(seed)
    configuration(directory)
    for _ in range(ROUNDS):
        log = open(directory / "log", "w")
        running = subprocess.Popen([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT)
        time.sleep(chance.uniform(0.005, 0.12))
        running.send_signal(signal.SIGKILL)
        running.wait()
        reported = {line.split(":")[0] for line in (directory / "log").read_text().splitlines() if "complete after" in line}
        found = run(directory, "state", "list", code=None)
        assert found.returncode == 0 or "[no_state]" in found.stderr, found  # killed before the first state
        listed = set(found.stdout.split())
        assert reported <= listed, f"reported and lost: {sorted(reported - listed)}"
        run(directory, "plan")
    run(directory, "apply", "-auto-approve")
    run(directory, "plan", "-detailed-exitcode")
    assert len(run(directory, "state", "list").stdout.split()) == 2 * FILES
    assert files_in(directory) == sorted(f"f{i}" for i in range(FILES)), files_in(directory)
    run(directory, "destroy", "-auto-approve")
    assert files_in(directory) == [], files_in(directory)
    assert run(directory, "state", "list").stdout == ""


def killed_destroys_converge(directory):
    """The same for destroy: state does not contain destroyed objects."""
    chance = random.Random(1)
    configuration(directory)
    run(directory, "apply", "-auto-approve")
    for _ in range(ROUNDS):
        running = subprocess.Popen([BINARY, "destroy", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.005, 0.12))
        running.send_signal(signal.SIGKILL)
        running.wait()
        run(directory, "plan")
    run(directory, "destroy", "-auto-approve")
    assert files_in(directory) == [], files_in(directory)


def an_interrupt_stops_gracefully(directory):
    """Running operations end and are saved, no further one starts, and the exit code reports the interrupt."""
    (directory / "main.tf").write_text('''
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "touch started; sleep 1"
  }
}
resource "terraform_data" "after" {
  input = terraform_data.slow.id
}
''')
    running = subprocess.Popen([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(500):
        if (directory / "started").exists():
            break
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130, (running.returncode, out, err)
    assert "Interrupt received" in out, out
    assert run(directory, "state", "list").stdout.split() == ["terraform_data.slow"]
    run(directory, "apply", "-auto-approve")
    run(directory, "plan", "-detailed-exitcode")


PROVISIONED = '''
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "echo created >> log; touch started; sleep %d"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo destroyed >> log"
  }
}
'''


def started(directory, *arguments):
    """Starts iacctl in a session of its own, with its children, and waits until the file started exists."""
    (directory / "started").unlink(missing_ok=True)
    running = subprocess.Popen([BINARY, *arguments, "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(500):
        if (directory / "started").exists():
            return running
        time.sleep(0.02)
    raise AssertionError("it never started")


def kill(running):
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()


def states(directory):
    """For each object in state, whether it is tainted."""
    shown = json.loads(run_json(directory, "show", "-json"))
    return {r["address"]: r.get("tainted", False) for r in shown.get("values", {}).get("root_module", {}).get("resources", [])}


def run_json(directory, *arguments):
    return subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=True).stdout


def planned(directory, *arguments):
    """The actions of a plan, by address."""
    run(directory, "plan", "-out=p", *arguments)
    changes = json.loads(run_json(directory, "show", "-json", "p")).get("resource_changes", [])
    return {c["address"]: (c["change"]["actions"], c.get("action_reason")) for c in changes}


def a_create_that_is_killed_in_its_provisioner_leaves_a_tainted_object(directory):
    """kill -9 in a provisioner: the object is in state and tainted; its replacement comes after its destroy provisioner."""
    (directory / "main.tf").write_text(PROVISIONED % 30)
    kill(started(directory, "apply", "-auto-approve"))
    (directory / "main.tf").write_text(PROVISIONED % 0)
    assert run(directory, "state", "list").stdout.split() == ["terraform_data.a"]
    assert states(directory) == {"terraform_data.a": True}
    assert planned(directory) == {"terraform_data.a": (["delete", "create"], "replace_because_tainted")}, planned(directory)
    run(directory, "apply", "-auto-approve")
    assert (directory / "log").read_text().split() == ["created", "destroyed", "created"], (directory / "log").read_text()
    assert states(directory) == {"terraform_data.a": False}
    run(directory, "plan", "-detailed-exitcode")


def an_object_that_was_killed_in_its_provisioner_is_destroyed(directory):
    """Whichever command reads state in between: the destroy provisioner runs once, and not if a create has failed."""
    (directory / "main.tf").write_text(PROVISIONED % 30)
    kill(started(directory, "apply", "-auto-approve"))
    run(directory, "apply", "-refresh-only", "-auto-approve")
    assert states(directory) == {"terraform_data.a": True}
    kept = run_json(directory, "state", "pull")
    run(directory, "state", "rm", "terraform_data.a")
    (directory / "pulled").write_text(kept)
    run(directory, "state", "push", "-force", "pulled")
    run(directory, "destroy", "-auto-approve")
    assert (directory / "log").read_text().split() == ["created", "destroyed"], (directory / "log").read_text()

    (directory / "log").unlink()
    (directory / "main.tf").write_text(PROVISIONED.replace("sleep %d", "exit 1"))
    run(directory, "apply", "-auto-approve", code=1)
    run(directory, "destroy", "-auto-approve")
    assert (directory / "log").read_text().split() == ["created"], (directory / "log").read_text()


def an_operation_with_an_unknown_result_needs_a_decision(directory):
    """A server never answers a request to create an object: every plan exits with 7 until the user has decided."""

    class deaf(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            (directory / "started").touch()
            time.sleep(60)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), deaf)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (directory / "main.tf").write_text(f'''
resource "restapi_object" "a" {{
  uri  = "http://127.0.0.1:{server.server_port}"
  path = "/things"
  data = jsonencode({{ name = "a" }})
}}
''')
    kill(started(directory, "apply", "-auto-approve"))
    for command in (["plan"], ["apply", "-auto-approve"], ["destroy", "-auto-approve"], ["refresh"], ["plan", "-lock=false"]):
        refused = run(directory, *command, code=7)
        assert "state resolve" in " ".join(refused.stderr.split()) and "restapi_object.a" in refused.stderr, refused.stderr
    printed = [json.loads(line) for line in run_json_lines(directory, 7, "plan", "-json")]
    assert any(line.get("@level") == "error" for line in printed), printed
    run(directory, "state", "resolve", "restapi_object.a", "-not-created")
    assert planned(directory) == {"restapi_object.a": (["create"], None)}, planned(directory)
    server.shutdown()


def run_json_lines(directory, code, *arguments):
    done = subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout.splitlines()


def a_plan_during_an_apply_reports_the_apply(directory):
    """A plan during an apply is refused, as by Terraform; -lock=false lists the operations in progress, which are no changes."""
    (directory / "main.tf").write_text(PROVISIONED % 30 + 'resource "time_sleep" "b" {\n  create_duration = "30s"\n}\n')
    running = started(directory, "apply", "-auto-approve")
    for command in (["plan"], ["plan", "-destroy"], ["refresh"], ["destroy", "-auto-approve"], ["why", "terraform_data.a", "time_sleep.b"]):
        refused = run(directory, *command, code=3)
        assert str(running.pid) in refused.stderr, refused.stderr
    consoled = subprocess.run([BINARY, "console"], cwd=directory, input="1 + 1\n", capture_output=True, text=True, timeout=60)
    assert consoled.returncode == 3 and "2" not in consoled.stdout.split(), consoled
    for command in (["state", "list"], ["state", "pull"], ["output"], ["show"]):
        run(directory, *command)
    assert states(directory) == {"terraform_data.a": False}
    assert planned(directory, "-lock=false") == {
        "terraform_data.a": (["no-op"], None), "time_sleep.b": (["create"], None)}, planned(directory, "-lock=false")
    printed = run(directory, "plan", "-lock=false")
    assert "terraform_data.a: create" in printed.stdout and "time_sleep.b: create" in printed.stdout, printed.stdout
    assert "interrupted" not in printed.stdout + printed.stderr, printed.stdout
    for command in (["apply", "-auto-approve"], ["refresh"], ["destroy", "-auto-approve"]):
        refused = run(directory, *command, "-lock=false", code=3)
        assert str(running.pid) in refused.stderr and "time_sleep.b: create" in refused.stderr, refused.stderr
    run(directory, "state", "rm", "-lock=false", "terraform_data.a", code=3)
    run(directory, "apply", "-lock=false", "p", code=3)
    kill(running)
    run(directory, "apply", "p", code=6)
    assert planned(directory) == {"terraform_data.a": (["delete", "create"], "replace_because_tainted"),
                                  "time_sleep.b": (["create"], None)}, planned(directory)


def a_plan_creates_no_workspace(directory):
    """A workspace in which nothing was ever applied has nothing to lock."""
    (directory / "main.tf").write_text('resource "terraform_data" "a" {}\n')
    run(directory, "plan")
    assert not (directory / ".iacctl").exists()


def a_held_lock_is_reported(directory):
    """A second apply does not wait forever, and names the holder of the lock; the lock ends with its holder."""
    (directory / "main.tf").write_text('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                                       '    command = "touch started; sleep 30"\n  }\n}\n')
    holder = subprocess.Popen([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(500):
        if (directory / "started").exists():
            break
        time.sleep(0.02)
    refused = run(directory, "apply", "-auto-approve", code=3)
    assert str(holder.pid) in refused.stderr, refused.stderr
    holder.kill()
    holder.wait()
    (directory / "main.tf").write_text('resource "terraform_data" "a" {}\n')
    run(directory, "apply", "-auto-approve")


def an_interrupted_operation_is_resolved_manually(directory):
    """A command that is killed during a create leaves a pending operation; the user can record its result, once."""
    (directory / "main.tf").write_text('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                                       '    command = "touch started; sleep 30"\n  }\n}\n')

    def killed():
        (directory / "started").unlink(missing_ok=True)
        running = subprocess.Popen([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(500):
            if (directory / "started").exists():
                break
            time.sleep(0.02)
        running.kill()
        running.wait()

    killed()
    undecided = run(directory, "state", "resolve", "terraform_data.a", code=1)
    assert "A decision is needed" in undecided.stderr, undecided.stderr
    unknown = run(directory, "state", "resolve", "terraform_data.b", "-not-created", code=1)
    assert "These operations are pending:\n  - terraform_data.a: create" in unknown.stderr, unknown.stderr
    run(directory, "state", "resolve", "terraform_data.a", "-not-created")
    assert run(directory, "state", "list").stdout == ""
    killed()
    run(directory, "state", "resolve", "terraform_data.a", '-created={"id":"found"}')
    assert run(directory, "state", "list").stdout == "terraform_data.a\n"
    assert '"found"' in run(directory, "show").stdout
    run(directory, "plan", "-detailed-exitcode")
    run(directory, "state", "resolve", "terraform_data.a", "-not-created", code=1)


def a_full_disk_loses_nothing(directory):
    """No space for state: an error with its own exit code; either nothing was done, or there is a copy of all results."""
    configuration(directory)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    failed = run(directory, "apply", "-auto-approve", code=None, preexec_fn=small)
    assert failed.returncode in (1, 5), (failed.returncode, failed.stdout[-500:], failed.stderr[-500:])
    assert "Error:" in failed.stderr, failed.stderr
    run(directory, "apply", "-auto-approve")
    run(directory, "plan", "-detailed-exitcode")
    assert files_in(directory) == sorted(f"f{i}" for i in range(FILES)), files_in(directory)


def killed_in_a_provisioner(directory, before=""):
    """The directory of an apply that was killed while a provisioner ran; its write-ahead log is still there."""
    (directory / "main.tf").write_text(before + 'resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n'
                                       '    command = "touch started; sleep 30"\n  }\n}\n')
    running = subprocess.Popen([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(500):
        if (directory / "started").exists():
            break
        time.sleep(0.02)
    running.kill()
    running.wait()
    return directory / ".iacctl" / "default"


def a_damaged_log_is_reported(directory):
    """One bit of the log, or all of it, is damaged: every command that reads state reports it, and names a remedy."""
    other = 'resource "terraform_data" "other" {\n  input = "x"\n}\n'
    (directory / "main.tf").write_text(other)
    run(directory, "apply", "-auto-approve")
    workspace = killed_in_a_provisioner(directory, other.replace('"x"', '"y"'))
    log = workspace / "state.db-wal"
    sound = log.read_bytes()
    chance = random.Random(7)
    for at in [None] + [chance.randrange(len(sound)) for _ in range(20)]:
        if at is None:
            log.unlink()
        else:
            log.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << chance.randrange(8)]) + sound[at + 1:])
        for command in (["plan"], ["apply", "-auto-approve"], ["state", "list"], ["state", "pull"], ["output"]):
            printed = run(directory, *command, code=4)
            assert "State is damaged" in printed.stderr and printed.stdout == "", (at, printed.stdout, printed.stderr)
    named = re.findall(r"iacctl (state restore \S+state\.db)$", printed.stderr, re.M)
    assert named, printed.stderr
    run(directory, *named[0].split())
    run(directory, "state", "list")
    log.unlink(missing_ok=True)
    kept = next(workspace.glob("replaced-*"))
    assert (kept / "state.db-wal").exists(), list(kept.iterdir())


def a_deleted_log_of_a_first_apply_is_reported(directory):
    """If all saved data were in the log, its loss does not result in an empty state."""
    workspace = killed_in_a_provisioner(directory)
    (workspace / "state.db-wal").unlink()
    printed = run(directory, "plan", code=4)
    assert "state.db-wal is missing" in " ".join(printed.stderr.split()), printed.stderr
    run(directory, "state", "list", code=4)


def a_state_of_format_2_is_upgraded(directory):
    """The state of the last version, with its log, can be read, and is converted by the first command that writes."""
    workspace = directory / ".iacctl" / "default"
    (workspace / "backups").mkdir(parents=True, mode=0o755)
    for name in ("state.db", "state.db-wal"):
        shutil.copy(FORMAT_2 / name, workspace / name)
        (workspace / name).chmod(0o644)
    (directory / "main.tf").write_bytes((FORMAT_2 / "main.tf").read_bytes())
    wanted = (FORMAT_2 / "state.json").read_text()
    assert run(directory, "state", "pull").stdout == wanted
    assert not (workspace / "state.db-mark").exists()
    run(directory, "state", "resolve", "terraform_data.slow[0]", "-not-created")
    assert sorted(run(directory, "state", "list").stdout.split()) == [
        "terraform_data.base", 'terraform_data.each["a"]', 'terraform_data.each["b"]']
    with sqlite3.connect(workspace / "state.db") as database:
        assert database.execute("PRAGMA user_version").fetchone() == (4,)
    assert (workspace / "state.db-mark").exists()
    for path in [workspace.parent, *workspace.parent.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


def a_rescue_copy_is_restored_by_the_reported_command(directory):
    """State that could not be saved: one command restores it, and the next apply creates nothing twice."""
    configuration(directory)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    failed = run(directory, "apply", "-auto-approve", code=5, preexec_fn=small)
    done = {line.split(":")[0] for line in failed.stdout.splitlines() if "complete after" in line}
    named = re.findall(r"^ *iacctl (state push \S+)$", failed.stderr, re.M)
    assert len(named) == 1 and done, failed.stderr
    made = files_in(directory)
    run(directory, *named[0].split())
    listed = set(run(directory, "state", "list").stdout.split())
    assert done <= listed and made == sorted(a.split(".")[1] for a in listed if a.startswith("local_file")), (made, listed)
    pulled = run(directory, "state", "pull").stdout
    assert "pending_operations" not in pulled, "operations that were never carried out are said to be interrupted:\n" + pulled
    run(directory, "state", "push", named[0].split()[-1])
    run(directory, "apply", "-auto-approve")
    run(directory, "state", "push", named[0].split()[-1], code=1)  # it is older now


def a_rescue_copy_restores_the_file_of_the_option_state(directory):
    """State that could not be written into the file of -state: the reported command changes that file and no other state."""
    configuration(directory)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    failed = run(directory, "apply", "-auto-approve", "-state=s.tfstate", code=5, preexec_fn=small)
    done = {line.split(":")[0] for line in failed.stdout.splitlines() if "complete after" in line}
    named = re.findall(r"^ *iacctl (state push -state=s.tfstate \S+)$", failed.stderr, re.M)
    assert len(named) == 1 and done, failed.stderr
    run(directory, *named[0].split())
    assert done <= set(run(directory, "state", "list", "-state=s.tfstate").stdout.split())
    assert run(directory, "state", "list", code=1).stdout == ""
    run(directory, "apply", "-auto-approve", "-state=s.tfstate")
    run(directory, "plan", "-detailed-exitcode", "-state=s.tfstate")


def the_file_of_the_option_state_has_one_writer(directory):
    """Two directories with one state file: the second command is refused or waits, also after the first has written."""
    shared = directory / "shared.tfstate"
    option = f"-state={shared}"
    here, there = directory / "here", directory / "there"
    here.mkdir()
    there.mkdir()
    (here / "main.tf").write_text("""
resource "terraform_data" "a" {
  provisioner "local-exec" { command = "touch started; sleep 10.5" }
}
resource "terraform_data" "b" {
  depends_on = [terraform_data.a]
  provisioner "local-exec" { command = "while [ ! -e go ]; do sleep 0.05; done" }
}
""")
    (there / "main.tf").write_text('resource "terraform_data" "c" {}\n')

    def is_locked():
        with open(shared, "r+") as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as terraform does
            except BlockingIOError:
                return True
        return False

    def others_are_refused():
        for command in (("apply", "-auto-approve"), ("plan",)):
            refused = run(there, *command, option, code=3)
            assert "state_locked" in refused.stderr, refused.stderr
        assert is_locked()

    first = started(here, "apply", "-auto-approve", option)
    others_are_refused()
    for _ in range(2000):  # after 10 s, the next change is written
        if shared.stat().st_size > 0:
            break
        time.sleep(0.02)
    assert shared.stat().st_size > 0 and first.poll() is None
    others_are_refused()
    waiting = subprocess.Popen([BINARY, "plan", "-lock-timeout=50s", option], cwd=there, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    assert waiting.poll() is None
    (here / "go").touch()
    assert first.wait(timeout=50) == 0 and waiting.wait(timeout=50) == 0
    assert run(here, "state", "list", option).stdout.split() == ["terraform_data.a", "terraform_data.b"]
    assert not is_locked()
    with open(shared, "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        assert "state_locked" in run(there, "apply", "-auto-approve", option, code=3).stderr
    kill(started(here, "apply", "-auto-approve", "-replace=terraform_data.a", option))
    assert not is_locked()


def pending_operations_survive_pull_and_push(directory):
    """A state that was pulled with a pending operation keeps it in any workspace; a state without it is refused."""
    workspace = killed_in_a_provisioner(directory, 'resource "terraform_data" "other" {}\n')
    pulled = run(directory, "state", "pull").stdout
    assert '"pending_operations"' in pulled, pulled
    newer = re.sub(r'"serial": (\d+)', lambda m: f'"serial": {int(m.group(1)) + 1}', pulled)
    newer = newer.replace('"outputs": {}', '"outputs": {\n    "o": {\n      "value": 1,\n      "type": "number"\n    }\n  }')
    (directory / "newer.tfstate").write_text(newer)
    (directory / "forgetful.tfstate").write_text(re.sub(r',\n  "pending_operations".*', "\n}\n", newer, flags=re.S))
    printed = run(directory, "state", "push", "forgetful.tfstate", code=1)
    assert "terraform_data.slow" in printed.stderr, printed.stderr
    run(directory, "state", "push", "newer.tfstate")
    again = run(directory, "state", "pull").stdout
    assert again == newer, again
    run(directory, "workspace", "new", "-state=newer.tfstate", "copy")
    copied = run(directory, "state", "pull").stdout
    assert copied[copied.index('"pending_operations"'):] == newer[newer.index('"pending_operations"'):], copied
    run(directory, "state", "resolve", "terraform_data.slow", "-not-created")
    run(directory, "workspace", "select", "default")
    run(directory, "state", "push", "-force", "forgetful.tfstate")
    assert "pending_operations" not in run(directory, "state", "pull").stdout
    assert workspace.exists()


TESTS = [a_rescue_copy_is_restored_by_the_reported_command, a_rescue_copy_restores_the_file_of_the_option_state,
         the_file_of_the_option_state_has_one_writer, pending_operations_survive_pull_and_push,
         a_damaged_log_is_reported, a_deleted_log_of_a_first_apply_is_reported,
         a_state_of_format_2_is_upgraded, killed_applies_converge, killed_destroys_converge,
         an_interrupt_stops_gracefully, an_interrupted_operation_is_resolved_manually,
         a_create_that_is_killed_in_its_provisioner_leaves_a_tainted_object,
         an_object_that_was_killed_in_its_provisioner_is_destroyed,
         an_operation_with_an_unknown_result_needs_a_decision, a_plan_during_an_apply_reports_the_apply,
         a_plan_creates_no_workspace, a_held_lock_is_reported, a_full_disk_loses_nothing]


if __name__ == "__main__":
    sys.exit(tap.run(TESTS))
