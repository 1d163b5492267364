#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the backend "s3" of iacctl with that of terraform, in a bucket of moto, an S3 server for tests. TAP.

    s3.py IACCTL CACHE

moto_server is found in PATH, or is installed from PyPI into the directory CACHE. Without it, or without terraform,
tests are skipped.
"""
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
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
            subprocess.run([draft / "bin" / "pip", "install", "-q", "moto[dynamodb,s3,server]==5.2.5"], check=True, capture_output=True,
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
        limit = time.monotonic() + 150
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

    def table(self, operation, **members):
        request = urllib.request.Request(self.url + "/", method="POST",
                                         data=json.dumps({"TableName": "locks", **members}).encode())
        request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
                           "SignedHeaders=host, Signature=0")
        request.add_header("X-Amz-Target", "DynamoDB_20120810." + operation)
        request.add_header("Content-Type", "application/x-amz-json-1.0")
        with urllib.request.urlopen(request, timeout=20) as got:
            return json.load(got)

    def make_table(self):
        try:
            self.table("CreateTable", KeySchema=[{"AttributeName": "LockID", "KeyType": "HASH"}],
                       AttributeDefinitions=[{"AttributeName": "LockID", "AttributeType": "S"}],
                       BillingMode="PAY_PER_REQUEST")
        except urllib.error.HTTPError:
            self.table("DescribeTable")  # it is there already

    def item(self, key):
        return self.table("GetItem", Key={"LockID": {"S": key}}).get("Item")

    def put_item(self, key, **texts):
        self.table("PutItem", Item={"LockID": {"S": key}, **{name: {"S": text} for name, text in texts.items()}})

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


HOLD = "touch begun; until [ -e go ]; do sleep 0.02; done"


def write_configuration(where, bucket, command="true", locks="use_lockfile = true"):
    where.mkdir(parents=True, exist_ok=True)
    (where / "main.tf").write_text(f"""
terraform {{
  backend "s3" {{
    bucket                      = "states"
    key                         = "net/main.tfstate"
    region                      = "us-east-1"
    endpoints                   = {{ s3 = "{bucket.url}", dynamodb = "{bucket.url}" }}
    use_path_style              = true
    {locks}
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_requesting_account_id  = true
    skip_region_validation      = true
  }}
}}
resource "terraform_data" "a" {{
  input = terraform.workspace
  provisioner "local-exec" {{ command = "{command}" }}
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


class Apply:
    """An apply that has begun to create the resource, and holds its lock until `complete`."""

    def __init__(self, program, where):
        self.go = where / "go"
        for file in (self.go, where / "begun"):
            file.unlink(missing_ok=True)
        self.process = subprocess.Popen([program, "apply", "-auto-approve", "-input=false"], cwd=where, env=ENVIRONMENT,
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        limit = time.monotonic() + 60
        while not (where / "begun").exists():
            if time.monotonic() > limit or self.process.poll() is not None:
                self.process.kill()
                raise AssertionError(f"{program} did not begin: {self.process.communicate()[0]}")
            time.sleep(0.02)

    def complete(self):
        self.go.touch()
        text, _ = self.process.communicate(timeout=60)
        return self.process.returncode, text


def locked_while(holder, other, where_holder, where_other):
    applying = Apply(holder, where_holder)
    try:
        refused = run(other, where_other, "apply", "-auto-approve", "-input=false")
        expect(refused.returncode in (1, 3), True, f"{other} while {holder} applies")
        contains(refused.stderr, "acquiring the state lock")
    finally:
        code, text = applying.complete()
    expect(code, 0, text)


def beside(bucket, directory):
    """iacctl and terraform wait for the locks of each other and read the state of each other"""
    theirs = write_configuration(directory / "theirs", bucket, HOLD)
    ours = write_configuration(directory / "ours", bucket, HOLD)
    succeed("terraform", theirs, "init", "-input=false")
    succeed(IACCTL, ours, "init", "-input=false")
    locked_while("terraform", IACCTL, theirs, ours)
    contains(succeed(IACCTL, ours, "plan"), "No changes")
    succeed(IACCTL, ours, "taint", "terraform_data.a")
    contains(succeed("terraform", theirs, "plan"), "is tainted")
    locked_while(IACCTL, "terraform", ours, theirs)
    contains(succeed("terraform", theirs, "plan"), "No changes")
    succeed("terraform", theirs, "workspace", "new", "red")
    contains(succeed(IACCTL, ours, "workspace", "list"), "red")
    # A lock of an ended process, released by the other program.
    bucket.send("PUT", "/states/net/main.tfstate.tflock", b'{"ID":"left-behind","Who":"someone"}')
    contains(run(IACCTL, ours, "apply", "-auto-approve").stderr, "left-behind")
    succeed(IACCTL, ours, "force-unlock", "-force", "left-behind")
    succeed(IACCTL, ours, "destroy", "-auto-approve")


def planned_first(bucket, directory):
    """a plan is refused during the first apply"""
    where = write_configuration(directory / "first", bucket, HOLD)
    succeed(IACCTL, where, "init", "-input=false")
    applying = Apply(IACCTL, where)
    try:
        refused = run(IACCTL, where, "plan")
        expect(refused.returncode, 3, f"plan: {refused.stdout}{refused.stderr}")
    finally:
        code, text = applying.complete()
    expect(code, 0, text)
    contains(succeed(IACCTL, where, "plan"), "No changes")
    succeed(IACCTL, where, "destroy", "-auto-approve")
    bucket.send("DELETE", "/states/net/main.tfstate")


def overtaken(bucket, directory):
    """a state that was written since it was read is not overwritten; the changes are in a rescue copy"""
    where = write_configuration(directory / "late", bucket, HOLD)
    succeed(IACCTL, where, "init", "-input=false")
    applying = Apply(IACCTL, where)
    theirs = b'{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"theirs","outputs":{},"resources":[]}'
    bucket.send("PUT", "/states/net/main.tfstate", theirs)
    code, text = applying.complete()
    expect(code, 5, text)
    contains(text, "mirror_rescued")
    expect(bucket.send("GET", "/states/net/main.tfstate"), theirs.decode(), "the state of the other client")
    copies = list(where.glob(".iacctl/.mirrors/*/*/spool/rescue-*.tfstate"))
    expect(len(copies), 1, "rescue copies")
    expect(len(json.loads(copies[0].read_text())["resources"]), 1, "resources of the copy")
    bucket.send("DELETE", "/states/net/main.tfstate")


TABLE = 'dynamodb_table = "locks"'


def table_locks(bucket, directory):
    """a table of DynamoDB has the lock and the digest of a state"""
    bucket.make_table()
    where = write_configuration(directory / "table", bucket, HOLD, TABLE + "\n    use_lockfile = true")
    succeed(IACCTL, where, "init", "-input=false")
    applying = Apply(IACCTL, where)
    try:
        contains(bucket.item("states/net/main.tfstate")["Info"]["S"], "OperationType")
        contains(bucket.send("GET", "/states?list-type=2"), "tflock")
        refused = run(IACCTL, where, "plan")
        expect(refused.returncode, 3, f"plan: {refused.stdout}{refused.stderr}")
    finally:
        code, text = applying.complete()
    expect(code, 0, text)
    expect(bucket.item("states/net/main.tfstate"), None, "the lock after the apply")
    state = bucket.send("GET", "/states/net/main.tfstate").encode()
    expect(bucket.item("states/net/main.tfstate-md5")["Digest"]["S"], hashlib.md5(state).hexdigest(), "the digest")
    # A lock of an ended process, which only the table has.
    write_configuration(where, bucket, HOLD, TABLE)
    succeed(IACCTL, where, "init", "-input=false", "-reconfigure")
    bucket.put_item("states/net/main.tfstate", Info='{"ID":"left-behind","Who":"someone"}')
    contains(run(IACCTL, where, "apply", "-auto-approve").stderr, "left-behind")
    succeed(IACCTL, where, "force-unlock", "-force", "left-behind")
    # A digest of another document.
    bucket.put_item("states/net/main.tfstate-md5", Digest="0" * 32)
    damaged = run(IACCTL, where, "plan")
    contains(damaged.stderr, "s3_digest_differs")
    bucket.put_item("states/net/main.tfstate-md5", Digest=hashlib.md5(state).hexdigest())
    succeed(IACCTL, where, "destroy", "-auto-approve")
    bucket.send("DELETE", "/states/net/main.tfstate")
    bucket.table("DeleteItem", Key={"LockID": {"S": "states/net/main.tfstate-md5"}})


def table_beside(bucket, directory):
    """iacctl and terraform respect the locks and digests of each other in a table"""
    bucket.make_table()
    theirs = write_configuration(directory / "their-table", bucket, HOLD, TABLE)
    ours = write_configuration(directory / "our-table", bucket, HOLD, TABLE)
    succeed("terraform", theirs, "init", "-input=false")
    succeed(IACCTL, ours, "init", "-input=false")
    locked_while("terraform", IACCTL, theirs, ours)
    contains(succeed(IACCTL, ours, "plan"), "No changes")
    succeed(IACCTL, ours, "taint", "terraform_data.a")
    locked_while(IACCTL, "terraform", ours, theirs)
    contains(succeed("terraform", theirs, "plan"), "No changes")
    succeed(IACCTL, ours, "destroy", "-auto-approve")


# What Terraform 1.11 and iacctl both accept, without what needs more than a server on this machine.
ARGUMENTS = """
    acl                                = "private"
    allowed_account_ids                = ["123456789012"]
    assume_role = {
      role_arn            = "arn:aws:iam::123456789012:role/states"
      duration            = "1h"
      external_id         = "id"
      policy              = "{}"
      policy_arns         = ["arn:aws:iam::aws:policy/ReadOnlyAccess"]
      session_name        = "session"
      source_identity     = "ann"
      tags                = { team = "a" }
      transitive_tag_keys = ["team"]
    }
    dynamodb_table                     = "locks"
    ec2_metadata_service_endpoint      = "http://127.0.0.1:1"
    ec2_metadata_service_endpoint_mode = "IPv4"
    encrypt                            = true
    http_proxy                         = "http://127.0.0.1:1"
    https_proxy                        = "http://127.0.0.1:1"
    insecure                           = true
    max_retries                        = 3
    no_proxy                           = "127.0.0.1"
    profile                            = "p"
    retry_mode                         = "adaptive"
    shared_config_files                = ["config"]
    shared_credentials_files           = ["credentials"]
    skip_metadata_api_check            = true
    skip_region_validation             = true
    skip_s3_checksum                   = true
    sts_region                         = "us-east-1"
    use_dualstack_endpoint             = false
    use_fips_endpoint                  = false
    use_lockfile                       = true
    use_path_style                     = true
    workspace_key_prefix               = "spaces"
"""


def arguments_beside(bucket, directory):
    """iacctl and terraform use one state with the same arguments, among them a role"""
    bucket.make_table()
    both = []
    for name in ("their-arguments", "our-arguments"):
        where = write_configuration(directory / name, bucket)
        text = (where / "main.tf").read_text()
        begin, end = text.index("    endpoints"), text.index('  }\n}\nresource')
        endpoints = ", ".join(f'{service} = "{bucket.url}"' for service in ("dynamodb", "iam", "s3", "sso", "sts"))
        (where / "main.tf").write_text(f"{text[:begin]}    endpoints = {{ {endpoints} }}{ARGUMENTS}{text[end:]}")
        (where / "config").write_text("[profile p]\nregion = us-east-1\n")
        (where / "credentials").write_text("[p]\naws_access_key_id = test\naws_secret_access_key = test\n")
        both.append(where)
    theirs, ours = both
    succeed("terraform", theirs, "init", "-input=false")
    succeed("terraform", theirs, "apply", "-auto-approve")
    succeed("terraform", theirs, "workspace", "new", "red")
    succeed(IACCTL, ours, "init", "-input=false")
    contains(succeed(IACCTL, ours, "plan"), "No changes")
    contains(succeed(IACCTL, ours, "workspace", "list"), "red")
    succeed(IACCTL, ours, "taint", "terraform_data.a")
    succeed(IACCTL, ours, "apply", "-auto-approve")
    succeed("terraform", theirs, "workspace", "select", "default")
    contains(succeed("terraform", theirs, "plan"), "No changes")
    # What terraform has recorded supplies the arguments that the block does not have.
    taken = directory / "taken-over"
    shutil.copytree(theirs, taken)
    text = (taken / "main.tf").read_text()
    begin, end = text.index('    bucket '), text.index('  }\n}\nresource')
    (taken / "main.tf").write_text(text[:begin] + text[end:])
    succeed(IACCTL, taken, "init", "-input=false")
    contains(succeed(IACCTL, taken, "plan"), "No changes")
    succeed(IACCTL, ours, "destroy", "-auto-approve")


TESTS = [(alone, ["moto"]), (planned_first, ["moto"]), (overtaken, ["moto"]), (beside, ["moto", "terraform"]),
         (table_locks, ["moto"]), (table_beside, ["moto", "terraform"]),
         (arguments_beside, ["moto", "terraform"])]


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
