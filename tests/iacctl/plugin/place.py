# SPDX-License-Identifier: BSL-1.0
"""Directories with configurations that use the fake provider. The first arguments of a script are IACCTL and FAKE_PROVIDER."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

IACCTL, FAKE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

HEADER = """
terraform {
  required_providers {
    fake = { source = "example.com/acme/fake" }
  }
}
"""
ACTION = HEADER + """
action "fake_notify" "n" {
  config {
    message = "made ${fake_simple.a.id}"
  }
}
resource "fake_simple" "a" {
  name = "a"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.fake_notify.n]
    }
  }
}
"""


TWENTY = HEADER + 'resource "fake_simple" "a" {\n  count = 20\n  name  = "n${count.index}"\n}\n'


class Place:
    """A directory with a configuration that uses the fake provider."""

    def __init__(self, text):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="plugins-"))
        (self.root / "work").mkdir()
        (self.root / "provider").mkdir()
        (self.root / "provider" / "terraform-provider-fake").symlink_to(FAKE)
        (self.root / "rc").write_text(
            f'provider_installation {{\n  dev_overrides {{ "example.com/acme/fake" = "{self.root}/provider" }}\n'
            "  direct {}\n}\n")
        self.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def write(self, text):
        (self.root / "work" / "main.tf").write_text(text)

    def environment(self, modes):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        return kept | {"TF_CLI_CONFIG_FILE": str(self.root / "rc"), "FAKE_PROVIDER": modes}

    def start(self, *arguments, modes="", **variables):
        return subprocess.Popen([IACCTL, *arguments], cwd=self.root / "work", env=self.environment(modes) | variables, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, *arguments, modes="", code=0):
        process = self.start(*arguments, modes=modes)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == code, f"{arguments} ended with {process.returncode}, not {code}:\n{output}"
        return output

    def state(self):
        return json.loads(self.run("state", "pull"))

    def objects(self):
        return {f'{r["type"]}.{r["name"]}[{i.get("index_key", "")}]': i for r in self.state()["resources"]
            for i in r["instances"]}

    def changes(self):
        self.run("plan", "-out=p")
        plan = json.loads(self.run("show", "-json", "p"))
        return {c["address"]: c["change"] for c in plan.get("resource_changes", []) if c["change"]["actions"] != ["no-op"]}

    def providers(self):
        """The processes of the provider that are still running."""
        found = subprocess.run(["pgrep", "-f", f"{self.root}/provider/"], capture_output=True, text=True, check=False)
        return found.stdout.split()


def read(file):
    return file.read_text() if file.exists() else ""


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "the condition did not hold in time"
        time.sleep(0.02)


def run_all(tests):
    """Runs the functions, and prints a TAP line for each. \return the exit code of the script"""
    print(f"1..{len(tests)}")
    failed = 0
    for number, test in enumerate(tests, 1):
        start = time.monotonic()
        try:
            test()
            print(f"ok {number} - {test.__doc__}\n# {time.monotonic() - start:.2f} s", flush=True)
        except Exception as problem:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - {test.__doc__}")
            for line in f"{type(problem).__name__}: {problem}".splitlines():
                print("#", line, flush=True)
    return failed != 0
