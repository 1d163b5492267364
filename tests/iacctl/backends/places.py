# SPDX-License-Identifier: BSL-1.0
"""Backends of all types, with their servers, for tests that treat all of them alike. Each server is started at its first use."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "golden")]
import clouds  # noqa: E402
import http_state_server  # noqa: E402
import remote  # noqa: E402
import tap  # noqa: E402

IACCTL = remote.IACCTL


def written(kind, **arguments):
    """A block `backend`."""
    return f'backend "{kind}" {{\n' + "".join(f"    {name} = {value}\n" for name, value in arguments.items()) + "  }"


def quoted(text):
    return f'"{text}"'


class Places:
    """A place for states is a kind of backend and a key; a new key has no states."""

    def __init__(self, root, cache):
        root.chmod(0o755)  # PostgreSQL runs as another user
        self.root, self.clouds, self.servers = root, clouds.Clouds(cache), remote.Servers(root)
        self.clouds.stack.callback(self.servers.stack.close)
        self.reasons = {}

    def environment(self, **more):
        return self.clouds.environment(NO_PROXY="127.0.0.1", AWS_CA_BUNDLE=str(self.clouds.root / "ca.pem"), **more)

    def reason(self, kind):
        """The reason why there is no server of a kind; None: there is one."""
        kind = kind.split("_")[0]
        if kind not in self.reasons:
            self.reasons[kind] = getattr(self, "start_" + kind, lambda: None)()
        return self.reasons[kind]

    def block(self, kind, key):
        assert self.reason(kind) is None
        return getattr(self, kind)(key)

    def close(self):
        self.clouds.close()

    def local(self, key):
        return written("local", path=quoted(self.root / "local" / f"{key}.tfstate"), workspace_dir=quoted(self.root / "local" / f"{key}.d"))

    def start_azurerm(self):
        return self.clouds.start_azurite()

    def azurerm(self, key):
        return written("azurerm", storage_account_name=quoted(clouds.ACCOUNT), container_name=quoted("states"), key=quoted(key),
                       access_key=quoted(clouds.ACCOUNT_KEY))

    def start_gcs(self):
        self.token = self.clouds.issue("given", clouds.ROBOT)
        return self.clouds.start_gcs()

    def gcs(self, key):
        return written("gcs", bucket=quoted("states"), prefix=quoted(key), access_token=quoted(self.token))

    def start_s3(self):
        moto = self.servers.find("moto")
        if moto:
            self.clouds.upstreams["s3.us-east-1.amazonaws.com"] = (moto.port, False)
        return None if moto else self.servers.reasons["moto"]

    def s3(self, key):
        return written("s3", bucket=quoted("states"), key=quoted(key), region=quoted("us-east-1"), use_path_style="true",
                       use_lockfile="true", skip_credentials_validation="true", skip_metadata_api_check="true",
                       skip_requesting_account_id="true")

    def http_at(self, address):
        return written("http", address=quoted(address), lock_address=quoted(address), unlock_address=quoted(address),
                       retry_max=4, retry_wait_min=1)

    def start_http(self):
        self.server = self.clouds.stack.enter_context(http_state_server.Server())
        port = int(self.server.url.rsplit(":", 1)[1])
        self.clouds.upstreams["states.example"] = (port, False)
        self.clouds.names["states.example"] = f"127.0.0.1:{port}"

    def http(self, key):
        """A state on a server of the tests."""
        return self.http_at(f"https://states.example/{key}")

    def served(self, key):
        """A state that `iacctl state serve` serves."""
        return self.http_at(f"http://127.0.0.1:{self.servers.find('http').port}/states/{key}")

    def start_pg(self):
        return None if self.servers.find("postgresql") else "needs postgresql"

    def database(self):
        return self.servers.find("postgresql").url

    def pg(self, key):
        return written("pg", conn_str=quoted(self.database()), schema_name=quoted(key))

    def pg_native(self, key):
        return written("pg", conn_str=quoted(self.database()), schema_name=quoted(key), mode=quoted("native"))


class Directory(remote.Workspace):
    """A directory with a configuration whose backend can change, at one of the places."""

    def __init__(self, places, name, resources):
        super().__init__(places.root / name, resources, **places.environment())
        self.places = places

    def choose(self, kind, key, encryption=""):
        super().choose(self.places.block(kind, key) if kind else "", encryption)

    def initialize(self, *options, code=0):
        return self.run("init", "-input=false", "-no-color", *options, code=code)

    def content(self, workspace="default"):
        """The parts of a state that a copy must have, without its serial."""
        state = self.run_in(workspace, "state", "pull")
        return {name: state[name] for name in ("lineage", "outputs", "resources")}

    def run_in(self, workspace, *arguments):
        environment = dict(self.environment, TF_WORKSPACE=workspace)
        done = subprocess.run([IACCTL, *arguments], cwd=self.directory, env=environment, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"{arguments}: exit {done.returncode}:\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)


def run_all(tests, cache, chosen=()):
    """Runs tests, each with the places and its own arguments, and reports the results in TAP.

    tests: (function, tools that it needs, kinds of places that it needs, arguments); chosen: names of functions or arguments."""
    selected = [one for one in tests if not chosen or {one[0].__name__, *map(str, one[3])} & set(chosen)]
    print(f"1..{len(selected)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="iacctl-places-") as name:
        at = Places(pathlib.Path(name), cache)
        try:
            for number, (test, tools, kinds, arguments) in enumerate(selected, 1):
                title = ": ".join([test.__doc__, *map(str, arguments)])
                missing = [f"needs {one}" for one in tools if shutil.which(one) is None] + list(filter(None, map(at.reason, kinds)))
                tap.report(number, title, next(iter(missing), None), lambda test=test, arguments=arguments: test(at, *arguments))
        finally:
            at.close()
