# SPDX-License-Identifier: BSL-1.0
"""Processes that apply in one workspace at the same time, and are killed or stopped."""
import concurrent.futures
import json
import random
import shutil
import signal
import subprocess
import threading
import time

import iacctl_runs

PROCESSES, ROUNDS, APPLIES = 4, 12, 6
LOCK_HELD = 3


class Round:
    """Several workers, each of which applies a few times; one command at a time gets the lock."""

    def __init__(self, binary, root, seed):
        self.trial = iacctl_runs.Workspace(binary, root)
        self.seed = seed
        self.serials, self.guard = [], threading.Lock()

    def worker(self, number):
        chance = random.Random(self.seed * 100 + number)
        for _ in range(APPLIES):
            process = subprocess.Popen(
                [self.trial.binary, "apply", "-auto-approve", "-no-color", "-lock-timeout=50s", f"-var=round={chance.randrange(3)}"],
                cwd=self.trial.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            killed = self.disturb(process, chance)
            try:
                out, _ = process.communicate(timeout=iacctl_runs.TIME_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise iacctl_runs.Hang("an apply beside others") from None
            if not killed and process.returncode != 0:
                raise iacctl_runs.Lost(f"an apply beside others: exit {process.returncode}: {out[-600:]}")

    def disturb(self, process, chance):
        """\return whether the process is killed"""
        what = chance.choice(["nothing", "kill", "stop"])
        if what == "nothing":
            return False
        time.sleep(chance.uniform(0, 0.6))
        if what == "kill":
            process.kill()
            return True
        process.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.05, 0.5))
        process.send_signal(signal.SIGCONT)
        return False

    def watch(self, stop):
        """State is readable at any moment, and its serial never falls."""
        last = 0
        while not stop.is_set():
            text = self.trial.run("state", "pull")
            if text.returncode != 0:
                raise iacctl_runs.Lost(f"state pull beside applies: exit {text.returncode}: {text.stdout[-600:]}")
            serial = json.loads(text.stdout)["serial"] if text.stdout.strip() else 0
            if serial < last:
                raise iacctl_runs.Lost(f"serial {serial} after {last}")
            last = serial
            time.sleep(0.05)

    def run(self):
        stop = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(PROCESSES + 1) as pool:
            watch = pool.submit(self.watch, stop)
            workers = [pool.submit(self.worker, number) for number in range(PROCESSES)]
            try:
                for one in workers:
                    one.result()
            finally:
                stop.set()
            watch.result()
        self.trial.check(set())


def holder_that_is_killed(binary, root):
    """The lock ends with its holder, and a command that waits for it continues; a stopped holder keeps it."""
    trial = iacctl_runs.Workspace(binary, root, 'resource "terraform_data" "a" {\n  provisioner "local-exec" {\n'
                                  '    command = "touch started; sleep 30"\n  }\n}\n')
    holder = subprocess.Popen([binary, "apply", "-auto-approve"], cwd=trial.directory, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(1000):
            if (trial.directory / "started").exists():
                break
            time.sleep(0.02)
        holder.send_signal(signal.SIGSTOP)
        refused = trial.run("apply", "-auto-approve")
        if refused.returncode != LOCK_HELD or str(holder.pid) not in refused.stdout:
            raise iacctl_runs.Different(f"the lock of a stopped process: exit {refused.returncode}")
        waiting = concurrent.futures.ThreadPoolExecutor(1).submit(trial.run, "plan", "-lock-timeout=50s", "-no-color")
        time.sleep(0.5)
        if waiting.done():
            raise iacctl_runs.Different("a command did not wait for the lock")
        holder.kill()
        began = time.monotonic()
        done = waiting.result()
        if done.returncode != 0 or time.monotonic() - began > 10:
            raise iacctl_runs.Hang(f"after the end of the holder: exit {done.returncode}: {done.stdout[-600:]}")
    finally:
        import os
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()


def try_all(binary, options):
    tally = iacctl_runs.Tally()
    with iacctl_runs.place() as place:
        with tally.point("a lock holder that is stopped and killed"):
            holder_that_is_killed(binary, place / "holder")
        for number in iacctl_runs.in_slice(range(ROUNDS), options):
            seed = options.seed * 1000 + number
            with tally.point(f"processes, seed {seed}"):
                Round(binary, place / "trial", seed).run()
            tally["points"] += PROCESSES * APPLIES - 1  # each apply is one
            shutil.rmtree(place / "trial")
    return tally
