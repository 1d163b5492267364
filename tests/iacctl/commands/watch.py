#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Changes outside of the program that "iacctl watch" reports. Usage: watch.py IACCTL"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
FILES = """resource "local_file" "f" {
  count    = 3
  filename = "${path.module}/out/${count.index}.txt"
  content  = "content ${count.index}"
}
"""


def run(place, *arguments, code=0):
    done = subprocess.run([IACCTL, *arguments], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, (done.returncode, done.stdout + done.stderr)
    return done.stdout


def applied(place):
    (place / "main.tf").write_text(FILES)
    run(place, "apply", "-auto-approve")


def metrics_of(place):
    text = (place / "metrics.prom").read_text()
    assert text.endswith("# EOF\n"), text
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if not line.startswith("#")}


def lines_until(process, count):
    return [process.stdout.readline().strip() for _ in range(count)]


def empty_selections_are_reported_once(place):
    applied(place)
    done = subprocess.run([IACCTL, "watch", "-rounds=2", "-interval=1s", "-target=local_file.g"], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    assert (done.stdout + done.stderr).count("[target_matches_nothing]") == 1, done
    done = subprocess.run([IACCTL, "watch", "-rounds=1", "-json", "-exclude=local_file.g"], cwd=place, capture_output=True, text=True, timeout=60)
    assert done.stdout == "" and "[target_matches_nothing]" in done.stderr, done


def one_round_reports_objects_that_differ_from_state(place):
    applied(place)
    assert run(place, "watch", "-rounds=1", "-json") == ""
    (place / "out" / "1.txt").unlink()
    state = run(place, "state", "pull")
    change = json.loads(run(place, "watch", "-rounds=1", "-json", "-metrics=metrics.prom", code=2))
    assert change["appeared"] == change["drifted"] == [{"address": "local_file.f[1]", "change": "deleted"}], change
    assert change["resolved"] == [] and change["workspace"] == "default"
    assert run(place, "state", "pull") == state
    metrics = metrics_of(place)
    assert metrics['iacctl_watch_drifted_objects{workspace="default",change="deleted"}'] == 1
    assert metrics['iacctl_watch_rounds_total{workspace="default",result="complete"}'] == 1


def a_target_limits_the_objects_that_are_read(place):
    applied(place)
    (place / "out" / "1.txt").unlink()
    assert run(place, "watch", "-rounds=1", "-json", "-target=local_file.f[0]") == ""


def each_change_is_reported_once_and_an_interrupt_ends_the_watch(place):
    applied(place)
    process = subprocess.Popen([IACCTL, "watch", "-interval=1s", "-hook=cat >> hook.log", "-metrics=metrics.prom"],
                               cwd=place, stdout=subprocess.PIPE, text=True)
    try:
        (place / "out" / "0.txt").unlink()
        (first,) = lines_until(process, 1)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  local_file\.f\[0\] was deleted", first), first
        (place / "out" / "0.txt").write_text("content 0")
        (second,) = lines_until(process, 1)
        assert second.endswith("local_file.f[0] equals state again"), second
        time.sleep(1.2)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, "")
    reported = [json.loads(line) for line in (place / "hook.log").read_text().splitlines()]
    assert [len(one["appeared"]) for one in reported] == [1, 0]
    assert reported[1]["resolved"] == ["local_file.f[0]"]
    metrics = metrics_of(place)
    assert metrics['iacctl_watch_drifted_objects{workspace="default",change="deleted"}'] == 0
    assert metrics['iacctl_watch_failed_hooks_total{workspace="default"}'] == 0


def a_round_is_skipped_while_another_command_has_the_lock(place):
    (place / "main.tf").write_text('resource "time_sleep" "s" {\n  create_duration = "2s"\n}\n')
    applying = subprocess.Popen([IACCTL, "apply", "-auto-approve"], cwd=place, stdout=subprocess.PIPE, text=True)
    try:
        while "Creating..." not in applying.stdout.readline():
            pass
        done = subprocess.run([IACCTL, "watch", "-rounds=1", "-metrics=metrics.prom"], cwd=place, capture_output=True, text=True,
                              timeout=30)
        assert done.returncode == 3, done.stdout + done.stderr
        assert metrics_of(place)['iacctl_watch_rounds_total{workspace="default",result="locked"}'] == 1
        applying.communicate(timeout=30)
        assert applying.returncode == 0
    finally:
        applying.kill()


def a_hook_that_fails_is_a_warning(place):
    applied(place)
    (place / "out" / "2.txt").unlink()
    done = subprocess.run([IACCTL, "watch", "-rounds=1", "-hook=exit 7", "-metrics=metrics.prom"], cwd=place, capture_output=True,
                          text=True, timeout=30)
    assert done.returncode == 2
    assert "exit status 7" in done.stdout + done.stderr
    assert metrics_of(place)['iacctl_watch_failed_hooks_total{workspace="default"}'] == 1


def each_round_reads_the_values_of_variables(place):
    applied(place)
    (place / "main.tf").write_text('variable "first" {}\nmodule "m" {\n  source = "./${var.first}"\n}\n' + FILES)
    (place / "one").mkdir()
    (place / "one" / "main.tf").write_text("")
    (place / "terraform.tfvars").write_text('first = "one"\n')
    run(place, "get")
    running = subprocess.Popen([IACCTL, "watch", "-rounds=2", "-interval=2s", "-json", "-metrics=metrics.prom"], cwd=place,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not (place / "metrics.prom").exists():
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    (place / "main.tf").write_text((place / "main.tf").read_text().replace("first", "second"))
    (place / "terraform.tfvars").write_text('second = "one"\n')
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 0 and output == "", output


def invalid_options_are_rejected_before_the_first_round(place):
    run(place, "watch", "-rounds=1", code=1)  # no configuration: nothing would ever differ
    (place / "main.tf").write_text('resource "local_file" "f" {\n')
    run(place, "watch", code=1)
    applied(place)
    run(place, "watch", "-rounds=1", "-metrics=missing/metrics.prom", code=1)
    run(place, "watch", "-interval=0s", code=1)
    run(place, "watch", "-rounds=0", code=1)


if __name__ == "__main__":
    sys.exit(tap.run([
        one_round_reports_objects_that_differ_from_state,
        empty_selections_are_reported_once,
        a_target_limits_the_objects_that_are_read,
        each_change_is_reported_once_and_an_interrupt_ends_the_watch,
        a_round_is_skipped_while_another_command_has_the_lock,
        a_hook_that_fails_is_a_warning,
        each_round_reads_the_values_of_variables,
        invalid_options_are_rejected_before_the_first_round,
    ]))
