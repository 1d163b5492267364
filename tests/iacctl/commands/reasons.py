#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Errors of the command line, the environment and files: each message has the right reason. Usage: reasons.py IACCTL"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
EMPTY = 'variable "v" {\n  type    = number\n  default = 1\n}\nresource "terraform_data" "a" {}\n'


def run(place, *arguments, code=0, without=(), prepare=None, program=IACCTL, **variables):
    """Runs a command; its outputs have lines that are not wrapped."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TF_") and name not in without}
    done = subprocess.run([program, *arguments], cwd=place, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          env=environment | variables, preexec_fn=prepare)
    assert done.returncode == code, (arguments, done.returncode, done.stdout + done.stderr)
    return done


def says(text, *parts):
    text = " ".join(text.split())
    for part in parts:
        assert part in text, (part, text)


def limited(what, number):
    return lambda: resource.setrlimit(what, (number, number))


def as_another_user():
    """Root may read and write everything."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)


def for_another_user(place):
    """Gives the directory to another user, with a program that this user can execute; returns the arguments of `run`."""
    program = pathlib.Path(shutil.copy(IACCTL, place))
    place.chmod(0o755)
    if os.geteuid() == 0:
        for one in (place, *place.rglob("*")):
            os.chown(one, 65534, 65534)
    return {"program": program, "prepare": as_another_user, "HOME": str(place)}


def an_empty_name_is_no_file(place):
    (place / "main.tf").write_text(EMPTY)
    for option in ("out", "html", "trace", "json-into", "generate-config-out", "var-file", "target-file", "state"):
        says(run(place, "plan", f"-{option}=", code=1).stderr, f'-{option} does not accept "". It accepts the name of a file.')


def an_empty_name_is_no_directory(place):
    (place / "main.tf").write_text(EMPTY)
    says(run(place, "-chdir=", "destroy", "-auto-approve", code=1).stderr,
         '-chdir does not accept "". It accepts the name of a directory.')


def a_mistake_in_the_command_line_is_json_with_json(place):
    (place / "main.tf").write_text(EMPTY)
    for command in ("plan", "apply", "destroy", "refresh", "test", "query"):
        for arguments in (("-json", "-bad"), ("-bad", "--json"), ("-bad", "-json=true")):
            done = run(place, command, *arguments, code=1)
            assert done.stdout.count("\n") == 1, done
            event = json.loads(done.stdout)
            assert (event["type"], event["diagnostic"]["code"], done.stderr) == ("diagnostic", "unknown_option", ""), done
        assert run(place, command, "-bad", "-json=false", code=1).stdout == ""
    done = run(place, "validate", "-bad", "-json", code=1)
    assert done.stdout, done
    report = json.loads(done.stdout)
    assert (report["valid"], report["error_count"], report["diagnostics"][0]["code"]) == (False, 1, "unknown_option"), report
    done = run(place, "plan", code=1, TF_CLI_ARGS_plan="-json -bad")
    assert done.stdout, done
    assert json.loads(done.stdout)["diagnostic"]["code"] == "unknown_option", done
    says(run(place, "show", "-bad", "-json", code=1).stderr, "[unknown_option]")


def wrong_settings_of_the_log_are_named(place):
    (place / "main.tf").write_text(EMPTY)
    done = run(place, "validate", TF_LOG="FOO")
    says(done.stderr, "Warning: Invalid log level", '"FOO" in TF_LOG is not a level', "command begins")
    assert "FOO" not in done.stdout, done
    for level in ("trace", "OFF", "json", ""):
        assert "Invalid log level" not in run(place, "validate", TF_LOG=level).stderr, level
    says(run(place, "validate", TF_LOG_PROVIDER="LOUD").stderr, '"LOUD" in TF_LOG_PROVIDER')
    done = run(place, "validate", TF_LOG="INFO", TF_LOG_PATH="none/log")
    says(done.stderr, "Warning: Log file cannot be opened", '"none/log" of TF_LOG_PATH cannot be opened: No such file or directory',
         "command begins")
    assert run(place, "validate", TF_LOG_PATH="none/log").stderr == ""


def a_full_disk_is_the_reason(place):
    (place / "main.tf").write_text(EMPTY)
    run(place, "apply", "-auto-approve")
    full = limited(resource.RLIMIT_FSIZE, 8192)  # less than the index that SQLite creates
    says(run(place, "taint", "terraform_data.a", code=1, prepare=full).stderr, "state.db-shm", "could not be written",
         "File too large")
    assert run(place, "state", "list", prepare=full).stdout == "terraform_data.a\n"
    assert "terraform_data" in run(place, "state", "pull", prepare=full).stdout


def a_login_needs_a_home_directory(place):
    says(run(place, "login", "example.com", code=1, without=("HOME",)).stderr, "Set HOME", "[no_home_directory]")


def a_directory_is_no_file_for_records(place):
    (place / "main.tf").write_text(EMPTY)
    for option, code in (("html", "page_not_written"), ("trace", "trace_not_written")):
        says(run(place, "plan", f"-{option}=.", code=1).stderr, "Is a directory", f"[{code}]")
        says(run(place, "plan", f"-{option}=none/file", code=1).stderr, "No such file or directory", f"[{code}]")
    says(run(place, "simulate", "-trace=.", code=1).stderr, "Is a directory", "[trace_not_written]")
    run(place, "plan", "-out=p")
    says(run(place, "show", "-html=.", "p", code=1).stderr, "Is a directory", "[page_not_written]")


def a_pipe_receives_a_trace(place):
    (place / "main.tf").write_text(EMPTY)
    done = subprocess.run(["bash", "-c", f"'{IACCTL}' plan -trace=>(cat > copy; touch ended) > log; while [ ! -e ended ]; do sleep 0.05; done"],
                          cwd=place, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done
    json.loads((place / "copy").read_text())


def lost_events_have_a_reason(place):
    (place / "main.tf").write_text(EMPTY)
    for command in ("plan", "validate"):
        says(run(place, command, "-json-into=/dev/full", code=1).stderr, "No space left on device", "[unwritable_json_file]")


def attributes_of_a_resolved_operation_are_checked(place):
    (place / "main.tf").write_text('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                                   '    command = "touch started; sleep 30"\n  }\n}\n')
    running = subprocess.Popen([IACCTL, "apply", "-auto-approve"], cwd=place, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    end = time.monotonic() + 20
    while not (place / "started").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    running.kill()
    running.wait()
    for wrong, why in (("{bad", "not JSON at byte 2"), ('{"id": "1",}', "not JSON at byte 12"), ('{"no": "1"}', '"no"')):
        says(run(place, "state", "resolve", "terraform_data.a", f"-created={wrong}", code=1).stderr,
             "The attributes in -created cannot be used", why, "[created_attributes_invalid]")
    run(place, "state", "resolve", "terraform_data.a", '-created={"id": "1"}')


def a_limit_of_open_files_is_the_reason(place):
    (place / "main.tf").write_text(EMPTY)
    run(place, "apply", "-auto-approve")
    reports = 0
    for most in range(5, 16):
        done = subprocess.run([IACCTL, "plan"], cwd=place, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                              preexec_fn=limited(resource.RLIMIT_NOFILE, most))
        if done.returncode == 127:  # not even the libraries
            continue
        text = " ".join(done.stderr.split())
        assert done.returncode == 0 or ("Too many open files" in text and "Internal error" not in text), (most, text)
        reports += done.returncode != 0
    assert reports > 0


def an_unreadable_data_directory_is_the_reason(place):
    (place / "main.tf").write_text(EMPTY)
    run(place, "apply", "-auto-approve")
    other = for_another_user(place)
    (place / ".iacctl").chmod(0)
    try:
        for command in (("plan",), ("state", "list"), ("init",)):
            text = run(place, *command, code=1, **other).stderr
            says(text, ".iacctl/backend.json", "Permission denied")
            assert "-reconfigure" not in text, text
    finally:
        (place / ".iacctl").chmod(0o700)


def a_file_that_fmt_cannot_write_has_a_reason(place):
    (place / "main.tf").write_text("locals {\n a   =1\n}\n")
    other = for_another_user(place)
    (place / "main.tf").chmod(0o444)
    says(run(place, "fmt", code=2, **other).stderr, "main.tf could not be written: Permission denied")


def a_deleted_current_directory_is_the_reason(place):
    gone = place / "gone"
    gone.mkdir()
    for command in ("plan", "validate", "init", "state list"):
        done = subprocess.run(["sh", "-c", f"cd '{gone}' && rmdir '{gone}' && '{IACCTL}' {command}; code=$?; mkdir '{gone}'; exit $code"],
                              cwd=place, capture_output=True, text=True, timeout=30)
        assert done.returncode == 1, done
        says(done.stderr, "[current_directory_missing]")
    for command in ("explain current_directory_missing", "metadata commands -json", "version"):
        done = subprocess.run(["sh", "-c", f"cd '{gone}' && rmdir '{gone}' && '{IACCTL}' {command}; code=$?; mkdir '{gone}'; exit $code"],
                              cwd=place, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done


def options_of_variables_are_checked_by_commands_without_a_plan(place):
    (place / "main.tf").write_text(EMPTY)
    (place / "values").write_text("v = 2\nother = 3\n")
    (place / "broken").write_text("v = \n")
    run(place, "apply", "-auto-approve")
    commands = (("plan",), ("state", "list"), ("state", "show", "terraform_data.a"), ("state", "rm", "terraform_data.a"), ("output",),
                ("show",), ("taint", "terraform_data.a"), ("workspace", "list"), ("workspace", "new", "w"), ("validate",), ("graph",), ("modules",), ("providers",))
    for command in commands:
        for option, code in (("-var=none=1", "undeclared_variable_in_option"), ("-var=v", "var_option_without_value"),
                             ("-var=v=x", "unsuitable_variable_value_from_outside"), ("-var-file=none", "missing_variables_file"),
                             ("-var-file=broken", "invalid_expression")):
            says(run(place, *command, option, code=1).stderr, f"[{code}]")
    assert json.loads(run(place, "validate", "-json", "-var=none=1", code=1).stdout)["diagnostics"][0]["code"] == "undeclared_variable_in_option"
    assert run(place, "init", "-var=none=1")  # as in Terraform
    for option in ("-var=v=2", "-var-file=values"):
        assert run(place, "state", "list", option).stdout == "terraform_data.a\n"
    (place / "more.tf").write_text('module "m" {\n  source = "example.com/a/b/c"\n}\n')
    says(run(place, "state", "list", "-var=none=1", code=1).stderr, "[undeclared_variable_in_option]")
    (place / "more.tf").write_text("nonsense\n")
    assert run(place, "state", "list", "-var=none=1").stdout == "terraform_data.a\n"  # it may be declared there


def variables_of_a_pipe_are_read_once(place):
    (place / "main.tf").write_text('variable "p" {}\nvariable "key" {}\nterraform {\n  backend "local" {\n    path = var.p\n  }\n  encryption {\n'
                                   '    key_provider "pbkdf2" "k" {\n      passphrase = var.key\n    }\n    method "aes_gcm" "m" {\n'
                                   '      keys = key_provider.pbkdf2.k\n    }\n    state {\n      method = method.aes_gcm.m\n    }\n  }\n}\n'
                                   'resource "terraform_data" "a" {}\n')
    (place / "values").write_text('p   = "s.tfstate"\nkey = "a passphrase that is long"\n')
    run(place, "init", "-var-file=values")
    run(place, "apply", "-auto-approve", "-var-file=values")
    for command, expected in (("state list", "terraform_data.a\n"), ("plan", "No changes.")):
        done = subprocess.run(["bash", "-c", f"'{IACCTL}' {command} -var-file=<(cat values)"], cwd=place, capture_output=True, text=True,
                              timeout=30)
        assert expected in done.stdout, done


def files_are_checked_before_the_first_change(place):
    (place / "main.tf").write_text(EMPTY)
    run(place, "apply", "-auto-approve")
    (place / "s.json").write_text(run(place, "state", "pull").stdout)
    (place / "main.tf").write_text(EMPTY.replace('"a" {}', '"b" {}'))
    (place / "file").touch()
    (place / "link").symlink_to("nowhere")
    before = (place / "s.json").read_text()
    for options in (("-state-out=s.json", "-backup=file/below/b.json"), ("-backup=link/b.json",), ("-lock=false", "-state-out=link/s.json")):
        says(run(place, "apply", "-auto-approve", "-state=s.json", *options, code=1).stderr, "could not be written")
        assert (place / "s.json").read_text() == before and not (place / "nowhere").exists()
    run(place, "apply", "-auto-approve", "-state=s.json", "-state-out=deep/below/s.json", "-backup=deep/b.json")
    assert (place / "deep" / "below" / "s.json").exists() and (place / "deep" / "b.json").exists()


def a_mistake_in_the_command_line_replaces_earlier_events(place):
    (place / "main.tf").write_text(EMPTY)
    run(place, "plan", "-json-into=events")
    run(place, "plan", "-nonsense", "-json-into=events", code=1)
    lines = [json.loads(line) for line in (place / "events").read_text().splitlines()]
    assert [line["diagnostic"]["code"] for line in lines] == ["unknown_option"], lines
    run(place, "validate", "-json-into=document", "-nonsense", code=1)
    assert json.loads((place / "document").read_text())["error_count"] == 1


def an_error_of_the_command_line_is_json_only_if_it_is_requested(place):
    for words in (("plan", "-nonsense", "-json"), ("plan", "-json", "-target"), ("plan", "-out=", "-json=true"), ("plan", "-json", "extra")):
        assert json.loads(run(place, *words, code=1).stdout)["@level"] == "error", words
    for words in (("plan", "-nonsense", "--", "-json"), ("plan", "-nonsense", "-target", "-json"), ("plan", "-json", "-json=false", "-out=")):
        done = run(place, *words, code=1)
        assert not done.stdout and "Error: " in done.stderr, (words, done)


def a_pipe_receives_the_log(place):
    (place / "main.tf").write_text(EMPTY)
    os.mkfifo(place / "log")
    reader = subprocess.Popen(["cat", place / "log"], stdout=subprocess.PIPE, text=True)
    run(place, "validate", TF_LOG="INFO", TF_LOG_PATH="log")
    assert "command begins" in reader.communicate(timeout=30)[0]


def fmt_keeps_a_file_on_a_full_disk(place):
    text = "locals {\n" + "".join(f"  a{i} = {i}\n" for i in range(3000)) + "}\n"
    (place / "main.tf").write_text(text)
    done = run(place, "fmt", code=2, prepare=limited(resource.RLIMIT_FSIZE, 16384))
    says(done.stderr, "main.tf could not be written: File too large")
    assert (place / "main.tf").read_text() == text


def an_address_may_have_escapes(place):
    (place / "main.tf").write_text('resource "terraform_data" "a" {\n  for_each = toset(["\u00e9"])\n}\n')
    run(place, "apply", "-auto-approve")
    for address in ('terraform_data.a["\u00e9"]', 'terraform_data.a["\\u00e9"]'):
        says(run(place, "state", "show", address).stdout, 'terraform_data.a["\u00e9"]')


def a_held_lock_is_that_of_the_written_file(place):
    (place / "main.tf").write_text('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                                   '    command = "touch started; sleep 60"\n  }\n}\n')

    def started(*options):
        running = subprocess.Popen([IACCTL, "apply", "-auto-approve", *options], cwd=place, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + 20
        while not (place / "started").exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        return running

    def kill(running):
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        (place / "started").unlink()

    kill(started())
    (place / "pending.json").write_text(run(place, "state", "pull").stdout)
    running = started("-state=a.json", "-state-out=b.json")
    try:
        text = run(place, "apply", "-auto-approve", "-state=c.json", "-state-out=b.json", code=3).stderr
        says(text, "(lock file b.json)")
        text = run(place, "apply", "-auto-approve", "-lock=false", "-state=pending.json", "-state-out=b.json", code=3).stderr
        says(text, "[state_under_change]", "(lock file b.json)")
    finally:
        kill(running)


if __name__ == "__main__":
    sys.exit(tap.run([
        an_empty_name_is_no_file,
        an_empty_name_is_no_directory,
        a_mistake_in_the_command_line_is_json_with_json,
        wrong_settings_of_the_log_are_named,
        a_full_disk_is_the_reason,
        a_login_needs_a_home_directory,
        a_directory_is_no_file_for_records,
        a_pipe_receives_a_trace,
        lost_events_have_a_reason,
        attributes_of_a_resolved_operation_are_checked,
        a_limit_of_open_files_is_the_reason,
        an_unreadable_data_directory_is_the_reason,
        a_file_that_fmt_cannot_write_has_a_reason,
        a_deleted_current_directory_is_the_reason,
        options_of_variables_are_checked_by_commands_without_a_plan,
        variables_of_a_pipe_are_read_once,
        files_are_checked_before_the_first_change,
        a_mistake_in_the_command_line_replaces_earlier_events,
        an_error_of_the_command_line_is_json_only_if_it_is_requested,
        a_pipe_receives_the_log,
        fmt_keeps_a_file_on_a_full_disk,
        an_address_may_have_escapes,
        a_held_lock_is_that_of_the_written_file,
    ]))
