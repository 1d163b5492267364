#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the speed of plugins with that of the libraries of terraform, and of terraform: speed.py IACCTL [--rounds N]

The programs run in turn, so the load of the machine affects all of them; the medians are compared. The reference is the
program in reference_client, which makes the same calls to the same providers. The exit code is 1 if iacctl exceeds a
limit.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from released_providers import RELEASES, add_to_mirror, built, program_of

OBJECTS = 1000
AT_ONCE = 10  # the default of terraform and iacctl
CONFIGURATION = f"""
terraform {{
  required_providers {{
    null = {{
      source  = "hashicorp/null"
      version = "{RELEASES["null"][1]}"
    }}
  }}
}}
resource "null_resource" "a" {{ count = {OBJECTS} }}
"""


def answer(*command):
    # iacctl also sets this variable
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=dict(os.environ, TF_LOG_SDK="OFF"))
    return json.loads(done.stdout)


def medians(rounds):
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def processor_seconds(of):
    used = resource.getrusage(of)
    return used.ru_utime + used.ru_stime


class Apply:
    """The applies of one program, each in its own directory."""

    def __init__(self, program, root, mirror):
        self.program = program
        self.root = root
        rc = root / "rc"
        rc.write_text(f'provider_installation {{ filesystem_mirror {{ path = "{mirror}" }} }}\n')
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
        self.environment = dict(inherited, TF_CLI_CONFIG_FILE=str(rc), CHECKPOINT_DISABLE="1", TF_IN_AUTOMATION="1")

    def run(self):
        with tempfile.TemporaryDirectory(dir=self.root) as folder:
            (pathlib.Path(folder) / "main.tf").write_text(CONFIGURATION)
            how = {"cwd": folder, "env": self.environment, "stdout": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
            subprocess.run([self.program, "init", "-input=false"], check=True, **how)
            before = processor_seconds(resource.RUSAGE_CHILDREN)
            begin = time.monotonic()
            process = subprocess.Popen([self.program, "apply", "-auto-approve", "-input=false"], **how)
            peak = 0
            while process.poll() is None:
                try:
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                except OSError:
                    break
                peak = max([peak] + [int(size) for size in re.findall(r"VmHWM:\s+(\d+) kB", status)])
                time.sleep(0.002)
            assert process.wait() == 0, f"{self.program} fails"
            return {"seconds": time.monotonic() - begin, "memory": peak / 1024,
                    "processor": processor_seconds(resource.RUSAGE_CHILDREN) - before}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("iacctl")
    arguments.add_argument("--rounds", type=int, default=20)
    options = arguments.parse_args()
    iacctl = pathlib.Path(options.iacctl).resolve()
    probe = iacctl.parents[2] / "tests" / "iacctl" / "provider_probe"
    if not probe.exists():
        sys.exit(f"speed: there is no program {probe}; build it")
    programs = {name: program_of(name) for name in ("random", "null")}
    reference = built("reference_client")
    for program, reason in [*programs.values(), reference]:
        if program is None:
            sys.exit(f"speed: {reason}")
    random, null, reference = programs["random"][0], programs["null"][0], reference[0]

    rounds = [(answer(probe, random, "times"), answer(reference, random, "random_id", "1", "1")) for _ in range(options.rounds)]
    ours, theirs = medians([a for a, _ in rounds]), medians([b for _, b in rounds])
    start, create = ours["first_plan"] / theirs["first_plan"], ours["one_apply"] - theirs["one_apply"]
    print(f"{options.rounds} runs in turn, medians")
    print(f"start to first planned object: {ours['first_plan']:.1f} ms, reference {theirs['first_plan']:.1f} ms: {start:.2f} times")
    print(f"one create of random_id: {ours['one_apply']:.3f} ms, reference {theirs['one_apply']:.3f} ms: {create:+.3f} ms")

    with tempfile.TemporaryDirectory(prefix="iacctl-speed-") as temporary:
        root = pathlib.Path(temporary)
        add_to_mirror(root / "mirror", "null", null)
        applies = {"iacctl": Apply(iacctl, root, root / "mirror")}
        if shutil.which("terraform"):
            applies["terraform"] = Apply(shutil.which("terraform"), root, root / "mirror")
        measured = {name: [] for name in [*applies, "reference"]}
        for _ in range(max(3, options.rounds // 4)):
            for name, one in applies.items():
                measured[name].append(one.run())
            measured["reference"].append(answer(reference, null, "null_resource", str(OBJECTS), str(AT_ONCE)))
        found = {name: medians(of) for name, of in measured.items()}
    bound = found["reference"]
    seconds = (bound["plan"] + bound["apply"]) / 1000
    print(f"{OBJECTS} null_resource, {AT_ONCE} at once")
    print(f"  the calls alone, by the reference: {seconds:.2f} s; processor: {bound['cpu_provider']:.2f} s the provider, "
          f"{bound['cpu_client']:.2f} s the client")
    for name in applies:
        of = found[name]
        print(f"  apply by {name}: {of['seconds']:.2f} s, processor {of['processor']:.2f} s with the provider, "
              f"memory {of['memory']:.1f} MB")
    if "terraform" in found:
        print("  iacctl to terraform: " + ", ".join(
            f"{name} {found['terraform'][name] / found['iacctl'][name]:.1f} times less" for name in ("seconds", "processor", "memory")))
    return not (start <= 1.2 and create <= 0.3)


if __name__ == "__main__":
    sys.exit(main())
