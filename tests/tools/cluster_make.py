#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs examples/cluster_make with local workers, and over Slurm if that is installed: cluster_make.py PROGRAM; prints TAP."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import network
import slurm

PROGRAM = None

# Starts two workers in place of srun: "cut" in a network namespace, and "other" here when the file "other" exists.
FAKE_SRUN = """#!/bin/sh
for address; do :; done
port=${address##*:}
SLURMD_NODENAME=cut ip netns exec $NAMESPACE $PROGRAM --slots 1 --serve tcp:$HERE:$port cut &
until test -e other; do sleep 0.05; done
SLURMD_NODENAME=other $PROGRAM --slots 1 --serve tcp:127.0.0.1:$port &
wait
"""

# Commands of Slurm that only record their calls. A script names the state in which its job ends; a script that
# completes is run.
FAKE_SLURM = {
    "sbatch": """
        for word; do
            case $word in --job-name=*) name=${word#*=};; --chdir=*) cd "${word#*=}";; esac
            script=$word
        done
        until mkdir "$FAKE/lock" 2> /dev/null; do sleep 0.01; done
        echo "$*" >> "$FAKE/submitted"
        id=$(wc -l < "$FAKE/submitted")
        rmdir "$FAKE/lock"
        state=$(sed -n 's/^# ends as //p' "$script")
        case $state in
        "") code=0; sh -e "$script" || code=$?; state=COMPLETED; test $code = 0 || state=FAILED;;
        REFUSED) echo "sbatch: error: Invalid feature specification"; exit 1;;
        *) code=0;;
        esac
        test $state = GONE || echo "$id $state $((code * 256)) $name" > "$FAKE/job-$id"
        echo $id""",
    "squeue": 'cat "$FAKE"/job-* 2> /dev/null || true',
    "scancel": 'for id; do :; done; sed -i "s/ [A-Z]* 0 / CANCELLED 0 /" "$FAKE/job-$id"; echo $id >> "$FAKE/cancelled"',
}


class ClusterMake(unittest.TestCase):
    environment = None
    shared = None  # the cluster of all tests that need one

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cluster_make_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text):
        (self.folder / "build.tasks").write_text(text, encoding="utf-8")

    def command(self, *arguments):
        return [PROGRAM, "-f", str(self.folder / "build.tasks"), *arguments]

    def run_tasks(self, *arguments, code=0):
        done = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60,
                              env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def lines(self, file="trace"):
        path = self.folder / file
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "the condition did not hold within 60 seconds")
            time.sleep(0.01)

    def test_runs_tasks_after_their_dependencies_and_keeps_their_output(self):
        self.write("all: left right\n  echo all >> trace\n"
                   "left: first\n  echo left >> trace\nright: first\n  echo right >> trace\n  echo to the log; echo errors too >&2\n"
                   "first:\n  echo first >> trace\n")
        self.assertIn("4 done, 0 failed", self.run_tasks())
        trace = self.lines()
        self.assertEqual((trace[0], sorted(trace[1:3]), trace[3]), ("first", ["left", "right"], "all"))
        self.assertEqual((self.folder / ".cluster-make/logs/right.log").read_text(), "to the log\nerrors too\n")
        self.assertIn("nothing to do", self.run_tasks())

    def test_runs_changed_tasks_and_their_dependents_again(self):
        text = "a:\n  echo a >> trace\nb: a\n  echo b >> trace\nc:\n  echo c >> trace\n"
        self.write(text)
        self.run_tasks()
        self.write(text.replace("echo a >>", "echo A >>"))
        self.assertIn("2 done", self.run_tasks())
        self.assertEqual(self.lines()[3:], ["A", "b"])
        self.assertIn("1 done", self.run_tasks("--again", "c"))
        self.assertIn("nothing to do", self.run_tasks("b"))

    def test_runs_only_requested_tasks(self):
        self.write("a:\n  echo a >> trace\nb: a\n  echo b >> trace\nc:\n  echo c >> trace\n")
        self.run_tasks("b")
        self.assertEqual(self.lines(), ["a", "b"])

    def test_continues_after_a_failure(self):
        self.write("a:\n  echo a >> trace\nb: a\n  test -e ready || { echo not ready; exit 3; }\n  echo b >> trace\nc: b\n  echo c >> trace\n")
        output = self.run_tasks(code=1)
        self.assertIn("failed b: exit code 3", output)
        self.assertIn("skipped c", output)
        self.assertEqual((self.folder / ".cluster-make/logs/b.log").read_text(), "not ready\n")
        (self.folder / "ready").touch()
        self.assertIn("2 done", self.run_tasks())
        self.assertEqual(self.lines(), ["a", "b", "c"])

    def test_loses_nothing_when_workers_are_killed(self):
        self.write("".join(f"t{i}:\n  echo $PPID >> workers\n  sleep 0.2\n  echo t{i} >> trace\n" for i in range(16)))
        with subprocess.Popen(self.command("--workers", "3"), stdout=subprocess.PIPE, text=True) as process:
            for count in (3, 9):
                self.wait_for(lambda least=count: len(self.lines("workers")) >= least)
                alive = [each for each in self.lines("workers") if pathlib.Path("/proc", each).exists()]
                os.kill(int(alive[-1]), signal.SIGKILL)
            output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, output)
        self.assertIn("16 done, 0 failed", output)
        self.assertIn("lost   worker", output)
        self.assertEqual(sorted(set(self.lines())), sorted(f"t{i}" for i in range(16)))

    def test_completes_the_tasks_of_a_worker_that_is_terminated(self):
        self.write("".join(f"t{i}:\n  echo $PPID >> workers\n  sleep 0.2\n  echo t{i} >> trace\n" for i in range(12)))
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True) as process:
            self.wait_for(lambda: len(self.lines("workers")) >= 2)
            os.kill(int(self.lines("workers")[0]), signal.SIGTERM)
            output, _ = process.communicate(timeout=60)
        self.assertIn("12 done, 0 failed", output)
        self.assertNotIn("lost", output)
        self.assertNotIn("repeat", output)
        self.assertEqual(len(self.lines()), 12)

    def test_continues_after_the_coordinator_was_killed(self):
        self.write("a:\n  echo a >> trace\nb: a\n  echo $PPID >> workers\n  sleep 1\n  echo b >> trace\n"
                   "once once: a\n  echo $PPID >> workers\n  sleep 1\n  echo once >> trace\n")
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True) as process:
            self.wait_for(lambda: len(self.lines("workers")) == 2)
            process.kill()
            process.communicate(timeout=20)
        self.wait_for(lambda: not any(pathlib.Path("/proc", each).exists() for each in self.lines("workers")))
        self.assertIn("task once is not to be repeated", self.run_tasks(code=1))
        self.assertIn("2 done", self.run_tasks("--again", "once"))
        self.assertEqual(sorted(self.lines()), ["a", "b", "once"])

    def test_does_not_wait_for_a_worker_that_has_not_started_when_the_tasks_end(self):
        if shutil.which("cc") is None:
            self.skipTest("needs cc")
        # All workers but one start a second late, so the end of the run terminates them between fork and exec.
        (self.folder / "late.c").write_text("""
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <fcntl.h>
            #include <stdlib.h>
            #include <unistd.h>
            int execvp(const char* file, char* const arguments[])
            {
                int (*next)(const char*, char* const[]) = (int (*)(const char*, char* const[]))dlsym(RTLD_NEXT, "execvp");
                if (open(getenv("FIRST_WORKER"), O_CREAT | O_EXCL, 0600) < 0) sleep(1);
                return next(file, arguments);
            }""", encoding="utf-8")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.folder / "late.so", self.folder / "late.c", "-ldl"], check=True)
        self.environment = dict(os.environ, LD_PRELOAD=str(self.folder / "late.so"), FIRST_WORKER=str(self.folder / "first"))
        self.write("a:\n  true\n")
        self.assertIn("1 done", self.run_tasks())
        self.assertTrue((self.folder / "first").exists())

    def test_refuses_a_second_run_in_one_folder(self):
        self.write("a:\n  touch begun\n  sleep 100\n")
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True) as process:
            self.wait_for((self.folder / "begun").exists)
            self.assertIn("another run works in this folder", self.run_tasks(code=1))
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

    def test_stops_its_processes_when_it_is_interrupted(self):
        self.write("a:\n  echo $$ > process\n  sleep 100\n")
        with subprocess.Popen(self.command(), stdout=subprocess.PIPE, text=True) as process:
            self.wait_for(lambda: self.lines("process"))
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("1 cancelled", output)
        self.wait_for(lambda: not pathlib.Path("/proc", self.lines("process")[0]).exists())

    def test_reports_mistakes_of_the_file(self):
        for text, wanted in (("a: b\n", "task a depends on b, which is not a task"), ("  echo\n", "build.tasks:1: a command needs a task"),
                             ("a: b\nb: a\n", "a"), ("a\n", "build.tasks:1: expected NAME"), ("a x=1:\n", "unknown attribute"),
                             ("a time=5:\n", "unknown attribute"), ("a job time=:\n", "unknown attribute"),
                             ("a:\na:\n", "build.tasks:2: there is another task")):
            self.write(text)
            self.assertIn(wanted, self.run_tasks(code=1))
        self.assertIn("usage: cluster_make", self.run_tasks("--workers", "none", code=2))

    def fake_slurm(self):
        folder = self.folder / "fake"
        folder.mkdir()
        for name, text in FAKE_SLURM.items():
            (folder / name).write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        self.environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", FAKE=str(folder))

    def test_submits_a_task_as_a_job_with_its_resources(self):
        self.fake_slurm()
        self.write("big job time=1:30:00 cpus=4 memory=2G nodes=2 label=gpu label=fast: first\n  echo big >> trace\n  echo $CLUSTER_MAKE_TOKEN > token\n"
                   "first job once:\n  echo first >> trace\n  echo $CLUSTER_MAKE_TOKEN > earlier\n")
        self.assertIn("2 done, 0 failed", self.run_tasks("--slurm"))
        self.assertEqual(self.lines(), ["first", "big"])
        self.assertGreater(int(self.lines("token")[0]), int(self.lines("earlier")[0]))
        first, big = (self.folder / "fake/submitted").read_text(encoding="utf-8").splitlines()
        for word in ("--constraint=gpu&fast", "--time=1:30:00", "--cpus-per-task=4", "--mem=2G", "--nodes=2", "--requeue",
                     f"--output={self.folder}/.cluster-make/logs/big.log"):
            self.assertIn(word, big.split())
        self.assertIn("--no-requeue", first.split())
        self.assertNotIn("--time", first)
        self.assertIn("nothing to do", self.run_tasks("--slurm"))

    def test_reports_how_a_job_ended_and_does_not_repeat_one_that_runs_once(self):
        self.fake_slurm()
        ends = {"TIMEOUT": "it exceeded its time limit (time=1)", "OUT_OF_MEMORY": "it exceeded its memory", "NODE_FAIL": "its node failed",
                "CANCELLED": "it was cancelled by scancel", "GONE": "its outcome is unknown", "REFUSED": "sbatch: sbatch: error: Invalid feature"}
        self.write("".join(f"{state} job time=1:\n  # ends as {state}\n" for state in ends) + "code job:\n  exit 3\nlast: TIMEOUT\n  true\n"
                   "single job time=1 once:\n  # ends as TIMEOUT\n")
        output = self.run_tasks("--slurm", code=1)
        for state, text in ends.items():
            self.assertIn(f"failed {state}: {text}", output)
        self.assertIn("failed code: exit code 3, job ", output)
        self.assertIn("skipped last", output)
        self.assertIn("task single is not to be repeated", self.run_tasks("--slurm", code=1))
        (self.folder / "build.tasks").write_text("TIMEOUT job time=1:\n  # ends as TIMEOUT\n", encoding="utf-8")
        self.assertIn("failed TIMEOUT", self.run_tasks("--slurm", code=1))

    def test_cancels_its_jobs_when_it_is_interrupted(self):
        self.fake_slurm()
        self.write("a job:\n  # ends as RUNNING\nb job once:\n  # ends as PENDING\n")
        with subprocess.Popen(self.command("--slurm"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for(lambda: " ".join(self.lines(".cluster-make/record")).count("job=") == 2)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=20)
        self.assertIn("2 cancelled", output)
        self.assertEqual(sorted(self.lines("fake/cancelled")), ["1", "2"])
        self.assertIn("task b is not to be repeated", self.run_tasks("--slurm", code=1))

    def test_waits_for_the_jobs_of_a_coordinator_that_was_killed(self):
        self.fake_slurm()
        self.write("a job once:\n  # ends as RUNNING\nb job:\n  # ends as RUNNING\nc: a b\n  echo c >> trace\n")
        with subprocess.Popen(self.command("--slurm", "a", "b"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for(lambda: " ".join(self.lines(".cluster-make/record")).count("job=") == 2)
            process.kill()
            process.communicate(timeout=20)
        for job in (self.folder / "fake").glob("job-*"):
            job.write_text(job.read_text(encoding="utf-8").replace("RUNNING", "COMPLETED"), encoding="utf-8")
        self.assertIn("2 done, 0 failed", self.run_tasks("--slurm", "a", "b"))
        self.assertEqual(len((self.folder / "fake/submitted").read_text(encoding="utf-8").splitlines()), 2)
        self.assertIn("1 done", self.run_tasks("c"))  # without Slurm

    def test_refuses_the_answer_of_a_worker_that_was_cut_off_and_uses_it_later(self):
        if not network.Network.is_permitted():
            self.skipTest("needs netns")
        (self.folder / "srun").write_text(FAKE_SRUN, encoding="utf-8")
        (self.folder / "srun").chmod(0o755)
        self.write("a:\n  echo $SLURMD_NODENAME >> trace\n  touch begun\n  until test -e ready; do sleep 0.05; done\n"
                   "  echo $SLURMD_NODENAME >> ends\nb label=cut: a\n  echo $SLURMD_NODENAME >> trace\n")
        with network.Network() as net:
            self.environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", NAMESPACE=net.name, HERE=net.here, PROGRAM=PROGRAM)
            with subprocess.Popen(self.command("--slurm"), stdout=subprocess.PIPE, text=True, env=self.environment, cwd=self.folder) as process:
                self.wait_for((self.folder / "begun").exists)
                net.cut()
                (self.folder / "ready").touch()
                self.wait_for(lambda: self.lines("ends") == ["cut"])  # its answer does not arrive
                (self.folder / "other").touch()
                self.wait_for(lambda: self.lines("ends") == ["cut", "other"])
                net.mend()
                output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, output)
        self.assertIn("lost   worker cut: the peer sent or received no data", output)
        self.assertIn("repeat a-", output)
        self.assertIn("done   a on other", output)
        self.assertNotIn("done   a on cut", output)
        self.assertIn("done   b on cut", output)
        self.assertEqual(self.lines(), ["cut", "other", "cut"])

    def cluster(self):
        """Three nodes, on which a job exceeds its time limit in the meantime: Slurm checks the limits twice a minute."""
        if not slurm.is_installed():
            self.skipTest("needs slurm")
        cls = type(self)
        if cls.shared is None:
            cls.shared = slurm.Slurm(3)
            cls.addClassCleanup(cls.shared.__exit__)
            self.environment = cls.shared.__enter__()
            self.exceed_a_time_limit(cls)
        self.environment = cls.shared.environment
        return cls.shared

    def exceed_a_time_limit(self, cls):
        folder = tempfile.TemporaryDirectory(prefix="cluster_make_")
        cls.addClassCleanup(folder.cleanup)
        cls.limited_folder = pathlib.Path(folder.name)
        (cls.limited_folder / "build.tasks").write_text(
            "slow job time=1:\n  echo $SLURMD_NODENAME > begun\n  exec sleep 100\nafter job: slow\n  true\n"
            "quick job cpus=2:\n  echo $SLURM_CPUS_PER_TASK > cpus\n", encoding="utf-8")
        cls.limited = subprocess.Popen([PROGRAM, "-f", str(cls.limited_folder / "build.tasks"), "--slurm"],  # pylint: disable=consider-using-with
                                       stdout=subprocess.PIPE, text=True, env=self.environment)
        begun = cls.limited_folder / "begun"
        self.wait_for(lambda: begun.exists() and begun.read_text(encoding="utf-8"))
        cls.limited_node = begun.read_text(encoding="utf-8").strip()
        jobs = cls.shared.run("squeue", "-h", "-o", "%A %j").splitlines()
        slow = next(each.split()[0] for each in jobs if " slow." in each)
        # Slurm refuses a time that has passed when it reads the request; "now" is the second in which scontrol made it.
        self.wait_for(lambda: not cls.shared.run("scontrol", "update", "JobId=" + slow, "EndTime=now", check=False))

    def test_reports_a_job_that_exceeds_its_time_limit(self):
        self.cluster()
        output, _ = self.limited.communicate(timeout=60)
        self.assertEqual(self.limited.returncode, 1)
        self.assertIn("failed slow: it exceeded its time limit (time=1), job", output)
        self.assertIn("skipped after", output)
        self.assertIn("done   quick, job", output)
        self.assertEqual((self.limited_folder / "cpus").read_text(encoding="utf-8"), "2\n")

    def test_runs_jobs_on_nodes_and_cancels_them_when_it_is_terminated(self):
        cluster = self.cluster()
        self.write("j1 job:\n  echo $SLURMD_NODENAME $SLURM_JOB_ID >> jobs\nj2 job: j1\n  echo $SLURMD_NODENAME $SLURM_JOB_ID >> jobs\n"
                   "j3 job: j2\n  touch waits\n  exec sleep 100\n")
        with subprocess.Popen(self.command("--slurm"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for((self.folder / "waits").exists)
            process.send_signal(signal.SIGTERM)
            output, _ = process.communicate(timeout=60)
        self.assertIn("2 done, 0 failed, 0 skipped, 1 cancelled", output)
        self.assertEqual(len(set(self.lines("jobs")[1::2])), 2)
        self.assertNotIn("j3.", cluster.run("squeue", "-h", "-o", "%j"))

    def test_runs_and_cancels_jobs_by_the_rest_interface_of_slurm(self):
        cluster = self.cluster()
        if not slurm.has_rest():
            self.skipTest("needs slurmrestd")
        user = "nobody"  # slurmrestd refuses root
        shutil.chown(self.folder, user)
        self.write("j1 job time=0:01:00 cpus=2 memory=100M nodes=1:\n  echo $(id -un) $SLURM_CPUS_ON_NODE $CLUSTER_MAKE_KEY >> jobs\n"
                   "j2 job: j1\n  exit 3\nj3 job: j1\n  touch waits\n  exec sleep 100\nj4 job label=absent: j1\n  true\n")
        with cluster.rest(user) as socket:
            program = self.folder / "cluster_make"  # the folder of the build may be closed to the user
            shutil.copy(PROGRAM, program)
            command = [program, "-f", str(self.folder / "build.tasks"), "--slurm", "--rest", str(socket)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment, user=user,
                                  group=os.stat(self.folder).st_gid, extra_groups=[]) as process:
                self.wait_for(lambda: (self.folder / "waits").exists() and self.lines(".cluster-make/record").count("failed") == 2)
                process.send_signal(signal.SIGTERM)
                output, _ = process.communicate(timeout=60)
        self.assertEqual(self.lines("jobs")[:2], [user, "2"], output)
        self.assertIn("failed j2: exit code 3, job ", output)
        self.assertIn("failed j4: slurmrestd: ", output)
        self.assertIn("1 done, 2 failed, 0 skipped, 1 cancelled", output)
        self.assertNotIn("j3.", cluster.run("squeue", "-h", "-o", "%j"))

    def test_runs_over_a_worker_per_node_of_an_allocation_and_survives_its_loss(self):
        environment = self.cluster().environment
        self.write("".join(f"t{i}:\n  echo $SLURMD_NODENAME >> trace\n  sleep 0.1\n" for i in range(12)))
        self.assertIn("12 done", self.run_tasks("--slurm", "--workers", "3"))
        self.assertEqual(sorted(set(self.lines())), ["n1", "n2", "n3"])
        self.write("".join(f"u{i}:\n  echo $PPID >> workers\n  sleep 0.3\n  echo u{i} >> trace2\n" for i in range(24)))
        with subprocess.Popen(self.command("--slurm", "--workers", "3"), stdout=subprocess.PIPE, text=True, env=environment) as process:
            self.wait_for(lambda: len(self.lines("workers")) >= 4)
            os.kill(int(self.lines("workers")[0]), signal.SIGKILL)
            self.wait_for(lambda: len(self.lines("workers")) >= 12)
            subprocess.run(["scancel", "--signal=KILL", "--name=cluster_make"], env=environment, check=True)
            output, _ = process.communicate(timeout=60)
        self.assertIn("24 done, 0 failed", output)
        self.assertIn("lost   worker n", output)
        self.assertEqual(len(set(self.lines("trace2"))), 24)

    def test_drains_and_loses_nodes_of_slurm_and_continues_after_a_requeue(self):
        cluster = self.cluster()
        again = self.folder / "again"
        self.requeue(cluster, again)  # Slurm waits before it starts the job again
        self.loses_a_node(cluster)
        self.drains_a_node(cluster)
        self.is_preempted(cluster)
        try:
            self.wait_for(lambda: "1 done, 0 failed, 0 skipped, 0 cancelled" in " ".join(self.lines("again/output")))
        except AssertionError:
            self.fail(f"{(again / 'output').read_text(encoding='utf-8')}\n{cluster.run('scontrol', 'show', 'job')}"
                      f"\n{cluster.run('sinfo', '-N')}")
        self.assertEqual(self.lines("again/trace"), ["a", "b"])

    def loses_a_node(self, cluster):
        self.write("".join(f"l{i}:\n  echo $SLURMD_NODENAME $PPID >> workers\n  sleep 0.3\n  echo l{i} >> lost\n" for i in range(18)))
        with subprocess.Popen(self.command("--slurm", "--workers", "2"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for(lambda: len(self.lines("workers")) >= 8 and set(self.lines("workers")[::2]) - {self.limited_node})
            node, worker = next(each for each in zip(*[iter(self.lines("workers"))] * 2) if each[0] != self.limited_node)
            step = int(pathlib.Path("/proc", worker, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            daemon = int((cluster.folder / f"run/slurmd.{node}.pid").read_text(encoding="utf-8"))
            for each in (daemon, step, int(worker)):
                os.kill(each, signal.SIGKILL)
            output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, output)
        self.assertIn("18 done, 0 failed", output)
        self.assertIn(f"lost   worker {node}", output)
        self.assertEqual(len(set(self.lines("lost"))), 18)
        cluster.run("slurmd", "-N", node)
        self.wait_for(lambda: sorted(set(cluster.run("sinfo", "-h", "-N", "-o", "%T").split()) - {"idle", "mixed"}) == [])

    def drains_a_node(self, cluster):
        self.write("".join(f"d{i}:\n  echo $SLURMD_NODENAME >> drained\n  sleep 0.2\n" for i in range(12)))
        with subprocess.Popen(self.command("--slurm", "--workers", "2"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for(lambda: self.lines("drained"))
            drained = self.lines("drained")[0]
            cluster.run("scontrol", "update", f"NodeName={drained}", "State=DRAIN", "Reason=test")
            output, _ = process.communicate(timeout=60)
        self.assertIn("12 done, 0 failed", output)
        self.write("".join(f"e{i}:\n  echo $SLURMD_NODENAME >> rest\n  sleep 0.1\n" for i in range(8)))
        self.assertIn("8 done", self.run_tasks("--slurm", "--workers", "2"))
        self.assertEqual(set(self.lines("rest")), {"n1", "n2", "n3"} - {drained})
        cluster.run("scontrol", "update", f"NodeName={drained}", "State=RESUME")

    def is_preempted(self, cluster):
        # The warning of a preemption or of a time limit: SIGTERM to each worker. Another allocation completes the work.
        self.write("".join(f"p{i}:\n  echo $PPID >> preempted\n  until test -e warned; do sleep 0.05; done\n"
                           f"  echo p{i} >> completed\n" for i in range(16)))
        with subprocess.Popen(self.command("--slurm", "--workers", "2"), stdout=subprocess.PIPE, text=True, env=self.environment) as process:
            self.wait_for(lambda: len(self.lines("preempted")) >= 4)
            first = set(self.lines("preempted"))
            cluster.run("scancel", "--signal=TERM", "--name=cluster_make")
            time.sleep(0.5)  # until the workers have received it
            (self.folder / "warned").touch()
            output, _ = process.communicate(timeout=60)
        self.assertIn("16 done, 0 failed", output)
        self.assertNotIn("lost", output)
        self.assertNotIn("repeat", output)
        self.assertEqual(len(self.lines("completed")), 16)
        # One worker may complete the rest before the other one is there.
        self.assertTrue(set(self.lines("preempted")) - first)

    def requeue(self, cluster, folder):
        folder.mkdir()
        # The task looks for the file before it reports that it has begun, so the first run never completes it.
        (folder / "build.tasks").write_text("a:\n  echo a >> trace\nb: a\n  test -e ready || { echo b >> begun; sleep 100; }\n"
                                            "  echo b >> trace\n", encoding="utf-8")
        job = cluster.run("sbatch", "--parsable", "--requeue", "--nodes=2", f"--output={folder}/output", "--open-mode=append",
                          f"--wrap={PROGRAM} -f {folder}/build.tasks --slurm --workers 2").strip()
        self.wait_for((folder / "begun").exists)
        cluster.run("scontrol", "requeue", job)
        (folder / "ready").touch()
        self.wait_for(lambda: cluster.run("squeue", "-h", "-j", job, "-o", "%T").strip() == "PENDING")
        cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now")


class Tap(unittest.TextTestResult):
    count = 0

    def line(self, word, test, more=""):
        Tap.count += 1
        print(f"{word} {Tap.count} - {test.id().split('.')[-1].removeprefix('test_').replace('_', ' ')}{more}", flush=True)

    def addSuccess(self, test):
        self.line("ok", test)

    def addSkip(self, test, reason):
        required = reason.removeprefix("needs ") in os.environ.get("STRIDER_REQUIRE", "").split()
        self.line("not ok" if required else "ok", test, "" if required else f" # SKIP {reason}")
        if required:
            self.failures.append((test, reason))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("not ok", test)
        print("".join(f"# {line}\n" for line in self.failures[-1][1].splitlines()), end="")

    def addError(self, test, err):
        super().addError(test, err)
        self.line("not ok", test)
        print("".join(f"# {line}\n" for line in self.errors[-1][1].splitlines()), end="")


def main(arguments):
    global PROGRAM  # pylint: disable=global-statement
    PROGRAM = str(pathlib.Path(arguments[0]).resolve())
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(ClusterMake)
    print(f"1..{suite.countTestCases()}")
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        result = unittest.TextTestRunner(stream=nowhere, resultclass=Tap).run(suite)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
