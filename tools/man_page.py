#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the manual page iacctl(1). Its source is the output of "iacctl metadata commands -json".

Usage: man_page.py IACCTL VERSION"""
import json
import subprocess
import sys


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def option_lines(options):
    for one in options:
        yield ".TP"
        yield f".B {escaped(one['usage'])}"
        yield escaped(one["help"])


def command_lines(command):
    usage = " ".join(part for part in (f"iacctl {command['name']}", "[options]", command.get("arguments")) if part)
    yield f'.SS "{escaped(usage)}"'
    yield escaped(command["description"])
    yield from option_lines(one for one in command["options"] if one["name"] not in ("help", "no-color"))
    if "examples" in command:
        yield ".PP"
        yield "Examples:"
        yield ".PP"
        yield ".nf"
        yield from ("    " + escaped(one) for one in command["examples"])
        yield ".fi"


def page(description, version):
    yield f'.TH IACCTL 1 "" "iacctl {version}"'
    yield ".SH NAME"
    yield "iacctl \\- plans and applies infrastructure that is described in Terraform's language"
    yield ".SH SYNOPSIS"
    yield ".B iacctl"
    yield "[global options] COMMAND [options] [arguments]"
    yield ".SH DESCRIPTION"
    yield "An option begins with one dash or two. Its value follows after \\(aq=\\(aq or as the next argument."
    yield ".SH GLOBAL OPTIONS"
    yield from option_lines(description["global_options"])
    yield ".SH OPTIONS OF EACH COMMAND"
    yield from option_lines(one for one in description["commands"][0]["options"] if one["name"] in ("help", "no-color"))
    yield ".SH COMMANDS"
    for command in description["commands"]:
        if "options" in command:
            yield from command_lines(command)
    yield ".SH ENVIRONMENT"
    for name, meaning in (("TF_CLI_ARGS", "Arguments that are inserted after the command."),
            ("TF_CLI_ARGS_plan", "Arguments of one command; the words of its name are joined by underscores."),
            ("TF_VAR_name", "The value of an input variable."), ("TF_WORKSPACE", "The workspace."),
            ("TF_DATA_DIR", "The directory in place of .terraform."), ("TF_INPUT", "0 or false: do not ask questions."),
            ("NO_COLOR", "Any value: print no colors.")):
        yield ".TP"
        yield f".B {escaped(name)}"
        yield escaped(meaning)
    yield ".SH EXIT STATUS"
    yield "0 after success, 1 after an error, 2 if \\-detailed\\-exitcode is given and there are changes."


def main():
    program, version = sys.argv[1:]
    described = subprocess.run([program, "metadata", "commands", "-json"], check=True, capture_output=True, text=True)
    print("\n".join(page(json.loads(described.stdout), version)))


if __name__ == "__main__":
    main()
