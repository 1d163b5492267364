#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The display of an apply in a real terminal: tmux runs it and returns its screen. Usage: terminal.py IACCTL"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tap  # noqa: E402

IACCTL = pathlib.Path(sys.argv[1]).resolve()
SLOW = """resource "time_sleep" "slow" {
  count           = 15
  create_duration = "${count.index == 0 ? 1200 : 300}ms"
}
resource "time_sleep" "last" {
  depends_on      = [time_sleep.slow]
  create_duration = "300ms"
}
"""
FAILING = SLOW + """resource "terraform_data" "bad" {
  provisioner "local-exec" {
    command = "sleep 0.5; exit 3"
  }
}
"""
STATUS = re.compile(r"\[=* *\] (\d+) of (\d+), (\d+) running")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_IN_AUTOMATION", "NO_COLOR", "TMUX")}


class Terminal:
    def __init__(self, place, *arguments, size=(80, 20), **variables):
        if shutil.which("tmux") is None:
            raise tap.Missing("tmux")
        # A tmux server that is ending may still own the socket of its session.
        self.socket = str(place / f"tmux-{time.monotonic_ns()}")
        settings = [f"{name}={value}" for name, value in variables.items()]
        command = ["env", *settings, str(IACCTL), *arguments]
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), f"{quoted}; echo exit $?; cat",
            cwd=place)

    def tmux(self, *arguments, **how):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], check=True, capture_output=True, text=True, timeout=10,
            env=ENVIRONMENT, **how)
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-J").rstrip("\n").split("\n")

    def history(self):
        return self.tmux("capture-pane", "-p", "-J", "-S", "-1000").rstrip("\n").split("\n")

    def wait(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if condition(screen):
                return screen
            time.sleep(0.03)
        raise AssertionError("the screen never showed it:\n" + "\n".join(screen))

    def wait_for_end(self):
        self.wait(lambda screen: any(line.startswith("exit ") for line in screen))
        return self.history()

    def keys(self, *all):
        """Types names of keys, and texts literally."""
        names = {"Enter", "Tab", "Up", "Down", "Left", "Right", "Home", "End", "BSpace", "C-c", "C-d"}
        for one in all:
            self.tmux("send-keys", *([] if one in names else ["-l"]), one)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")


def status_of(screen):
    return next((match for line in screen if (match := STATUS.search(line))), None)


def running_operations_are_shown_below_a_log_of_completed_ones(place):
    (place / "main.tf").write_text(SLOW)
    with Terminal(place, "apply", "-auto-approve", "-parallelism=5") as terminal:
        screen = terminal.wait(lambda s: status_of(s) and int(status_of(s)[1]) > 0)
        status = status_of(screen)
        assert status[2] == "16" and int(status[3]) <= 5, status[0]
        running = [line for line in screen if line.startswith("  +  creating ")]
        assert "time_sleep.slow[0]" in running[0], "the longest is first: " + repr(running)
        lines = terminal.wait_for_end()
    text = "\n".join(lines)
    assert "running" not in text, "no line of the display is left:\n" + text
    assert len([line for line in lines if "Creation complete after" in line]) == 16, text
    assert "Still creating" not in text and "Creating..." not in text
    critical = text[text.index("Critical path"):text.index("Slowest operations")]
    assert "create time_sleep.slow[0]" in critical and "create time_sleep.last" in critical, critical
    assert "16 added" in text and lines[-1] == "exit 0", text


def long_addresses_keep_both_ends_and_a_summary_follows(place):
    """Also with wide characters, which take two columns each."""
    (place / "part").mkdir()
    (place / "part" / "main.tf").write_text("""variable "all" {}
resource "time_sleep" "waits_for_a_long_time_in_each_availability_zone" {
  for_each        = var.all
  create_duration = "2s"
}
""")
    (place / "main.tf").write_text("""module "network_of_the_platform_in_all_regions" {
  source = "./part"
  all    = toset([%s])
}
""" % ", ".join(f'"{middle * 12}-zone-{number}"' for number in range(3) for middle in ("availability", "東京")))
    subprocess.run([IACCTL, "init"], cwd=place, check=True, capture_output=True)
    with Terminal(place, "apply", "-auto-approve") as terminal:
        screen = terminal.wait(lambda s: status_of(s) and sum("  +  creating " in line for line in s) == 6)
        running = [line for line in screen if "  +  creating " in line]
        lines = terminal.wait_for_end()
    for line in running:
        assert len(line) + line.count("東") + line.count("京") < 80, line
        assert re.search(r"s  module\.network_of\w*\.\..*-zone-\d\"\]$", line), line
    assert len({line.rsplit("-zone-", 1)[1] + str("東" in line) for line in running}) == 6, "each is told apart: " + repr(running)
    text = "\n".join(lines)
    assert "running" not in text and "  +  creating" not in text, "no line of the display is left:\n" + text
    summary = text[text.index("Duration: "):]
    assert re.match(r"Duration: [2-9]\.\ds, at most 6 at once\n\nCritical path \(2\.\ds\)\n +2\.\ds  create module\.network", summary), summary
    slowest = summary[summary.index("Slowest operations"):].split("\n\n")[0]
    assert slowest.count("  create module.network") == 5, slowest


def the_remaining_time_is_estimated_from_earlier_runs(place):
    (place / "main.tf").write_text(SLOW)
    for arguments in (["apply", "-auto-approve"], ["destroy", "-auto-approve"]):
        subprocess.run([IACCTL, *arguments], cwd=place, check=True, capture_output=True)
    with Terminal(place, "apply", "-auto-approve", "-parallelism=2") as terminal:
        # 14 objects of 0.3 s, one of 1.2 s and the last one, two at the same time.
        screen = terminal.wait(lambda s: any(" left" in line for line in s))
        left = next(int(match[1]) for line in screen if (match := re.search(r"about (\d+)s left", line)))
        assert 2 <= left <= 3, screen


def failures_are_shown_as_they_happen(place):
    (place / "main.tf").write_text(FAILING)
    with Terminal(place, "apply", "-auto-approve", "-parallelism=20") as terminal:
        screen = terminal.wait(lambda s: any("terraform_data.bad: Creation failed after 0s" in line for line in s))
        assert status_of(screen), "others still run"
        assert terminal.wait_for_end()[-1] == "exit 1"


def a_resized_terminal_keeps_the_log_whole(place):
    (place / "main.tf").write_text(SLOW)
    with Terminal(place, "apply", "-auto-approve", "-parallelism=5", size=(120, 24)) as terminal:
        terminal.wait(status_of)
        terminal.tmux("resize-window", "-x", "50", "-y", "12")
        lines = terminal.wait_for_end()
    ended = {match[1] for line in lines if (match := re.search(r"(time_sleep\S+): Creation complete", line))}
    assert len(ended) == 16, lines


def the_first_interrupt_waits_for_running_operations(place):
    (place / "main.tf").write_text(SLOW)
    with Terminal(place, "apply", "-auto-approve", "-parallelism=5") as terminal:
        terminal.wait(status_of)
        terminal.tmux("send-keys", "C-c")
        lines = terminal.wait_for_end()
    assert any("Interrupt received" in line for line in lines), lines
    assert lines[-1] == "exit 130", lines
    assert sum("Creation complete" in line for line in lines) < 16


def a_dumb_terminal_gets_a_line_for_each_event(place):
    (place / "main.tf").write_text('resource "time_sleep" "one" {\n  create_duration = "500ms"\n}\n')
    with Terminal(place, "apply", "-auto-approve", TERM="dumb") as terminal:
        lines = terminal.wait_for_end()
    assert any("time_sleep.one: Creating..." in line for line in lines), lines
    assert not any("Critical path" in line for line in lines)


def the_console_edits_lines_and_completes_names(place):
    (place / "main.tf").write_text('variable "region" {\n  default = "eu"\n}\nlocals {\n  sizes = { small = 1, large = 2 }\n}\n')
    home = {"HOME": str(place), "XDG_STATE_HOME": ""}
    with Terminal(place, "console", **home) as terminal:
        terminal.wait(lambda s: s[-1].strip() == ">")
        terminal.keys("upper(vr.reg", "Home", "Right", "Right", "Right", "Right", "Right", "Right", "Right", "a", "End", "Tab", ")", "Enter")
        terminal.wait(lambda s: '"EU"' in s)
        terminal.keys("local.sizes.l", "Tab", "Enter")
        terminal.wait(lambda s: "> local.sizes.large" in s and "2" in s)
        # An expression that continues in the next line, and one that is cancelled.
        terminal.keys("[1,", "Enter")
        terminal.wait(lambda s: s[-1].strip() == ":")
        terminal.keys("30]", "Enter")
        terminal.wait(lambda s: "  30," in s)
        terminal.keys("nonsense", "C-c")
        terminal.wait(lambda s: any(line.endswith("nonsense^C") for line in s) and s[-1].strip() == ">")
        terminal.keys("Up", "Up", "Up", "Enter")
        terminal.wait(lambda s: sum(line == "> local.sizes.large" for line in s) == 2)
        terminal.keys("C-d")
        assert terminal.wait_for_end()[-1] == "exit 0"
    history = place / ".local/state/iacctl/console_history"
    assert history.read_text().split("\n")[0] == "upper(var.region)", history.read_text()
    assert history.stat().st_mode & 0o777 == 0o600
    with Terminal(place, "console", **home) as terminal:
        terminal.wait(lambda s: s[-1].strip() == ">")
        terminal.keys("Up", "Enter")
        terminal.wait(lambda s: sum("local.sizes.large" in line for line in s) == 1)
        terminal.keys(" \"secret\"", "Enter")
        # While an expression is evaluated, Ctrl-C is a signal, which does not end the console.
        terminal.wait(lambda s: '"secret"' in s and s[-1].strip() == ">")
        terminal.keys("C-c")
        assert terminal.wait_for_end()[-1] == "exit 0"
    assert "secret" not in history.read_text(), "a line that begins with a space is not kept"


def an_interrupt_at_a_question_changes_nothing_and_restores_the_terminal(place):
    (place / "main.tf").write_text('variable "name" {\n  sensitive = true\n}\nresource "terraform_data" "a" {}\n')
    for arguments in (["plan"], ["apply", "-var=name=x"], ["console", "-var=name=x"]):
        with Terminal(place, *arguments, HOME=str(place)) as terminal:
            console = arguments[0] == "console"
            terminal.wait(lambda s: s[-1].strip() == ">" if console else "Enter a value:" in s[-1])
            terminal.keys("C-c")
            assert terminal.wait_for_end()[-1] == ("exit 0" if console else "exit 130")
            # The terminal echoes typed text and edits lines again: "cat" repeats each line.
            terminal.keys("visible", "Enter")
            terminal.wait(lambda s: s.count("visible") == 2)
        state = subprocess.run([IACCTL, "state", "list"], cwd=place, capture_output=True, text=True)
        assert state.returncode == 1 and "[no_state]" in state.stderr, state


if __name__ == "__main__":
    sys.exit(tap.run([running_operations_are_shown_below_a_log_of_completed_ones, long_addresses_keep_both_ends_and_a_summary_follows,
        the_remaining_time_is_estimated_from_earlier_runs, failures_are_shown_as_they_happen, a_resized_terminal_keeps_the_log_whole,
        the_first_interrupt_waits_for_running_operations,
        a_dumb_terminal_gets_a_line_for_each_event, the_console_edits_lines_and_completes_names,
        an_interrupt_at_a_question_changes_nothing_and_restores_the_terminal]))
