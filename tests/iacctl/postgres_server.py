# SPDX-License-Identifier: BSL-1.0
"""A PostgreSQL server of a test."""
import glob
import os
import shutil
import socket
import subprocess


class PostgresServer:
    """A server on a Unix socket in a directory that other users can enter; fsync and synchronous_commit are on.

    user: its superuser. on_loopback: it also listens on a free port of the loopback interface.
    """

    @staticmethod
    def is_installed():
        return bool(glob.glob("/usr/lib/postgresql/*/bin/initdb"))

    def __init__(self, directory, user="strider", on_loopback=False):
        self.directory, self.user = str(directory), user
        self.programs = os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1])
        self.as_user = []
        if os.geteuid() == 0:  # the server refuses to run as root
            self.as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            shutil.chown(directory, "nobody")
        os.chmod(directory, 0o755)
        addresses = "-c listen_addresses=''"
        if on_loopback:
            with socket.socket() as one:
                one.bind(("127.0.0.1", 0))
                self.port = one.getsockname()[1]
            addresses = f"-c listen_addresses=127.0.0.1 -c port={self.port}"
        self.run("initdb", "-D", f"{self.directory}/data", "-A", "trust", "-U", user, "--no-sync")
        self.run("pg_ctl", "-D", f"{self.directory}/data", "-w", "-l", f"{self.directory}/log", "-o",
                 f"{addresses} -c unix_socket_directories={self.directory}", "start")

    def run(self, program, *arguments):
        subprocess.run([*self.as_user, f"{self.programs}/{program}", *arguments], check=True, cwd=self.directory,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)

    @property
    def url(self):
        """The URL of the database `postgres` on the socket."""
        return f"postgres://{self.user}@/postgres?host={self.directory}&sslmode=disable"

    def sql(self, statement):
        done = subprocess.run([f"{self.programs}/psql", "-h", self.directory, "-U", self.user, "-d", "postgres", "-AtXc",
                               statement], check=True, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.directory}/data", "-m", "immediate", "stop")
