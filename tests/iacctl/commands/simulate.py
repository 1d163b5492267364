#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares predictions of "iacctl simulate" with real applies. Usage: simulate.py IACCTL"""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
MIXED = """variable "fails" {
  default = false
}
resource "time_sleep" "a" {
  count           = 6
  create_duration = "${300 + 100 * count.index}ms"
}
resource "terraform_data" "b" {
  count      = 3
  depends_on = [time_sleep.a]
  provisioner "local-exec" {
    command = "sleep 0.4${var.fails && count.index == 1 ? "; exit 1" : ""}"
  }
}
resource "time_sleep" "c" {
  depends_on      = [terraform_data.b]
  create_duration = "300ms"
}
"""


def run(place, *arguments, code=0):
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def simulated(place, *arguments):
    return json.loads(run(place, "simulate", "-json", *arguments))


def predictions_are_within_a_tenth_of_real_applies(place):
    (place / "main.tf").write_text(MIXED)
    run(place, "apply", "-auto-approve")
    run(place, "destroy", "-auto-approve")
    prediction = simulated(place, "-parallelism=2", "-parallelism=10")
    assert prediction["operations_without_duration"] == 0
    for one, parallelism in zip(prediction["simulations"], (2, 10)):
        before = time.monotonic()
        run(place, "apply", "-auto-approve", f"-parallelism={parallelism}")
        took = time.monotonic() - before
        # A tolerance of a tenth, plus the time of the process in addition to the operations.
        assert abs(took - one["seconds"]) < 0.1 * took + 0.25, (one["parallelism"], one["seconds"], took)
        run(place, "destroy", "-auto-approve")
    path = [one["address"] for one in prediction["critical_path"]]
    assert path[0] == "time_sleep.a[5]" and path[-1] == "time_sleep.c" and len(path) == 3, path


def a_simulated_failure_has_the_result_of_a_real_failure(place):
    (place / "main.tf").write_text(MIXED)
    operations = simulated(place, "-parallelism=10", "-fail=terraform_data.b[1]")["simulations"][0]["operations"]
    done = {one["address"] for one in operations if one["end"] in ("done", "failed")}
    run(place, "apply", "-auto-approve", "-var=fails=true", code=1)
    # The failed object exists and is tainted.
    assert done == set(run(place, "state", "list").split()), done


def nothing_changes(place):
    (place / "main.tf").write_text(MIXED)
    output = run(place, "simulate", "-crash-at=4")
    assert "Without recorded duration: 10." in output, output
    assert run(place, "state", "list", code=1) == ""
    assert "[durations_not_understood]" in subprocess.run([IACCTL, "simulate", "-durations=main.tf"], cwd=place,
        capture_output=True, text=True).stderr


if __name__ == "__main__":
    sys.exit(tap.run([predictions_are_within_a_tenth_of_real_applies, a_simulated_failure_has_the_result_of_a_real_failure, nothing_changes]))
