# SPDX-License-Identifier: BSL-1.0
"""For each released provider: a configuration of all its types, a change of this configuration, and objects to
import."""
import contextlib
import http.server
import importlib.util
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from postgres_server import PostgresServer  # noqa: E402


@contextlib.contextmanager
def no_variables():
    yield lambda program: {}


class Scenario:
    """A configuration in two versions: @ in its text is replaced with 1, then with 2.

    varying: attributes (TYPE.NAME or TYPE.RESOURCE.NAME) with values that are random, or depend on random values.
    imports: objects that are removed from state and imported again, with their id as a function of their attributes.
    files: other files of the directory. older: older schema versions to which objects are set back. environment: a
    context manager for a function that returns the variables of a program.
    """

    def __init__(self, configuration, varying=(), imports=(), files=(), older=(),
                 environment=no_variables):
        self.configuration = configuration
        self.varying = set(varying)
        self.imports = list(imports)
        self.files = dict(files)
        self.older = dict(older)
        self.environment = environment

    def text(self, state):
        return self.configuration.replace("@", str(state))


RANDOM = Scenario("""
resource "random_bytes" "a" { length = 1@ }
resource "random_id" "a" {
  byte_length = 5
  prefix      = "p-"
  keepers     = { a = "@" }
}
resource "random_integer" "a" {
  min  = @
  max  = 50000
  seed = "fixed"
}
resource "random_password" "a" {
  length      = 16
  min_special = @
  min_lower   = 2
  override_special = "_+="
}
resource "random_pet" "a" {
  length = 2
  prefix = random_id.a.hex
}
resource "random_shuffle" "a" {
  input        = ["a", "b", "c", "d"]
  result_count = @
  seed         = "fixed"
}
resource "random_string" "a" {
  length  = 12
  special = false
  keepers = { a = random_integer.a.result }
}
resource "random_uuid" "a" {
  count   = @
  keepers = { a = random_pet.a.id }
}
output "uuids" { value = length(random_uuid.a) }
output "integer" { value = random_integer.a.result }
output "shuffled" { value = random_shuffle.a.result }
output "password_length" {
  value     = length(random_password.a.result)
  sensitive = true
}
""", varying={
    "random_bytes.base64", "random_bytes.hex", "random_id.b64_std", "random_id.b64_url", "random_id.dec", "random_id.hex",
    "random_id.id", "random_password.result", "random_password.bcrypt_hash", "random_pet.id", "random_pet.prefix",
    "random_string.id", "random_string.result", "random_uuid.id", "random_uuid.result", "random_uuid.keepers",
}, imports=[
    ("random_bytes.a", lambda a: a["base64"]),
    ("random_id.a", lambda a: "p-," + a["b64_url"].removeprefix("p-")),
    ("random_integer.a", lambda a: f"{a['result']},{a['min']},{a['max']},{a['seed']}"),
    ("random_password.a", lambda a: a["result"]),
    ("random_string.a", lambda a: a["result"]),
    ("random_uuid.a[0]", lambda a: a["id"]),
], older={"random_password.a": 2, "random_string.a": 1})

TLS = Scenario("""
provider "tls" {
  proxy { from_env = true }
}
resource "tls_private_key" "ca" {
  algorithm   = "ECDSA"
  ecdsa_curve = "P256"
}
resource "tls_private_key" "rsa" {
  algorithm = "RSA"
  rsa_bits  = 1024
}
resource "tls_private_key" "server" { algorithm = "ED25519" }
resource "tls_self_signed_cert" "ca" {
  private_key_pem       = tls_private_key.ca.private_key_pem
  validity_period_hours = 100
  early_renewal_hours   = @
  is_ca_certificate     = true
  allowed_uses          = ["cert_signing", "crl_signing"]
  subject {
    common_name  = "ca@"
    organization = "ACME"
  }
}
resource "tls_cert_request" "server" {
  private_key_pem = tls_private_key.server.private_key_pem
  dns_names       = ["a.example.com", "b@.example.com"]
  ip_addresses    = ["127.0.0.1"]
  uris            = ["https://example.com/@"]
  subject { common_name = "server" }
}
resource "tls_locally_signed_cert" "server" {
  cert_request_pem      = tls_cert_request.server.cert_request_pem
  ca_private_key_pem    = tls_private_key.ca.private_key_pem
  ca_cert_pem           = tls_self_signed_cert.ca.cert_pem
  validity_period_hours = 12
  allowed_uses          = ["server_auth"]
  set_subject_key_id    = true
}
data "tls_public_key" "rsa" { private_key_openssh = tls_private_key.rsa.private_key_openssh }
data "tls_certificate" "ca" { content = tls_self_signed_cert.ca.cert_pem }
output "algorithm" { value = data.tls_public_key.rsa.algorithm }
output "subject" { value = data.tls_certificate.ca.certificates[0].subject }
""", varying={
    *(f"tls_private_key.{a}" for a in (
        "id", "private_key_openssh", "private_key_pem", "private_key_pem_pkcs8", "public_key_fingerprint_md5",
        "public_key_fingerprint_sha256", "public_key_openssh", "public_key_pem")),
    *(f"tls_self_signed_cert.{a}" for a in ("id", "cert_pem", "private_key_pem", "validity_start_time",
                                           "validity_end_time")),
    *(f"tls_cert_request.{a}" for a in ("id", "cert_request_pem", "private_key_pem")),
    *(f"tls_locally_signed_cert.{a}" for a in (
        "id", "cert_pem", "cert_request_pem", "ca_private_key_pem", "ca_cert_pem", "validity_start_time",
        "validity_end_time")),
    *(f"tls_public_key.{a}" for a in (
        "id", "private_key_openssh", "public_key_fingerprint_md5", "public_key_fingerprint_sha256", "public_key_openssh",
        "public_key_pem")),
    "tls_certificate.id", "tls_certificate.content", "tls_certificate.certificates",
})

NULL = Scenario("""
resource "null_resource" "a" {
  triggers = { a = "@", b = "same" }
}
resource "null_resource" "b" {
  count    = @
  triggers = { a = null_resource.a.id }
}
resource "null_resource" "c" {}
data "null_data_source" "a" {
  inputs               = { a = "@" }
  has_computed_default = "given"
}
output "inputs" { value = data.null_data_source.a.outputs }
""", varying={"null_resource.id", "null_data_source.random", "null_resource.b.triggers"})

TIME = Scenario("""
resource "time_offset" "a" {
  base_rfc3339 = "2020-02-12T06:36:13Z"
  offset_days  = @
  triggers     = { a = "same" }
}
resource "time_rotating" "a" {
  rfc3339        = "2020-02-12T06:36:13Z"
  rotation_years = 10@
}
resource "time_sleep" "a" {
  create_duration = "@ms"
  triggers        = { a = "@" }
}
resource "time_static" "a" {
  rfc3339  = "202@-02-12T06:36:13Z"
}
resource "time_static" "now" {}
locals { parsed = provider::time::rfc3339_parse(time_static.a.rfc3339) }
output "time" { value = time_offset.a.rfc3339 }
output "parsed" { value = local.parsed.year }
output "duration" { value = provider::time::duration_parse("@h30m") }
output "unix" { value = [for t in [@, 86400] : provider::time::unix_timestamp_parse(t).rfc3339] }
output "year" { value = time_rotating.a.year }
""", varying={"time_sleep.id", *(f"time_static.now.{a}" for a in (
    "id", "rfc3339", "unix", "second", "minute", "hour", "day", "month", "year"))}, imports=[
    ("time_offset.a", lambda a: f"{a['base_rfc3339']},,,{a['offset_days']},,,"),
    ("time_rotating.a", lambda a: f"{a['rfc3339']},{a['rotation_years']},,,,"),
    ("time_sleep.a", lambda a: f"{a['create_duration']},"),
    ("time_static.a", lambda a: a["id"]),
])

LOCAL = Scenario("""
resource "local_file" "a" {
  filename        = "${path.module}/made/a.txt"
  content         = "text @"
  file_permission = "0600"
}
resource "local_file" "b" {
  filename = "${path.module}/made/b@.txt"
  source   = "${path.module}/given.txt"
}
resource "local_sensitive_file" "a" {
  filename       = "${path.module}/made/secret.txt"
  content_base64 = base64encode("secret @")
}
data "local_file" "a" { filename = local_file.a.filename }
data "local_file" "given" { filename = "${path.module}/given.txt" }
data "local_sensitive_file" "given" { filename = "${path.module}/given.txt" }
data "local_command" "a" {
  command   = "cat"
  arguments = ["-"]
  stdin     = "input @"
}
ephemeral "local_command" "a" {
  command   = "cat"
  arguments = ["-"]
  stdin     = "secret @"
}
ephemeral "local_command" "later" {
  command   = "echo"
  arguments = [local_file.a.id]
}
locals { said = ephemeral.local_command.a.stdout }
output "said" { value = ephemeralasnull(local.said) }
output "exists" { value = [provider::local::direxists(path.module), provider::local::direxists("none")] }
output "hash" { value = data.local_file.a.content_sha256 }
output "given" { value = data.local_file.given.content }
output "command" { value = data.local_command.a.stdout }
""", files={"given.txt": "given\n"})

EXTERNAL = Scenario("""
data "external" "a" {
  program     = ["sh", "-c", "read query; echo '{\\"answer\\": \\"@\\"}'"]
  query       = { a = "@" }
  working_dir = path.module
}
output "answer" { value = data.external.a.result }
""")

ARCHIVE = Scenario("""
data "archive_file" "blocks" {
  type        = "zip"
  output_path = "${path.module}/blocks.zip"
  source {
    filename = "a.txt"
    content  = "a @"
  }
  source {
    filename = "b.txt"
    content  = "b"
  }
}
data "archive_file" "content" {
  type                    = "zip"
  output_path             = "${path.module}/content.zip"
  source_content          = "content @"
  source_content_filename = "c.txt"
}
data "archive_file" "folder" {
  type        = "zip"
  output_path = "${path.module}/folder.zip"
  source_dir  = "${path.module}/folder"
  excludes    = ["excluded.txt"]
}
output "hash" { value = data.archive_file.blocks.output_sha }
output "size" { value = data.archive_file.folder.output_size }
""", files={"folder/a.txt": "a\n", "folder/excluded.txt": "b\n"})


@contextlib.contextmanager
def web_server():
    """A server that always sends the same answers."""
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = f"{self.path} {self.headers.get('X-Asked', '')}".encode()
            self.send_response_only(200)
            self.send_header("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield lambda program: {"TF_VAR_url": f"http://127.0.0.1:{server.server_port}", "NO_PROXY": "127.0.0.1"}
        finally:
            server.shutdown()


HTTP = Scenario("""
variable "url" { type = string }
data "http" "a" {
  url             = "${var.url}/page@"
  request_headers = { X-Asked = "@" }
}
output "body" { value = data.http.a.body }
""", varying={"http.id"}, environment=web_server)


@contextlib.contextmanager
def databases():
    """A server for each program, because roles belong to a server."""
    if not PostgresServer.is_installed():
        raise LookupError("needs postgresql")
    with tempfile.TemporaryDirectory(prefix="iacctl-pg-") as root, contextlib.ExitStack() as stack:
        os.chmod(root, 0o755)
        servers = {}

        def variables(program):
            if program not in servers:
                folder = pathlib.Path(root) / str(len(servers))
                folder.mkdir(mode=0o755)
                servers[program] = PostgresServer(folder, user="postgres", on_loopback=True)
                stack.callback(servers[program].stop)
            return {"PGHOST": "127.0.0.1", "PGPORT": str(servers[program].port), "PGUSER": "postgres",
                    "PGSSLMODE": "disable", "PGPASSWORD": "none"}

        yield variables


POSTGRESQL = Scenario("""
resource "postgresql_role" "owner" {
  name     = "owner"
  login    = true
  password = "secret@"
  roles    = [postgresql_role.group.name]
  search_path = ["s@", "public"]
}
resource "postgresql_role" "group" {
  name             = "group"
  connection_limit = @
}
resource "postgresql_database" "a" {
  name              = "a"
  owner             = postgresql_role.owner.name
  connection_limit  = 1@
  lc_collate        = "C"
  lc_ctype          = "C"
  template          = "template0"
}
resource "postgresql_schema" "a" {
  name     = "sales"
  database = postgresql_database.a.name
  owner    = postgresql_role.owner.name
  policy {
    usage = true
    role  = postgresql_role.group.name
  }
  policy {
    create = true
    usage  = true
    role   = postgresql_role.owner.name
  }
}
resource "postgresql_extension" "a" {
  name     = "plpgsql"
  database = postgresql_database.a.name
}
resource "postgresql_grant" "a" {
  database    = postgresql_database.a.name
  role        = postgresql_role.group.name
  schema      = postgresql_schema.a.name
  object_type = "table"
  privileges  = "@" == "1" ? ["SELECT"] : ["SELECT", "INSERT"]
}
resource "postgresql_default_privileges" "a" {
  role        = postgresql_role.group.name
  database    = postgresql_database.a.name
  schema      = postgresql_schema.a.name
  owner       = postgresql_role.owner.name
  object_type = "table"
  privileges  = ["SELECT"]
}
output "owner" { value = postgresql_database.a.owner }
""", environment=databases, imports=[
    ("postgresql_role.group", lambda a: a["name"]),
    ("postgresql_database.a", lambda a: a["name"]),
])

@contextlib.contextmanager
def clouds():
    """A moto server for each program, because names of objects belong to an account."""
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        raise LookupError("needs moto: pip install 'moto[server]'")
    with contextlib.ExitStack() as stack:
        ports = {}

        def variables(program):
            if program not in ports:
                with socket.socket() as free:
                    free.bind(("127.0.0.1", 0))
                    ports[program] = free.getsockname()[1]
                server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(ports[program])],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                stack.callback(server.wait)
                stack.callback(server.kill)
                for _ in range(300):
                    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", ports[program]), 1):
                        break
                    time.sleep(0.1)
            return {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
                    "TF_VAR_server": f"http://127.0.0.1:{ports[program]}"}

        yield variables


AWS = Scenario("""
variable "server" {}
provider "aws" {
  s3_force_path_style         = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true
  endpoints {
    dynamodb = var.server
    iam      = var.server
    s3       = var.server
    sns      = var.server
    sqs      = var.server
    sts      = var.server
  }
}
resource "aws_s3_bucket" "a" {
  bucket = "bucket-a"
  tags   = { state = "@" }
}
resource "aws_sqs_queue" "a" {
  name                       = "queue"
  visibility_timeout_seconds = 3@
}
resource "aws_sns_topic" "a" { name = "topic@" }
resource "aws_dynamodb_table" "a" {
  name         = "table"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
  tags = { state = "@" }
}
resource "aws_iam_role" "a" {
  name               = "role"
  description        = "state @"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sts:AssumeRole",
    Principal = { Service = "ec2.amazonaws.com" } }] })
}
data "aws_iam_role" "a" { name = aws_iam_role.a.name }
output "queue" { value = aws_sqs_queue.a.name }
""", environment=clouds, imports=[("aws_s3_bucket.a", lambda a: a["id"]), ("aws_iam_role.a", lambda a: a["id"])], varying={
    "aws_iam_role.unique_id", "aws_iam_role.create_date", "aws_iam_role.id", "aws_sqs_queue.id", "aws_dynamodb_table.stream_arn"})

FRAMEWORK = Scenario("""
provider "framework" {
  defaults = { labels = { team = "t@" } }
}
resource "framework_server" "a" {
  name = "a"
  disks = [
    { name = "root", size = 1@ },
    { name = "data" },
  ]
  networks = {
    inner = { host = "10.0.0.@" }
    outer = { host = "example.org", port = 80 }
  }
  rules = [{ host = "*" }, { host = "b@", port = 1 }]
  extra    = jsondecode("@" == "1" ? "[\\"a\\", 1]" : "{\\"a\\": true}")
  password = "not stored @"
}
resource "framework_server" "b" {
  name  = "b@"
  main  = { host = framework_server.a.disks[1].path }
  extra = "@"
}
resource "framework_server" "bare" { name = "bare" }
data "framework_names" "a" { prefix = "n@" }
data "framework_names" "later" { prefix = framework_server.b.id }
output "found" { value = data.framework_names.a.found }
output "secret" {
  value     = framework_server.b.secret
  sensitive = true
}
output "port" { value = framework_server.a.networks["inner"].port }
""", imports=[("framework_server.bare", lambda a: a["id"])], older={"framework_server.a": 0})

SCENARIOS = {"random": RANDOM, "tls": TLS, "null": NULL, "time": TIME, "local": LOCAL, "http": HTTP, "archive": ARCHIVE,
             "external": EXTERNAL, "postgresql": POSTGRESQL, "framework": FRAMEWORK, "aws": AWS}
