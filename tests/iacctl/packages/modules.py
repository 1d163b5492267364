#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the installation of modules from repositories, archives, registries and directories, and compares it with
terraform. TAP.

    modules.py IACCTL
"""
import base64
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import threading

import providers as base  # noqa: E402
from providers import IACCTL, OciRegistry, Server, expect, expect_in, program, zip_of  # noqa: E402

MODULE = b'resource "terraform_data" "a" {\n  input = "%s"\n}\n'


def module(text):
    return MODULE.replace(b"%s", text.encode())


def git(directory, *arguments):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull, HOME=str(directory))
    return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", "-c",
                           "protocol.file.allow=always", *arguments], cwd=directory, env=environment, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def repository(place):
    program("git")
    where = place.home / "repository"
    (where / "sub/deeper").mkdir(parents=True)
    (where / "main.tf").write_bytes(module("first"))
    (where / "sub/main.tf").write_text('module "d" {\n  source = "./deeper"\n}\n')
    (where / "sub/deeper/main.tf").write_bytes(module("deeper"))
    git(where, "init", "-q")
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "1")
    git(where, "tag", "v1")
    (where / "main.tf").write_bytes(module("second"))
    git(where, "commit", "-q", "-a", "-m", "2")
    git(where, "branch", "other")
    return where


def calls(place, **sources):
    text = ""
    for name, source in sources.items():
        source, version = source if isinstance(source, tuple) else (source, "")
        text += f'module "{name}" {{\n  source = "{source}"\n' + (f'  version = "{version}"\n' if version else "") + "}\n"
    (place.work / "main.tf").write_text(text)


def manifest(place):
    return {one["Key"]: one for one in json.loads((place.work / ".terraform/modules/modules.json").read_text())["Modules"]}


def fetched(place, key):
    return (place.work / ".terraform/modules" / key / "main.tf").read_bytes()


def from_git(place):
    """Modules come from branches, tags and commits of repositories, and from subdirectories of them"""
    where = repository(place)
    first = git(where, "rev-parse", "v1")
    url = f"git::file://{where}"
    calls(place, default=url, tag=f"{url}?ref=v1", branch=f"{url}?ref=other", commit=f"{url}?ref={first}",
          shallow=f"{url}?depth=1", shallow_tag=f"{url}?ref=v1&depth=1", sub=f"{url}//sub?ref=v1")
    expect_in("is not installed. Run \"iacctl init\"", place.run("validate", code=1))
    place.run("init")
    for key, text in dict(default="second", tag="first", branch="second", commit="first", shallow="second",
                          shallow_tag="first").items():
        expect(fetched(place, key), module(text), key)
    expect(manifest(place)["sub"], {"Key": "sub", "Source": f"{url}//sub?ref=v1", "Dir": ".terraform/modules/sub/sub"})
    expect(manifest(place)["sub.d"], {"Key": "sub.d", "Source": "./deeper", "Dir": ".terraform/modules/sub/sub/deeper"})
    place.run("validate")
    shutil.rmtree(where)
    place.run("init")  # what is installed is not fetched again
    calls(place, default=f"{url}?ref=nothing")
    expect_in("source of the module \"default\" is not the one", place.run("validate", code=1))
    place.run("init", code=1)


def revisions_missing(place):
    """A branch that does not exist is an error, and installs nothing"""
    where = repository(place)
    calls(place, a=f"git::file://{where}?ref=nothing")
    expect_in('has no branch, tag or commit "nothing"', place.run("init", code=1))
    expect(list((place.work / ".terraform/modules").glob("*")), [], "modules")


class PrivateRepository:
    """A repository over HTTP for a user with a password."""

    def __init__(self, where, password):
        git(where, "update-server-info")
        expected = "Basic " + base64.b64encode(f"user:{password}".encode()).decode()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(where / ".git"))

            def do_GET(self):
                if self.headers.get("Authorization") == expected:
                    return super().do_GET()
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="r"')
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.at = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def passwords_of_addresses(place):
    """The password in the address of a module is used, but neither shown nor stored"""
    where = repository(place)
    private = PrivateRepository(where, "s3cret")
    log = place.work / "log"
    calls(place, a=f"git::http://user:s3cret@{private.at}/?ref=v1")
    said = place.run("init", TF_LOG="trace", TF_LOG_PATH=str(log))
    expect(fetched(place, "a"), module("first"), "module")
    said += place.run("init", "-upgrade") + place.run("validate") + place.run("modules") + place.run("modules", "-json")
    place.run("plan", "-out", "p")
    said += place.run("show", "-json", "p")
    calls(place, a=f"git::http://user:oth3r@{private.at}/?ref=v1")
    place.run("validate")
    calls(place, a=f"git::http://user:oth3r@{private.at}/?ref=v2")
    said += place.run("validate", code=1) + place.run("init", code=1) + place.run("init", "-json", code=1)
    calls(place, a=f"git::http://user:oth3r@{private.at}/?ref=--x", b="git::https://user:oth3r@")
    said += place.run("init", code=1) + place.run("validate", "-json", code=1)
    shutil.rmtree(place.work / "empty", ignore_errors=True)
    for secret in ("s3cret", "oth3r"):
        expect(secret in said, False, said)
        for file in [log, *(place.work / ".terraform").rglob("*")]:
            if file.is_file():
                expect(secret.encode() in file.read_bytes(), False, file)
    (place.work / "main.tf").unlink()
    said = place.run("init", f"-from-module=git::http://user:oth3r@{private.at}/", code=1)
    expect("oth3r" in said, False, said)


def hostile_sources(place):
    """A source cannot run programs, and reads no files outside of its package"""
    where = repository(place)
    proof = place.work / "proof"
    for source in (f"git::ext::sh -c touch% {proof}", f"git::--upload-pack=touch {proof}", f"git::ssh://-oProxyCommand=touch {proof}/x",
                   f"git::file://{where}?ref=--upload-pack=touch", f"git::file://{where}?ref=-x", f"git::fd://7/{proof}",
                   f"ext::sh -c touch {proof}", "git::file:///nonexistent", f"git::file://{where}//../../x"):
        calls(place, a=source.replace("\\", "\\\\"))
        place.run("init", code=1)
        expect(proof.exists(), False, source)
    (place.home / "secret").mkdir()
    (place.home / "secret/main.tf").write_bytes(module("secret"))
    os.symlink(place.home / "secret", where / "out")
    git(where, "add", "-A")
    git(where, "commit", "-q", "-m", "link")
    calls(place, a=f"git::file://{where}//out")
    expect_in("points outside of", place.run("init", code=1))
    git(where, "rm", "-q", "out")
    (where / "sub/main.tf").write_text('module "d" {\n  source = "../../../../../home/secret"\n}\n')
    git(where, "commit", "-q", "-a", "-m", "path")
    calls(place, a=f"git::file://{where}//sub")
    expect_in("outside of the package", place.run("init", code=1))
    shutil.rmtree(place.work / ".terraform")
    git(where, "submodule", "add", "-q", f"file://{where}", "again")
    git(where, "commit", "-q", "-a", "-m", "submodule")
    calls(place, a=f"git::file://{where}")
    expect_in("git ended with", place.run("init", code=1))
    expect((place.work / ".terraform/modules/a").exists(), False, "module")


def from_archives(place):
    """Modules come from archives over HTTPS, named by a page, a header or the URL, and checksums are verified"""
    server = Server(base.TLS)
    try:
        zipped = zip_of([("top/main.tf", module("zip")), ("top/sub/main.tf", module("sub"))])
        tarred = io.BytesIO()
        with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
            info = tarfile.TarInfo("main.tf")
            info.size = len(module("tar"))
            archive.addfile(info, io.BytesIO(module("tar")))
        server.routes["/a.zip"] = zipped
        server.routes["/a.tar.gz"] = server.routes["/archive"] = tarred.getvalue()
        server.routes["/page"] = b'<html><head><meta name="terraform-get" content="./a.zip//top"/></head></html>'
        digest = hashlib.sha256(zipped).hexdigest()
        calls(place, zip=f"{server.url}/a.zip//top", sub=f"{server.url}/a.zip//*/sub", tar=f"{server.url}/a.tar.gz",
              named=f"{server.url}/archive?archive=tar.gz", page=f"{server.url}/page//sub",
              sum=f"{server.url}/a.zip//top?checksum=sha256:{digest}")
        place.run("init")
        expect(fetched(place, "zip/top"), module("zip"))
        expect(fetched(place, "sub/top/sub"), module("sub"))
        expect(fetched(place, "tar"), module("tar"))
        expect(fetched(place, "named"), module("tar"))
        expect(manifest(place)["page"]["Dir"], ".terraform/modules/page/top/sub")
        place.run("validate")
        expect(server.log.count("/a.zip"), 3, "downloads of one archive: for two calls alike, by the page, and to be verified")
        calls(place, sum=f"{server.url}/a.zip//top?checksum=sha256:{'0' * 64}")
        expect_in("does not have the checksum", place.run("init", code=1))
        for target in (f"file://{place.home}", f"git::file://{place.home}", str(place.home)):
            server.routes["/page"] = f'<meta name="terraform-get" content="{target}">'.encode()
            calls(place, local=f"{server.url}/page")
            expect(os.path.lexists(place.work / ".terraform/modules/local"), False, place.run("init", code=1))
        server.routes["/a.zip"] = zip_of([("../../../../outside.tf", b"")])
        calls(place, bad=f"{server.url}/a.zip")
        place.run("init", code=1)
        expect(list(place.work.rglob("outside.tf")), [], "files outside")
    finally:
        server.stop()


def from_oci_registries(place):
    """Modules come from repositories of OCI registries, by tag or digest, and their digests are verified"""
    server = Server(base.TLS)
    try:
        registry = OciRegistry(server)
        kind = "application/vnd.opentofu.modulepkg"

        def publish(tag, text, artifact=kind, layer="archive/zip"):
            archive = zip_of([("main.tf", module(text)), ("sub/main.tf", module(text + " sub"))])
            return registry.tag("team/network", tag, registry.manifest("team/network", archive, artifact, layer))

        digest = publish("v1", "first")
        publish("latest", "newest")
        address = f"oci://{registry.host}/team/network"
        calls(place, usual=address, tag=f"{address}?tag=v1", digest=f"{address}?digest={digest}", sub=f"{address}//sub?tag=v1")
        place.run("init")
        for key, text in dict(usual="newest", tag="first", digest="first").items():
            expect(fetched(place, key), module(text), key)
        expect(fetched(place, "sub/sub"), module("first sub"))
        expect(manifest(place)["sub"]["Source"], f"{address}//sub?tag=v1")

        publish("other", "x", artifact="application/other")
        publish("tar", "x", layer="archive/tar")
        changed = registry.put("team/network", "manifests", b"{}")
        server.routes[f"/v2/team/network/manifests/{changed}"] = b'{"changed": 1}'
        publish("damaged", "y")
        for path in [path for path in server.routes if "/blobs/" in path]:
            server.routes[path] = zip_of([("main.tf", module("evil"))])
        for source, why in ((f"{address}?tag=other", "artifactType"), (f"{address}?tag=tar", "layers of the type archive/zip"),
                            (f"{address}?digest={changed}", "does not have the digest"), (f"{address}?tag=none", "does not have none"),
                            (f"{address}?tag=damaged", "does not have the digest"), (f"{address}?tag=a&digest=sha256:b", "a tag and a digest"),
                            (f"{address}?tag=a/../b", "is not a tag"), (f"{address}?ref=v1", "a parameter other than tag and digest"),
                            (f"oci://{registry.host}/Team", "is not the name of a repository")):
            shutil.rmtree(place.work / ".terraform", ignore_errors=True)
            calls(place, a=source)
            expect_in(why, place.run("init", code=1))
            expect((place.work / ".terraform/modules/a").exists(), False, source)
    finally:
        server.stop()


def from_registry(place):
    """A registry has versions of modules; `get -update` and `init -upgrade` select the newest that is accepted"""
    server = Server(base.TLS)
    try:
        path = "/v1/modules/acme/network/aws"

        def offer(*versions):
            server.routes[f"{path}/versions"] = {"modules": [{"versions": [{"version": one} for one in versions]}]}
            for one in versions:
                server.routes[f"{path}/{one}/download"] = {"location": f"../../../../../../files/{one}.zip//*?archive=zip"}
                server.routes[f"/files/{one}.zip"] = zip_of([(f"network-{one}/main.tf", module(one)), (f"network-{one}/sub/main.tf", module("sub"))])
        offer("1.0.0", "1.1.0", "2.0.0", "1.2.0-beta1")
        place.settings(f'host "example.com" {{\n  services = {{\n    "modules.v1" = "{server.url}/v1/modules/"\n  }}\n}}\n')
        calls(place, a=("example.com/acme/network/aws", "~> 1.0"), b=("example.com/acme/network/aws//sub", "2.0.0"))
        place.run("init")
        expect(manifest(place)["a"], {"Key": "a", "Source": "example.com/acme/network/aws", "Version": "1.1.0",
                                      "Dir": ".terraform/modules/a/network-1.1.0"})
        expect(manifest(place)["b"]["Dir"], ".terraform/modules/b/network-2.0.0/sub")
        listed = json.loads(subprocess.run([IACCTL, "modules", "-json"], cwd=place.work, env=place.environment, check=True,
                                           stdout=subprocess.PIPE).stdout)
        expect(listed, {"format_version": "1.0", "modules": [
            {"key": "a", "source": "example.com/acme/network/aws", "version": "1.1.0"},
            {"key": "b", "source": "example.com/acme/network/aws//sub", "version": "2.0.0"}]})
        offer("1.0.0", "1.1.0", "1.3.0", "2.0.0")
        place.run("get")
        expect(manifest(place)["a"]["Version"], "1.1.0")
        place.run("get", "-update")
        expect(manifest(place)["a"]["Version"], "1.3.0")
        calls(place, a=("example.com/acme/network/aws", "~> 2.0"))
        expect_in("accepts ~> 2.0", place.run("validate", code=1))
        calls(place, a=("example.com/acme/network/aws", "~> 3.0"))
        expect_in("available: 1.0.0, 1.1.0, 1.3.0, 2.0.0", place.run("init", code=1))
    finally:
        server.stop()


def plans(place):
    """A saved plan has the modules that it was made from"""
    where = repository(place)
    calls(place, a=f"git::file://{where}//sub", b=str(where))
    place.run("init")
    place.run("plan", "-out=plan")
    shutil.rmtree(place.work / ".terraform")
    shutil.rmtree(where)
    place.run("apply", "plan")
    expect_in("module.a.module.d.terraform_data.a", place.run("state", "list"))
    expect_in("module.b.terraform_data.a", place.run("state", "list"))


def from_module(place):
    """`init -from-module` copies a module into a directory without configuration"""
    where = repository(place)
    place.run("init", f"-from-module=git::file://{where}//sub")
    expect((place.work / "deeper/main.tf").read_bytes(), module("deeper"))
    expect((place.work / ".git").exists(), False, ".git")
    expect_in("main.tf", place.run("init", f"-from-module=git::file://{where}", code=1))


def beside_terraform(place):
    """The lists of modules of terraform and of iacctl are the same, and each program uses what the other has installed"""
    terraform, where = program("terraform"), repository(place)
    (place.work / "local").mkdir()
    (place.work / "local/main.tf").write_bytes(module("local"))
    calls(place, a=f"git::file://{where}//sub?ref=v1", b=f"git::file://{where}?depth=1", c=str(where), l="./local")
    place.settings("disable_checkpoint = true\n")
    place.run("init", "-no-color", binary=terraform)
    listed = place.work / ".terraform/modules/modules.json"
    theirs = listed.read_bytes()
    place.run("validate")
    place.run("init")
    expect(listed.read_bytes(), theirs, "after terraform")
    shutil.rmtree(place.work / ".terraform")
    place.run("init")
    expect(listed.read_bytes(), theirs, "of iacctl alone")
    place.run("validate", "-no-color", binary=terraform)


if __name__ == "__main__":
    sys.exit(base.main([from_git, revisions_missing, passwords_of_addresses, hostile_sources, from_archives, from_oci_registries, from_registry, plans, from_module,
                        beside_terraform]))
