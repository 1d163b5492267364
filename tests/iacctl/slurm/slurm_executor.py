#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests applies with -executor=slurm, on Slurm if it is installed: slurm_executor.py IACCTL; prints TAP."""

import json
import os
import pathlib
import signal
import socket
import ssl
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

# A file with the environment of the process that wrote it, and the node of the program that returned the data.
TYPES = """
resource "local_file" "a" {
  filename = "out/environment"
  source   = "/proc/self/environ"
}
data "external" "node" {
  program = ["sh", "-c", "echo $PPID > reader; printf '{\\"node\\":\\"%s\\"}' $SLURMD_NODENAME"]
}
output "node" {
  value = data.external.node.result.node
}
"""
SLEEP = """
data "external" "node" {
  program = ["sh", "-c", "echo $PPID > worker; echo '{}'"]
}
resource "time_sleep" "a" {
  create_duration = fileexists("again") ? "1ms" : "100s"
  triggers        = data.external.node.result
}
"""


class Place:
    def __init__(self, program, environment, folder):
        self.program, self.environment, self.folder = program, environment, folder
        folder.mkdir()

    def write(self, command):
        (self.folder / "main.tf").write_text(CONFIGURATION % command, encoding="utf-8")

    def write_text(self, text, name="main.tf"):
        (self.folder / name).write_text(text, encoding="utf-8")

    def use_cli_configuration(self, text):
        self.write_text(text, "cli.tfrc")
        self.environment = dict(self.environment, TF_CLI_CONFIG_FILE=str(self.folder / "cli.tfrc"))

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
        found = [each for each in json.loads(self.run("state", "pull"))["resources"] if each["mode"] == "managed"]
        return found[0]["instances"][0].get("status", "created") if found else None


APPLY = ("apply", "-auto-approve", "-executor=slurm", "-place=local-exec=gpu")


def rejects_invalid_places(place):
    place.write("true")
    for arguments, wanted in ((("-place=local-exec=gpu",), "Add -executor=slurm"),
                              (("-executor=slurm",), "executor_without_place"),
                              (("-executor=slurm", "-place=aws_instance=gpu"), "Providers that are plug-ins run on this machine"),
                              (("-executor=slurm", "-place=data.terraform_remote_state=gpu"), "place_unsupported"),
                              (("-executor=slurm", "-place=local_file=a", "-place=local_file=b"), "place_repeated"),
                              (("-executor=slurm", "-place=gpu"), "is not of the form TYPE=LABEL")):
        for command in ("plan", "apply"):
            output = place.run(command, *arguments, code=1)
            assert wanted in " ".join(output.split()), output


def reads_places_from_the_cli_configuration(place):
    place.write("true")
    for text, wanted in (('placement { executor = "cloud" }', "invalid_cli_configuration"),
                         ('placement { executor = "slurm" }', "executor_without_place"),
                         ('placement {\n executor = "slurm"\n places = { aws_instance = "gpu" }\n}', "place_unsupported"),
                         ('placement {\n executor = "slurm"\n places = { local_file = "a b" }\n}', "place_malformed")):
        place.use_cli_configuration(text)
        output = place.run("apply", "-auto-approve", code=1)
        assert wanted in output, output
    place.use_cli_configuration('placement {\n executor = "slurm"\n places = { local-exec = "gpu" }\n}')
    assert "1 added" in place.run("apply", "-auto-approve", "-executor=local")


def runs_commands_on_a_node_with_the_label_without_secrets(place):
    place.write("echo $SLURMD_NODENAME > node; echo to the log; tr '\\\\0' '\\\\n' < /proc/$PPID/environ > worker; env > own")
    place.environment = dict(place.environment, TF_VAR_secret="hidden-value", KEPT="kept-value")
    output = place.run(*APPLY)
    assert "to the log" in output, output
    assert place.text("node") == "n2\n"
    assert "KEPT=kept-value" in place.text("own")
    for file in ("worker", "own"):
        assert place.text(file) and "hidden-value" not in place.text(file), file
    assert "CREDENTIAL" not in place.text("own") and "PRIVATE KEY" not in place.text("own")


def refuses_peers_without_the_certificate_of_the_session(place):
    place.write("echo $PPID > worker; until test -e go; do sleep 0.05; done")
    with place.start(*APPLY) as process:
        place.wait_for("worker")
        arguments = pathlib.Path("/proc", place.text("worker").strip(), "cmdline").read_text(encoding="utf-8").split("\0")
        host, port = arguments[arguments.index("__worker") + 1].split(":")
        anonymous = ssl.create_default_context()
        anonymous.check_hostname = False
        anonymous.verify_mode = ssl.CERT_NONE
        for secure in (False, True):
            got = b""
            try:
                with socket.create_connection((host, int(port)), timeout=20) as peer:
                    with anonymous.wrap_socket(peer) if secure else peer as stream:
                        stream.sendall(b"\0\0\0\x09\x01strider\x1a")
                        got = stream.recv(100)
            except (ssl.SSLError, ConnectionError):
                pass
            assert b"strider" not in got, got
        (place.folder / "go").touch()
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    assert subprocess.run([place.program, "__worker", f"{host}:{port}"], check=False, capture_output=True).returncode == 1


def places_resources_and_data_of_chosen_types(place):
    place.write_text(TYPES)
    places = ("-executor=slurm", "-place=local_file=gpu", "-place=data.external=gpu")
    assert "1 added" in place.run("apply", "-auto-approve", *places)
    assert "SLURMD_NODENAME=n2" in place.text("out/environment").split("\0"), place.text("out/environment")
    assert place.run("output", "-raw", "node") == "n2"
    place.use_cli_configuration('placement {\n executor = "slurm"\n places = {\n  "local_file" = "gpu"\n  "data.external" = "gpu"\n }\n}')
    place.run("plan", "-detailed-exitcode")
    reader = place.text("reader")
    place.run("refresh")
    assert place.text("reader") != reader  # another worker
    (place.folder / "out/environment").write_text("changed", encoding="utf-8")
    place.run("plan", "-detailed-exitcode", code=2)
    assert "1 added" in place.run("apply", "-auto-approve", "-place=local_file=red")  # in place of "gpu"
    assert "SLURMD_NODENAME=n1" in place.text("out/environment").split("\0"), place.text("out/environment")
    place.run("destroy", "-auto-approve")
    assert not place.text("out/environment")


def keeps_an_operation_of_a_killed_worker_pending_and_resolves_it_in_the_next_apply(place):
    place.write_text(SLEEP)
    places = ("apply", "-auto-approve", "-executor=slurm", "-place=time_sleep=gpu", "-place=data.external=gpu")
    with place.start(*places) as process:
        place.wait_for("worker")
        time.sleep(1)
        os.kill(int(place.text("worker")), signal.SIGKILL)
        output, _ = process.communicate(timeout=60)
    assert process.returncode != 0 and "operation_outcome_unknown" in output, output
    (place.folder / "again").touch()
    assert "1 added" in place.run(*places)
    assert place.status() == "created"


def reports_that_no_node_has_the_label_of_a_type(place):
    place.write_text(TYPES)
    output = place.run("apply", "-auto-approve", "-executor=slurm", "-place=local_file=absent", "-place=data.external=gpu", code=1)
    assert "operation_not_placed" in output and "srun" in output, output
    assert place.status() is None


def uses_the_nodes_of_the_allocation_that_it_runs_in(place):
    place.write_text(TYPES + CONFIGURATION % "echo $SLURMD_NODENAME $SLURM_JOB_ID > node")
    places = ("-executor=slurm", "-place=local-exec=gpu", "-place=local_file=red", "-place=data.external=red")
    program, place.program = place.program, "salloc"
    output = place.run("--quiet", "--nodes=2", "--nodelist=n1,n2", program, "apply", "-auto-approve", *places)
    assert "2 added" in output, output
    assert "SLURMD_NODENAME=n1" in place.text("out/environment").split("\0")
    node, job = place.text("node").split()
    assert node == "n2" and f"SLURM_JOB_ID={job}" in place.text("out/environment").split("\0"), "it made another allocation"
    output = place.run("--quiet", "--nodes=1", "--nodelist=n1", program, "apply", "-auto-approve", "-replace=terraform_data.a", *places, code=1)
    assert 'no node of the allocation has the feature "gpu"' in " ".join(output.split()), output


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


def reports_that_no_node_has_the_label(place):
    place.write("true")
    output = place.run("apply", "-auto-approve", "-executor=slurm", "-place=local-exec=absent", code=1)
    assert "was not run" in output and "srun" in output, output
    assert place.status() == "tainted"


ANYWHERE = (rejects_invalid_places, reads_places_from_the_cli_configuration)
ON_NODES = (runs_commands_on_a_node_with_the_label_without_secrets, refuses_peers_without_the_certificate_of_the_session,
            places_resources_and_data_of_chosen_types,
            keeps_an_operation_of_a_killed_worker_pending_and_resolves_it_in_the_next_apply,
            reports_that_no_node_has_the_label_of_a_type, uses_the_nodes_of_the_allocation_that_it_runs_in,
            taints_the_object_of_a_killed_worker_and_replaces_it_in_the_next_apply, stops_commands_when_it_is_interrupted,
            reports_that_no_node_has_the_label)


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
                for node, feature in (("n1", "red"), ("n2", "gpu")):
                    cluster.run("scontrol", "update", f"NodeName={node}", f"AvailableFeatures={feature}", f"ActiveFeatures={feature}")
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
