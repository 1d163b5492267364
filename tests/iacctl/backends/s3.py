#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the backend "s3" of iacctl with that of terraform, in a bucket of moto, an S3 server for tests. TAP.

    s3.py IACCTL CACHE

moto_server is found in PATH, or is installed from PyPI into the directory CACHE. Without it, or without terraform,
tests are skipped.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

IACCTL = os.path.abspath(sys.argv[1])
CACHE = pathlib.Path(sys.argv[2])
ENVIRONMENT = dict(os.environ, TF_CLI_CONFIG_FILE=os.devnull, CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1",
                   AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_EC2_METADATA_DISABLED="true")


def find_moto():
    found = shutil.which("moto_server")
    if found:
        return found, None
    program = CACHE / "moto" / "bin" / "moto_server"
    if not program.exists():
        draft = CACHE / f"moto-{os.getpid()}"
        try:
            subprocess.run([sys.executable, "-m", "venv", draft], check=True, capture_output=True, timeout=60)
            subprocess.run([draft / "bin" / "pip", "install", "-q", "moto[s3,server]==5.2.5"], check=True, capture_output=True,
                           timeout=170)
            # Scripts in the directory contain its path, so it cannot be renamed and is linked instead.
            (CACHE / "moto").symlink_to(draft.name)
        except (OSError, subprocess.SubprocessError) as failed:
            shutil.rmtree(draft, ignore_errors=True)
            if program.exists():  # another test has installed it meanwhile
                return str(program), None
            return None, f"needs pypi: {type(failed).__name__}"
    return str(program), None


class Bucket:
    def __init__(self, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(self.port)], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while True:
            try:
                self.send("PUT", "/states")
                return
            except OSError:
                if time.monotonic() > limit or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def send(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, data=body, method=method)
        request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, "
                           "SignedHeaders=host, Signature=0")
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=20) as got:
            return got.read().decode()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def write_configuration(where, bucket, seconds="0"):
    where.mkdir(parents=True, exist_ok=True)
    (where / "main.tf").write_text(f"""
terraform {{
  backend "s3" {{
    bucket                      = "states"
    key                         = "net/main.tfstate"
    region                      = "us-east-1"
    endpoints                   = {{ s3 = "{bucket.url}" }}
    use_path_style              = true
    use_lockfile                = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_region_validation      = true
  }}
}}
resource "terraform_data" "a" {{
  input = terraform.workspace
  provisioner "local-exec" {{ command = "sleep {seconds}" }}
}}
output "o" {{ value = terraform_data.a.output }}
""")
    return where


def run(program, where, *arguments):
    return subprocess.run([program, *arguments], cwd=where, env=ENVIRONMENT, text=True, capture_output=True, timeout=120)


def succeed(program, where, *arguments):
    done = run(program, where, *arguments)
    if done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def contains(text, wanted):
    if wanted not in text:
        raise AssertionError(f"{wanted!r} is not in: {text}")


def alone(bucket, directory):
    """iacctl keeps the states of two workspaces in a bucket"""
    where = write_configuration(directory / "alone", bucket)
    succeed(IACCTL, where, "init", "-input=false")
    succeed(IACCTL, where, "apply", "-auto-approve")
    succeed(IACCTL, where, "workspace", "new", "blue")
    succeed(IACCTL, where, "apply", "-auto-approve")
    contains(succeed(IACCTL, where, "workspace", "list"), "blue")
    expect(succeed(IACCTL, where, "output", "-raw", "o"), "blue")
    states = [json.loads(bucket.send("GET", path)) for path in
              ("/states/net/main.tfstate", "/states/env%3A/blue/net/main.tfstate")]
    expect([one["outputs"]["o"]["value"] for one in states], ["default", "blue"])
    expect("tflock" in bucket.send("GET", "/states?list-type=2"), False, "a lock is left")
    # A second machine, without files of the first one.
    other = write_configuration(directory / "other", bucket)
    succeed(IACCTL, other, "init", "-input=false")
    contains(succeed(IACCTL, other, "plan"), "No changes")
    for workspace in ("blue", "default"):
        succeed(IACCTL, where, "workspace", "select", workspace)
        succeed(IACCTL, where, "destroy", "-auto-approve")
    succeed(IACCTL, where, "workspace", "delete", "blue")
    expect("blue" in bucket.send("GET", "/states?list-type=2"), False, "the state of a deleted workspace")
    bucket.send("DELETE", "/states/net/main.tfstate")


def locked_while(bucket, holder, other, where_holder, where_other):
    applying = subprocess.Popen([holder, "apply", "-auto-approve", "-input=false"], cwd=where_holder, env=ENVIRONMENT,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 30
        while "tflock" not in bucket.send("GET", "/states?list-type=2"):
            expect(time.monotonic() < limit, True, f"the lock of {holder}")
            time.sleep(0.02)
        refused = run(other, where_other, "apply", "-auto-approve", "-input=false")
        expect(refused.returncode in (1, 3), True, f"{other} while {holder} applies")
        contains(refused.stderr, "acquiring the state lock")
    finally:
        expect(applying.wait(60), 0, f"{holder} apply")


def beside(bucket, directory):
    """iacctl and terraform wait for the locks of each other and read the state of each other"""
    theirs = write_configuration(directory / "theirs", bucket, "3")
    ours = write_configuration(directory / "ours", bucket, "3")
    succeed("terraform", theirs, "init", "-input=false")
    succeed(IACCTL, ours, "init", "-input=false")
    locked_while(bucket, "terraform", IACCTL, theirs, ours)
    contains(succeed(IACCTL, ours, "plan"), "No changes")
    succeed(IACCTL, ours, "taint", "terraform_data.a")
    contains(succeed("terraform", theirs, "plan"), "is tainted")
    locked_while(bucket, IACCTL, "terraform", ours, theirs)
    contains(succeed("terraform", theirs, "plan"), "No changes")
    succeed("terraform", theirs, "workspace", "new", "red")
    contains(succeed(IACCTL, ours, "workspace", "list"), "red")
    # A lock of an ended process, released by the other program.
    bucket.send("PUT", "/states/net/main.tfstate.tflock", b'{"ID":"left-behind","Who":"someone"}')
    contains(run(IACCTL, ours, "apply", "-auto-approve").stderr, "left-behind")
    succeed(IACCTL, ours, "force-unlock", "-force", "left-behind")
    succeed(IACCTL, ours, "destroy", "-auto-approve")


def first_apply(bucket, directory, seconds):
    """Starts the first apply of a state, and waits until it has the lock."""
    where = write_configuration(directory, bucket, seconds)
    succeed(IACCTL, where, "init", "-input=false")
    applying = subprocess.Popen([IACCTL, "apply", "-auto-approve", "-input=false"], cwd=where, env=ENVIRONMENT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    limit = time.monotonic() + 30
    while "tflock" not in bucket.send("GET", "/states?list-type=2"):
        expect(time.monotonic() < limit, True, "the lock")
        time.sleep(0.02)
    return where, applying


def planned_first(bucket, directory):
    """a plan is refused during the first apply"""
    where, applying = first_apply(bucket, directory / "first", "2")
    refused = run(IACCTL, where, "plan")
    expect(refused.returncode, 3, f"plan: {refused.stdout}{refused.stderr}")
    applying.communicate(timeout=60)
    contains(succeed(IACCTL, where, "plan"), "No changes")
    succeed(IACCTL, where, "destroy", "-auto-approve")
    bucket.send("DELETE", "/states/net/main.tfstate")


def overtaken(bucket, directory):
    """a state that was written since it was read is not overwritten; the changes are in a rescue copy"""
    where, applying = first_apply(bucket, directory / "late", "2")
    theirs = b'{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"theirs","outputs":{},"resources":[]}'
    bucket.send("PUT", "/states/net/main.tfstate", theirs)
    text, _ = applying.communicate(timeout=60)
    expect(applying.returncode, 5, text)
    contains(text, "mirror_rescued")
    expect(bucket.send("GET", "/states/net/main.tfstate"), theirs.decode(), "the state of the other client")
    copies = list(where.glob(".iacctl/.mirrors/*/*/spool/rescue-*.tfstate"))
    expect(len(copies), 1, "rescue copies")
    expect(len(json.loads(copies[0].read_text())["resources"]), 1, "resources of the copy")
    bucket.send("DELETE", "/states/net/main.tfstate")


TESTS = [(alone, ["moto"]), (planned_first, ["moto"]), (overtaken, ["moto"]), (beside, ["moto", "terraform"])]


def main():
    print(f"1..{len(TESTS)}", flush=True)
    program, absent = find_moto()
    bucket = Bucket(program) if program else None
    try:
        for number, (test, tools) in enumerate(TESTS, 1):
            reason = absent or next((f"needs {one}" for one in tools[1:] if shutil.which(one) is None), None)
            if reason:
                print(f"ok {number} - {test.__doc__} # SKIP {reason}")
                continue
            with tempfile.TemporaryDirectory(prefix="iacctl-s3-") as directory:
                try:
                    test(bucket, pathlib.Path(directory))
                    print(f"ok {number} - {test.__doc__}", flush=True)
                except Exception as failed:  # a failure of one test is reported, and the next one runs
                    print(f"# {type(failed).__name__}: " + str(failed).replace("\n", "\n# "))
                    print(f"not ok {number} - {test.__doc__}", flush=True)
    finally:
        if bucket:
            bucket.stop()


if __name__ == "__main__":
    main()
