#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the installation of providers from mirrors and from a registry on this machine, and compares it with terraform.
TAP.

    providers.py IACCTL
"""
import atexit
import base64
import functools
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import signal
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import zipfile

IACCTL = os.path.abspath(sys.argv[1])
PLATFORM = "linux_" + {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)


class Skip(Exception):
    pass


def expect(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, not {wanted!r}")


def expect_in(part, text):
    if part not in text:
        raise AssertionError(f"{part!r} is not in: {text}")


def program(name):
    if shutil.which(name):
        return name
    raise Skip(f"needs {name}")


def zip_of(files):
    """An archive with the given names and contents; a name may be a ZipInfo."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files:
            if isinstance(name, str):
                info = zipfile.ZipInfo(name)
                info.external_attr = (stat.S_IFREG | 0o755) << 16
            else:
                info = name
            archive.writestr(info, content)
    return out.getvalue()


def package(kind="thing", version="1.0.0", content="#!/bin/sh\n"):
    return zip_of([(f"terraform-provider-{kind}_v{version}", content), ("LICENSE", "none\n")])


def h1(files):
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


class Server:
    """A TLS server; `routes` has functions or contents by path."""

    def __init__(self, certificate):
        self.routes, self.log, self.headers = {}, [], []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length).decode()
                path = self.path.split("?")[0]
                server.log.append(path)
                server.headers.append((path, dict(self.headers)))
                found = server.routes.get(path)
                if callable(found):
                    found = found(self, body)
                status, content, *more = found if isinstance(found, tuple) else (200 if found is not None else 404, found or b"")
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Content-Type", "application/json")
                for name, value in more[0].items() if more else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"https://localhost:{self.port}"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class Place:
    """A directory with a configuration, a home directory, and settings."""

    def __init__(self, directory):
        self.directory, self.home = directory / "work", directory / "home"
        self.mirror = directory / "mirror"
        self.work = self.directory
        for one in (self.work, self.home, self.mirror):
            one.mkdir(parents=True)
        self.rc = directory / "rc"
        self.environment = dict(os.environ, HOME=str(self.home), CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1",
                                TF_CLI_CONFIG_FILE=str(self.rc), SSL_CERT_FILE=str(CERTIFICATE), XDG_DATA_DIRS="/nonexistent",
                                TF_REGISTRY_DISCOVERY_RETRY="0")
        for name in [n for n in self.environment if n.lower().endswith("_proxy") or n.startswith("TF_TOKEN_")]:
            del self.environment[name]
        self.settings(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{self.mirror}"\n  }}\n}}\n')

    def settings(self, text):
        self.rc.write_text(text)

    def requires(self, **providers):
        """source or (source, version) by local name"""
        blocks = ""
        for name, what in providers.items():
            source, version = what if isinstance(what, tuple) else (what, "")
            blocks += f'    {name} = {{\n      source = "{source}"\n' + (f'      version = "{version}"\n' if version else "") + "    }\n"
        (self.work / "main.tf").write_text(f"terraform {{\n  required_providers {{\n{blocks}  }}\n}}\n")

    def run(self, *arguments, code=0, input=None, binary=None, **more):
        done = subprocess.run([binary or IACCTL, *arguments], cwd=self.work, env={**self.environment, **more}, input=input,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        if done.returncode != code:
            raise AssertionError(f"{arguments} ended with {done.returncode}, not {code}:\n{done.stdout}")
        return " ".join(done.stdout.split())

    def add(self, version="1.0.0", kind="thing", host="example.com/acme", packed=False, content=None):
        base = self.mirror / host / kind
        content = content or f"#!/bin/sh\necho {version}\n"
        if packed:
            base.mkdir(parents=True, exist_ok=True)
            (base / f"terraform-provider-{kind}_{version}_{PLATFORM}.zip").write_bytes(package(kind, version, content))
            return
        below = base / version / PLATFORM
        below.mkdir(parents=True)
        (below / f"terraform-provider-{kind}_v{version}").write_text(content)
        (below / f"terraform-provider-{kind}_v{version}").chmod(0o755)

    @property
    def lock(self):
        return self.work / ".terraform.lock.hcl"

    def installed(self, kind="thing", version="1.0.0", host="example.com/acme"):
        return self.work / ".terraform/providers" / host / kind / version / PLATFORM


class Registry:
    """The provider registry protocol for one provider, acme/thing, on a server."""

    def __init__(self, place, server, versions=("1.0.0",), keys=None, sign=None, archive=None):
        keys = [Keys.of_all_tests().public] if keys is None else keys
        sign = sign or Keys.of_all_tests().sign
        self.place, self.server, self.archive = place, server, archive or package()
        base, files = "/v1/providers/acme/thing", "/files"
        server.routes["/.well-known/terraform.json"] = {"providers.v1": "/v1/providers/", "modules.v1": "/v1/modules/"}
        server.routes[f"{base}/versions"] = {
            "versions": [{"version": one, "protocols": ["5.0"],
                          "platforms": [{"os": PLATFORM.split("_")[0], "arch": PLATFORM.split("_")[1]}]} for one in versions]}
        for version in versions:
            name = f"terraform-provider-thing_{version}_{PLATFORM}.zip"
            digest = hashlib.sha256(self.archive).hexdigest()
            self.sums = f"{digest}  {name}\n{'ab' * 32}  terraform-provider-thing_{version}_other_arch.zip\n".encode()
            server.routes[f"{files}/{name}"] = self.archive
            server.routes[f"{files}/SHA256SUMS"] = self.sums
            server.routes[f"{files}/SHA256SUMS.sig"] = sign(self.sums)
            server.routes[f"{base}/{version}/download/{PLATFORM.replace('_', '/')}"] = {
                "protocols": ["5.0"], "os": PLATFORM.split("_")[0], "arch": PLATFORM.split("_")[1], "filename": name,
                "download_url": f"{files}/{name}", "shasums_url": f"{files}/SHA256SUMS",
                "shasums_signature_url": f"{files}/SHA256SUMS.sig", "shasum": digest,
                "signing_keys": {"gpg_public_keys": [{"key_id": "1", "ascii_armor": key} for key in keys]}}
        place.settings(f'host "example.com" {{\n  services = {{\n    "providers.v1" = "{server.url}/v1/providers/"\n  }}\n}}\n')
        place.requires(thing="example.com/acme/thing")


class OciRegistry:
    """Repositories of the OCI Distribution protocol on a server. `user` is the NAME:PASSWORD that receives a token."""

    def __init__(self, server, user=None, page=2):
        self.server, self.user, self.page, self.tags = server, user, page, {}
        self.host = f"localhost:{server.port}"
        server.routes["/token"] = self.token

    def token(self, request, body):
        given = request.headers.get("Authorization", "")
        wanted = "Basic " + base64.b64encode((self.user or "").encode()).decode()
        refreshed = self.user and f"refresh_token={self.user.replace(':', '%3A')}" in body and "grant_type=refresh_token" in body
        if self.user and given != wanted and not refreshed:
            return 401, {}
        return {"token": "secret", "expires_in": 300}

    def guarded(self, content):
        def answer(request, _):
            if self.user and request.headers.get("Authorization") != "Bearer secret":
                return 401, {}, {"WWW-Authenticate": f'Bearer realm="{self.server.url}/token",service="registry, local"'}
            return content(request) if callable(content) else content
        return answer

    def listed(self, repository):
        def answer(request):
            all_tags = self.tags[repository]
            asked = urllib.parse.parse_qs(urllib.parse.urlparse(request.path).query).get("last")
            begin = all_tags.index(asked[0]) + 1 if asked else 0
            shown = all_tags[begin:begin + self.page]
            more = {"Link": f'</v2/{repository}/tags/list?last={shown[-1]}>; rel="next"'} if begin + self.page < len(all_tags) else {}
            return 200, {"name": repository, "tags": shown}, more
        return answer

    def put(self, repository, kind, content):
        """\return the digest"""
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        self.server.routes[f"/v2/{repository}/{kind}/{digest}"] = self.guarded(content)
        return digest

    def manifest(self, repository, archive, artifact, layer="archive/zip"):
        layers = [{"mediaType": layer, "digest": self.put(repository, "blobs", archive), "size": len(archive)}]
        return json.dumps({"schemaVersion": 2, "artifactType": artifact, "layers": layers}).encode()

    def tag(self, repository, tag, manifest):
        self.tags.setdefault(repository, []).append(tag)
        self.server.routes[f"/v2/{repository}/manifests/{tag}"] = self.guarded(manifest)
        self.server.routes[f"/v2/{repository}/tags/list"] = self.guarded(self.listed(repository))
        return self.put(repository, "manifests", manifest)

    def provider(self, repository, tag, platforms, artifact="application/vnd.opentofu.provider"):
        """\param platforms  archives by OS_ARCH"""
        entries = []
        for name, archive in platforms.items():
            system, architecture = name.split("_")
            made = self.manifest(repository, archive, "application/vnd.opentofu.provider-target")
            entries.append({"mediaType": "application/vnd.oci.image.manifest.v1+json", "size": len(made),
                            "digest": self.put(repository, "manifests", made),
                            "artifactType": "application/vnd.opentofu.provider-target",
                            "platform": {"os": system, "architecture": architecture}})
        return self.tag(repository, tag, json.dumps({"schemaVersion": 2, "artifactType": artifact, "manifests": entries}).encode())


class Keys:
    """A key for signatures, generated by gpg."""

    def __init__(self, directory):
        program("gpg"), program("gpgv")
        self.home = directory / "gnupg"
        self.home.mkdir(mode=0o700)
        self.gpg("--quick-gen-key", "--passphrase", "", "Tests <tests@example.com>", "ed25519", "sign", "never")
        self.public = self.gpg("--armor", "--export").decode()

    @staticmethod
    @functools.cache
    def of_all_tests():
        directory = tempfile.mkdtemp(prefix="keys-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        made = Keys(pathlib.Path(directory))
        atexit.register(made.stop)
        return made

    def gpg(self, *arguments, input=None):
        return subprocess.run(["gpg", "--homedir", str(self.home), "--batch", "--quiet", "--no-autostart", *arguments]
                              if "--armor" in arguments else
                              ["gpg", "--homedir", str(self.home), "--batch", "--quiet", "--pinentry-mode", "loopback", *arguments],
                              input=input, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def sign(self, document):
        return self.gpg("--detach-sign", "--output", "-", input=document)

    def stop(self):
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "all"], stderr=subprocess.DEVNULL)


def mirrors(place):
    """Packages of a filesystem mirror are installed in both layouts, and the second init changes nothing"""
    place.add("1.0.0"), place.add("1.2.0"), place.add("2.0.0"), place.add("1.3.0-beta1")
    place.add("1.0.0", "packed", packed=True)
    place.requires(thing=("example.com/acme/thing", "~> 1.0"), packed="example.com/acme/packed")
    out = place.run("init")
    expect_in("example.com/acme/thing v1.2.0 has been installed (unauthenticated)", out)
    expect(os.path.islink(place.installed(version="1.2.0")), True, "an unpacked package is linked")
    program_file = place.installed("packed") / "terraform-provider-packed_v1.0.0"
    expect(os.access(program_file, os.X_OK), True, "a packed program can be run")
    sum_of_packed = h1({"terraform-provider-packed_v1.0.0": program_file.read_bytes(), "LICENSE": b"none\n"})
    expect(place.lock.read_text(), f'''# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.

provider "example.com/acme/packed" {{
  version = "1.0.0"
  hashes = [
    "{sum_of_packed}",
  ]
}}

provider "example.com/acme/thing" {{
  version     = "1.2.0"
  constraints = "~> 1.0"
  hashes = [
    "{h1({'terraform-provider-thing_v1.2.0': b"#!/bin/sh" + bytes([10]) + b"echo 1.2.0" + bytes([10])})}",
  ]
}}
''', "lock file")
    before = place.lock.read_bytes()
    expect_in("example.com/acme/thing v1.2.0 is installed", place.run("init"))
    expect(place.lock.read_bytes(), before, "lock file after the second init")


def oci_mirrors(place):
    """Packages come from repositories of an OCI registry, of the newest tag that is a version, with the digest of their layer"""
    server = Server(TLS)
    try:
        registry = OciRegistry(server)
        for version in ("1.0.0", "1.1.0", "1.2.0-beta1", "not.a.version"):
            registry.provider("mirror/acme/thing", version, {PLATFORM: package(version=version), "other_arch": b"none"})
        place.settings(f'''provider_installation {{
          oci_mirror {{
            repository_template = "{registry.host}/mirror/${{namespace}}/${{type}}"
            include = ["example.com/*/*"]
          }}
        }}''')
        place.requires(thing="example.com/acme/thing")
        expect_in("example.com/acme/thing v1.1.0 has been installed (checksum verified)", place.run("init"))
        expect(place.installed(version="1.1.0").is_dir(), True, "the package is installed")
        place.requires(thing=("example.com/acme/thing", "1.2.0-beta1"))
        place.run("init", "-upgrade")
        registry.provider("mirror/acme/thing", "2.0.0", {"other_arch": b"none"})
        place.requires(thing=("example.com/acme/thing", "2.0.0"))
        expect_in("no package of example.com/acme/thing 2.0.0 for", place.run("init", "-upgrade", code=1))
        registry.provider("mirror/acme/thing", "3.0.0", {PLATFORM: package()}, artifact="application/other")
        place.requires(thing=("example.com/acme/thing", "3.0.0"))
        expect_in("its artifactType differs", place.run("init", "-upgrade", code=1))
        place.requires(thing="example.com/acme/nothing")
        expect_in("No source has the provider example.com/acme/nothing", place.run("init", code=1))
        place.settings(f'provider_installation {{\n  oci_mirror {{\n    repository_template = "{registry.host}/mirror/${{type}}"\n  }}\n}}\n')
        expect_in("lacks ${namespace}", place.run("init", code=1))
        place.settings("")
        place.requires(thing=("example.com/acme/thing", "1.1.0"))
        place.lock.unlink(missing_ok=True)
        mirror = "-oci-mirror=" + registry.host + "/mirror/${namespace}/${type}"
        expect_in("1.1.0 for " + PLATFORM + ": a new checksum", place.run("providers", "lock", mirror))
        expect_in("lacks ${type}", place.run("providers", "lock", mirror.replace("${type}", ""), code=1))
    finally:
        server.stop()


def oci_credentials(place):
    """Credentials for OCI registries come from the CLI configuration, from files of container tools, and from helpers"""
    server = Server(TLS)
    try:
        registry = OciRegistry(server, user="ann:secret word")
        registry.provider("acme/thing", "1.0.0", {PLATFORM: package()})
        method = (f'provider_installation {{\n  oci_mirror {{\n    repository_template = "{registry.host}/${{namespace}}/${{type}}"\n'
                  '  }\n}\n')
        place.requires(thing="example.com/acme/thing")

        def settle(more="", code=0):
            place.settings(method + more)
            shutil.rmtree(place.work / ".terraform", ignore_errors=True)
            return place.run("init", code=code, PATH=f"{place.home}:{os.environ['PATH']}")

        expect_in('into a block "oci_credentials"', settle(code=1))
        block = f'oci_credentials "{registry.host}/acme" {{\n  username = "ann"\n  password = "secret word"\n}}\n'
        settle(block)
        settle(f'oci_credentials "{registry.host}/other" {{\n  username = "x"\n  password = "y"\n}}\n', code=1)
        settle(f'oci_credentials "{registry.host}" {{\n  username = "x"\n  password = "y"\n}}\n' + block)
        settle(f'oci_credentials "{registry.host}" {{\n  access_token = "secret"\n}}\n')
        settle(f'oci_credentials "{registry.host}" {{\n  refresh_token = "ann:secret word"\n}}\n', code=1)  # a space is %20
        expect_in("needs username and password", settle(f'oci_credentials "{registry.host}" {{\n  username = "x"\n}}\n', code=1))

        entry = {"auth": base64.b64encode(b"ann:secret word").decode()}
        (place.home / ".docker").mkdir()
        (place.home / ".docker/config.json").write_text(json.dumps({"auths": {f"https://{registry.host}/v2/": entry}}))
        settle()
        settle("oci_default_credentials {\n  discover_ambient_credentials = false\n}\n", code=1)
        (place.home / ".docker/config.json").unlink()

        helper = place.home / "docker-credential-test"
        helper.write_text(f'#!/bin/sh\n[ "$1 $(cat)" = "get {registry.host}" ] || exit 1\n'
                          'echo \'{"Username": "ann", "Secret": "secret word"}\'\n')
        helper.chmod(0o755)
        settle(f'oci_credentials "{registry.host}" {{\n  docker_credentials_helper = "test"\n}}\n')
        settle('oci_default_credentials {\n  default_docker_credential_helper = "test"\n}\n')
        settle('oci_default_credentials {\n  default_docker_credential_helper = "missing"\n}\n', code=1)
        (place.home / "auth.json").write_text(json.dumps({"credHelpers": {registry.host: "test"}}))
        settle(f'oci_default_credentials {{\n  docker_style_config_files = ["{place.home}/auth.json"]\n}}\n')
        registry.user = "ann:word"
        settle(f'oci_credentials "{registry.host}" {{\n  refresh_token = "ann:word"\n}}\n')
        sent = [headers for path, headers in server.headers if path == "/v2/acme/thing/tags/list" and "Authorization" in headers]
        expect({one["Authorization"] for one in sent}, {"Bearer secret"}, "what the registry gets")
    finally:
        server.stop()


def selections(place):
    """The lock file decides until -upgrade, and -lockfile=readonly forbids changes"""
    place.add("1.0.0")
    place.requires(thing=("example.com/acme/thing", ">= 1.0.0"))
    place.run("init")
    place.add("1.1.0")
    place.run("init")
    expect_in('version     = "1.0.0"', place.lock.read_text())
    expect_in("Incompatible options", place.run("init", "-upgrade", "-lockfile=readonly", code=1))
    locked = place.lock.read_text()
    place.lock.unlink()
    expect_in("forbids", place.run("init", "-lockfile=readonly", code=1))
    expect(place.lock.exists(), False)
    place.lock.write_text(locked)
    expect_in('version     = "1.0.0"', place.lock.read_text())
    place.run("init", "-upgrade")
    expect_in('version     = "1.1.0"', place.lock.read_text())
    expect_in("+ provider example.com/acme/thing v1.1.0", place.run("version"))
    place.requires(thing=("example.com/acme/thing", "1.0.0"))
    expect_in("init -upgrade", place.run("init", code=1))
    place.requires(thing=("example.com/acme/thing", "> 7"))
    expect_in("Available: 1.0.0, 1.1.0", place.run("init", "-upgrade", code=1))


def changed_package(place):
    """A package that does not have the checksum of the lock file is refused"""
    place.add("1.0.0", packed=True)
    place.requires(thing="example.com/acme/thing")
    place.run("init")
    before = place.lock.read_bytes()
    shutil.rmtree(place.work / ".terraform")
    place.add("1.0.0", packed=True, content="#!/bin/sh\necho evil\n")
    expect_in("none of the checksums", place.run("init", code=1))
    expect(place.installed().exists(), False, "the package is installed")
    expect(place.lock.read_bytes(), before, "lock file")


def plugin_directories(place):
    """-plugin-dir is the only source, and providers that are built in are replaced by packages in it"""
    place.add("3.2.1", "null", "registry.terraform.io/hashicorp")
    place.settings("")
    place.requires(null="hashicorp/null")
    expect_in("registry.terraform.io/hashicorp/null v3.3.1 is built in", place.run("init"))
    expect(place.lock.exists(), False, "a lock file without packages")
    expect_in("hashicorp/null v3.2.1 has been installed", place.run("init", f"-plugin-dir={place.mirror}"))
    place.requires(other="example.com/acme/other")
    out = place.run("init", f"-plugin-dir={place.mirror}", code=1)
    expect_in("No source has the provider example.com/acme/other", out)
    expect_in("hashicorp/random", out)


def overrides(place):
    """Development overrides are not installed, and have no lock"""
    (place.home / "dev").mkdir()
    (place.home / "dev" / "terraform-provider-thing").write_text("")
    place.settings(f'provider_installation {{\n  dev_overrides = {{\n    "example.com/acme/thing" = "{place.home}/dev"\n  }}\n  direct {{}}\n}}\n')
    place.requires(thing="example.com/acme/thing")
    expect_in("development override", place.run("init"))
    expect(place.lock.exists(), False, "lock file")


def running_providers(place):
    """Providers of TF_REATTACH_PROVIDERS are not installed, and the lock file keeps its selections"""
    socket = {"Protocol": "grpc", "ProtocolVersion": 6, "Pid": 1, "Test": True, "Addr": {"Network": "unix", "String": "/nowhere"}}
    place.requires(thing="example.com/acme/thing", random=("hashicorp/random", "~> 1.0"))
    place.add("1.0.0", "thing", "example.com/acme")
    running = {"TF_REATTACH_PROVIDERS": json.dumps({"registry.terraform.io/hashicorp/random": socket})}
    expect_in("- hashicorp/random is running (TF_REATTACH_PROVIDERS)", place.run("init", **running))
    locks = place.lock.read_text()
    expect_in("example.com/acme/thing", locks)
    expect("hashicorp/random" in locks, False, "lock file")
    running = {"TF_REATTACH_PROVIDERS": json.dumps({name: socket for name in ("example.com/acme/thing",
                                                                              "registry.terraform.io/hashicorp/random")})}
    place.run("init", **running)
    expect(place.lock.read_text(), locks, "lock file")


def hostile_archives(place):
    """Archives that lead out of their directory install nothing"""
    def link(name, target):
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        return info, target

    plugin = ("terraform-provider-thing_v1.0.0", "x")
    place.requires(thing="example.com/acme/thing")
    base = place.mirror / "example.com/acme/thing"
    base.mkdir(parents=True)
    outside = place.work / "outside"
    hostile = {
        "parent": [plugin, ("../../../../../../../outside", "x")],
        "absolute": [plugin, (str(outside), "x")],
        "link": [plugin, link("out", str(place.work)), ("out/outside", "x")],
        "link out": [plugin, link("out", "../../..")],
        "link by link": [plugin, ("a/b/c/file", "x"), link("a/b/c/up", "../../.."), link("over", "a/b/c/up/../..")],
        "twice": [plugin, plugin],
        "no program": [("README", "x")],
        "truncated": None,
        "size": [plugin, ("zeros", b"\0" * 1000)],
    }
    for name, files in hostile.items():
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = zip_of(files) if files else package()[:-30]
        if name == "size":  # the directory of the archive lies about the size
            data = data.replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
        (base / f"terraform-provider-thing_1.0.0_{PLATFORM}.zip").write_bytes(data)
        place.run("init", code=1)
        expect(place.installed().exists(), False, f"{name}: the package is installed")
        expect(outside.exists(), False, f"{name}: a file outside of the package")
        expect([str(p) for p in (place.work / ".terraform/providers").rglob(".unfinished-*")], [], f"{name}: leftovers")
    expect(place.lock.exists(), False, "lock file")


def registry(place):
    """A package of a registry is verified by its signature, and the lock file has the checksums of all platforms"""
    keys, server = Keys(place.home), Server(TLS)
    try:
        made = Registry(place, server, ("0.9.0", "1.0.0"), [keys.public], keys.sign)
        expect_in("example.com/acme/thing v1.0.0 has been installed (signed, key ID ", place.run("init"))
        lock = place.lock.read_text()
        expect_in('"zh:' + hashlib.sha256(made.archive).hexdigest(), lock)
        expect_in('"zh:' + "ab" * 32, lock)
        expect_in('"h1:', lock)
        shutil.rmtree(place.work / ".terraform")
        place.run("init", "-lockfile=readonly")
        expect(place.lock.read_text(), lock, "lock file")
        shutil.rmtree(place.work / ".terraform")
        place.lock.unlink()
        server.routes["/files/SHA256SUMS"] = made.sums + b" "
        expect_in("No key of the registry has signed", place.run("init", code=1))
        other = Keys(place.work)
        try:
            Registry(place, server, keys=[other.public], sign=keys.sign)
            expect_in("gpgv accepts no signature", place.run("init", code=1))
            Registry(place, server, keys=[], sign=keys.sign)
            expect_in("the registry has no key for this provider", place.run("init", code=1))
        finally:
            other.stop()
        expect(place.installed().exists(), False, "a package without a valid signature")
    finally:
        server.stop()
        keys.stop()


def registry_checksums(place):
    """A package of a registry that has another checksum is refused, and so is one that the checksums do not name"""
    server = Server(TLS)
    try:
        made = Registry(place, server)
        archive = f"/files/terraform-provider-thing_1.0.0_{PLATFORM}.zip"
        server.routes[archive] = made.archive + b"!"
        expect_in("does not have the checksum", place.run("init", code=1))
        server.routes[archive] = made.archive
        server.routes["/files/SHA256SUMS"] = made.sums.replace(b"thing_", b"other_")
        expect_in("does not have the checksum", place.run("init", code=1))
        expect(place.installed().exists(), False, "the package is installed")
        server.routes["/files/SHA256SUMS"] = made.sums
        expect_in("installed (signed, key ID ", place.run("init"))
    finally:
        server.stop()


def discovery(place):
    """The default registry is a setting; addresses stay as they are"""
    server = Server(TLS)
    try:
        Registry(place, server)
        place.settings("")
        place.requires(thing="acme/thing")
        place.run("init", IACCTL_REGISTRY_HOST=f"localhost:{server.port}")
        expect_in("/.well-known/terraform.json", " ".join(server.log))
        expect_in('provider "registry.terraform.io/acme/thing"', place.lock.read_text())
        expect(place.installed(host="registry.terraform.io/acme").is_dir(), True, "installed under the canonical address")
        place.requires(nothing="acme/nothing")
        expect_in("No source has the provider acme/nothing",
                  place.run("init", code=1, IACCTL_REGISTRY_HOST=f"localhost:{server.port}"))
    finally:
        server.stop()


def network_mirror(place):
    """`providers mirror` writes what a network mirror serves, and checksums of the mirror are verified"""
    place.add("1.0.0"), place.add("1.0.0", "packed", packed=True)
    place.requires(thing="example.com/acme/thing", packed="example.com/acme/packed")
    place.run("providers", "mirror", str(place.work / "copy"))
    server = Server(TLS)
    try:
        def serve():
            for file in (place.work / "copy").rglob("*"):
                if file.is_file():
                    server.routes["/m/" + file.relative_to(place.work / "copy").as_posix()] = file.read_bytes()
        serve()
        place.settings(f'provider_installation {{\n  network_mirror {{\n    url = "{server.url}/m/"\n    include = ["example.com/*/*"]\n  }}\n}}\n')
        out = place.run("init")
        expect_in("example.com/acme/thing v1.0.0 has been installed (checksum verified)", out)
        expect_in("example.com/acme/packed v1.0.0 has been installed (checksum verified)", out)
        shutil.rmtree(place.work / ".terraform")
        place.lock.unlink()
        archive = f"/m/example.com/acme/thing/terraform-provider-thing_1.0.0_{PLATFORM}.zip"
        server.routes[archive] = package(content="#!/bin/sh\necho other\n")
        expect_in("does not have the checksum", place.run("init", code=1))
        expect(place.installed().exists(), False, "the package is installed")
    finally:
        server.stop()


def plugin_cache(place):
    """A package of the plug-in cache is used where the lock file has its checksum"""
    server = Server(TLS)
    try:
        Registry(place, server)
        (place.home / "cache").mkdir()
        place.run("init", TF_PLUGIN_CACHE_DIR=str(place.home / "cache"))
        expect(os.path.islink(place.installed()), True, "a link into the cache")
        shutil.rmtree(place.work / ".terraform")
        server.log.clear()
        expect_in("from the plug-in cache", place.run("init", TF_PLUGIN_CACHE_DIR=str(place.home / "cache")))
        expect(server.log, [], "requests")
        shutil.rmtree(place.work / ".terraform")
        cached = next((place.home / "cache").rglob("terraform-provider-thing*"))
        cached.write_text("#!/bin/sh\necho evil\n")
        place.run("init", TF_PLUGIN_CACHE_DIR=str(place.home / "cache"))
        expect("evil" in (place.installed() / cached.name).read_text(), False, "a changed package of the cache is used")
    finally:
        server.stop()


def interrupted(place):
    """An installation that is killed leaves no part of a package, and the next one removes what it has left"""
    server = Server(TLS)
    try:
        made = Registry(place, server)
        archive = f"/files/terraform-provider-thing_1.0.0_{PLATFORM}.zip"
        asked = threading.Event()

        def stall(*_):
            asked.set()
            time.sleep(20)
        server.routes[archive] = stall
        process = subprocess.Popen([IACCTL, "init"], cwd=place.work, env=place.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        expect(asked.wait(20), True, "the download has begun")
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        expect(len(list((place.work / ".terraform/providers").glob(".unfinished-*"))), 1, "unfinished directories")
        expect(place.installed().exists() or place.lock.exists(), False, "parts of an installation")
        server.routes[archive] = made.archive
        place.run("init")
        expect(list((place.work / ".terraform/providers").glob(".unfinished-*")), [], "unfinished directories")
        expect(place.installed().is_dir(), True, "installed")
    finally:
        server.stop()


def tokens(place):
    """Tokens of the environment, of files and of helpers are sent to their host alone, and appear in no output"""
    server, files = Server(TLS), Server(TLS)
    try:
        made = Registry(place, server)
        place.settings("")
        place.requires(thing="acme/thing")
        inside = dict(server.routes)
        secret = "s3cr3t-token"

        def guarded(path):
            def answer(handler, _):
                content = inside[path]
                return content if handler.headers.get("Authorization") == "Bearer " + secret else (401, b"")
            return answer
        for path in inside:
            if path.startswith("/v1"):
                server.routes[path] = guarded(path)
        where = f"/v1/providers/acme/thing/1.0.0/download/{PLATFORM.replace('_', '/')}"
        inside[where] = dict(inside[where])
        for name in ("download_url", "shasums_url", "shasums_signature_url"):
            files.routes[inside[where][name]] = inside[inside[where][name]]
            inside[where][name] = files.url + inside[where][name]
        host = f"localhost:{server.port}"
        place.environment["IACCTL_REGISTRY_HOST"] = host

        def again(**more):
            shutil.rmtree(place.work / ".terraform", ignore_errors=True)
            return place.run("init", **more)
        expect_in("iacctl login " + host, again(code=1))
        settings = f'credentials "{host}" {{\n  token = "{secret}"\n}}\n'
        place.settings(settings)
        out = again()
        place.settings("")
        helper = place.home / ".terraform.d/plugins/terraform-credentials-test"
        helper.parent.mkdir(parents=True)
        helper.write_text(f'#!/bin/sh\n[ "$1 $2 $3" = "--x get {host}" ] && echo \'{{"token": "{secret}"}}\'\n')
        helper.chmod(0o755)
        place.settings('credentials_helper "test" {\n  args = ["--x"]\n}\n')
        out += again()
        expect(secret in out, False, "a token in the output")
        expect([h for _, h in files.headers if "Authorization" in h], [], "tokens for another host")
    finally:
        server.stop(), files.stop()


def login(place):
    """`login` stores a token for its owner alone, `logout` removes it"""
    server = Server(TLS)
    try:
        host = f"localhost:{server.port}"
        stored = place.home / ".terraform.d/credentials.tfrc.json"
        server.routes["/.well-known/terraform.json"] = {
            "login.v1": {"client": "cli", "grant_types": ["password"], "token": "/token"}}

        def give(_, body):
            asked = urllib.parse.parse_qs(body)
            fine = asked == {"client_id": ["cli"], "grant_type": ["password"], "username": ["ann"], "password": ["p&w"]}
            return {"access_token": "t0ken", "token_type": "bearer"} if fine else (400, b"")
        server.routes["/token"] = give
        out = place.run("login", host, input="yes\nann\np&w\n")
        expect("t0ken" in out or "p&w" in out, False, "a secret in the output")
        expect(stat.S_IMODE(stored.stat().st_mode), 0o600, "mode")
        expect(json.loads(stored.read_text()), {"credentials": {host: {"token": "t0ken"}}}, "credentials")
        place.run("login", host, input="no\n", code=1)
        place.run("logout", host)
        expect(json.loads(stored.read_text()), {"credentials": {}}, "credentials")

        # Login with a browser: the authorization server redirects it to this program.
        server.routes["/.well-known/terraform.json"] = {
            "login.v1": {"client": "cli", "grant_types": ["authz_code"], "authz": "/authz", "token": "/token2",
                         "ports": [20000, 40000]}}
        process = subprocess.Popen([IACCTL, "login", host], cwd=place.work, env=place.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        process.stdin.write("yes\n")
        process.stdin.flush()
        line = ""
        while "/authz?" not in line:
            line = process.stdout.readline()
            if not line:
                raise AssertionError("the login ended")
        asked = urllib.parse.parse_qs(line.strip().split("?", 1)[1])
        challenge = asked["code_challenge"][0]

        def exchange(_, body):
            form = urllib.parse.parse_qs(body)
            proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"][0].encode()).digest()).decode().rstrip("=")
            return {"access_token": "second"} if proof == challenge and form["code"] == ["C"] else (400, b"")
        server.routes["/token2"] = exchange
        back = asked["redirect_uri"][0].replace("localhost", "127.0.0.1")
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"{back}?code=C&state={asked['state'][0]}", timeout=20).read()
        rest = process.communicate(timeout=20)[0]
        expect(process.returncode, 0, rest)
        expect(json.loads(stored.read_text()), {"credentials": {host: {"token": "second"}}}, "credentials")
    finally:
        server.stop()


def locks(place):
    """`providers lock` adds checksums of other platforms"""
    place.add("1.0.0", packed=True)
    base = place.mirror / "example.com/acme/thing"
    (base / "terraform-provider-thing_1.0.0_plan9_mips.zip").write_bytes(package(content="plan9"))
    place.requires(thing="example.com/acme/thing")
    place.run("providers", "lock", f"-platform={PLATFORM}", "-platform=plan9_mips", f"-fs-mirror={place.mirror}")
    expect_in(h1({"terraform-provider-thing_v1.0.0": b"plan9", "LICENSE": b"none\n"}), place.lock.read_text())
    before = place.lock.read_bytes()
    place.run("init")
    expect(place.lock.read_bytes(), before, "lock file after init")
    expect_in("does not require", place.run("providers", "lock", "acme/other", code=1))


def beside_terraform(place):
    """Lock files of terraform and of iacctl are the same, and each program leaves that of the other as it is"""
    terraform = program("terraform")
    for version in ("1.0.0", "2.5.0", "3.1.0-beta1", "10.0.0"):
        place.add(version)
    place.add("1.0.0", "packed", packed=True), place.add("1.0.0", "zz", "a-b.example.com/acme")
    place.add("1.0.0", "zz", "a.example.com/acme")
    more = dict(packed="example.com/acme/packed", y="a-b.example.com/acme/zz", z="a.example.com/acme/zz")
    for constraint in ("~> 2", ">=2,~>2.0,<=2.5.0,<3,!=2.0.1,2.5.0"):
        place.requires(thing=("example.com/acme/thing", constraint), **more)
        place.run("init", "-no-color", binary=terraform)
        theirs = place.lock.read_bytes()
        place.run("init")
        expect(place.lock.read_bytes(), theirs, f"{constraint}: after terraform, with its packages")
        shutil.rmtree(place.work / ".terraform")
        place.run("init")
        expect(place.lock.read_bytes(), theirs, f"{constraint}: after terraform, with packages installed again")
        shutil.rmtree(place.work / ".terraform")
        place.lock.unlink()
        place.run("init")
        expect(place.lock.read_bytes(), theirs, f"{constraint}: of iacctl alone")
        place.run("init", "-no-color", binary=terraform)
        expect(place.lock.read_bytes(), theirs, f"{constraint}: after iacctl")
        shutil.rmtree(place.work / ".terraform")
        place.lock.unlink()


TESTS = [mirrors, oci_mirrors, oci_credentials, selections, changed_package, plugin_directories, overrides, running_providers,
         hostile_archives, registry, registry_checksums, discovery, network_mirror, plugin_cache, interrupted, tokens, login, locks,
         beside_terraform]


def main(tests):
    global TLS, CERTIFICATE
    failed = 0
    with tempfile.TemporaryDirectory() as above:
        above = pathlib.Path(above)
        CERTIFICATE, key = above / "certificate.pem", above / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", CERTIFICATE, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], check=True, stderr=subprocess.DEVNULL)
        TLS = (CERTIFICATE, key)
        chosen = [one for one in tests if not sys.argv[2:] or one.__name__ in sys.argv[2:]]
        print(f"1..{len(chosen)}")
        for number, test in enumerate(chosen, 1):
            try:
                begin = time.time()
                (above / test.__name__).mkdir()
                test(Place(above / test.__name__))
                print(f"ok {number} - {test.__doc__}", flush=True)
                print(f"# {time.time() - begin:.2f} s", flush=True)
            except Skip as why:
                print(f"ok {number} - {test.__doc__} # SKIP {why}", flush=True)
            except Exception as why:  # a failed test does not end the others
                failed = 1
                print(f"not ok {number} - {test.__doc__}")
                for line in (f"{type(why).__name__}: {why}").splitlines():
                    print("#", line, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(TESTS))
