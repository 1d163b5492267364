#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Gives iacctl inputs that would block, programs that do not end, too little memory, and secrets in the environment. TAP.

    hostile.py IACCTL [NAME...]     runs the tests of these names, or all
"""
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import tap

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
SOON = 20  # seconds; whatever waits for a pipe waits longer


def environment(**more):
    return {key: text for key, text in os.environ.items() if not key.startswith("TF_")} | more


def run(directory, *arguments, code=0, env=None, **options):
    """Runs a command to its end; `code` may be a set."""
    done = subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SOON, env=env or environment(), **options)
    wanted = code if isinstance(code, set) else {code}
    assert done.returncode in wanted, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
    return done


def write(directory, text, name="main.tf"):
    path = directory / name
    if path.exists() and not path.is_file():
        path.unlink()
    path.write_text(text)


def started(directory, *arguments, **options):
    """Starts a run, and returns it when the file `started` exists."""
    process = subprocess.Popen([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment(), **options)
    deadline = time.monotonic() + SOON
    while not (directory / "started").exists():
        assert time.monotonic() < deadline and process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def a_pipe_or_device_is_rejected_as_input(directory):
    """Commands that read files report those that are not regular files, and do not wait for them."""
    os.mkfifo(directory / "p")
    os.mkfifo(directory / "p.json")
    empty = 'variable "v" {\n  default = 1\n}\n'

    def refused(*arguments, name="p", **options):
        done = run(directory, *arguments, code=1, **options)
        assert name in done.stderr and ("pipe" in done.stderr or "device" in done.stderr), (arguments, done.stderr)

    write(directory, empty)
    refused("plan", "-var-file=p")
    refused("plan", "-var-file=p.json")
    refused("plan", "-var-file=/dev/zero", name="/dev/zero")
    refused("show", "p")
    refused("apply", "p")
    refused("state", "push", "p")
    write(directory, 'terraform {\n  backend "local" {}\n}\n')
    refused("init", "-backend-config=p")
    for expression in ('file("p")', 'filebase64("p")', 'filemd5("p")', 'templatefile("p", {})', 'file("/dev/zero")'):
        write(directory, f"output \"o\" {{\n  value = {expression}\n}}\n")
        refused("plan", name="zero" if "zero" in expression else "p")
    write(directory, 'data "local_file" "d" {\n  filename = "p"\n}\n')
    refused("plan")
    write(directory, 'data "terraform_remote_state" "d" {\n  backend = "local"\n  config = {\n    path = "p"\n  }\n}\n')
    refused("plan")
    write(directory, 'resource "local_file" "f" {\n  filename = "out"\n  source = "p"\n}\n')
    refused("apply", "-auto-approve")
    write(directory, 'resource "local_file" "f" {\n  filename = "p"\n  content = "a"\n}\n')
    refused("apply", "-auto-approve")
    write(directory, empty)
    os.mkfifo(directory / "terraform.tfvars")
    refused("plan", name="terraform.tfvars")
    (directory / "terraform.tfvars").unlink()
    os.mkfifo(directory / "other.tf")
    refused("plan", name="other.tf")
    run(directory, "fmt", code=2)
    (directory / "other.tf").unlink()
    (directory / ".terraform").mkdir()
    os.mkfifo(directory / ".terraform" / "environment")
    refused("plan", name="environment")


def a_variables_file_can_be_a_pipe(directory):
    """Shells pass the output of a program as a pipe: -var-file=<(program)."""
    write(directory, 'variable "v" {}\noutput "o" {\n  value = var.v\n}\n')
    done = subprocess.run(["bash", "-c", f'"{BINARY}" apply -auto-approve -no-color -var-file=<(sleep 0.2; echo \'v = "piped"\')'],
                          cwd=directory, capture_output=True, text=True, timeout=SOON, env=environment())
    assert done.returncode == 0, done.stderr
    assert run(directory, "output", "-raw", "o").stdout == "piped"


def a_file_that_cannot_be_read_is_not_treated_as_missing(directory):
    """A file is missing only if its name or its directory does not exist. Otherwise it stays in state, and the command fails."""
    write(directory, 'resource "local_file" "f" {\n  filename = "d/f"\n  content = "a"\n}\n'
                     'resource "local_sensitive_file" "f" {\n  filename = "d/s"\n  content = "a"\n}\n')
    run(directory, "apply", "-auto-approve")
    for name in ("f", "s"):
        there = directory / "d" / name
        there.unlink()
        there.symlink_to(name)
        failed = run(directory, "plan", code=1)
        printed = re.sub(r"\s+", " ", failed.stderr.replace("│", ""))
        assert "[local_file_unreadable]" in printed and f"d/{name}" in printed, failed.stderr
        run(directory, "apply", "-auto-approve", code=1)
        run(directory, "refresh", code=1)
        assert len(run(directory, "state", "list").stdout.split()) == 2
        there.unlink()
        there.write_text("a")
    run(directory, "plan", "-detailed-exitcode")
    (directory / "d" / "f").unlink()
    run(directory, "plan", "-detailed-exitcode", code=2)
    (directory / "d" / "s").unlink()
    (directory / "d").rmdir()
    (directory / "d").write_text("a file where a directory was")
    run(directory, "plan", "-detailed-exitcode", code=2)


STUBBORN = '''
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "trap '' INT TERM HUP; echo $$ > pid; touch started; sleep 60; sleep 60"
  }
}
'''


def the_second_interrupt_kills_programs_that_ignore_signals(directory):
    """They get a second, then SIGKILL; their objects are tainted, and the exit code is that of an interrupt."""
    write(directory, STUBBORN)
    running = started(directory, "apply", "-auto-approve", "-no-color")
    running.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert running.poll() is None
    before = time.monotonic()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=SOON)
    assert time.monotonic() - before < 2.8, time.monotonic() - before
    assert running.returncode == 130, (running.returncode, out, err)
    assert "signal: Killed" in err and "exit status 0" not in err, err
    assert not is_alive(int((directory / "pid").read_text()))
    write(directory, 'resource "terraform_data" "a" {}\n')
    assert "tainted" in run(directory, "show", "-no-color").stdout


def the_third_interrupt_ends_the_command_immediately(directory):
    """The command does not wait any longer, no program continues to run, and state has the operations that were begun."""
    write(directory, STUBBORN)
    running = started(directory, "apply", "-auto-approve", "-no-color")
    for _ in range(3):
        running.send_signal(signal.SIGINT)
        time.sleep(0.1)
    before = time.monotonic()
    _, err = running.communicate(timeout=SOON)
    assert time.monotonic() - before < 0.5, time.monotonic() - before
    assert running.returncode == 130, (running.returncode, err)
    time.sleep(0.1)
    assert not is_alive(int((directory / "pid").read_text()))
    run(directory, "state", "list")
    run(directory, "plan", code={0, 1, 7})


def a_lost_terminal_acts_as_an_interrupt(directory):
    """After SIGHUP, running operations end; under nohup it has no effect."""
    write(directory, 'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "touch started; sleep 1"\n  }\n}\n'
                     'resource "terraform_data" "b" {\n  input = terraform_data.a.id\n}\n')
    running = started(directory, "apply", "-auto-approve", "-no-color")
    running.send_signal(signal.SIGHUP)
    out, err = running.communicate(timeout=SOON)
    assert running.returncode == 130, (running.returncode, out, err)
    assert run(directory, "state", "list").stdout.split() == ["terraform_data.a"]
    run(directory, "destroy", "-auto-approve")

    (directory / "started").unlink()
    running = started(directory, "apply", "-auto-approve", "-no-color",
                      preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    running.send_signal(signal.SIGHUP)
    out, err = running.communicate(timeout=SOON)
    assert running.returncode == 0, (running.returncode, out, err)
    assert len(run(directory, "state", "list").stdout.split()) == 2


def an_interrupted_read_ends_its_program(directory):
    """The same for data sources, while planning; also for a program that has closed its output."""
    write(directory, 'data "external" "d" {\n  program = ["sh", "-c", "trap \'\' TERM; echo $$ > pid; touch started; exec >&-; sleep 60; sleep 60"]\n}\n')
    running = started(directory, "plan", "-no-color")
    for _ in range(2):
        running.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    _, err = running.communicate(timeout=5)
    assert running.returncode == 130, (running.returncode, err)
    time.sleep(0.1)
    assert not is_alive(int((directory / "pid").read_text()))


def endless_output_is_bounded(directory):
    """A data source that prints forever is stopped, and the memory for the standard error of a program is limited."""
    write(directory, 'data "external" "d" {\n  program = ["yes"]\n}\n')
    assert "64 MiB" in run(directory, "plan", "-no-color", code=1).stderr
    write(directory, 'data "external" "d" {\n  program = ["sh", "-c", "head -c 100000000 /dev/zero >&2; echo {}"]\n}\n')
    run(directory, "plan", "-no-color", code={0, 1})
    write(directory, 'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "head -c 1000000 /dev/zero | tr \'\\\\0\' x"\n  }\n}\n')
    assert run(directory, "apply", "-auto-approve").stdout.count("x") >= 1_000_000


def lack_of_memory_is_reported(directory):
    """The process never ends by a signal, but with a diagnostic and an exit code, whichever thread got no memory."""
    write(directory, 'resource "terraform_data" "a" {\n  count = 3000\n  input = format("%0200d", count.index)\n}\n')
    reports = 0
    for megabytes in (75, 90, 120, 150, 180, 220, 280, 500):  # the program itself maps 60
        limit = megabytes << 20
        done = subprocess.run([BINARY, "apply", "-auto-approve", "-no-color"], cwd=directory, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, env=environment(),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        if done.returncode == 127:  # not even the libraries
            continue
        assert done.returncode in (0, 1, 5), (megabytes, done.returncode, done.stderr[-1000:])
        coded = re.search(r"\[[a-z_]+\]", done.stderr) and "std::" not in done.stderr and "unknown type" not in done.stderr
        assert done.returncode == 0 or coded, (megabytes, done.returncode, done.stdout[-300:], done.stderr[-1000:])
        reports += "[out_of_memory]" in done.stderr
    assert reports > 0
    run(directory, "apply", "-auto-approve")
    assert len(run(directory, "state", "list").stdout.split()) == 3000


def lack_of_memory_names_the_place_of_the_copy(directory):
    """If memory ends during an apply, the message names the directory in which a copy of state would be: that of the workspace."""
    write(directory, 'resource "terraform_data" "a" {\n  count = 3000\n  input = format("%0200d", count.index)\n}\n')
    named = 0
    for number, megabytes in enumerate(range(90, 600, 4)):
        place = directory / str(number)
        place.mkdir()
        shutil.copy(directory / "main.tf", place)
        run(place, "workspace", "new", "east")
        limit = megabytes << 20
        done = subprocess.run([BINARY, "apply", "-auto-approve", "-no-color"], cwd=place, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, env=environment(),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        told = " ".join(done.stderr.split())
        if done.returncode == 0 or named == 2:
            break
        if "[out_of_memory]" in told and "State contains all operations" in told:
            named += 1
            assert " a file .iacctl/east/spool/rescue-*.tfstate contains a copy;" in told, (megabytes, told)
            assert (place / ".iacctl" / "east" / "spool").is_dir(), sorted(place.rglob("*"))
    assert named > 0


def an_error_has_an_exit_code(directory):
    """If there is no space for state at any point, even at the end, an error is never followed by success."""
    def apply_in(kilobytes):
        place = directory / str(kilobytes)
        place.mkdir()
        write(place, 'resource "terraform_data" "a" {\n  count = 30\n  input = count.index\n}\n')
        blocks = kilobytes * 2  # ulimit counts in 512 bytes
        done = subprocess.run(["sh", "-c", f'ulimit -f {blocks} && exec "$0" "$@"', BINARY, "apply", "-auto-approve", "-no-color"],
                              cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SOON, env=environment())
        failed = "Error: " in done.stderr
        assert failed == (done.returncode != 0), (kilobytes, done.returncode, done.stderr)
        if "Failed to save state" in done.stderr:
            assert done.returncode == 5, (kilobytes, done.returncode, done.stderr)
        return failed

    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # they wait for the disk
        assert {True, False} == set(pool.map(apply_in, range(40, 260, 3)))


def output_that_cannot_be_written_is_an_error(directory):
    """With a full disk or a closed descriptor as standard output, the command completes and reports the lost output."""
    write(directory, 'resource "terraform_data" "a" {\n  count = 3\n}\n')
    for arguments in (["apply", "-auto-approve"], ["state", "list"], ["show", "-json"], ["version"], ["plan", "-help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=SOON, env=environment())
        assert done.returncode == 1 and "[output_incomplete]" in done.stderr, (arguments, done.returncode, done.stderr)
        done = subprocess.run(["sh", "-c", '"$0" "$@" >&-', BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=SOON, env=environment())
        assert done.returncode == 1 and "[output_incomplete]" in done.stderr, (arguments, done.returncode, done.stderr)
    assert len(run(directory, "state", "list").stdout.split()) == 3


def a_reader_that_has_enough_is_no_error(directory):
    """As with other programs, `plan | head` is silent; an apply is completed."""
    write(directory, 'resource "terraform_data" "a" {\n  count = 4000\n}\n')
    for arguments in (["plan"], ["apply", "-auto-approve"], ["state", "list"], ["show", "-json"], ["plan", "-json"]):
        process = subprocess.Popen([BINARY, *arguments], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=environment())
        process.stdout.read(1)
        process.stdout.close()
        told = process.stderr.read()
        code = process.wait(SOON)
        process.stderr.close()
        assert (code, told) == (128 + signal.SIGPIPE, ""), (arguments, code, told)
    assert len(run(directory, "state", "list").stdout.split()) == 4000


def closed_standard_streams_are_not_reused(directory):
    write(directory, 'variable "v" {}\nresource "terraform_data" "a" {\n  input = var.v\n}\n')

    def run_with(closed, *arguments, code, **more):
        done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', BINARY, *arguments], cwd=directory, env=environment(**more),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SOON)
        assert done.returncode == code, (closed, arguments, done)
        return done

    run_with("<&-", "plan", code=1)  # it asks for a value
    run_with("<&-", "apply", "-var=v=1", code=1)  # it asks for consent
    run_with(">&-", "apply", "-var=v=1", "-auto-approve", "-json-into=events", code=1, TF_LOG="INFO", TF_LOG_PATH="log")
    assert "Plan:" not in (directory / "log").read_text()
    for line in (directory / "events").read_text().splitlines():
        json.loads(line)


def a_file_of_events_becomes_private(directory):
    write(directory, 'output "o" {\n  value = 1\n}\n')
    events = directory / "events"
    events.touch(mode=0o666)
    events.chmod(0o666)
    run(directory, "plan", "-json-into=events")
    assert events.stat().st_mode & 0o777 == 0o600


def an_error_of_an_apply_has_the_place_of_the_resource(directory):
    write(directory, 'resource "local_file" "f" {\n  content  = "x"\n  filename = "/proc/1/none/file"\n}\n')
    lines = run(directory, "apply", "-auto-approve", "-json", code=1).stdout.splitlines()
    failed = [event["diagnostic"] for event in map(json.loads, lines) if event["type"] == "diagnostic"]
    assert [(one["address"], one["range"]["filename"]) for one in failed] == [("local_file.f", "main.tf")], failed


def secrets_of_the_environment_are_withheld(directory):
    """Programs of a configuration do not receive the values of sensitive variables in the environment."""
    write(directory, '''
variable "secret" {
  sensitive = true
}
variable "plain" {}
data "external" "d" {
  program = ["sh", "-c", "echo \\"{\\\\\\"s\\\\\\":\\\\\\"$TF_VAR_secret\\\\\\",\\\\\\"p\\\\\\":\\\\\\"$TF_VAR_plain\\\\\\"}\\""]
}
output "d" {
  value = data.external.d.result
}
resource "terraform_data" "a" {
  triggers_replace = timestamp()
  provisioner "local-exec" {
    command = "echo $TF_VAR_secret-$TF_VAR_plain-$TF_VAR_other > seen"
  }
  provisioner "local-exec" {
    command     = "echo $TF_VAR_secret > given"
    environment = { TF_VAR_secret = "from the block" }
  }
}
''')

    def seen(**more):
        given = environment(TF_VAR_secret="s3cret", TF_VAR_plain="plain", TF_VAR_other="other", **more)
        run(directory, "apply", "-auto-approve", env=given)
        assert (directory / "given").read_text() == "from the block\n"
        return (directory / "seen").read_text().strip(), run(directory, "output", "-json", "d", env=given).stdout.strip()

    assert seen() == ("-plain-other", '{"p":"plain","s":""}'), seen()
    assert seen(IACCTL_PASS_SENSITIVE="1") == ("s3cret-plain-other", '{"p":"plain","s":"s3cret"}')


def secrets_of_the_program_are_withheld(directory):
    """Programs of a configuration do not receive secrets that only iacctl uses. They receive those of other programs."""
    write(directory, '''
data "external" "d" {
  program = ["sh", "-c", "env > data; echo {}"]
}
resource "terraform_data" "a" {
  triggers_replace = timestamp()
  provisioner "local-exec" {
    command = "env > provisioner"
  }
}
''')
    withheld = {"TF_TOKEN_registry_example_com": "s3cret", "TF_HTTP_PASSWORD": "s3cret",
                "TF_ENCRYPTION": "# s3cret", "TF_CLI_ARGS_destroy": "-var=a=s3cret"}
    passed = {"AWS_SECRET_ACCESS_KEY": "of-aws", "PGPASSWORD": "of-postgres"}

    run(directory, "apply", "-auto-approve", env=environment(**withheld, **passed))
    for name in ("data", "provisioner"):
        seen = (directory / name).read_text()
        assert "s3cret" not in seen, seen
        assert all(f"{name}={text}\n" in seen for name, text in passed.items()), seen

    run(directory, "apply", "-auto-approve", env=environment(**withheld, **passed, IACCTL_PASS_SENSITIVE="1"))
    for name in ("data", "provisioner"):
        assert (directory / name).read_text().count("s3cret") == len(withheld)


TESTS = [a_pipe_or_device_is_rejected_as_input, a_variables_file_can_be_a_pipe, a_file_that_cannot_be_read_is_not_treated_as_missing,
         the_second_interrupt_kills_programs_that_ignore_signals, the_third_interrupt_ends_the_command_immediately,
         a_lost_terminal_acts_as_an_interrupt, an_interrupted_read_ends_its_program, endless_output_is_bounded,
         lack_of_memory_is_reported, lack_of_memory_names_the_place_of_the_copy, an_error_has_an_exit_code,
         output_that_cannot_be_written_is_an_error,
         a_reader_that_has_enough_is_no_error, closed_standard_streams_are_not_reused, a_file_of_events_becomes_private,
         an_error_of_an_apply_has_the_place_of_the_resource, secrets_of_the_environment_are_withheld,
         secrets_of_the_program_are_withheld]


if __name__ == "__main__":
    sys.exit(tap.run([test for test in TESTS if not sys.argv[2:] or test.__name__ in sys.argv[2:]]))
