# SPDX-License-Identifier: BSL-1.0
"""An OpenSSH server of a test, on the loopback interface."""

import contextlib
import grp
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

USER = pwd.getpwuid(os.geteuid()).pw_name


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def make_key(path, kind="ed25519", passphrase="", more=()):
    """Makes a private key; its public key is beside it. Returns its text."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", path.name, "-f", path, *more], check=True, timeout=60)
    return path.read_text()


def public_key(path):
    return pathlib.Path(f"{path}.pub").read_text().strip()


class SshServer:
    """A server that runs as this user, with a configuration and keys of its own.

    Its user has the key `user` in the directory. passwords: a mount namespace has a user `probe` with that password.
    """

    @staticmethod
    def program():
        found = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if not found or not shutil.which("ssh"):
            raise tap.Missing("sshd and ssh (the packages openssh-server and openssh-client)")
        if os.geteuid() != 0:
            # It sets the group of terminals, which another user cannot do if the system has not done so.
            master, terminal = os.openpty()
            group = os.fstat(terminal).st_gid
            os.close(master)
            os.close(terminal)
            if group != grp.getgrnam("tty").gr_gid:
                raise tap.Missing("root, or terminals with the group tty")
        return found

    def __init__(self, directory, *settings, port=None, password=None):
        self.program_path = self.program()
        directory.mkdir(exist_ok=True)
        os.chmod(directory, 0o755)
        self.directory, self.port = directory, port or free_port()
        for name in ("host", "user"):
            if not (directory / name).exists():
                make_key(directory / name)
        self.authorized = directory / "authorized"
        self.authorized.write_text(public_key(directory / "user") + "\n")
        lines = [f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {directory}/host", "PidFile none", "UsePAM no",
                 f"AuthorizedKeysFile {self.authorized}", "StrictModes no", "PermitRootLogin yes", "LogLevel VERBOSE",
                 "KbdInteractiveAuthentication no", f"PasswordAuthentication {'yes' if password else 'no'}", *settings]
        (directory / "config").write_text("\n".join(lines) + "\n")
        self.password = password
        self.process = None

    def key(self):
        return (self.directory / "user").read_text()

    def log(self):
        return (self.directory / "log").read_text()

    def start(self):
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        command = [self.program_path, "-D", "-e", "-f", str(self.directory / "config")]
        if self.password:
            command = self.with_user(command)
        with open(self.directory / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                assert time.monotonic() < end and self.process.poll() is None, self.log()
                time.sleep(0.05)

    def with_user(self, command):
        """The command in a mount namespace with a user that has a password."""
        if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("openssl"):
            raise tap.Missing("root, unshare and openssl")
        made = subprocess.run(["openssl", "passwd", "-6", self.password], check=True, capture_output=True, text=True, timeout=30)
        folder = self.directory
        (folder / "passwd").write_text(pathlib.Path("/etc/passwd").read_text() + f"probe:x:0:0::{folder}:/bin/sh\n")
        (folder / "shadow").write_text(pathlib.Path("/etc/shadow").read_text() + f"probe:{made.stdout.strip()}:19000:0:99999:7:::\n")
        script = f"mount --bind {folder}/passwd /etc/passwd && mount --bind {folder}/shadow /etc/shadow && exec \"$@\""
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, timeout=30).returncode != 0:
            raise tap.Missing("mount namespaces")
        return ["unshare", "-m", "sh", "-c", script, "sh", *command]

    def drop_connections(self):
        """Ends the processes of the server that have a connection."""
        parents = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
                if name.startswith("sshd"):
                    parents[int(stat.parent.name)] = int(rest.split()[1])
        found = [self.process.pid]
        for one in found:
            found += [child for child, parent in parents.items() if parent == one]
        for one in found[1:]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=30)
            self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
