# SPDX-License-Identifier: BSL-1.0
"""A Slurm cluster of several nodes on this machine, for tests: `with Slurm(3) as environment:`. Ends its daemons by their ids."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


def is_installed():
    return all(shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin") for name in ("munged", "slurmctld", "slurmd", "srun"))


def has_rest():
    """True if slurmrestd can run, for a user other than that of the cluster."""
    return os.getuid() == 0 and shutil.which("slurmrestd", path=os.environ.get("PATH", "") + ":/usr/sbin") is not None


def free_ports(count):
    """Consecutive unused ports."""
    for first in range(21000 + os.getpid() * 8 % 8000, 60000, count):
        with contextlib.ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise RuntimeError("no free ports")


class Slurm:
    def __init__(self, nodes):
        self.nodes = nodes

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm_"))
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def start(self):
        folder = self.folder
        folder.chmod(0o755)
        for name, mode in (("munge", 0o700), ("run", 0o755), ("state", 0o755), ("log", 0o755), ("spool", 0o755)):
            (folder / name).mkdir()
            (folder / name).chmod(mode)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.run("munged", "--force", f"--key-file={key}", f"--socket={folder}/run/munge.sock", f"--pid-file={folder}/run/munged.pid",
                 f"--log-file={folder}/munge/munged.log", f"--seed-file={folder}/munge/seed")
        port = free_ports(self.nodes + 1)
        user = pwd.getpwuid(os.getuid()).pw_name
        settings = {
            "ClusterName": "strider", "SlurmctldHost": "localhost", "SlurmctldPort": port, "SlurmUser": user, "SlurmdUser": user,
            "AuthType": "auth/munge", "AuthInfo": f"socket={folder}/run/munge.sock,cred_expire=10", "CredType": "cred/munge",
            "StateSaveLocation": folder / "state", "SlurmdSpoolDir": f"{folder}/spool/%n",
            "SlurmctldPidFile": folder / "run/slurmctld.pid", "SlurmdPidFile": f"{folder}/run/slurmd.%n.pid",
            "SlurmctldLogFile": folder / "log/slurmctld.log", "SlurmdLogFile": f"{folder}/log/slurmd.%n.log",
            "ProctrackType": "proctrack/pgid", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none", "MpiDefault": "none", "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_CPU", "SchedulerType": "sched/backfill",
            "SchedulerParameters": "sched_min_interval=0,batch_sched_delay=0,sched_interval=1,bf_interval=1",
            "SlurmdParameters": "config_overrides", "ReturnToService": 2, "SlurmdTimeout": 5, "KillWait": 2,
        }
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        text += (f"NodeName=n[1-{self.nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port={port + 1}-{port + self.nodes} CPUs=4 "
                 "RealMemory=1000 State=UNKNOWN\nPartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
        (folder / "slurm.conf").write_text(text, encoding="utf-8")
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.run("slurmctld", "-c")
        for number in range(1, self.nodes + 1):
            (folder / "spool" / f"n{number}").mkdir()
            self.run("slurmd", "-N", f"n{number}")
        end = time.monotonic() + 60
        while self.run("sinfo", "-h", "-N", "-o", "%T", check=False).count("idle") != self.nodes:
            if time.monotonic() > end:
                raise RuntimeError("the nodes of Slurm do not become idle")
            time.sleep(0.1)
        return self.environment

    @contextlib.contextmanager
    def rest(self, user):
        """Runs slurmrestd for a user other than root; returns the path of its socket file."""
        folder = self.folder / "rest"
        folder.mkdir()
        shutil.chown(folder, user)
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        command = [shutil.which("slurmrestd", path=path), "-s", "openapi/v0.0.38", "-a", "rest_auth/local", f"unix:{folder}/socket"]
        with subprocess.Popen(command, env=self.environment, user=user, group=pwd.getpwnam(user).pw_gid, extra_groups=[],
                              stderr=subprocess.DEVNULL) as process:
            try:
                end = time.monotonic() + 20
                while not (folder / "socket").exists():
                    if time.monotonic() > end or process.poll() is not None:
                        raise RuntimeError("slurmrestd does not start")
                    time.sleep(0.02)
                yield folder / "socket"
            finally:
                process.terminate()

    def run(self, *command, check=True):
        path = os.environ.get("PATH", "") + ":/usr/sbin"
        environment = getattr(self, "environment", os.environ)
        # Daemons keep their output open, so it goes to a file.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
            done = subprocess.run([shutil.which(command[0], path=path), *command[1:]], env=environment, stdout=output,
                                  stderr=subprocess.STDOUT, check=False, timeout=30)
            output.seek(0)
            text = output.read()
        if check and done.returncode != 0:
            raise RuntimeError(f"{command[0]} exited with {done.returncode}: {text}")
        return text

    def __exit__(self, *_):
        ids = []
        for name in ("slurmd.*.pid", "slurmctld.pid", "munged.pid"):
            for file in (self.folder / "run").glob(name):
                with contextlib.suppress(OSError, ValueError):
                    ids.append(int(file.read_text()))
                    os.kill(ids[-1], signal.SIGTERM)
        end = time.monotonic() + 1
        while any(pathlib.Path("/proc", str(each)).exists() for each in ids) and time.monotonic() < end:
            time.sleep(0.05)
        for each in ids:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
