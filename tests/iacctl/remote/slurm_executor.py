#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Applies with -executor=slurm, over Slurm where that is installed: slurm_executor.py IACCTL; prints TAP."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import slurm  # pylint: disable=wrong-import-position

CONFIGURATION = """
variable "secret" {
  default   = "none"
  sensitive = true
}
resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "%s"
  }
}
"""


class Place:
    def __init__(self, program, environment, folder):
        self.program, self.environment, self.folder = program, environment, folder
        folder.mkdir()

    def write(self, command):
        (self.folder / "main.tf").write_text(CONFIGURATION % command, encoding="utf-8")

    def start(self, *arguments):
        return subprocess.Popen([self.program, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments, code=0):
        with self.start(*arguments) as process:
            output, _ = process.communicate(timeout=90)
        assert process.returncode == code, f"exit code {process.returncode}:\n{output}"
        return output

    def text(self, file):
        path = self.folder / file
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def wait_for(self, file):
        end = time.monotonic() + 60
        while not self.text(file):
            assert time.monotonic() < end, f"{file} was not written in 60 seconds"
            time.sleep(0.02)

    def status(self):
        found = json.loads(self.run("state", "pull"))["resources"]
        return found[0]["instances"][0].get("status", "created") if found else None


APPLY = ("apply", "-auto-approve", "-executor=slurm", "-place=local-exec=gpu")


def refuses_places_that_it_cannot_use(place):
    place.write("true")
    for arguments, wanted in ((("-place=local-exec=gpu",), "Add -executor=slurm"),
                              (("-executor=slurm",), "Add -place='local-exec=LABEL'"),
                              (("-executor=slurm", "-place=terraform_data=gpu"), "cannot be placed on other machines"),
                              (("-executor=slurm", "-place=gpu"), "is not of the form TYPE=LABEL")):
        output = place.run("apply", "-auto-approve", *arguments, code=1)
        assert wanted in " ".join(output.split()), output


def runs_commands_on_a_node_with_the_label_without_secrets(place):
    place.write("echo $SLURMD_NODENAME > node; echo to the log; tr '\\\\0' '\\\\n' < /proc/$PPID/environ > worker; env > own")
    place.environment = dict(place.environment, TF_VAR_secret="hidden-value", KEPT="kept-value")
    output = place.run(*APPLY)
    assert "to the log" in output, output
    assert place.text("node") == "n2\n"
    assert "KEPT=kept-value" in place.text("own")
    for file in ("worker", "own"):
        assert place.text(file) and "hidden-value" not in place.text(file), file
    assert "CREDENTIAL" not in place.text("own")


def taints_the_object_of_a_killed_worker_and_replaces_it_in_the_next_apply(place):
    place.write("echo $PPID > worker; test -e again || sleep 100")
    with place.start(*APPLY) as process:
        place.wait_for("worker")
        os.kill(int(place.text("worker")), signal.SIGKILL)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 1, output
    assert "Outcome of local-exec provisioner unknown" in output, output
    assert place.status() == "tainted"
    (place.folder / "again").touch()
    assert "1 added" in place.run(*APPLY)
    assert place.status() == "created"


def stops_commands_when_it_is_interrupted(place):
    place.write("echo $$ > process; sleep 100")
    with place.start(*APPLY) as process:
        place.wait_for("process")
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        process.communicate(timeout=60)
    assert process.returncode == 130, process.returncode
    assert not pathlib.Path("/proc", place.text("process").strip()).exists()


def explains_that_no_node_has_the_label(place):
    place.write("true")
    output = place.run("apply", "-auto-approve", "-executor=slurm", "-place=local-exec=absent", code=1)
    assert "was not run" in output and "srun" in output, output
    assert place.status() == "tainted"


ANYWHERE = (refuses_places_that_it_cannot_use,)
ON_NODES = (runs_commands_on_a_node_with_the_label_without_secrets,
            taints_the_object_of_a_killed_worker_and_replaces_it_in_the_next_apply, stops_commands_when_it_is_interrupted,
            explains_that_no_node_has_the_label)


def main(arguments):
    program = str(pathlib.Path(arguments[0]).resolve())
    required = "slurm" in os.environ.get("STRIDER_REQUIRE", "").split()
    failed = count = 0
    print(f"1..{len(ANYWHERE) + len(ON_NODES)}")

    def check(test, environment, folder):
        nonlocal failed, count
        count += 1
        name = test.__name__.replace("_", " ")
        try:
            test(Place(program, environment, folder / test.__name__))
            print(f"ok {count} - {name}", flush=True)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"not ok {count} - {name}", *(f"# {line}" for line in str(problem).splitlines()), sep="\n", flush=True)

    with tempfile.TemporaryDirectory(prefix="slurm_executor_") as name:
        for test in ANYWHERE:
            check(test, dict(os.environ), pathlib.Path(name))
        if slurm.is_installed():
            cluster = slurm.Slurm(3)
            with cluster as environment:
                cluster.run("scontrol", "update", "NodeName=n2", "AvailableFeatures=gpu", "ActiveFeatures=gpu")
                for test in ON_NODES:
                    check(test, environment, pathlib.Path(name))
        else:
            for test in ON_NODES:
                count += 1
                failed += required
                print(f"{'not ok' if required else 'ok'} {count} - {test.__name__.replace('_', ' ')}{'' if required else ' # SKIP needs slurm'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
