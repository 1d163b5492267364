# SPDX-License-Identifier: BSL-1.0
"""Errors and kills at system calls of the program on the files of state, by strace; limits of file size; full disks."""
import os
import re
import resource
import shutil
import signal
import subprocess

import iacctl_runs

CALLS = ["openat", "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "rename", "linkat", "mkdir", "fallocate"]
FAULTS = ["signal=KILL", "error=EIO", "error=ENOSPC", "error=EDQUOT"]
FULL = "error=ENOSPC"
PERSISTENT = {"fdatasync": [FULL, "error=EIO"]}  # by default, only a full disk stays so


def traced_paths(directory):
    workspace = directory / ".iacctl" / "default"
    names = ["", "state.db", "state.db-wal", "state.db-shm", "state.db-mark", "backups", "spool", "lock"]
    return [word for name in names for word in ("-P", str(workspace / name) if name else str(workspace))]


def counted(base, root):
    """The largest number of each call that one thread makes."""
    trial = base.copy(root)
    log = trial.root / "trace"
    done = trial.apply(around=["strace", "-f", "-qq", "-o", str(log), "-e", "trace=" + ",".join(CALLS), *traced_paths(trial.directory)])
    if done.returncode != 0:
        raise RuntimeError("the apply fails without a fault: " + done.stdout)
    most = {}
    for line in log.read_text().splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found:
            most.setdefault(found[2], {}).setdefault(found[1], 0)
            most[found[2]][found[1]] += 1
    shutil.rmtree(trial.root)
    return {call: max(threads.values()) for call, threads in most.items()}


def judge(trial, done, killed):
    if not killed and (done.returncode != 0) != ("Error: " in done.stdout):
        raise iacctl_runs.Different(f"exit {done.returncode}, and {'an error' if done.returncode == 0 else 'no error'}")
    trial.check(iacctl_runs.reported_objects(done.stdout))


def calls_that_fail(binary, options, tally):
    with iacctl_runs.place() as place:
        base = iacctl_runs.Workspace(binary, place / "base")
        base.apply("1")
        points = [(call, fault, number, when) for call, count in sorted(counted(base, place / "counted").items())
                  for number in range(1, count + 1) for fault in FAULTS
                  for when in ([f"{number}", f"{number}+"] if fault in PERSISTENT.get(call, [FULL]) else [f"{number}"])]
        for call, fault, number, when in iacctl_runs.in_slice(points, options):
            trial = base.copy(place / "trial")
            with tally.point(f"{call} {when}, {fault}"):
                strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:{fault}:when={when}",
                          *traced_paths(trial.directory)]
                judge(trial, trial.apply(around=strace), "KILL" in fault)
            shutil.rmtree(trial.root)


def files_that_are_limited(binary, options, tally):
    def limit(size):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return prepare

    with iacctl_runs.place() as place:
        base = iacctl_runs.Workspace(binary, place / "base")
        base.apply("1")
        for size in iacctl_runs.in_slice(range(0, 400 * 1024, 12 * 1024), options):
            trial = base.copy(place / "trial")
            with tally.point(f"files of at most {size} bytes"):
                judge(trial, trial.apply(preexec_fn=limit(size)), False)
            shutil.rmtree(trial.root)


def disks_that_are_full(binary, options, tally):
    """A file system with a few free pages, or a read-only one; needs the permission to mount."""
    with iacctl_runs.place() as place:
        for free in iacctl_runs.in_slice([None, *range(0, 480, 16)], options):
            trial = iacctl_runs.Workspace(binary, place / "trial")
            disk = trial.directory / ".iacctl"
            disk.mkdir(0o700)
            if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "none", disk], capture_output=True).returncode != 0:
                print("# full disks are skipped: mount is not permitted")
                return
            try:
                with tally.point("a disk that is read-only" if free is None else f"a disk with {free} KiB"):
                    trial.must("apply", "-auto-approve", "-no-color")
                    if free is None:
                        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
                    else:
                        about = os.statvfs(disk)
                        (disk / "ballast").write_bytes(bytes(max(about.f_bavail * about.f_bsize - free * 1024, 0)))
                    done = trial.apply()
                    subprocess.run(["mount", "-o", "remount,rw,size=64m", disk], check=True)
                    judge(trial, done, False)
            finally:
                subprocess.run(["umount", disk], check=True)
                shutil.rmtree(trial.root)


def try_all(binary, options):
    tally = iacctl_runs.Tally()
    if shutil.which("strace"):
        calls_that_fail(binary, options, tally)
    else:
        print("# system calls are skipped: strace is not installed")
    files_that_are_limited(binary, options, tally)
    disks_that_are_full(binary, options, tally)
    return tally
