#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that help and messages fit a terminal of 80 columns, and that no code is glued to an example: columns.py IACCTL; prints TAP."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
COLUMNS = 80


def output(*arguments):
    done = subprocess.run([IACCTL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                          check=False, timeout=60)
    return done.stdout


def messages():
    return json.loads(output("explain", "-list", "-json"))


def long_lines(text):
    return [line for line in text.splitlines() if len(line) > COLUMNS]


def help_fits_eighty_columns(_):
    commands = json.loads(output("metadata", "commands", "-json"))["commands"]
    assert commands
    for name in ["", *(command["name"] for command in commands)]:
        wrong = long_lines(output(*name.split(), "-help"))
        assert not wrong, (name, wrong)


def explanations_fit_eighty_columns(_):
    """Sentences are wrapped, as those of one explanation show; lines of examples are printed as they are."""
    examples = [line for each in messages() for line in each["explanation"].splitlines() if line.startswith(" ")]
    wrong = [line for line in examples if len(line) > COLUMNS]
    assert not wrong, "\n".join(wrong)
    wrong = long_lines(output("explain", "state_locked"))
    assert not wrong, wrong


def examples_in_messages_fit_eighty_columns(_):
    wrong = [f"{each['code']}: {line}" for each in messages() for line in each["message"].splitlines()
             if line.startswith(" ") and len(line) > COLUMNS]
    assert not wrong, "\n".join(wrong)


def codes_follow_a_sentence_or_stand_on_a_line_of_their_own(_):
    """A code follows the last line of a message, unless that line begins with a space, as each line of an example must."""
    wrong = []
    for each in messages():
        last = each["message"].rstrip("\n").rpartition("\n")[2]
        if not last.startswith(" ") and not last.endswith((".", "?", ")")):
            wrong.append(f"{each['code']}: {last}")
    assert not wrong, "\n".join(wrong)


def messages_of_a_command_fit_eighty_columns(folder):
    (folder / "main.tf").write_text('resource "terraform_data" "a" {\n  input = local.missing\n  inptu = 1\n}\n', encoding="utf-8")
    for arguments in (["plan"], ["import", "terraform_data.zz", "x"], ["plna"], ["init", "-backend-config=path=x", "-input=false"]):
        wrong = long_lines(output(f"-chdir={folder}", *arguments))
        assert not wrong, (arguments, wrong)


if __name__ == "__main__":
    sys.exit(tap.run([help_fits_eighty_columns, explanations_fit_eighty_columns, examples_in_messages_fit_eighty_columns,
                      codes_follow_a_sentence_or_stand_on_a_line_of_their_own, messages_of_a_command_fit_eighty_columns]))
