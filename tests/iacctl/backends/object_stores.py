#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the backends "azurerm" and "gcs" of iacctl with those of terraform, in containers of Azurite and buckets of
fake-gcs-server. TAP.

    object_stores.py IACCTL CACHE azurerm|gcs

Azurite is found in PATH, or installed by npm into the directory CACHE; fake-gcs-server is found in PATH, or built as
providers are (see ../plugin/released_providers.py). Without it, or without terraform, tests are skipped.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import clouds

IACCTL = os.path.abspath(sys.argv[1])
CACHE = pathlib.Path(sys.argv[2])
RESOURCES = """
resource "terraform_data" "a" {
  input = terraform.workspace
  provisioner "local-exec" { command = "touch started; sleep %s" }
}
output "o" { value = terraform_data.a.output }
"""


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def contains(text, wanted):
    if wanted not in " ".join(text.replace("│", " ").split()):
        raise AssertionError(f"{wanted!r} is not in: {text}")


class Azure:
    """States in the container "states"."""
    type, tool = "azurerm", "azurite"
    usual = {"access_key": clouds.ACCOUNT_KEY}

    def __init__(self, root):
        self.clouds, self.root = clouds.Clouds(CACHE), root
        self.reason = self.clouds.start_azurite()

    def arguments(self, key):
        return {"storage_account_name": clouds.ACCOUNT, "container_name": "states", "key": key}

    def name(self, key, workspace):
        return key if workspace == "default" else f"{key}env:{workspace}"

    def read(self, key, workspace="default"):
        status, _, text = self.clouds.blob("GET", self.name(key, workspace))
        return text.decode() if status == 200 else None

    def lock(self, key):
        """The id of the lock of the default workspace."""
        status, headers, _ = self.clouds.blob("HEAD", key)
        about = {name.lower(): text for name, text in headers.items()}
        if status != 200 or about["x-ms-lease-status"] != "locked" or "x-ms-meta-terraformlockid" not in about:
            return None
        return json.loads(base64.b64decode(about["x-ms-meta-terraformlockid"]))["ID"]

    def leave_lock(self, key):
        lock = {"ID": "0b8c35d2-6e3f-4f4e-9d2c-3a0c4c8a7f11", "Who": "someone", "Operation": "left behind", "Info": "", "Version": "",
                "Created": "2026-01-01T00:00:00Z", "Path": ""}
        self.clouds.blob("PUT", key, {"comp": "lease"}, headers={"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1",
                                                              "x-ms-proposed-lease-id": lock["ID"]})
        self.clouds.blob("PUT", key, {"comp": "metadata"}, headers={
            "x-ms-lease-id": lock["ID"], "x-ms-meta-terraformlockid": base64.b64encode(json.dumps(lock).encode()).decode()})
        return lock["ID"]

    def overtake(self, key, text):
        """Writes a state as a process that has broken the lock."""
        held = self.lock(key)
        self.clouds.blob("PUT", key, {"comp": "lease"}, headers={"x-ms-lease-action": "release", "x-ms-lease-id": held})
        expect(self.clouds.blob("PUT", key, body=text)[0], 201, "the write of the other process")

    def ways(self):
        """Ways to log in: arguments, environment, and the kind of token that they use."""
        identity = {"tenant_id": clouds.TENANT, "client_id": clouds.CLIENT}
        entra = identity | {"use_azuread_auth": True}
        pipeline = {"use_oidc": True, "oidc_request_url": "https://pipelines.example/token", "oidc_request_token": "pipeline"}
        token_file = self.root / "token"
        token_file.write_text("federated\n")
        modern = self.clouds.make_client_certificate("open sesame")
        content = base64.b64encode(modern.read_bytes()).decode()
        tools = self.root / "tools"
        tools.mkdir()
        az = tools / "az"
        token = self.clouds.azure_token("command line", "https://storage.azure.com")
        az.write_text("#!/bin/sh\necho '" + json.dumps({"accessToken": token["access_token"], "expires_on": int(time.time()) + 3599,
                                                        "tokenType": "Bearer"}) + "'\n")
        az.chmod(0o755)
        return [
            ("access key", {"access_key": clouds.ACCOUNT_KEY}, {}, None),
            ("access key of the environment", {}, {"ARM_ACCESS_KEY": clouds.ACCOUNT_KEY}, None),
            ("signature", {"sas_token": "?" + self.clouds.sas()}, {}, None),
            ("client secret", entra | {"client_secret": clouds.SECRET}, {}, "secret"),
            ("client secret of the environment", {"use_azuread_auth": True},
             {"ARM_TENANT_ID": clouds.TENANT, "ARM_CLIENT_ID": clouds.CLIENT, "ARM_CLIENT_SECRET": clouds.SECRET}, "secret"),
            ("client certificate", entra | {"client_certificate": content, "client_certificate_password": "open sesame"}, {},
             "certificate"),
            ("token", entra | {"use_oidc": True, "oidc_token": "federated"}, {}, "federated"),
            ("file of a token", entra | {"use_oidc": True, "oidc_token_file_path": str(token_file)}, {}, "federated"),
            ("token of GitHub", entra | pipeline, {}, "federated"),
            ("token of Azure DevOps", entra | pipeline | {"ado_pipeline_service_connection_id": "connection"}, {}, "federated"),
            ("workload of AKS", {"use_azuread_auth": True, "use_aks_workload_identity": True},
             {"AZURE_TENANT_ID": clouds.TENANT, "AZURE_CLIENT_ID": clouds.CLIENT, "AZURE_FEDERATED_TOKEN_FILE": str(token_file)},
             "federated"),
            ("managed identity", {"use_azuread_auth": True, "use_msi": True,
                                  "msi_endpoint": f"http://127.0.0.1:{self.clouds.port}/msi/token"}, {}, "machine"),
            ("command line", {"use_azuread_auth": True}, {"PATH": f"{tools}:{os.environ['PATH']}"}, None),
            ("key of the resource manager", identity | {"client_secret": clouds.SECRET, "resource_group_name": "group",
                                                        "subscription_id": clouds.SUBSCRIPTION}, {}, "secret"),
            ("metadata service", entra | {"client_secret": clouds.SECRET, "metadata_host": "metadata.example"}, {}, "secret"),
        ]

    def refused(self):
        return [({"access_key": base64.b64encode(b"other").decode()}, "Authentication"),
                ({"use_azuread_auth": True, "tenant_id": clouds.TENANT, "client_id": clouds.CLIENT, "client_secret": "wrong"},
                 "AADSTS7000215"),
                ({"access_key": clouds.ACCOUNT_KEY, "container_name": "nowhere"}, "ContainerNotFound")]

    def own(self, test):
        """a copy of a replaced state with snapshot, and no metadata lost"""
        where = test.directory("snapshots", "snapshot.tfstate", snapshot=True)
        test.apply(where)
        self.clouds.blob("PUT", "snapshot.tfstate", {"comp": "metadata"}, headers={"x-ms-meta-team": "net"})
        test.run(IACCTL, where, "taint", "terraform_data.a")
        test.apply(where)
        _, _, text = self.clouds.blob("GET", "", {"restype": "container", "comp": "list", "include": "snapshots"})
        expect(text.decode().count("<Snapshot>") > 0, True, "snapshots")
        headers = {name.lower(): one for name, one in self.clouds.blob("HEAD", "snapshot.tfstate")[1].items()}
        expect(headers.get("x-ms-meta-team"), "net", "metadata of others")
        expect("x-ms-meta-terraformlockid" in headers, False, "the description of a released lock")


class Google:
    """States in the bucket "states"."""
    type, tool = "gcs", "fake-gcs-server"
    usual = {"access_token": "ambient"}

    def __init__(self, root):
        self.clouds, self.root = clouds.Clouds(CACHE), root
        self.reason = self.clouds.start_gcs()
        self.usual = {"access_token": self.clouds.issue("given", clouds.ROBOT)}

    def arguments(self, key):
        return {"bucket": "states", "prefix": key}

    def path(self, name):
        return f"/storage/v1/b/states/o/{name.replace('/', '%2F')}"

    def read(self, key, workspace="default"):
        status, _, text = self.clouds.object("GET", self.path(f"{key}/{workspace}.tfstate") + "?alt=media")
        return text.decode() if status == 200 else None

    def write(self, name, text):
        expect(self.clouds.object("POST", "/upload/storage/v1/b/states/o?uploadType=media&name=" + name.replace("/", "%2F"), text)[0], 200)

    def lock(self, key):
        status, _, text = self.clouds.object("GET", self.path(f"{key}/default.tflock"))
        return json.loads(text)["generation"] if status == 200 else None

    def leave_lock(self, key):
        self.write(f"{key}/default.tflock", b'{"ID":"an-id-inside","Who":"someone","Operation":"left behind"}')
        return self.lock(key)

    def overtake(self, key, text):
        self.write(f"{key}/default.tfstate", text)

    def ways(self):
        robot = self.clouds.make_robot()
        content = robot.read_text()
        user = {"type": "authorized_user", "client_id": "a", "client_secret": "b", "refresh_token": "refresh"}
        usual = self.root / "gcloud"
        usual.mkdir()
        (usual / "application_default_credentials.json").write_text(json.dumps(user))
        token_file = self.root / "token"
        token_file.write_text(json.dumps({"token": "federated"}))
        federated = {"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p",
                     "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "https://sts.googleapis.com/v1/token",
                     "credential_source": {"file": str(token_file), "format": {"type": "json", "subject_token_field_name": "token"}}}
        by_url = federated | {"credential_source": {
            "url": "https://pipelines.example/token?audience=google", "headers": {"Authorization": "Bearer pipeline"},
            "format": {"type": "json", "subject_token_field_name": "value"}}}
        generate = ("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" + clouds.ROBOT + ":generateAccessToken")
        nested = {"type": "impersonated_service_account", "source_credentials": user, "service_account_impersonation_url": generate,
                  "delegates": []}
        return [
            ("token", self.usual, {}, None),
            ("token of the environment", {}, {"GOOGLE_OAUTH_ACCESS_TOKEN": self.usual["access_token"]}, None),
            ("file of a service account", {"credentials": str(robot)}, {}, "robot"),
            ("text of a service account", {"credentials": content}, {}, "robot"),
            ("GOOGLE_BACKEND_CREDENTIALS", {}, {"GOOGLE_BACKEND_CREDENTIALS": content, "GOOGLE_CREDENTIALS": "{}"}, "robot"),
            ("GOOGLE_CREDENTIALS", {}, {"GOOGLE_CREDENTIALS": str(robot)}, "robot"),
            ("GOOGLE_APPLICATION_CREDENTIALS", {}, {"GOOGLE_APPLICATION_CREDENTIALS": str(robot)}, "robot"),
            ("a user", {}, {"CLOUDSDK_CONFIG": str(usual)}, "user"),
            ("metadata server", {}, {"GCE_METADATA_HOST": f"127.0.0.1:{self.clouds.port}"}, "machine"),
            ("federation by a file", {"credentials": json.dumps(federated)}, {}, "federated"),
            ("federation by a URL", {"credentials": json.dumps(by_url)}, {}, "federated"),
            ("federation as a service account", {"credentials": json.dumps(federated | {"service_account_impersonation_url": generate})},
             {}, "impersonated by "),
            ("impersonation of the file", {"credentials": json.dumps(nested)}, {}, "impersonated by "),
            ("impersonation with delegates",
             {"credentials": str(robot), "impersonate_service_account": "deployer@project.iam.gserviceaccount.com",
              "impersonate_service_account_delegates": ["one@p.example", "two@p.example"]}, {},
             "impersonated by one@p.example,two@p.example"),
            ("impersonation of the environment", {"credentials": str(robot)},
             {"GOOGLE_IMPERSONATE_SERVICE_ACCOUNT": "deployer@project.iam.gserviceaccount.com"}, "impersonated by "),
            ("endpoint", self.usual | {"storage_custom_endpoint": "https://storage.googleapis.com/storage/v1/b"}, {}, None),
            ("emulator", {}, {"STORAGE_EMULATOR_HOST": f"127.0.0.1:{self.clouds.upstreams[clouds.OBJECTS][0]}"}, None),
        ]

    def refused(self):
        broken = json.loads(self.clouds.make_robot().read_text()) | {"private_key": "no key"}
        return [({"access_token": "wrong"}, "Invalid Credentials"), ({"credentials": json.dumps(broken)}, "not an RSA key"),
                (self.usual | {"bucket": "nowhere"}, "404"), ({}, "gcloud auth application-default login")]

    def own(self, test):
        """a key of the customer with documents, and none with locks"""
        seen = []
        self.clouds.fault = lambda host, method, path: seen.append((method, path))
        where = test.directory("keys", "keys", encryption_key=base64.b64encode(bytes(32)).decode())
        test.apply(where)
        self.clouds.fault = lambda host, method, path: None
        expect(any(method == "POST" for method, _ in seen), True, "uploads")
        contains(test.run(IACCTL, where, "plan"), "No changes")


class Test:
    """Directories with configurations for one store, and the programs in them."""

    def __init__(self, store, root):
        self.store, self.root = store, root

    def directory(self, name, key, seconds="0", way=None, **more):
        where = self.root / name
        where.mkdir(parents=True, exist_ok=True)
        lines = [f"    {one} = {json.dumps(value)}" for one, value in
                 (self.store.arguments(key) | (self.store.usual if way is None else way) | more).items()]
        (where / "main.tf").write_text(f'terraform {{\n  backend "{self.store.type}" {{\n' + "\n".join(lines) + "\n  }\n}\n"
                                       + RESOURCES % seconds)
        return where

    def start(self, program, where, *arguments, **environment):
        return subprocess.Popen([program, *arguments], cwd=where, env=self.store.clouds.environment(**environment), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, program, where, *arguments, code=0, **environment):
        process = self.start(program, where, *arguments, **environment)
        text, _ = process.communicate(timeout=120)
        if process.returncode != code:
            raise AssertionError(f"{program} {' '.join(arguments)}: exit {process.returncode}, not {code}: {text}")
        return text

    def initialize(self, program, where, **environment):
        return self.run(program, where, "init", "-input=false", **environment)

    def apply(self, where, program=IACCTL, **environment):
        if not (where / ".iacctl" / "backend.json").exists() and program == IACCTL:
            self.initialize(program, where, **environment)
        return self.run(program, where, "apply", "-auto-approve", "-input=false", **environment)

    def applying(self, program, where, key):
        """Starts an apply, and waits until it has the lock and has begun to create the object."""
        (where / "started").unlink(missing_ok=True)
        process = self.start(program, where, "apply", "-auto-approve", "-input=false")
        limit = time.monotonic() + 60
        while not self.store.lock(key) or not (where / "started").exists():
            if time.monotonic() > limit or process.poll() is not None:
                raise AssertionError(f"no lock of {program}: {process.communicate(timeout=60)[0]}")
            time.sleep(0.02)
        return process

    def end(self, process, code=0):
        text, _ = process.communicate(timeout=120)
        expect(process.returncode, code, text)
        return text


def alone(test):
    """iacctl keeps the states of two workspaces"""
    store, where = test.store, test.directory("alone", "net/alone")
    test.apply(where)
    test.run(IACCTL, where, "workspace", "new", "blue")
    test.apply(where)
    contains(test.run(IACCTL, where, "workspace", "list"), "blue")
    expect(test.run(IACCTL, where, "output", "-raw", "o"), "blue")
    states = [json.loads(store.read("net/alone", workspace)) for workspace in ("default", "blue")]
    expect([one["outputs"]["o"]["value"] for one in states], ["default", "blue"])
    expect(store.lock("net/alone"), None, "a lock is left")
    # A second machine, without files of the first one.
    other = test.directory("other", "net/alone")
    test.initialize(IACCTL, other)
    contains(test.run(IACCTL, other, "plan"), "No changes")
    for workspace in ("blue", "default"):
        test.run(IACCTL, where, "workspace", "select", workspace)
        test.run(IACCTL, where, "destroy", "-auto-approve")
    test.run(IACCTL, where, "workspace", "delete", "blue")
    expect(store.read("net/alone", "blue"), None, "the state of a deleted workspace")


def beside(test):
    """terraform and iacctl respect and release the locks of each other"""
    key = "net/beside"
    where = {program: test.directory(f"beside-{number}", key, "3") for number, program in enumerate(("terraform", IACCTL))}
    for program, place in where.items():
        test.initialize(program, place)
    for holder, other in (("terraform", IACCTL), (IACCTL, "terraform")):
        process = test.applying(holder, where[holder], key)
        refused = test.start(other, where[other], "apply", "-auto-approve", "-input=false", "-lock-timeout=0s")
        text, _ = refused.communicate(timeout=60)
        expect(refused.returncode in (1, 3), True, f"{other} while {holder} applies: {text}")
        contains(text, "acquiring the state lock")
        test.end(process)
        test.run(holder, where[holder], "taint", "terraform_data.a")
    # Each program releases a lock that the other one has left behind, by the id that it shows.
    for program in (IACCTL, "terraform"):
        left = test.store.leave_lock(key)
        refused = test.start(program, where[program], "apply", "-auto-approve", "-input=false")
        text, _ = refused.communicate(timeout=60)
        contains(text, left)
        test.run(program, where[program], "force-unlock", "-force", left)
        expect(test.store.lock(key), None, "the lock")
    for holder, other in (("terraform", IACCTL), (IACCTL, "terraform")):
        process = test.applying(holder, where[holder], key)
        process.kill()
        process.communicate()
        test.run(other, where[other], "force-unlock", "-force", test.store.lock(key))
        expect(test.store.lock(key), None, f"the lock of a killed {holder}")
    test.run(IACCTL, where[IACCTL], "plan", "-lock-timeout=10s")


def killed(test):
    """a killed command releases its lock, or its message names the id that releases it"""
    where = test.directory("killed", "net/killed", "30")
    test.initialize(IACCTL, where)
    process = test.applying(IACCTL, where, "net/killed")
    while process.poll() is None:
        process.terminate()
        time.sleep(0.1)
    text, _ = process.communicate(timeout=60)
    if test.store.lock("net/killed"):
        found = re.search(r"force-unlock ([0-9a-f-]+)", " ".join(text.replace("│", " ").split()))
        expect(found is not None, True, text)
        test.run(IACCTL, where, "force-unlock", "-force", found[1])
    expect(test.store.lock("net/killed"), None, "the lock")


def planned_first(test):
    """a plan is refused during the first apply"""
    where = test.directory("first", "net/first", "2")
    test.initialize(IACCTL, where)
    process = test.applying(IACCTL, where, "net/first")
    test.run(IACCTL, where, "plan", code=3)
    test.end(process)
    contains(test.run(IACCTL, where, "plan"), "No changes")


def overtaken(test):
    """a state that was written since it was read is not overwritten; the changes are in a rescue copy"""
    where = test.directory("late", "net/late", "2")
    test.initialize(IACCTL, where)
    process = test.applying(IACCTL, where, "net/late")
    theirs = b'{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"theirs","outputs":{},"resources":[]}'
    test.store.overtake("net/late", theirs)
    contains(test.end(process, 5), "mirror_rescued")
    expect(test.store.read("net/late"), theirs.decode(), "the state of the other client")
    copies = list(where.glob(".iacctl/.mirrors/*/*/spool/rescue-*.tfstate"))
    expect(len(copies), 1, "rescue copies")
    expect(len(json.loads(copies[0].read_text())["resources"]), 1, "resources of the copy")


def ways_to_log_in(test):
    """every way to log in is accepted"""
    test.apply(test.directory("first-way", "net/ways"))
    for number, (name, way, environment, kind) in enumerate(test.store.ways()):
        where = test.directory(f"way-{number}", "net/ways", way=way)
        before = test.store.clouds.tokens[kind]
        try:
            test.initialize(IACCTL, where, **environment)
            contains(test.run(IACCTL, where, "state", "list", **environment), "terraform_data.a")
        except AssertionError as failed:
            raise AssertionError(f"{name}: {failed}") from failed
        expect(kind is None or test.store.clouds.tokens[kind] > before, True, f"{name}: a token by {kind}")


def refusals(test):
    """a refusal names its reason"""
    for number, (way, reason) in enumerate(test.store.refused()):
        where = test.directory(f"refused-{number}", "net/refused", way=way)
        process = test.start(IACCTL, where, "init", "-input=false", GCE_METADATA_HOST="127.0.0.1:9")
        text, _ = process.communicate(timeout=60)
        if process.returncode == 0:
            process = test.start(IACCTL, where, "plan", GCE_METADATA_HOST="127.0.0.1:9")
            text, _ = process.communicate(timeout=60)
        expect(process.returncode != 0, True, text)
        contains(text, reason)
        expect(clouds.ACCOUNT_KEY in text or clouds.SECRET in text, False, "a secret")


def own(test):
    test.store.own(test)


TESTS = [(alone, []), (planned_first, []), (overtaken, []), (killed, []), (ways_to_log_in, []), (refusals, []), (own, []),
         (beside, ["terraform"])]


def main():
    chosen = sys.argv[4:]
    tests = [one for one in TESTS if not chosen or one[0].__name__ in chosen]
    print(f"1..{len(tests)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="iacctl-stores-") as name:
        root = pathlib.Path(name)
        store = {"azurerm": Azure, "gcs": Google}[sys.argv[3]](root)
        try:
            for number, (test, tools) in enumerate(tests, 1):
                title = test.__doc__ or store.own.__doc__
                reason = store.reason or next((f"needs {one}" for one in tools if shutil.which(one) is None), None)
                if reason:
                    print(f"ok {number} - {title} # SKIP {reason}")
                    continue
                try:
                    test(Test(store, root))
                    print(f"ok {number} - {title}", flush=True)
                except Exception as failed:  # a failure of one test is reported, and the next one runs
                    print(f"# {type(failed).__name__}: " + str(failed).replace("\n", "\n# "))
                    print(f"not ok {number} - {title}", flush=True)
        finally:
            store.clouds.close()


if __name__ == "__main__":
    main()
