#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The provisioners file and remote-exec against real OpenSSH servers, and beside terraform if it is installed.

Usage: remote_provisioners.py IACCTL
"""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ssh_server import USER, SshServer, free_port, make_key, public_key, tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
SECRET = "hunter2hunter2"
PREFIX = "terraform_data.a ("
RUNTIME = tempfile.TemporaryDirectory()  # where iacctl makes private directories


def environment(**changed):
    made = {name: text for name, text in os.environ.items() if not name.startswith(("TF_", "SSH_"))}
    return made | {"XDG_RUNTIME_DIR": RUNTIME.name} | {name: str(text) for name, text in changed.items()}


def run(place, *arguments, code=0, program=IACCTL, variables=None):
    done = subprocess.run([program, *arguments], cwd=place, capture_output=True, text=True, timeout=150, stdin=subprocess.DEVNULL,
                          env=environment(**(variables or {})))
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    return done.stdout + done.stderr


def codes(place, *arguments, code=1, level="error", variables=None):
    """The codes of the diagnostics of a level."""
    lines = [json.loads(line) for line in run(place, *arguments, "-json", code=code, variables=variables).splitlines()]
    return [one["diagnostic"]["code"] for one in lines if one["type"] == "diagnostic" and one["diagnostic"]["severity"] == level]


def printed(text):
    """The lines that provisioners have printed."""
    return [line[len(PREFIX):] for line in text.splitlines() if line.startswith(PREFIX) and "): " in line]


def state(place):
    resources = json.loads(run(place, "state", "pull") or '{"resources": []}')["resources"]
    return {one["name"]: one["instances"][0].get("status") == "tainted" for one in resources}


def connection(server, key="user", more=""):
    """The text of a block: the key is a file beside the configuration."""
    return (f'  connection {{\n    host = "127.0.0.1"\n    port = {server.port}\n    user = "{USER}"\n    agent = false\n'
            f'    timeout = "60s"\n    script_path = "{server.directory}/script_%RAND%"\n    private_key = file("{server.directory}/{key}")\n{more}  }}\n')


def resource(*parts, name="a", head=""):
    return f'resource "terraform_data" "{name}" {{\n{head}{"".join(parts)}}}\n'


def commands(*lines, more=""):
    return f'  provisioner "remote-exec" {{\n    inline = {json.dumps(lines)}\n{more}  }}\n'


def upload(destination, more):
    return f'  provisioner "file" {{\n    destination = "{destination}"\n    {more}\n  }}\n'


def write(place, *parts):
    (place / "main.tf").write_text("".join(parts))


def fresh(place):
    for one in (".iacctl", "terraform.tfstate", "terraform.tfstate.backup"):
        path = place / one
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()


def tree(root):
    """Files with their content and permissions."""
    return {str(one.relative_to(root)): (oct(one.stat().st_mode & 0o777), None if one.is_dir() else one.read_bytes())
            for one in sorted(root.rglob("*"))}


def scripts_on_host(server):
    return list(server.directory.glob("script_*"))


@contextlib.contextmanager
def server_in(place, *settings, name="server", **options):
    with SshServer(place / name, *settings, **options) as one:
        yield one


def scripts_run_in_order(place):
    with server_in(place) as server:
        (place / "one.sh").write_text("#!/bin/sh\necho \"one $0\"\n")
        (place / "two").write_text("echo two; echo problem >&2\n")
        write(place, resource(
            connection(server), commands("echo ${self.input} | tr a-z A-Z", "echo 'quoted \"text\"' $((1 + 1))", "tty >/dev/null && echo terminal"),
            '  provisioner "remote-exec" {\n    script = "one.sh"\n    connection {\n      host = "127.0.0.1"\n      script_path = null\n    }\n  }\n',
            f'  provisioner "remote-exec" {{\n    scripts = ["two", "one.sh"]\n    connection {{\n      host = "127.0.0.1"\n      script_path = "{place}/fixed name.sh"\n    }}\n  }}\n',
            head='  input = "hello"\n'))
        lines = printed(run(place, "apply", "-auto-approve"))
        assert lines[:10] == [
            "remote-exec): Connecting to remote host via SSH...", "remote-exec):   Host: 127.0.0.1", f"remote-exec):   User: {USER}",
            "remote-exec):   Password: false", "remote-exec):   Private key: true", "remote-exec):   Certificate: false",
            "remote-exec):   SSH Agent: false", "remote-exec):   Checking Host Key: false", "remote-exec):   Target Platform: unix",
            "remote-exec): Connected!"], lines
        said = [line.removeprefix("remote-exec): ") for line in lines if "  " not in line and "onnect" not in line]
        assert said[:3] == ["HELLO", 'quoted "text" 2', "terminal"], said
        assert said[3].startswith("one /tmp/terraform_") and said[4:] == ["two", "problem", f"one {place}/fixed name.sh"], said
        assert not scripts_on_host(server) and not pathlib.Path(said[3].split()[1]).exists() and not (place / "fixed name.sh").exists()


def files_and_directories_are_written(place):
    with server_in(place) as server:
        make_source(place)
        (place / "from" / "linked").symlink_to("sub/deep")  # terraform sends the size of the link, and fails
        write(place, resource(connection(server), *uploads(place / "there")))
        (place / "there").mkdir()
        text = run(place, "apply", "-auto-approve")
        assert printed(text) == [], text
        made = tree(place / "there")
        assert made["big"][1] == (place / "big").read_bytes() and made["empty"] == ("0o644", b"")
        assert made["content"] == ("0o644", "Grüße\n".encode()) and made["from/sub/deep"][1] == b"deep" and made["sub/deep"][1] == b"deep"
        assert made["from/run"] == ("0o644", b"#!/bin/sh\n") and made["from/linked"][1] == b"deep" and made["from/folder/deep"][1] == b"deep"
        assert made["from/with space"][1] == b"x", made.keys()
        write(place, resource(connection(server), upload(f"{place}/none/file", 'content = "x"')))
        fresh(place)
        assert codes(place, "apply", "-auto-approve") == ["remote_upload_failed"]
        (place / "from" / "endless").symlink_to(place / "from")
        write(place, resource(connection(server), upload(f"{place}/there", 'source = "from"')))
        fresh(place)
        assert "a link to a directory that contains it" in " ".join(run(place, "apply", "-auto-approve", code=1).split())


def make_source(place):
    (place / "from" / "sub").mkdir(parents=True)
    (place / "from" / "sub" / "deep").write_text("deep")
    (place / "from" / "with space").write_text("x")
    (place / "from" / "run").write_text("#!/bin/sh\n")
    (place / "from" / "run").chmod(0o755)
    (place / "from" / "folder").symlink_to("sub")
    (place / "big").write_bytes(bytes(range(256)) * 12000)
    (place / "empty").write_bytes(b"")


def uploads(there):
    return [upload(f"{there}/content", 'content = "Grüße\\n"'), upload(f"{there}/big", 'source = "big"'),
            upload(f"{there}/empty", 'source = "empty"'), upload(str(there), 'source = "from"'), upload(str(there), 'source = "from/"'),
            upload(f"{there}/new", 'source = "from"')]


def terraform_does_the_same(place):
    terraform = shutil.which("terraform")
    if not terraform:
        raise tap.Missing("terraform")
    with server_in(place) as server, server_in(place, name="bastion") as bastion:
        make_source(place)
        make_key(place / "certified")
        certify(server, place / "certified", place)
        (place / "script.sh").write_text("echo from a file\n")
        host_key = " ".join(public_key(server.directory / "host").split()[:2])
        through = (f'      bastion_host = "127.0.0.1"\n      bastion_port = {bastion.port}\n'
                   f'      bastion_private_key = file("{bastion.directory}/user")\n')
        certificate = f'      private_key = file("certified")\n      certificate = file("certified-cert.pub")\n      host_key = "{host_key}"\n'
        inner = '    connection {{\n      host = "127.0.0.1"\n{}    }}\n'
        there = place / "there"
        write(place, resource(
            connection(server), *uploads(there),
            commands("echo first", "echo second >&2", f"umask 022; echo ${{length(self.id) > 0}} > {there}/made"),
            '  provisioner "remote-exec" {\n    script = "script.sh"\n  }\n',
            commands("exit 3", more="    on_failure = continue\n"),
            commands("echo through", more=inner.format(through)), commands("echo certified", more=inner.format(certificate)),
            commands("echo gone ${self.input}", more="    when = destroy\n"), head='  input = "object"\n'))
        seen = []
        for program in (IACCTL, terraform):
            shutil.rmtree(there, ignore_errors=True)
            there.mkdir()
            fresh(place)
            run(place, "init", program=program)
            made = printed(run(place, "apply", "-auto-approve", "-no-color", program=program))
            gone = printed(run(place, "destroy", "-auto-approve", "-no-color", program=program))
            shutil.rmtree(place / ".terraform", ignore_errors=True)
            seen.append((made, gone, tree(there)))
        assert seen[0] == seen[1], seen
        for mistakes in (resource(connection(server), '  provisioner "file" {\n    destination = "/x"\n  }\n'),
                         resource(connection(server), commands("x", more='    script = "y"\n')),
                         resource(commands("x", more='    connection {\n    }\n')),
                         resource('  connection {\n    user = "x"\n  }\n', commands("x", more='    connection {\n      host = "h"\n    }\n')),
                         resource('  connection {\n    host = terraform_data.b.id\n  }\n', commands("x", more='    when = destroy\n    connection {\n      host = "h"\n    }\n'))
                         + resource(name="b"),
                         resource(commands("x"))):
            write(place, mistakes)
            verdicts = [subprocess.run([program, "validate"], cwd=place, capture_output=True, timeout=60, env=environment()).returncode
                        for program in (IACCTL, terraform)]
            assert verdicts[0] == verdicts[1], (mistakes, verdicts)


def certify(server, key, place):
    """Signs the public key of a user with an authority that the server accepts."""
    make_key(place / "authority")
    subprocess.run(["ssh-keygen", "-q", "-s", place / "authority", "-I", "test", "-n", USER, f"{key}.pub"], check=True, timeout=60)
    server.authorized.write_text(server.authorized.read_text() + "cert-authority " + public_key(place / "authority") + "\n")


def a_failure_taints_the_object(place):
    with server_in(place) as server:
        write(place, resource(connection(server), commands("echo reason", "exit 42")))
        text = run(place, "apply", "-auto-approve", code=1)
        assert "exit status 42" in text and "reason" in text and "remote_exec_failed" in text, text
        assert state(place) == {"a": True} and not scripts_on_host(server)
        write(place, resource(connection(server), commands("exit 255")))
        assert codes(place, "apply", "-auto-approve") == ["remote_exec_failed"]
        write(place, resource(connection(server), commands("exit 1", more="    on_failure = continue\n"), commands("echo after")))
        fresh(place)
        assert printed(run(place, "apply", "-auto-approve"))[-1] == "remote-exec): after"
        assert state(place) == {"a": False}


def destroy_provisioners_run_on_the_host(place):
    with server_in(place) as server:
        gone = commands(f"echo ${{self.input}} ${{each.key}} >> {place}/gone", more="    when = destroy\n")
        write(place, resource(connection(server), gone, head='  for_each = toset(["x"])\n  input = "object"\n'))
        run(place, "apply", "-auto-approve")
        run(place, "destroy", "-auto-approve")
        assert (place / "gone").read_text() == "object x\n"
        write(place, resource(head='  input = "other"\n'))
        run(place, "apply", "-auto-approve")
        removed = commands(f"echo ${{self.input}} >> {place}/gone", more="    when = destroy\n")
        write(place, f"removed {{\n  from = terraform_data.a\n{connection(server)}{removed}}}\n")
        run(place, "apply", "-auto-approve")
        assert (place / "gone").read_text() == "object x\nother\n"


def host_keys_are_checked_if_they_are_given(place):
    with server_in(place, f"HostCertificate {place}/server/host-cert.pub") as server:
        def applied(key, code=0):
            write(place, resource(connection(server, more=f'    host_key = "{key}"\n').replace("60s", "8s"), commands("echo ok")))
            fresh(place)
            return run(place, "apply", "-auto-approve", code=code)
        own = " ".join(public_key(server.directory / "host").split()[:2])
        assert "Checking Host Key: true" in applied(own)
        make_key(place / "other")
        text = applied(public_key(place / "other"), code=1)
        assert "connection_not_made" in text and "Host key verification failed" in text, text
        make_key(place / "signer")
        subprocess.run(["ssh-keygen", "-q", "-s", place / "signer", "-I", "host", "-h", "-n", "127.0.0.1", server.directory / "host.pub"],
                       check=True, timeout=60)
        server.stop()
        server.start()
        applied(" ".join(public_key(place / "signer").split()[:2]))


def certificates_authenticate(place):
    with server_in(place) as server:
        make_key(place / "server" / "certified")
        block = connection(server, key="certified").replace("60s", "2s")
        write(place, resource(block, commands("echo ok")))
        assert codes(place, "apply", "-auto-approve") == ["connection_not_made"]
        certify(server, server.directory / "certified", place)
        write(place, resource(connection(server, key="certified", more=f'    certificate = file("{server.directory}/certified-cert.pub")\n'),
                              commands("echo ok")))
        assert "Certificate: true" in run(place, "apply", "-auto-approve")


def keys_of_all_formats_are_accepted(place):
    with server_in(place) as server:
        for kind, more in (("rsa", ("-m", "PEM")), ("ecdsa", ("-m", "PKCS8")), ("ed25519", ())):
            text = make_key(server.directory / kind, kind, more=more)
            server.authorized.write_text(public_key(server.directory / kind) + "\n")
            (server.directory / f"{kind}-changed").write_text("  " + text.strip().replace("\n", "\r\n"))
            write(place, resource(connection(server, key=f"{kind}-changed"), commands("echo ok")))
            fresh(place)
            run(place, "apply", "-auto-approve")
        make_key(server.directory / "locked", passphrase="pass phrase")
        write(place, resource(connection(server, key="locked"), commands("echo ok")))
        fresh(place)
        text = run(place, "apply", "-auto-approve", code=1)
        assert "connection_key_invalid" in text and "encrypted" in text and "main.tf line 9" in text, text
        (server.directory / "nonsense").write_text("nonsense")
        write(place, resource(connection(server, key="nonsense"), commands("echo ok")))
        fresh(place)
        assert codes(place, "apply", "-auto-approve") == ["connection_key_invalid"]


@contextlib.contextmanager
def agent(place, *keys):
    with tempfile.TemporaryDirectory() as short:
        path = f"{short}/agent"
        process = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while not os.path.exists(path):
                assert time.monotonic() < end
                time.sleep(0.02)
            subprocess.run(["ssh-add", "-q", *keys], check=True, cwd=place, env=environment(SSH_AUTH_SOCK=path), timeout=60)
            yield {"SSH_AUTH_SOCK": path}
        finally:
            process.terminate()
            process.wait(timeout=20)


def the_agent_is_used_and_forwarded(place):
    with server_in(place, "MaxAuthTries 2") as server:
        names = [f"key{number}" for number in range(4)]
        for name in names:
            make_key(place / name)
        plain = connection(server).replace("    agent = false\n", "").replace(f'    private_key = file("{server.directory}/user")\n', "")
        check = commands("ssh-add -l | wc -l")
        with agent(place, server.directory / "user") as variables:
            write(place, resource(plain, check))
            text = run(place, "apply", "-auto-approve", variables=variables)
            assert "SSH Agent: true" in text and printed(text)[-1] == "remote-exec): 1", text
            write(place, resource(plain.replace("60s", "2s").replace("user =", "agent = false\n    user ="), check))
            fresh(place)
            assert codes(place, "apply", "-auto-approve", variables=variables) == ["connection_not_made"]
        write(place, resource(plain.replace("user =", "agent = true\n    user ="), check))
        fresh(place)
        assert codes(place, "apply", "-auto-approve") == ["connection_agent_missing"]
        # Without the identity, the server ends the connection before the key is offered.
        with agent(place, *names, server.directory / "user") as variables:
            write(place, resource(plain.replace("60s", "2s"), check))
            assert codes(place, "apply", "-auto-approve", variables=variables) == ["connection_not_made"]
            for identity in (str(server.directory / "user"), f"{server.directory}/user.pub", "user"):
                write(place, resource(plain.replace("user =", f'agent_identity = "{identity}"\n    user =', 1), check))
                fresh(place)
                assert printed(run(place, "apply", "-auto-approve", variables=variables))[-1] == "remote-exec): 5"


def a_bastion_is_passed(place):
    with server_in(place) as server, server_in(place, name="bastion") as bastion:
        host_key = " ".join(public_key(bastion.directory / "host").split()[:2])
        more = (f'    bastion_host = "127.0.0.1"\n    bastion_port = {bastion.port}\n    bastion_host_key = "{host_key}"\n'
                f'    bastion_private_key = file("{bastion.directory}/user")\n')
        write(place, resource(connection(server, more=more), commands("echo $SSH_CLIENT"), upload(f"{place}/sent", 'content = "x"')))
        text = run(place, "apply", "-auto-approve")
        assert "Using configured bastion host..." in text and (place / "sent").read_text() == "x", text
        assert "Accepted publickey" in bastion.log() and "Accepted publickey" in server.log()
        wrong = more.replace(f"{bastion.directory}/user", f"{server.directory}/user")
        write(place, resource(connection(server, more=wrong).replace("60s", "8s"), commands("echo ok")))
        fresh(place)
        text = run(place, "apply", "-auto-approve", code=1)
        assert "connection_not_made" in text and "Permission denied" in text, text


class Proxy(threading.Thread):
    """A proxy with the method CONNECT that requires a name and a password.

    certificate: a file with a certificate and its key, for TLS.
    """

    def __init__(self, name, password, certificate=None):
        super().__init__(daemon=True)
        self.security = None
        if certificate:
            self.security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.security.load_cert_chain(certificate)
        self.expected = "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.asked = []
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        if self.security:
            try:
                client = self.security.wrap_socket(client, server_side=True)
            except OSError:
                return client.close()
        request = b""
        while b"\r\n\r\n" not in request:
            request += client.recv(4096)
        lines = request.decode().split("\r\n")
        self.asked.append(lines[0])
        if f"Proxy-Authorization: {self.expected}" not in lines:
            client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return client.close()
        host, port = lines[0].split()[1].rsplit(":", 1)
        server = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=self.pass_on, args=(client, server), daemon=True).start()
        return self.pass_on(server, client)

    @staticmethod
    def pass_on(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def proxies_are_passed(place):
    proxy = Proxy("proxyuser", SECRET)
    with server_in(place) as server, server_in(place, name="bastion") as bastion:
        more = (f'    proxy_host = "127.0.0.1"\n    proxy_port = {proxy.port}\n    proxy_user_name = "proxyuser"\n'
                f'    proxy_user_password = "{SECRET}"\n')
        write(place, resource(connection(server, more=more), commands("echo ok"), upload(f"{place}/sent", 'source = "main.tf"')))
        text = run(place, "apply", "-auto-approve")
        assert "Using configured proxy host..." in text and (place / "sent").exists(), text
        assert proxy.asked == [f"CONNECT 127.0.0.1:{server.port} HTTP/1.1"] * 2, proxy.asked
        proxy.asked.clear()
        through = f'    bastion_host = "127.0.0.1"\n    bastion_port = {bastion.port}\n    bastion_private_key = file("{bastion.directory}/user")\n'
        write(place, resource(connection(server, more=more + through), commands("echo ok")))
        fresh(place)
        run(place, "apply", "-auto-approve")
        assert proxy.asked == [f"CONNECT 127.0.0.1:{bastion.port} HTTP/1.1"], proxy.asked
        write(place, resource(connection(server, more=more.replace("proxyuser", "wrong")).replace("60s", "8s"), commands("echo ok")))
        fresh(place)
        text = run(place, "apply", "-auto-approve", code=1)
        assert "407" in text and "connection_not_made" in text and SECRET not in text, text


def proxies_by_tls_are_verified(place):
    if not shutil.which("openssl"):
        raise tap.Missing("openssl")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "certificate", "-days", "2",
                    "-subj", "/CN=proxy", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=place, check=True, capture_output=True, timeout=60)
    (place / "both").write_text((place / "certificate").read_text() + (place / "key").read_text())
    proxy = Proxy("proxyuser", SECRET, place / "both")
    with server_in(place) as server:
        more = (f'    proxy_scheme = "https"\n    proxy_host = "127.0.0.1"\n    proxy_port = {proxy.port}\n    proxy_user_name = "proxyuser"\n'
                f'    proxy_user_password = "{SECRET}"\n')
        write(place, resource(connection(server, more=more).replace("60s", "8s"), commands("echo ok")))
        text = run(place, "apply", "-auto-approve", code=1)
        assert "certificate verify failed" in text and proxy.asked == [], text
        write(place, resource(connection(server, more=more), commands("seq 1 20000 | md5sum"), upload(f"{place}/sent", 'source = "both"')))
        fresh(place)
        run(place, "apply", "-auto-approve", variables={"SSL_CERT_FILE": place / "certificate"})
        assert (place / "sent").read_bytes() == (place / "both").read_bytes() and len(proxy.asked) == 2, proxy.asked


class Watcher(threading.Thread):
    """Looks for a text in the arguments and environments of all processes."""

    def __init__(self, text):
        super().__init__(daemon=True)
        self.text, self.found, self.looks, self.ended = text.encode(), [], 0, False
        self.start()

    def run(self):
        while not self.ended:
            for one in pathlib.Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    with contextlib.suppress(OSError):
                        content = (one / name).read_bytes()
                        if self.text in content:
                            self.found.append(content)
            self.looks += 1

    def end(self):
        self.ended = True
        self.join()
        assert self.looks > 0 and not self.found, self.found


def passwords_authenticate_without_being_shown(place):
    with server_in(place, password=SECRET) as server:
        def block(password):
            return (f'  connection {{\n    host = "127.0.0.1"\n    port = {server.port}\n    user = "probe"\n    timeout = "20s"\n'
                    f'    password = {password}\n  }}\n')
        variable = f'variable "p" {{\n  sensitive = true\n  default = "{SECRET}"\n}}\n'
        write(place, variable, resource(block("var.p"), commands("echo $LOGNAME $0", "env | grep -c IACCTL || true", f"echo {SECRET[:7]}{SECRET[7:]}".replace("2h", "2''h"))))
        watcher = Watcher(SECRET)
        text = run(place, "apply", "-auto-approve")
        watcher.end()
        assert "Password: true" in text and SECRET not in text and "probe" in text, text
        assert printed(text)[-2:] == ["remote-exec): 0", "remote-exec): (sensitive)"] or "sensitive" in printed(text)[-1], text
        write(place, resource(block('"wrong"').replace("20s", "8s"), commands("echo ok")))
        fresh(place)
        assert "Permission denied" in run(place, "apply", "-auto-approve", code=1)


def marked_values_are_not_shown(place):
    with server_in(place) as server:
        variables = (f'variable "s" {{\n  sensitive = true\n  default = "{SECRET}"\n}}\n'
                     f'variable "e" {{\n  ephemeral = true\n  default = "{SECRET}"\n}}\n'
                     f'variable "k" {{\n  ephemeral = true\n  sensitive = true\n  default = <<-K\n{server.key()}\n  K\n}}\n')
        block = connection(server).replace(f'file("{server.directory}/user")', "var.k")
        for name in ("s", "e"):
            write(place, variables, resource(block, commands(f"echo ${{var.{name}}} > {place}/out", f"cat {place}/out", "exit 1")))
            fresh(place)
            text = run(place, "apply", "-auto-approve", code=1)
            assert SECRET not in text and "output suppressed" in text and "hidden" in text and "BEGIN" not in text, text
            assert (place / "out").read_text() == SECRET + "\n"


def attempts_are_repeated_until_the_timeout(place):
    server = SshServer(place / "server", port=free_port())
    write(place, resource(connection(server).replace("60s", "4s"), commands("echo ok")))
    begin = time.monotonic()
    text = run(place, "apply", "-auto-approve", code=1)
    assert "connection_not_made" in text and "refused" in text and time.monotonic() - begin < 60, text
    assert text.count("Connecting to remote host via SSH...") >= 2, text
    write(place, resource(connection(server), commands("echo ok")))
    later = threading.Timer(1.5, server.start)
    later.start()
    try:
        text = run(place, "apply", "-auto-approve")
        assert text.count("Connecting to remote host via SSH...") >= 2 and text.count("Connected!") == 1, text
    finally:
        later.join()
        server.stop()


def a_lost_connection_is_reported(place):
    with server_in(place) as server:
        write(place, resource(connection(server), commands(f"echo begun > {place}/begun", "sleep 60")))
        process = start(place, "apply", "-auto-approve")
        wait_until((place / "begun").exists)
        server.drop_connections()
        text, _ = process.communicate(timeout=60)
        assert process.returncode == 1 and "connection_lost" in text, text
        assert state(place) == {"a": True}


def private_directories():
    return list(pathlib.Path(RUNTIME.name).glob("iacctl-*"))


def is_running(word):
    for one in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if word.encode() in one.read_bytes():
                return True
    return False


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, condition
        time.sleep(0.05)


def start(place, *arguments):
    return subprocess.Popen([IACCTL, *arguments], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment())


def nothing_stays_after_the_program_is_killed(place):
    with server_in(place) as server:
        write(place, resource(connection(server), commands(f"echo begun > {place}/begun", "exec sleep 4321.5")))
        process = start(place, "apply", "-auto-approve")
        wait_until((place / "begun").exists)
        assert private_directories()
        process.kill()
        process.communicate(timeout=30)
        wait_until(lambda: not private_directories())
        wait_until(lambda: not is_running("sleep\x004321.5") and not is_running(f"-p\x00{server.port}") and not scripts_on_host(server))
        # Before the connection is made, the files have the key.
        listener = socket.create_server(("127.0.0.1", 0))
        silent = connection(server).replace(f"port = {server.port}", f"port = {listener.getsockname()[1]}")
        write(place, resource(silent, commands("echo never")))
        fresh(place)
        process = start(place, "apply", "-auto-approve")
        wait_until(lambda: any((one / "private_key").exists() for one in private_directories()))
        made = [one for one in private_directories() if (one / "private_key").exists()][0]
        assert made.stat().st_mode & 0o777 == 0o700 and (made / "private_key").stat().st_mode & 0o777 == 0o600
        process.kill()
        process.communicate(timeout=30)
        wait_until(lambda: not private_directories())


def an_interrupt_ends_the_script(place):
    with server_in(place) as server:
        write(place, resource(connection(server), commands(f"echo begun > {place}/begun", "sleep 4321.75")))
        process = start(place, "apply", "-auto-approve")
        wait_until((place / "begun").exists)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=30)
        assert process.returncode != 0 and "remote_provisioner_stopped" in text, text
        wait_until(lambda: not is_running("sleep\x004321.75"))
        wait_until(lambda: not private_directories())
        wait_until(lambda: not scripts_on_host(server))
        assert state(place) == {"a": True}


def mistakes_are_reported_with_codes(place):
    (place / "empty.sh").write_text("")

    def validated(*parts):
        write(place, resource(*parts))
        found = json.loads(run(place, "validate", "-json", code=1))["diagnostics"]
        return [one["code"] for one in found if one["severity"] == "error"]

    def block(text):
        return f'  connection {{\n    host = "h"\n    {text}\n  }}\n'

    one = commands("x")
    assert validated(block('type = "telnet"'), one) == ["connection_type_unknown"]
    assert validated(block('target_platform = "vms"'), one) == ["connection_platform_unknown"]
    assert validated(block("port = 70000"), one) == ["connection_port_invalid"]
    assert validated(block("bastion_port = 22.5"), one) == ["connection_port_invalid"]
    assert validated(block('proxy_scheme = "socks5"'), one) == ["connection_proxy_scheme_unknown"]
    assert validated(block('user = ["x"]'), one) == ["wrong_attribute_type"]
    assert validated(block('name = "x"'), one, one) == ["unsupported_argument"]
    assert validated('  connection {\n    user = "x"\n  }\n', one) == ["missing_argument"]
    assert validated(block(""), upload("/x", "")) == ["file_source_missing"]
    assert validated(block(""), upload("/x", 'source = "a"\n    content = "b"')) == ["file_source_ambiguous"]
    assert validated(block(""), '  provisioner "remote-exec" {\n  }\n') == ["remote_exec_script_missing"]
    assert validated(block(""), commands("x", more='    script = "y"\n')) == ["remote_exec_scripts_ambiguous"]
    # Terraform accepts what only it can use, and this program plans nothing for it.
    write(place, resource(block('type = "winrm"'), one, one))
    (warned,) = json.loads(run(place, "validate", "-json"))["diagnostics"]
    assert (warned["code"], warned["severity"]) == ("connection_winrm_unsupported", "warning"), warned
    assert codes(place, "plan") == ["connection_winrm_unsupported"]
    write(place, resource(one))
    (warned,) = json.loads(run(place, "validate", "-json"))["diagnostics"]
    assert (warned["code"], warned["severity"]) == ("provisioner_without_connection", "warning"), warned

    def applied(*parts):
        write(place, resource(*parts))
        fresh(place)
        return codes(place, "apply", "-auto-approve")

    assert applied(one) == ["connection_missing"]
    assert applied('  connection {\n    host = ""\n  }\n', one) == ["connection_host_empty"]
    assert applied('  connection {\n    host = "-oProxyCommand=x"\n  }\n', one) == ["connection_host_invalid"]
    assert applied(block('type = self.id == "" ? "ssh" : "telnet"'), one) == ["connection_type_unknown"]
    assert applied(block(""), commands("x", "")) == ["remote_exec_script_empty"]
    assert applied(block(""), '  provisioner "remote-exec" {\n    script = "empty.sh"\n  }\n') == ["remote_exec_script_empty"]
    assert applied(block(""), '  provisioner "remote-exec" {\n    scripts = ["none.sh"]\n  }\n') == ["remote_exec_script_unreadable"]
    assert applied(block(""), upload("", 'content = "x"')) == ["file_destination_empty"]
    assert applied(block(""), upload("/x", 'source = "none"')) == ["file_source_unreadable"]
    write(place, resource(block('timeout = "5"'), one))
    fresh(place)
    only = place / "programs"
    only.mkdir()
    lines = [json.loads(line) for line in run(place, "apply", "-auto-approve", "-json", code=1, variables={"PATH": only}).splitlines()]
    assert sorted(each["diagnostic"]["code"] for each in lines if each["type"] == "diagnostic") == [
        "connection_program_not_started", "connection_timeout_invalid"]


if __name__ == "__main__":
    sys.exit(tap.run([
        scripts_run_in_order,
        files_and_directories_are_written,
        terraform_does_the_same,
        a_failure_taints_the_object,
        destroy_provisioners_run_on_the_host,
        host_keys_are_checked_if_they_are_given,
        certificates_authenticate,
        keys_of_all_formats_are_accepted,
        the_agent_is_used_and_forwarded,
        a_bastion_is_passed,
        proxies_are_passed,
        proxies_by_tls_are_verified,
        passwords_authenticate_without_being_shown,
        marked_values_are_not_shown,
        attempts_are_repeated_until_the_timeout,
        a_lost_connection_is_reported,
        nothing_stays_after_the_program_is_killed,
        an_interrupt_ends_the_script,
        mistakes_are_reported_with_codes,
    ]))
