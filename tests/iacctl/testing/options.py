#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests the output and the files of `iacctl test`, its options, its clean-up and interrupts. TAP.

    options.py IACCTL
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

IACCTL = str(pathlib.Path(sys.argv[1]).resolve())
MAIN = """
variable "name" {
  type    = string
  default = "demo"
}
resource "terraform_data" "a" {
  input = var.name
}
output "name" {
  value = terraform_data.a.output
}
"""
PASSES = 'run "good" {\n  assert {\n    condition     = output.name == "demo"\n    error_message = "It is ${output.name}."\n  }\n}\n'
FAILS = PASSES.replace("good", "bad").replace('== "demo"', '== "other"')
ERRS = 'run "errs" {\n  variables {\n    name = [1]\n  }\n}\nrun "after" {\n}\n'

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Directory:
    def __init__(self, path, files):
        self.path = pathlib.Path(path)
        for name, text in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}

    def run(self, *options, code=0, **variables):
        done = subprocess.run([IACCTL, "test", "-no-color", *options], cwd=self.path, env=self.environment | variables, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == code, f"exit {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done

    def events(self, *options, code=0):
        return [json.loads(line) for line in self.run("-json", *options, code=code).stdout.splitlines()]


def directory(**files):
    held = tempfile.TemporaryDirectory()
    made = Directory(held.name, {"main.tf": MAIN} | {n.replace("__", "/") + ".tftest.hcl": t for n, t in files.items()})
    made.held = held
    return made


def equal(one, other):
    assert one == other, f"{one!r} is not {other!r}"


@test
def prints_events_in_the_form_of_terraform():
    done = directory(tests__one=PASSES).run()
    equal(done.stdout, 'tests/one.tftest.hcl... in progress\n  run "good"... pass\ntests/one.tftest.hcl... tearing down\n'
                       "tests/one.tftest.hcl... pass\n\nSuccess! 1 passed, 0 failed.\n")
    equal(done.stderr, "")


@test
def a_failed_assertion_is_shown_with_its_source_and_its_values():
    done = directory(one=FAILS).run(code=1)
    assert 'one.tftest.hcl line 3, in run "bad":' in done.stderr, done.stderr
    assert 'output.name is "demo"' in done.stderr and "It is demo." in done.stderr, done.stderr
    assert done.stdout.endswith("\nFailure! 0 passed, 1 failed.\n"), done.stdout


@test
def skipped_runs_are_counted():
    assert directory(one=ERRS).run(code=1).stdout.endswith("\nFailure! 0 passed, 1 failed, 1 skipped.\n")


@test
def a_directory_without_test_files_passes():
    equal(directory().run().stdout, "\nSuccess! 0 passed, 0 failed.\n")


@test
def files_are_run_in_the_order_of_their_names():
    done = directory(b=PASSES, a=PASSES, tests__a=PASSES).run()
    equal(re.findall(r"(\S+)\.\.\. in progress", done.stdout), ["a.tftest.hcl", "b.tftest.hcl", "tests/a.tftest.hcl"])


@test
def a_filter_selects_files():
    d = directory(a=PASSES, tests__b=FAILS)
    assert "Success! 1 passed" in d.run("-filter=a.tftest.hcl").stdout
    d.run("-filter=a.tftest.hcl", "-filter=tests/b.tftest.hcl", code=1)
    done = d.run("-filter=none.tftest.hcl")
    assert "Unknown test file" in done.stdout and "Success! 0 passed" in done.stdout, done.stdout


@test
def another_directory_can_contain_the_tests():
    d = directory(tests__a=FAILS, checks__b=PASSES)
    assert "checks/b.tftest.hcl" in d.run("-test-directory=checks").stdout
    assert "Invalid testing directory" in d.run("-test-directory=../x", code=1).stderr


@test
def variables_come_from_the_command_line_and_the_environment():
    d = directory(a=PASSES.replace('"demo"', '"given"'))
    d.run("-var=name=given")
    d.run(TF_VAR_name="given")
    (d.path / "more.tfvars").write_text('name = "given"\n')
    d.run("-var-file=more.tfvars")
    d.run(code=1)


@test
def variables_of_a_file_come_before_those_of_the_command_line():
    directory(a='variables {\n  name = "demo"\n}\n' + PASSES).run("-var=name=given")


@test
def verbose_shows_states_and_plans():
    d = directory(a=PASSES + 'run "plans" {\n  command = plan\n  variables {\n    name = "new"\n  }\n}\n')
    shown = d.run("-verbose").stdout
    assert '# terraform_data.a:\nresource "terraform_data" "a" {' in shown, shown
    assert "Plan: 0 to add, 1 to change, 0 to destroy." in shown, shown
    types = [e["type"] for e in d.events("-verbose")]
    assert "test_state" in types and "test_plan" in types, types


@test
def json_lines_have_the_events_of_terraform():
    events = directory(a=PASSES + FAILS).events(code=1)
    equal([e["type"] for e in events], ["version", "test_abstract", "test_file", "test_run", "test_run", "test_run", "test_run",
                                        "diagnostic", "test_file", "test_run", "test_file", "test_summary"])
    equal(events[1]["test_abstract"], {"a.tftest.hcl": ["good", "bad"]})
    equal(events[1]["@message"], "Found 1 file and 2 run blocks")
    equal(events[4]["test_run"], {"path": "a.tftest.hcl", "run": "good", "progress": "complete", "status": "pass"})
    equal((events[7]["@testfile"], events[7]["@testrun"]), ("a.tftest.hcl", "bad"))
    equal(events[-1]["test_summary"], {"status": "fail", "passed": 1, "failed": 1, "errored": 0, "skipped": 0})
    equal(events[-1]["@message"], "Failure! 1 passed, 1 failed.")


@test
def a_report_in_junit_xml_has_every_run():
    d = directory(a=PASSES + FAILS, b=ERRS)
    assert "\nWrote the report: report.xml\n" in d.run("-junit-xml=report.xml", code=1).stdout
    suites = xml.etree.ElementTree.parse(d.path / "report.xml").getroot()
    equal([(s.get("name"), s.get("tests"), s.get("skipped"), s.get("failures"), s.get("errors")) for s in suites],
          [("a.tftest.hcl", "2", "0", "1", "0"), ("b.tftest.hcl", "2", "1", "0", "1")])
    cases = {c.get("name"): c for c in suites.iter("testcase")}
    equal(cases["bad"].find("failure").get("message"), "1 of 1 assertions failed: It is demo.")
    assert "a.tftest.hcl" in cases["bad"].find("failure").text and float(cases["good"].get("time")) > 0
    assert "errs" in cases["after"].find("skipped").text and cases["errs"].find("error") is not None
    done = d.run("-junit-xml=none/report.xml", code=1)
    assert "Failed to write the report" in done.stderr, done.stderr


@test
def a_missing_directory_of_tests_is_a_warning():
    d = directory(a=PASSES)
    assert "test_directory_missing" in d.run("-test-directory=none").stdout
    assert "test_directory_missing" in d.run("-test-directory=main.tf").stdout
    assert "test_directory_missing" not in d.run().stdout


@test
def remote_tests_are_refused():
    assert "Remote tests are not supported" in directory(a=PASSES).run("-cloud-run=app.terraform.io/a/b/c", code=1).stderr


@test
def secrets_are_not_shown():
    d = directory(a='run "bad" {\n  command = plan\n  assert {\n    condition     = var.secret == "x"\n'
                    '    error_message = "It is ${var.secret}."\n  }\n}\n')
    (d.path / "main.tf").write_text('variable "secret" {\n  sensitive = true\n  default   = "tiger"\n}\n')
    for options in ([], ["-json"], ["-verbose"]):
        done = d.run(*options, "-junit-xml=report.xml", code=1)
        assert "tiger" not in done.stdout + done.stderr + (d.path / "report.xml").read_text(), done.stdout + done.stderr


@test
def the_state_of_the_workspace_is_not_touched():
    d = directory(a=PASSES)
    def iacctl(*words):
        return subprocess.run([IACCTL, *words], cwd=d.path, env=d.environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    iacctl("apply", "-auto-approve")
    before = iacctl("state", "pull")
    d.run()
    equal(iacctl("state", "pull"), before)
    untouched = directory(a=PASSES)
    untouched.run()
    equal(sorted(p.name for p in untouched.path.iterdir()), ["a.tftest.hcl", "main.tf"])


def log_of_destruction(name):
    return (f'resource "terraform_data" "{name}" {{\n  input = "{name}"\n  provisioner "local-exec" {{\n    when    = destroy\n'
            f'    command = "echo ${{self.input}} >> log"\n  }}\n}}\n')


@test
def objects_are_destroyed_in_reverse_order_of_states():
    d = directory(a='run "one" {\n}\nrun "two" {\n  module {\n    source = "./two"\n  }\n}\nrun "three" {\n  state_key = "three"\n'
                    '  module {\n    source = "./three"\n  }\n}\n')
    for name, file in (("one", "main.tf"), ("two", "two/main.tf"), ("three", "three/main.tf")):
        (d.path / file).parent.mkdir(exist_ok=True)
        (d.path / file).write_text(log_of_destruction(name))
    d.run()
    equal((d.path / "log").read_text().split(), ["three", "two", "one"])


@test
def objects_that_could_not_be_destroyed_are_listed():
    d = directory(a='run "one" {\n}\n')
    (d.path / "main.tf").write_text('resource "terraform_data" "stays" {\n  count = 2\n  provisioner "local-exec" {\n'
                                    '    when    = destroy\n    command = "exit 3"\n  }\n}\n')
    done = d.run(code=1)
    assert "a.tftest.hcl/one" in done.stderr, done.stderr
    assert "  - terraform_data.stays[0]\n  - terraform_data.stays[1]\n" in done.stderr, done.stderr
    cleanup = [e for e in d.events(code=1) if e["type"] == "test_cleanup"]
    equal([o["instance"] for o in cleanup[0]["test_cleanup"]["failed_resources"]], ["terraform_data.stays[0]", "terraform_data.stays[1]"])


@test
def objects_with_prevent_destroy_are_destroyed():
    d = directory(a='run "one" {\n}\n')
    (d.path / "main.tf").write_text('resource "terraform_data" "a" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n')
    d.run()


@test
def provider_blocks_of_a_test_configure_the_provider():
    d = directory(a='provider "restapi" {\n  uri = "http://127.0.0.1:${run.setup.port}"\n}\nrun "setup" {\n  module {\n'
                    '    source = "./setup"\n  }\n}\nrun "uses" {\n}\n')
    (d.path / "setup").mkdir()
    (d.path / "setup/main.tf").write_text('output "port" {\n  value = 9\n}\n')
    (d.path / "main.tf").write_text('terraform {\n  required_providers {\n    restapi = {\n      source = "mastercard/restapi"\n    }\n  }\n}\n'
                                    'resource "restapi_object" "a" {\n  path = "/objects"\n  data = "{}"\n}\n')
    done = d.run(code=1)
    assert "127.0.0.1" in done.stderr and ":9" in done.stderr, done.stderr


@test
def a_mocked_sleep_takes_no_time():
    d = directory(a='mock_provider "time" {}\nrun "sleeps" {\n  assert {\n    condition     = time_sleep.long.create_duration == "1h"\n'
                    '    error_message = "Not an hour."\n  }\n}\n')
    (d.path / "main.tf").write_text('resource "time_sleep" "long" {\n  create_duration  = "1h"\n  destroy_duration = "1h"\n}\n')
    d.run()


def interrupted(d, pauses, *options):
    process = subprocess.Popen([IACCTL, "test", "-no-color", *options], cwd=d.path, env=d.environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 30
    while not (d.path / "started").exists() and time.monotonic() < until:
        time.sleep(0.01)
    for pause in pauses:
        process.send_signal(signal.SIGINT)
        time.sleep(pause)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


SLOW = ('resource "terraform_data" "made" {\n  provisioner "local-exec" {\n    when    = destroy\n    command = "echo gone >> log"\n  }\n}\n'
        'resource "terraform_data" "slow" {\n  depends_on = [terraform_data.made]\n  provisioner "local-exec" {\n'
        '    command = "touch started; sleep 1"\n  }\n}\nresource "terraform_data" "never" {\n  depends_on = [terraform_data.slow]\n}\n')


@test
def an_interrupt_stops_the_tests_and_destroys_their_objects():
    d = directory(a='run "slow" {\n}\nrun "next" {\n}\n', b=PASSES)
    (d.path / "main.tf").write_text(SLOW)
    code, out, err = interrupted(d, [0])
    equal(code, 130)
    equal(re.findall(r'run "(\w+)"\.\.\. (\w+)', out), [("slow", "fail"), ("next", "skip"), ("good", "skip")])
    equal((d.path / "log").read_text(), "gone\n")
    assert "Test interrupted" in err and "still exist" not in err, err


@test
def a_second_interrupt_stops_the_destruction_and_lists_remaining_objects():
    d = directory(a='run "one" {\n}\n')
    (d.path / "main.tf").write_text('resource "terraform_data" "a" {\n  provisioner "local-exec" {\n    when    = destroy\n'
                                    '    command = "touch started; exec sleep 30"\n  }\n}\n')
    begin = time.monotonic()
    code, out, err = interrupted(d, [0.2, 0])
    assert time.monotonic() - begin < 20
    equal(code, 130)
    assert "still exist:\n  - terraform_data.a\n" in err, err


@test
def validate_checks_test_files():
    d = directory(a='run "x" {\n  command = destroy\n}\n')
    done = subprocess.run([IACCTL, "validate", "-no-color"], cwd=d.path, env=d.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "Invalid \"command\" keyword" in done.stderr, done.stderr
    subprocess.run([IACCTL, "validate", "-no-tests"], cwd=d.path, env=d.environment, check=True, stdout=subprocess.DEVNULL)


@test
def init_checks_test_files_and_their_modules():
    d = directory(a='run "x" {\n  module {\n    source = "./setup"\n  }\n}\n')
    def init(*options):
        return subprocess.run([IACCTL, "init", "-no-color", *options], cwd=d.path, env=d.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    done = init()
    assert done.returncode == 1 and "Failed to read module directory" in done.stderr, done.stderr
    (d.path / "setup").mkdir()
    (d.path / "setup/main.tf").write_text('terraform {\n  required_providers {\n    none = {\n      source = "example.invalid/none/none"\n'
                                          "    }\n  }\n}\n")
    done = init()
    assert done.returncode == 1 and "example.invalid/none/none" in done.stderr, done.stderr
    (d.path / "setup/main.tf").write_text("")
    assert init().returncode == 0


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, one in enumerate(TESTS, 1):
        try:
            one()
            print(f"ok {number} - {one.__name__.replace('_', ' ')}")
        except (AssertionError, OSError, subprocess.SubprocessError, KeyError, ValueError, IndexError) as why:
            failed += 1
            print(f"not ok {number} - {one.__name__.replace('_', ' ')}")
            for line in f"{type(why).__name__}: {why}".splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
