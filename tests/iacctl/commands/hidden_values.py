#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Sensitive and ephemeral values in diagnostics, logs and resolved operations. Usage: hidden_values.py IACCTL"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
SECRET = "hunter2hunter2"
SENSITIVE = f'variable "s" {{\n  sensitive = true\n  default   = "{SECRET}"\n}}\n'
EPHEMERAL = f'variable "e" {{\n  ephemeral = true\n  default   = "{SECRET}"\n}}\n'


def printed(place, *arguments, code=0, **variables):
    """Everything that the command prints, with lines that are not wrapped."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TF_LOG")} | variables
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          env=environment)
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    return " ".join((done.stdout + done.stderr).split())


def fails_without_the_secret(place, configuration, *said, command=("apply", "-auto-approve")):
    (place / "main.tf").write_text(configuration)
    for more in ((), ("-json",)):
        shutil.rmtree(place / ".iacctl", ignore_errors=True)
        text = printed(place, *command, *more, code=1)
        assert SECRET not in text, text
        for part in said:
            assert part in text, (part, text)


def provisioner(content):
    return f'resource "terraform_data" "a" {{\n  provisioner "local-exec" {{\n{content}  }}\n}}\n'


def errors_of_provisioners_hide_the_command_and_its_output(place):
    fails_without_the_secret(place, SENSITIVE + provisioner('    command = "echo ${var.s}; exit 1"\n'),
                             "(hidden, because the configuration of the provisioner has sensitive values)")
    fails_without_the_secret(place, EPHEMERAL + provisioner('    command     = "echo $E; exit 1"\n'
                                                            "    environment = { E = var.e }\n"),
                             "(hidden, because the configuration of the provisioner has ephemeral values)")
    fails_without_the_secret(place, SENSITIVE + provisioner('    command     = "exit 0"\n    interpreter = ["/none/${var.s}"]\n'),
                             "cannot be started")


def errors_of_data_sources_hide_values(place):
    def data(of, content):
        fails_without_the_secret(place, f'{SENSITIVE}data "{of}" "a" {{\n{content}}}\n', command=("plan",))

    data("external", '  program = ["sh", "-c", "cat >&2; exit 1"]\n  query   = { k = var.s }\n')
    data("external", '  program = [var.s]\n')
    data("external", '  program = ["sh", "-c", "echo ${var.s} >&2; exit 1"]\n')
    data("http", '  url = "http://127.0.0.1:1/${var.s}"\n')
    data("http", '  url = "http://127.0.0.1:1/?q=${var.s}"\n')
    data("local_file", '  filename = "/none/${var.s}"\n')
    data("terraform_remote_state", '  backend = var.s\n')
    data("terraform_remote_state", '  backend = "http"\n  config  = { address = "http://127.0.0.1:1/${var.s}" }\n')


def errors_of_objects_hide_values(place):
    def object(of, content):
        fails_without_the_secret(place, f'{SENSITIVE}resource "{of}" "a" {{\n{content}}}\n')

    object("local_file", '  filename = "/dev/null/${var.s}"\n  content  = "x"\n')
    object("local_file", '  filename = "f"\n  source   = "/none/${var.s}"\n')
    object("time_static", "  rfc3339 = var.s\n")
    object("time_sleep", "  create_duration = var.s\n")
    fails_without_the_secret(place, SENSITIVE + 'provider "restapi" {\n  uri = "http://127.0.0.1:1/${var.s}"\n}\n'
                             'resource "restapi_object" "a" {\n  path = "/objects"\n  data = "{}"\n}\n')


def errors_of_actions_hide_values(place):
    def action(content):
        fails_without_the_secret(
            place, SENSITIVE + f'action "local_command" "a" {{\n  config {{\n{content}  }}\n}}\n'
            'resource "terraform_data" "a" {\n  lifecycle {\n    action_trigger {\n      events  = [after_create]\n'
            "      actions = [action.local_command.a]\n    }\n  }\n}\n")

    action('    command = "/none/${var.s}"\n')
    action('    command   = "sh"\n    arguments = ["-c", "echo ${var.s} >&2; exit 1"]\n')


def short_values_are_hidden_as_words(place):
    (place / "main.tf").write_text('variable "s" {\n  sensitive = true\n  default   = "q7"\n}\n'
                                   'resource "time_static" "a" {\n  rfc3339 = var.s\n}\n')
    assert '"(sensitive value)" is not a time' in printed(place, "plan", code=1)


def the_log_names_servers_only(place):
    (place / "main.tf").write_text(f'{SENSITIVE}data "http" "a" {{\n  url = "http://127.0.0.1:1/${{var.s}}"\n}}\n')
    text = printed(place, "plan", code=1, TF_LOG="DEBUG")
    assert "http://127.0.0.1:1" in text and "[DEBUG] http" in text, text
    assert SECRET not in text, text


def a_resolved_operation_keeps_sensitive_attributes(place):
    (place / "main.tf").write_text(SENSITIVE + 'resource "terraform_data" "a" {\n  input = var.s\n'
                                   '  provisioner "local-exec" {\n    command = "touch started; sleep 30"\n  }\n}\n')
    running = subprocess.Popen([IACCTL, "apply", "-auto-approve"], cwd=place, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20
    while not (place / "started").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    running.kill()
    running.wait()
    printed(place, "state", "resolve", "terraform_data.a", "-created=found")
    text = printed(place, "show")
    assert '"found"' in text and "(sensitive value)" in text, text
    state = json.loads(subprocess.run([IACCTL, "state", "pull"], cwd=place, capture_output=True, check=True).stdout)
    assert state["resources"][0]["instances"][0]["sensitive_attributes"] == [[{"type": "get_attr", "value": "input"}]], state


if __name__ == "__main__":
    sys.exit(tap.run([
        errors_of_provisioners_hide_the_command_and_its_output,
        errors_of_data_sources_hide_values,
        errors_of_objects_hide_values,
        errors_of_actions_hide_values,
        short_values_are_hidden_as_words,
        the_log_names_servers_only,
        a_resolved_operation_keeps_sensitive_attributes,
    ]))
