#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Copies states between backends, takes over those of the program terraform, and returns them to it. TAP.

    migration.py IACCTL [NAME...]     runs the tests of these names, or all
"""
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import time

import tap
from http_state_server import Server, backend

BINARY = str(pathlib.Path(sys.argv[1]).resolve())
SOON = 60  # seconds
OBJECTS = """
variable "size" {
  default = 2
}
resource "terraform_data" "a" {
  count = var.size
  input = "x${count.index}"
}
resource "terraform_data" "b" {
  input            = terraform_data.a[*].id
  triggers_replace = [var.size]
  lifecycle {
    create_before_destroy = true
  }
}
output "ids" {
  value     = terraform_data.a[*].id
  sensitive = true
}
"""
STATE = {"version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "x", "outputs": {}, "resources": [
    {"mode": "managed", "type": "terraform_data", "name": "a", "provider": 'provider["terraform.io/builtin/terraform"]',
     "instances": [{"schema_version": 0, "attributes": {"id": "1", "input": None, "output": None, "triggers_replace": None}}]}]}
ONE_OBJECT = 'resource "terraform_data" "a" {}\n'


def environment(**more):
    kept = {key: text for key, text in os.environ.items() if not key.startswith("TF_")}
    return kept | {"TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"} | more


def run(program, directory, *arguments, code=0, typed="", env=None):
    done = subprocess.run([program, *arguments], cwd=directory, input=typed, capture_output=True, text=True, timeout=SOON,
                          env=env or environment())
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


def iacctl(directory, *arguments, **options):
    return run(BINARY, directory, *arguments, **options)


def terraform(directory, *arguments, **options):
    program = shutil.which("terraform")
    if program is None:
        raise tap.Missing("terraform")
    return run(program, directory, *arguments, **options)


def no_changes(program, directory, *arguments):
    """A plan that finds every object as the configuration describes it."""
    return program(directory, "plan", "-detailed-exitcode", "-no-color", *arguments)


def configure(directory, *blocks):
    (directory / "main.tf").write_text("".join(blocks))


def pulled(directory, workspace="default"):
    return json.loads(iacctl(directory, "state", "pull", env=environment(TF_WORKSPACE=workspace)))


def content(state):
    """The parts of a state that a copy must have, independent of its history."""
    return {key: state[key] for key in ("outputs", "resources")}


def initialize(directory, *arguments, **options):
    return iacctl(directory, "init", "-no-color", *arguments, **options)


def files_of_terraform_are_migrated_to_iacctl_and_back(directory):
    configure(directory, OBJECTS)
    terraform(directory, "init")
    terraform(directory, "apply", "-auto-approve")
    terraform(directory, "workspace", "new", "blue")
    terraform(directory, "apply", "-auto-approve", "-var=size=3")
    files = [directory / "terraform.tfstate", directory / "terraform.tfstate.d" / "blue" / "terraform.tfstate"]
    before = [file.read_bytes() for file in files]

    refused = iacctl(directory, "plan", "-no-color", code=1)
    assert "iacctl init -migrate-state" in refused and "state push" not in refused, refused
    initialize(directory, "-migrate-state", typed="yes\n")

    assert iacctl(directory, "workspace", "show").strip() == "blue"
    no_changes(iacctl, directory, "-var=size=3")
    iacctl(directory, "workspace", "select", "default")
    no_changes(iacctl, directory)
    assert [file.read_bytes() for file in files] == before, "the originals are kept"
    assert content(pulled(directory)) == content(json.loads(before[0]))

    iacctl(directory, "apply", "-auto-approve", "-var=size=1")
    files[0].write_text(iacctl(directory, "state", "pull"))
    terraform(directory, "workspace", "select", "default")
    no_changes(terraform, directory, "-var=size=1")


def a_local_backend_with_paths_is_migrated_to_iacctl_and_back(directory):
    (directory / "far").mkdir()
    configure(directory, backend("local", path="far/x.tfstate", workspace_dir="spaces"), OBJECTS)
    terraform(directory, "init")
    terraform(directory, "apply", "-auto-approve")
    terraform(directory, "workspace", "new", "blue")
    terraform(directory, "apply", "-auto-approve", "-var=size=1")

    initialize(directory, "-force-copy")

    no_changes(iacctl, directory, "-var=size=1")
    iacctl(directory, "workspace", "select", "default")
    no_changes(iacctl, directory)
    assert (directory / "far" / "x.tfstate.iacctl" / "default").is_dir()
    iacctl(directory, "apply", "-auto-approve", "-var=size=4")
    (directory / "far" / "x.tfstate").write_text(iacctl(directory, "state", "pull"))
    terraform(directory, "workspace", "select", "default")
    no_changes(terraform, directory, "-var=size=4")


def a_server_of_terraform_is_used_by_iacctl_and_by_terraform_again(directory):
    with Server("--user", "ada:hunter2") as server:
        configure(directory, server.block(), OBJECTS)
        login = ["-backend-config=username=ada", "-backend-config=password=hunter2"]
        terraform(directory, "init", *login)
        terraform(directory, "apply", "-auto-approve")

        assert "backend_not_initialized" in iacctl(directory, "plan", "-no-color", code=1)
        printed = initialize(directory)  # with the arguments that terraform was given
        no_changes(iacctl, directory)
        printed += iacctl(directory, "apply", "-auto-approve", "-var=size=3")
        no_changes(terraform, directory, "-var=size=3")
        terraform(directory, "apply", "-auto-approve", "-var=size=1")
        no_changes(iacctl, directory, "-var=size=1")
        assert server.log().count("LOCK /state") == server.log().count("UNLOCK /state"), server.log()
        assert "hunter2" not in printed, printed

        configure(directory, OBJECTS)
        assert "backend_changed" in iacctl(directory, "plan", "-no-color", code=1)
        initialize(directory, "-migrate-state", typed="yes\n")
        no_changes(iacctl, directory, "-var=size=1")
    iacctl(directory, "apply", "-auto-approve")
    (directory / "terraform.tfstate").write_text(iacctl(directory, "state", "pull"))
    shutil.rmtree(directory / ".terraform")
    terraform(directory, "init")
    no_changes(terraform, directory)


def a_state_on_a_server_is_found_without_its_backend_block(directory):
    with Server() as server:
        configure(directory, server.block(), OBJECTS)
        terraform(directory, "init")
        terraform(directory, "apply", "-auto-approve")
        configure(directory, OBJECTS)

        assert "state_in_terraform_backend" in iacctl(directory, "plan", "-no-color", code=1)
        assert "terraform_state_not_taken_over" in initialize(directory, "-input=false", code=1)
        assert "state_in_terraform_backend" in iacctl(directory, "plan", "-no-color", code=1)
        initialize(directory, "-force-copy")
    no_changes(iacctl, directory)


def nothing_is_taken_over_without_an_answer(directory):
    configure(directory, ONE_OBJECT)
    (directory / "terraform.tfstate").write_text(json.dumps(STATE))
    for options in ([], ["-migrate-state"], ["-input=false"], ["-migrate-state", "-input=false"], ["-json"]):
        refused = initialize(directory, *options, code=1)
        assert "terraform_state_not_taken_over" in refused and "iacctl init -force-copy" in refused, refused
        assert "is ready" not in refused and "States copied" not in refused, refused
        assert "[no_state]" in iacctl(directory, "state", "list", code=1)
    refused = initialize(directory, typed="no\n")
    assert "The directory is ready" not in refused and '"iacctl plan" fails until' in refused, refused
    assert "state_of_terraform" in iacctl(directory, "plan", "-no-color", code=1)
    taken = initialize(directory, typed="yes\n")
    assert "States copied: 1" in taken and "The directory is ready" in taken, taken
    assert "terraform_data.a" in iacctl(directory, "state", "list")


def a_state_file_that_terraform_changes_after_its_takeover_is_noticed(directory):
    configure(directory, OBJECTS)
    terraform(directory, "init")
    terraform(directory, "apply", "-auto-approve")
    initialize(directory, "-force-copy")
    file = directory / "terraform.tfstate"
    for size in (1, 3, 4):  # the serial of iacctl is far above that of the file
        iacctl(directory, "apply", "-auto-approve", f"-var=size={size}")
    taken_over = file.read_bytes()
    no_changes(iacctl, directory, "-var=size=4")

    terraform(directory, "apply", "-auto-approve", "-var=size=5")
    assert json.loads(file.read_text())["serial"] < pulled(directory)["serial"]
    before = pulled(directory)
    for command in (["plan"], ["apply", "-auto-approve"], ["destroy", "-auto-approve"]):
        refused = iacctl(directory, *command, "-no-color", code=1)
        assert "state_of_terraform_diverged" in refused and "state push -force terraform.tfstate" in refused, refused
    assert pulled(directory) == before
    # The user can continue with the state of Terraform, or with that of iacctl.
    iacctl(directory, "state", "push", "-force", "terraform.tfstate")
    no_changes(iacctl, directory, "-var=size=5")
    iacctl(directory, "apply", "-auto-approve", "-var=size=2")
    no_changes(iacctl, directory, "-var=size=2")
    file.write_bytes(taken_over)
    terraform(directory, "apply", "-auto-approve", "-var=size=6")
    assert "state_of_terraform_" in iacctl(directory, "plan", "-no-color", code=1)
    file.rename(directory / "old")
    no_changes(iacctl, directory, "-var=size=2")

    # A state that iacctl has written for Terraform is not a change of Terraform; a later apply of Terraform is one.
    file.write_text(iacctl(directory, "state", "pull"))
    iacctl(directory, "apply", "-auto-approve", "-var=size=3")
    no_changes(iacctl, directory, "-var=size=3")
    file.write_text(iacctl(directory, "state", "pull"))
    no_changes(terraform, directory, "-var=size=3")
    terraform(directory, "apply", "-auto-approve", "-var=size=1")
    refused = iacctl(directory, "plan", "-no-color", code=1)
    assert "state_of_terraform_newer" in refused and "iacctl state push terraform.tfstate" in refused, refused
    iacctl(directory, "state", "push", "terraform.tfstate")
    no_changes(iacctl, directory, "-var=size=1")


def a_state_file_that_terraform_changes_is_noticed_beside_a_state_on_a_server(directory):
    with Server() as server:
        configure(directory, OBJECTS)
        terraform(directory, "init")
        terraform(directory, "apply", "-auto-approve")
        configure(directory, server.block(), OBJECTS)
        initialize(directory, "-force-copy")
        iacctl(directory, "apply", "-auto-approve", "-var=size=3")
        no_changes(iacctl, directory, "-var=size=3")
        other = directory / "other"  # the configuration before the move, with a copy of its state
        other.mkdir()
        configure(other, OBJECTS)
        shutil.copy(directory / "terraform.tfstate", other)
        terraform(other, "init")
        terraform(other, "apply", "-auto-approve", "-var=size=4")
        shutil.copy(other / "terraform.tfstate", directory)
        refused = iacctl(directory, "plan", "-no-color", code=1)
        assert "state_of_terraform_diverged" in refused, refused


def a_server_of_terraform_that_changes_after_its_takeover_is_noticed(directory):
    with Server() as server, Server() as another:
        other = directory / "other"
        other.mkdir()
        for place in (directory, other):
            configure(place, server.block(), OBJECTS)
            terraform(place, "init")
        terraform(directory, "apply", "-auto-approve")
        configure(directory, another.block(), OBJECTS)
        initialize(directory, "-force-copy")
        iacctl(directory, "apply", "-auto-approve", "-var=size=3")
        iacctl(directory, "apply", "-auto-approve", "-var=size=4")
        before = len(server.log())
        no_changes(iacctl, directory, "-var=size=4")
        assert {line.split()[0] for line in server.log()[before:]} == {"GET"}, server.log()

        no_changes(terraform, other)  # it has not changed its state, and does not know that of iacctl
        terraform(other, "apply", "-auto-approve", "-var=size=1")
        refused = iacctl(directory, "plan", "-no-color", code=1)
        assert "state_of_terraform_diverged" in refused and "terraform state pull > terraform.state" in refused, refused
        (directory / "terraform.state").write_text(terraform(other, "state", "pull"))
        iacctl(directory, "state", "push", "-force", "terraform.state")
        no_changes(iacctl, directory, "-var=size=1")

        # The state of iacctl goes back, and Terraform continues.
        iacctl(directory, "apply", "-auto-approve", "-var=size=3")
        (other / "iacctl.state").write_text(iacctl(directory, "state", "pull"))
        terraform(other, "state", "push", "-force", "iacctl.state")
        no_changes(terraform, other, "-var=size=3")
        terraform(other, "apply", "-auto-approve", "-var=size=5")
        refused = iacctl(directory, "apply", "-auto-approve", "-no-color", code=1)
        assert "state_of_terraform_newer" in refused, refused
        (directory / "terraform.state").write_text(terraform(other, "state", "pull"))
        iacctl(directory, "state", "push", "terraform.state")
        no_changes(iacctl, directory, "-var=size=5")
    # The server has ended, so nothing can be noticed.
    with Server() as server:
        configure(directory, server.block(), OBJECTS)
        initialize(directory, "-reconfigure")
        (directory / "state.json").write_text((directory / "terraform.state").read_text())
        iacctl(directory, "state", "push", "state.json")
        warned = iacctl(directory, "plan", "-no-color", "-var=size=5")
        assert "state_of_terraform_unchecked" in warned and "No changes" in warned, warned
        (directory / ".terraform" / "terraform.tfstate").unlink()
        assert "state_of_terraform_unchecked" not in iacctl(directory, "plan", "-no-color", "-var=size=5")


def states_of_a_file_move_to_a_server_that_terraform_can_use(directory):
    with Server() as server:
        configure(directory, OBJECTS)
        iacctl(directory, "apply", "-auto-approve")
        configure(directory, server.block(), OBJECTS)
        assert "migration_needs_answer" in initialize(directory, "-input=false", code=1)
        assert "POST /state" not in "".join(server.log())
        initialize(directory, typed="yes\n")
        no_changes(iacctl, directory)
        terraform(directory, "init")
        no_changes(terraform, directory)


def every_option_of_a_migration_has_its_documented_effect(directory):
    with Server() as server:
        configure(directory, ONE_OBJECT)
        iacctl(directory, "apply", "-auto-approve")
        iacctl(directory, "workspace", "new", "blue")
        iacctl(directory, "apply", "-auto-approve")
        blue = pulled(directory, "blue")
        configure(directory, server.block(), ONE_OBJECT)

        initialize(directory, "-backend=false")
        assert not (directory / ".iacctl" / "backend.json").exists()
        assert "migrate_and_reconfigure" in initialize(directory, "-migrate-state", "-reconfigure", code=1)
        printed = initialize(directory, typed="no\n")
        assert "No state was copied" in printed and iacctl(directory, "workspace", "show").strip() == "default", printed
        assert "[no_state]" in iacctl(directory, "state", "list", code=1)

        configure(directory, ONE_OBJECT)
        assert "backend_changed" in initialize(directory, code=1)
        initialize(directory, "-reconfigure")
        iacctl(directory, "workspace", "select", "blue")
        configure(directory, server.block("/other"), ONE_OBJECT)
        printed = initialize(directory, "-force-copy", "-input=false")
        assert 'workspace "default": not copied' in printed, printed
        assert content(pulled(directory)) == content(blue) and pulled(directory)["lineage"] == blue["lineage"]


def a_state_that_is_replaced_is_kept_in_a_file(directory):
    configure(directory, ONE_OBJECT)
    iacctl(directory, "apply", "-auto-approve")
    first = pulled(directory)
    configure(directory, backend("local", path="other"), ONE_OBJECT)
    initialize(directory, "-reconfigure")
    iacctl(directory, "apply", "-auto-approve")
    second = pulled(directory)
    configure(directory, ONE_OBJECT)

    refused = initialize(directory, "-migrate-state", typed="yes\n", code=1)
    assert "migration_conflict" in refused and first["lineage"] in refused and second["lineage"] in refused, refused
    initialize(directory, "-force-copy")

    assert content(pulled(directory)) == content(second)
    saved = list((directory / ".iacctl" / ".replaced").iterdir())
    assert len(saved) == 1 and stat.S_IMODE(saved[0].stat().st_mode) == 0o600, saved
    assert content(json.loads(saved[0].read_text())) == content(first)


def nothing_moves_while_a_lock_is_held(directory):
    (directory / "terraform.tfstate").write_text(json.dumps(STATE))
    info = {"ID": "11", "Operation": "OperationTypeApply", "Who": "ada@engine", "Version": "1.11.4", "Created": "now", "Path": "x"}
    configure(directory, ONE_OBJECT)
    with open(directory / "terraform.tfstate", "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)  # as terraform does
        (directory / ".terraform.tfstate.lock.info").write_text(json.dumps(info))
        refused = initialize(directory, "-force-copy", code=3)
        assert "ada@engine" in refused, refused
        assert "[no_state]" in iacctl(directory, "state", "list", code=1)
    with Server() as server:
        configure(directory, server.block(), ONE_OBJECT)
        server.send("LOCK", "/state", info)
        refused = initialize(directory, "-force-copy", code=3)
        assert "ada@engine" in refused, refused
        assert not (directory / ".iacctl" / "backend.json").exists()
        initialize(directory, "-force-copy", "-lock=false", code=5)  # the server refuses a write without the lock's id
        server.send("UNLOCK", "/state")
        initialize(directory, "-force-copy")
        assert content(json.loads(server.document("/state"))) == content(pulled(directory))
        no_changes(iacctl, directory)


def a_migration_that_is_killed_at_any_moment_loses_nothing(directory):
    seed = random.randrange(2**32)
    print(f"# seed {seed}")
    chance = random.Random(seed)
    names = ["default", "blue", "green", "red"]
    configure(directory, OBJECTS)
    for number, name in enumerate(names):
        if number > 0:
            iacctl(directory, "workspace", "new", name)
        iacctl(directory, "apply", "-auto-approve", f"-var=size={number + 1}")
    states = {name: content(pulled(directory, name)) for name in names}
    iacctl(directory, "workspace", "select", "default")
    began = time.monotonic()
    killed = 0
    for attempt in range(12):
        target = f"place{attempt}"
        configure(directory, backend("local", path=target, workspace_dir=target + ".d"), OBJECTS)
        arguments = [BINARY, "init", "-force-copy"]
        process = subprocess.Popen(arguments, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment())
        try:
            process.wait(chance.uniform(0, 0.15))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        # Either the old backend is in use, with all states, or the new one is.
        chosen = directory / ".iacctl" / "backend.json"
        config = json.loads(chosen.read_text())["backend"]["config"] if chosen.exists() else {}
        if config.get("path") != target:
            path = config.get("path")
            configure(directory, backend("local", path=path, workspace_dir=path + ".d") if path else "", OBJECTS)
        for name in names:
            assert content(pulled(directory, name)) == states[name], f"{name} after kill {attempt}"
        configure(directory, backend("local", path=target, workspace_dir=target + ".d"), OBJECTS)
        initialize(directory, "-force-copy")
        for name in names:
            assert content(pulled(directory, name)) == states[name], f"{name} after migration {attempt}"
        if time.monotonic() - began > 60:
            break
    print(f"# killed {killed} of {attempt + 1} migrations")
    assert killed > 0


def an_interrupted_migration_leaves_no_lock(directory):
    with Server() as server:
        configure(directory, ONE_OBJECT)
        iacctl(directory, "apply", "-auto-approve")
        configure(directory, server.block(), ONE_OBJECT)
        server.hold("LOCK")
        process = subprocess.Popen([BINARY, "init", "-force-copy"], cwd=directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment())
        deadline = time.monotonic() + SOON
        while "LOCK /state" not in server.log():
            assert time.monotonic() < deadline and process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        server.release()
        printed = process.communicate(timeout=SOON)[0]
        assert process.returncode == 130 and "command_interrupted" in printed, f"exit {process.returncode}: {printed}"
        assert server.log()[-1] == "UNLOCK /state" and "POST" not in "".join(server.log()), server.log()
        assert not (directory / ".iacctl" / "backend.json").exists()
        initialize(directory, "-force-copy")
        no_changes(iacctl, directory)


def passwords_of_the_environment_are_stored_nowhere(directory):
    with Server("--user", "ada:hunter2") as server:
        configure(directory, server.block(), ONE_OBJECT)
        env = environment(TF_HTTP_USERNAME="ada", TF_HTTP_PASSWORD="hunter2")
        printed = initialize(directory, env=env)
        printed += iacctl(directory, "apply", "-auto-approve", env=env)
        printed += iacctl(directory, "plan", "-out=p", env=env)
        assert "remote_state_needs_login" in iacctl(directory, "plan", "-no-color", code=1)
        found = subprocess.run(["grep", "-rl", "hunter2", "."], cwd=directory, capture_output=True, text=True).stdout
        assert found == "" and "hunter2" not in printed, found + printed

        printed = initialize(directory, "-reconfigure", "-backend-config=username=ada", "-backend-config=password=hunter2")
        assert "backend_secret_stored" in printed and "hunter2" not in printed, printed
        iacctl(directory, "plan")
        stored = directory / ".iacctl" / "backend.json"
        assert stat.S_IMODE(stored.stat().st_mode) == 0o600 and "hunter2" in stored.read_text()


def copies_are_complete(directory):
    provider = 'provider["registry.terraform.io/example/thing"]'
    everything = {
        "version": 4, "terraform_version": "1.11.4", "serial": 41, "lineage": "8d4a9c8e-6a3e-4c39-8d83-0d8a27b1a111",
        "outputs": {"o": {"value": [1, "a"], "type": ["tuple", ["number", "string"]], "sensitive": True}},
        "resources": [
            {"mode": "data", "type": "thing", "name": "d", "provider": provider, "instances": [
                {"schema_version": 2, "attributes": {"id": "d"}, "sensitive_attributes": []}]},
            {"module": 'module.m["k"]', "mode": "managed", "type": "thing", "name": "r", "provider": provider, "instances": [
                {"index_key": 0, "status": "tainted", "schema_version": 7, "attributes": {"big": 12345678901234567890, "id": "0"},
                 "sensitive_attributes": [[{"type": "get_attr", "value": "id"}]], "identity_schema_version": 3,
                 "identity": {"arn": "x"}, "private": "eyJzY2hlbWFfdmVyc2lvbiI6IjcifQ==", "dependencies": ["data.thing.d"],
                 "create_before_destroy": True},
                {"index_key": 0, "deposed": "0a1b2c3d", "schema_version": 6, "attributes": {"id": "old"},
                 "sensitive_attributes": [], "private": "bnVsbA=="}]}],
        "check_results": [{"object_kind": "output", "config_addr": "output.o", "status": "pass",
                           "objects": [{"object_addr": "output.o", "status": "pass"}]}],
        "pending_operations": [{"deposed": "", "kind": "update", "operation": "1-2", "provider": provider,
                                "request": json.dumps({"id": "0"}, separators=(",", ":")), "target": 'module.m["k"].thing.r[0]'}]}
    configure(directory)
    (directory / "state.json").write_text(json.dumps(everything))
    iacctl(directory, "state", "push", "state.json")
    wanted = pulled(directory)
    assert wanted == everything, json.dumps(wanted, indent=1)
    with Server() as server:
        for block in [backend("local", path="other"), server.block(), ""]:
            configure(directory, block)
            # The copies are made before the provider of the objects is looked for, which does not exist.
            refused = initialize(directory, "-force-copy", "-plugin-dir=absent", code=1)
            assert "[providers_not_installed]" in refused, refused
            found = pulled(directory)
            assert {**found, "serial": 0} == {**wanted, "serial": 0}, f"{block}: {json.dumps(found, indent=1)}"
            if "http" in block:
                assert json.loads(server.document("/state")) == found


def unknown_backends_are_rejected_with_a_remedy(directory):
    for name in ["consul", "cos", "kubernetes", "oci", "oss", "remote"]:
        configure(directory, backend(name), ONE_OBJECT)
        for command in ["init", "plan"]:
            refused = iacctl(directory, command, "-no-color", code=1)
            assert "unsupported_backend" in refused and f'"{name}"' in refused and "state pull" in refused, refused
    configure(directory, backend("floppy"), ONE_OBJECT)
    assert "unknown_backend_type" in iacctl(directory, "init", "-no-color", code=1)
    configure(directory, 'terraform {\n  cloud {\n    organization = "o"\n  }\n}\n', ONE_OBJECT)
    for arguments in [["init"], ["plan"], ["state", "list"]]:
        refused = iacctl(directory, *arguments, code=1)
        assert "unsupported_cloud_block" in refused and "state pull" in refused, refused
    configure(directory, ONE_OBJECT)
    (directory / ".terraform").mkdir()
    note = {"version": 3, "backend": {"type": "cos", "config": {"bucket": "b"}, "hash": 1}}
    (directory / ".terraform" / "terraform.tfstate").write_text(json.dumps(note))
    assert "state_in_terraform_backend" in iacctl(directory, "plan", "-no-color", code=1)
    assert "unsupported_terraform_backend" in initialize(directory, code=1)
    initialize(directory, "-reconfigure")
    iacctl(directory, "plan")


TESTS = [files_of_terraform_are_migrated_to_iacctl_and_back, a_local_backend_with_paths_is_migrated_to_iacctl_and_back,
         a_server_of_terraform_is_used_by_iacctl_and_by_terraform_again, a_state_on_a_server_is_found_without_its_backend_block,
         nothing_is_taken_over_without_an_answer, a_state_file_that_terraform_changes_after_its_takeover_is_noticed,
         a_state_file_that_terraform_changes_is_noticed_beside_a_state_on_a_server,
         a_server_of_terraform_that_changes_after_its_takeover_is_noticed,
         states_of_a_file_move_to_a_server_that_terraform_can_use, every_option_of_a_migration_has_its_documented_effect,
         a_state_that_is_replaced_is_kept_in_a_file, nothing_moves_while_a_lock_is_held,
         a_migration_that_is_killed_at_any_moment_loses_nothing, an_interrupted_migration_leaves_no_lock,
         passwords_of_the_environment_are_stored_nowhere,
         copies_are_complete, unknown_backends_are_rejected_with_a_remedy]

if __name__ == "__main__":
    sys.exit(tap.run([test for test in TESTS if not sys.argv[2:] or test.__name__ in sys.argv[2:]]))
