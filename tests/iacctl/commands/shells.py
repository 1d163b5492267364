#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Completion in bash and the manual page, in the form that users get. Usage: shells.py IACCTL"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
CONFIGURATION = 'resource "terraform_data" "one" {\n  for_each = toset(["a b", "c"])\n}\nresource "terraform_data" "two" {}\n'

# Calls the completion function as bash does at the end of a line. Bash also splits the line at "=".
COMPLETE_IN_BASH = r"""
PATH=$1:$PATH
source <(iacctl completion bash)
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"${2//=/ = }"
[[ $2 != *[[:space:]] && $2 != *= ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_iacctl iacctl
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(line, place):
    done = subprocess.run(["bash", "-c", COMPLETE_IN_BASH, "bash", str(IACCTL.parent), line], cwd=place, check=True,
        capture_output=True, text=True, timeout=20)
    return done.stdout.split("\n")[:-1]


def bash_completes_commands_options_and_values(place):
    assert bash("iacctl work", place) == ["workspace"], bash("iacctl work", place)
    assert bash("iacctl state sh", place) == ["show"]
    assert bash("iacctl plan -refresh-", place) == ["-refresh-only"]
    assert bash("iacctl graph -type=a", place) == ["apply"], "what follows the equals sign is a word of its own"


def bash_completes_addresses_and_workspaces(place):
    (place / "main.tf").write_text(CONFIGURATION)
    assert bash("iacctl plan -target=terraform_data.", place) == ["terraform_data.one", "terraform_data.two"]
    subprocess.run([IACCTL, "apply", "-auto-approve"], cwd=place, check=True, capture_output=True)
    subprocess.run([IACCTL, "workspace", "new", "blue"], cwd=place, check=True, capture_output=True)
    subprocess.run([IACCTL, "workspace", "select", "default"], cwd=place, check=True, capture_output=True)
    found = bash("iacctl state show terraform_data.o", place)
    assert found == ["terraform_data.one", 'terraform_data.one["a b"]', 'terraform_data.one["c"]'], found
    assert bash("iacctl workspace select b", place) == ["blue"]


def bash_completes_names_of_files_where_the_program_has_no_candidates(place):
    assert bash("iacctl apply ", place) == [""]


def the_manual_page_has_every_command_and_formats_without_warnings(place):
    page = subprocess.run([sys.executable, ROOT / "tools" / "man_page.py", IACCTL, "1.0"], check=True, capture_output=True,
        text=True).stdout
    described = json.loads(subprocess.run([IACCTL, "metadata", "commands", "-json"], check=True, capture_output=True).stdout)
    for command in described["commands"]:
        if "options" in command:
            assert f'.SS "iacctl {command["name"]} ' .replace("-", "\\-") in page, command["name"]
    if not pathlib.Path("/usr/bin/groff").exists():
        raise tap.Missing("groff")
    made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, check=True, capture_output=True, text=True)
    assert made.stderr == "", made.stderr


if __name__ == "__main__":
    sys.exit(tap.run([bash_completes_commands_options_and_values, bash_completes_addresses_and_workspaces,
        bash_completes_names_of_files_where_the_program_has_no_candidates,
        the_manual_page_has_every_command_and_formats_without_warnings]))
