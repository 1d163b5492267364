# SPDX-License-Identifier: BSL-1.0
"""The clouds that tests of backends use: one proxy that answers for all hosts of Azure and Google, by certificates of its own.

Requests for blobs and objects go on to Azurite and fake-gcs-server. Those for tokens, metadata and the resource manager are
answered here. A test can also let the proxy delay requests, refuse them, or cut their connections.
"""
import base64
import collections
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "plugin"))
from released_providers import SUITE_BUILDS, installed  # noqa: E402

AZURITE = "3.35.0"
FAKE_GCS = "v1.52.3"
ACCOUNT = "acmestates"  # programs sign requests to the usual account of emulators in another way
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
BLOBS = f"{ACCOUNT}.blob.core.windows.net"
OBJECTS = "storage.googleapis.com"
TENANT, CLIENT, SECRET = "7d5bbbb0-0000-4000-8000-000000000001", "7d5bbbb0-0000-4000-8000-000000000002", "hush"
SUBSCRIPTION = "7d5bbbb0-0000-4000-8000-000000000003"
ROBOT = "robot@project.iam.gserviceaccount.com"
HOSTS = [BLOBS, OBJECTS, "login.microsoftonline.com", "management.azure.com", "metadata.example", "pipelines.example",
         "oauth2.googleapis.com", "sts.googleapis.com", "iamcredentials.googleapis.com", "*.s3.us-east-1.amazonaws.com",
         "s3.us-east-1.amazonaws.com", "states.example"]
CLOUD_VARIABLES = ("ARM_", "AZURE_", "GOOGLE_", "CLOUDSDK_", "GCE_", "STORAGE_EMULATOR", "IDENTITY_", "MSI_", "ACTIONS_", "SYSTEM_",
                   "AWS_", "TF_", "IACCTL_PG_MODE", "PG_")


def find_azurite(cache):
    """The command of Azurite, or the reason why there is none."""
    if found := shutil.which("azurite-blob"):
        return [found], None
    main = pathlib.Path("node_modules") / "azurite" / "dist" / "src" / "blob" / "main.js"
    place = cache / f"azurite-{AZURITE}"
    if not (place / main).exists():
        if shutil.which("npm") is None:
            return None, "needs npm"
        draft = cache / f"azurite-{os.getpid()}"
        draft.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", draft, f"azurite@{AZURITE}"],
                           check=True, capture_output=True, timeout=170)
            with contextlib.suppress(OSError):  # another test has installed it meanwhile
                draft.rename(place)
        except (OSError, subprocess.SubprocessError) as failed:
            return None, f"needs npm: {type(failed).__name__}"
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return ["node", str(place / main)], None


def find_fake_gcs(_cache):
    """The command of fake-gcs-server, or the reason why there is none."""
    if found := shutil.which("fake-gcs-server"):
        return [found], None
    program, reason = installed("github.com/fsouza/fake-gcs-server", FAKE_GCS, SUITE_BUILDS)
    return ([str(program)], None) if program else (None, reason)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port, process):
    limit = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            if time.monotonic() > limit or process.poll() is not None:
                raise
            time.sleep(0.1)


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60, **options).stdout


def make_certificates(directory):
    """Makes a certificate for all hosts, and the authority that has signed it."""
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", directory / "ca.key", "-out", directory / "ca.pem", "-days", "2",
            "-subj", "/CN=clouds of a test")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", directory / "key.pem", "-out", directory / "request.pem", "-subj",
            "/CN=clouds")
    (directory / "names").write_text("subjectAltName=" + ",".join(f"DNS:{one}" for one in HOSTS) + ",IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", directory / "request.pem", "-CA", directory / "ca.pem", "-CAkey", directory / "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", directory / "names", "-out", directory / "certificate.pem")


def encoded(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refused(Exception):
    """A request is answered with this status and JSON."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        self.send_response(200, "Connection established")
        self.end_headers()
        try:
            self.connection = self.clouds.tls.wrap_socket(self.connection, server_side=True)
        except (OSError, ssl.SSLError):
            self.close_connection = True
            return
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def finish(self):
        with contextlib.suppress(OSError):
            super().finish()

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def cut(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (OSError, ValueError):
            self.close_connection = True

    def any_method(self):
        target = urllib.parse.urlsplit(self.path)
        host = (target.hostname or self.headers.get("Host", "")).split(":")[0]
        path = urllib.parse.urlunsplit(("", "", target.path, target.query, ""))
        body = self.body()
        try:
            status, headers, answer = self.clouds.respond(self, host, path, body)
        except Refused as refused:
            status, headers, answer = refused.args[0], {"Content-Type": "application/json"}, json.dumps(refused.args[1]).encode()
        except ConnectionError:
            return self.cut()
        self.send_response_only(status)
        for name, text in headers.items():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "keep-alive"):
                self.send_header(name, text)
        if self.command == "HEAD":
            self.send_header("Content-Length", headers.get("Content-Length", headers.get("content-length", "0")))
        elif status != 204:
            self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PATCH = do_LOCK = do_UNLOCK = any_method


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


class Clouds:
    """The proxy, and the servers behind it."""

    def __init__(self, cache):
        self.cache, self.stack = cache, contextlib.ExitStack()
        self.root = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="iacctl-clouds-")))
        make_certificates(self.root)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(self.root / "certificate.pem", self.root / "key.pem")
        self.upstreams = {}  # a port and whether it has TLS, by the end of the name of a host
        self.names = {}  # the names by which servers know themselves, where these are not those of the host
        self.fault = lambda host, method, path: None
        self.witness = None  # of the requests to a server, with the name of the port from which they come
        self.log, self.tokens, self.mutex = [], collections.Counter(), threading.Lock()
        self.ports = {}
        self.port = self.port_of(None)

    def port_of(self, name):
        """A port for the requests of one program."""
        if name not in self.ports:
            server = Server(("127.0.0.1", 0), type("CloudsHandler", (Handler,), {"clouds": self, "name": name}))
            self.ports[name] = server.server_address[1]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.stack.callback(server.server_close)
            self.stack.callback(server.shutdown)
        return self.ports[name]

    def close(self):
        self.stack.close()

    def environment(self, name=None, **more):
        """The environment of a program that uses these clouds. Its requests have the name."""
        url = f"http://127.0.0.1:{self.port_of(name)}"
        home = self.root / "home"
        home.mkdir(exist_ok=True)
        own = {name: value for name, value in os.environ.items()
               if not name.startswith(CLOUD_VARIABLES) and name.lower() not in ("no_proxy", "http_proxy", "https_proxy")}
        return own | {"HTTPS_PROXY": url, "HTTP_PROXY": url, "SSL_CERT_FILE": str(self.root / "ca.pem"), "HOME": str(home),
                      "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1",
                      "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"} | more

    def start(self, command, port):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.root,
                                   env=dict(os.environ, AZURITE_ACCOUNTS=f"{ACCOUNT}:{ACCOUNT_KEY}"))

        def stop():
            process.terminate()
            process.wait(20)
        self.stack.callback(stop)
        wait_for(port, process)

    def start_azurite(self):
        """Starts Azurite with the container "states". Returns the reason why it cannot be started."""
        command, reason = find_azurite(self.cache)
        if command:
            port = free_port()
            self.start([*command, "--blobPort", str(port), "--inMemoryPersistence", "--disableTelemetry", "--silent", "--oauth", "basic",
                        "--cert", str(self.root / "certificate.pem"), "--key", str(self.root / "key.pem")], port)
            self.upstreams[BLOBS] = (port, True)
            self.blob("PUT", "", {"restype": "container"})
        return reason

    def start_gcs(self):
        """Starts fake-gcs-server with the bucket "states". Returns the reason why it cannot be started."""
        command, reason = find_fake_gcs(self.cache)
        if command:
            port = free_port()
            self.start([*command, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port)], port)
            self.upstreams[OBJECTS] = (port, False)
            self.object("POST", "/storage/v1/b?project=test", b'{"name":"states"}')
        return reason

    # Requests of the test itself, which pass no faults.

    def blob(self, method, name, query=None, body=b"", headers=None):
        """Sends a request about a blob of the container "states", or about the container; returns status, headers and body."""
        path = "/states" + ("/" + urllib.parse.quote(name) if name else "")
        query = query or {}
        sent = {"x-ms-version": "2023-11-03", "x-ms-date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()), **(headers or {})}
        if method == "PUT" and name and "comp" not in query:
            sent["x-ms-blob-type"] = "BlockBlob"
        lines = [method, "", "", str(len(body)) if body else "", *[""] * 8]
        lines += [f"{one.lower()}:{sent[one]}" for one in sorted(sent, key=str.lower) if one.lower().startswith("x-ms-")]
        text = "\n".join(lines) + f"\n/{ACCOUNT}{path}" + "".join(f"\n{one}:{query[one]}" for one in sorted(query))
        signature = base64.b64encode(hmac.new(base64.b64decode(ACCOUNT_KEY), text.encode(), hashlib.sha256).digest()).decode()
        sent["Authorization"] = f"SharedKey {ACCOUNT}:{signature}"
        return self.forward(BLOBS, method, path + ("?" + urllib.parse.urlencode(query) if query else ""), sent, body)

    def object(self, method, path, body=b""):
        return self.forward(OBJECTS, method, path, {"Content-Type": "application/json"}, body)

    def forward(self, host, method, path, headers, body):
        port, is_secure = next(to for end, to in self.upstreams.items() if host.endswith(end))
        if is_secure:
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=ssl._create_unverified_context())
        else:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        dropped = ("host", "connection", "proxy-connection", "transfer-encoding", "content-length", "expect", "accept-encoding")
        sent = {name: text for name, text in headers.items() if name.lower() not in dropped} | {"Host": self.names.get(host, host)}
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, text in (sent | {"Content-Length": str(len(body))}).items():
                connection.putheader(name, text)
            connection.endheaders(body or None)
            got = connection.getresponse()
            return got.status, dict(got.getheaders()), got.read()

    # Requests of programs.

    def respond(self, request, host, path, body):
        with self.mutex:
            self.log.append((host, request.command, path))
        answer_of = {"login.microsoftonline.com": self.login, "management.azure.com": self.manager, "metadata.example": self.metadata,
                     "pipelines.example": self.pipeline, "oauth2.googleapis.com": self.google_token,
                     "sts.googleapis.com": self.google_exchange, "iamcredentials.googleapis.com": self.google_impersonation,
                     "127.0.0.1": self.machine, "169.254.169.254": self.machine}.get(host)
        if answer_of:
            return 200, {"Content-Type": "application/json"}, json.dumps(answer_of(request, path, body)).encode()
        if not any(host.endswith(end) for end in self.upstreams):
            raise Refused(502, {"error": f"{host} is not part of the test"})
        if host == OBJECTS:
            self.check_google_token(request)
        return self.with_fault(request, host, path, body)

    def with_fault(self, request, host, path, body):
        fault = self.fault(host, request.command, path)
        if isinstance(fault, float):
            time.sleep(fault)
        if fault == "refused":
            return 503, {}, b""
        if fault == "cut":
            raise ConnectionError
        answer = self.perform(request, host, path, body, fault not in ("failed", "lost"))
        if fault == "failed":  # the request was performed
            return 500, {}, b""
        if fault == "lost":
            raise ConnectionError
        return answer

    def perform(self, request, host, path, body, delivered):
        if self.witness is None or request.name is None:
            return self.forward(host, request.command, path, request.headers, body)
        with self.witness.order:
            answer = self.forward(host, request.command, path, request.headers, body)
            self.witness.saw(request.name, request.command, path, request.headers, body, *answer, delivered)
        return answer

    def issue(self, kind, name, **claims):
        """A token, whose kind is counted."""
        with self.mutex:
            self.tokens[kind] += 1
        now = int(time.time())
        about = {"iat": now, "nbf": now - 60, "exp": now + 3600, "sub": name, **claims}
        return f"{encoded({'alg': 'RS256', 'typ': 'JWT'})}.{encoded(about)}.{encoded(b'signature')}"

    def azure_token(self, kind, resource):
        token = self.issue(kind, CLIENT, aud=resource, iss=f"https://sts.windows.net/{TENANT}/")
        return {"access_token": token, "token_type": "Bearer", "expires_in": 3599, "expires_on": str(int(time.time()) + 3599),
                "resource": resource}

    def login(self, _request, path, body):
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        if path != f"/{TENANT}/oauth2/v2.0/token" or fields.get("client_id") != CLIENT:
            raise Refused(401, {"error": "invalid_client", "error_description": "AADSTS700016: unknown application"})
        kind = "secret" if fields.get("client_secret") == SECRET else self.kind_of_assertion(fields.get("client_assertion", ""))
        if kind is None:
            raise Refused(401, {"error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret provided."})
        return self.azure_token(kind, fields["scope"].removesuffix("/.default"))

    def kind_of_assertion(self, text):
        if text == "federated":
            return "federated"
        parts = text.split(".")
        certificate = self.root / "client.pem"
        if len(parts) != 3 or not certificate.exists():
            return None
        claims, header = json.loads(decoded(parts[1])), json.loads(decoded(parts[0]))
        der = openssl("x509", "-in", certificate, "-outform", "DER")
        is_ours = header.get("x5t", "").rstrip("=") == encoded(hashlib.sha1(der).digest()) and claims["iss"] == claims["sub"] == CLIENT
        return "certificate" if is_ours and self.is_signed(text, openssl("x509", "-in", certificate, "-pubkey", "-noout")) else None

    def is_signed(self, token, public_key):
        text, _, signature = token.rpartition(".")
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name)
            (place / "key").write_bytes(public_key)
            (place / "signature").write_bytes(decoded(signature))
            return subprocess.run(["openssl", "dgst", "-sha256", "-verify", place / "key", "-signature", place / "signature"],
                                  input=text.encode(), capture_output=True, timeout=60).returncode == 0

    def manager(self, request, path, _body):
        claims = json.loads(decoded(request.headers.get("Authorization", "..").split(".")[1]) or b"{}")
        account = (f"/subscriptions/{SUBSCRIPTION}/resourceGroups/group/providers/Microsoft.Storage/storageAccounts/{ACCOUNT}")
        if not claims.get("aud", "").startswith("https://management."):
            raise Refused(401, {"error": {"code": "InvalidAuthenticationToken", "message": "another audience"}})
        if path.split("?")[0] == account + "/listKeys":
            return {"keys": [{"keyName": "reader", "permissions": "Read", "value": "AAAA"},
                             {"keyName": "key1", "permissions": "FULL", "value": ACCOUNT_KEY}]}
        if path.split("?")[0] == account:
            return {"id": account, "name": ACCOUNT, "kind": "StorageV2", "location": "here",
                    "properties": {"primaryEndpoints": {"blob": f"https://{BLOBS}/"}}}
        raise Refused(404, {"error": {"code": "ResourceNotFound", "message": path}})

    def metadata(self, _request, _path, _body):
        return {"name": "AzureCloud", "microsoftGraphResourceId": "https://graph.microsoft.com/", "resourceManager": "https://management.azure.com/",
                "authentication": {"loginEndpoint": "https://login.microsoftonline.com/", "audiences": ["https://management.azure.com/"],
                                   "tenant": "common", "identityProvider": "AAD"},
                "suffixes": {"storage": "core.windows.net", "keyVaultDns": "vault.azure.net"}}

    def pipeline(self, request, path, _body):
        if request.headers.get("Authorization") != "Bearer pipeline":
            raise Refused(401, {"message": "no pipeline"})
        if "serviceConnectionId=connection" in path:
            return {"oidcToken": "federated"}
        if "audience=" not in path:
            raise Refused(400, {"message": "no audience"})
        return {"value": "federated"}

    def machine(self, request, path, _body):
        """The metadata services of machines: of Azure below /msi, and of Google below /computeMetadata."""
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        if path.startswith("/msi") and request.headers.get("Metadata") == "true":
            return self.azure_token("machine", query["resource"])
        if path.startswith("/computeMetadata/v1/instance/service-accounts/default/token") and request.headers.get("Metadata-Flavor"):
            return {"access_token": self.issue("machine", ROBOT), "expires_in": 3599, "token_type": "Bearer"}
        raise Refused(404, {"error": path})

    def google_token(self, _request, _path, body):
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        if fields.get("refresh_token") == "refresh":
            kind = "user"
        elif self.is_signed(fields.get("assertion", "."), (self.root / "robot.pub").read_bytes()):
            kind = "robot"
        else:
            raise Refused(400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."})
        return {"access_token": self.issue(kind, ROBOT), "expires_in": 3599, "token_type": "Bearer"}

    def google_exchange(self, _request, _path, body):
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        if fields.get("subject_token") != "federated":
            raise Refused(400, {"error": "invalid_grant", "error_description": "no subject token"})
        return {"access_token": self.issue("federated", ROBOT), "expires_in": 3599, "token_type": "Bearer",
                "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}

    def google_impersonation(self, request, path, body):
        self.check_google_token(request)
        about = json.loads(body)
        kind = "impersonated by " + ",".join(one.split("/")[-1] for one in about.get("delegates") or [])
        return {"accessToken": self.issue(kind, path.split("/")[-1].split(":")[0]),
                "expireTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))}

    def check_google_token(self, request):
        parts = request.headers.get("Authorization", "").removeprefix("Bearer ").split(".")
        claims = json.loads(decoded(parts[1])) if len(parts) == 3 else {}
        # Google's libraries for Go also sign tokens of service accounts themselves.
        if claims.get("sub") is None and claims.get("iss") != ROBOT:
            raise Refused(401, {"error": {"code": 401, "message": "Invalid Credentials"}})

    def make_robot(self):
        """The file of a service account."""
        key = self.root / "robot.key"
        if not key.exists():
            openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", key)
            openssl("pkey", "-in", key, "-pubout", "-out", self.root / "robot.pub")
        file = self.root / "robot.json"
        file.write_text(json.dumps({"type": "service_account", "project_id": "project", "private_key_id": "1", "client_email": ROBOT,
                                    "client_id": "1", "private_key": key.read_text(),
                                    "token_uri": "https://oauth2.googleapis.com/token"}))
        return file

    def make_client_certificate(self, password, *options):
        """The certificate of an application, as PKCS #12."""
        key, certificate, bundle = (self.root / name for name in ("client.key", "client.pem", "client.pfx"))
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=client")
        openssl("pkcs12", "-export", *options, "-inkey", key, "-in", certificate, "-out", bundle, "-passout", f"pass:{password}")
        return bundle

    def sas(self):
        """A signature that permits everything in the account for an hour."""
        fields = {"sv": "2021-06-08", "ss": "b", "srt": "sco", "sp": "rwdlacup",
                  "st": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 300)),
                  "se": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))}
        text = "\n".join([ACCOUNT, fields["sp"], fields["ss"], fields["srt"], fields["st"], fields["se"], "", "", fields["sv"], "", ""])
        signature = base64.b64encode(hmac.new(base64.b64decode(ACCOUNT_KEY), text.encode(), hashlib.sha256).digest()).decode()
        return urllib.parse.urlencode(fields | {"sig": signature})
