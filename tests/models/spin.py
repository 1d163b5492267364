# SPDX-License-Identifier: BSL-1.0
"""Runs Spin: makes the program that searches all runs of a model, compiles it, and reads what it has found."""
import dataclasses
import re
import shutil
import subprocess

SEARCH = ["-m1000000", "-w24"]
COMPILED = ["-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=8192"]


def is_installed():
    return shutil.which("spin") is not None and shutil.which("gcc") is not None


@dataclasses.dataclass
class Found:
    states: int
    transitions: int
    depth: int
    seconds: float
    broken: str | None  # the law; "invalid end state" if a process cannot continue
    text: str

    def __str__(self):
        return f"{self.states} states, {self.transitions} transitions, depth {self.depth}, {self.seconds:.1f} s"


def search(model, macros, directory, include=(), options=(), level="-O1"):
    """Searches all runs of a model with these macros; `include` has directories of files that it includes, `options` are those of the search.
    With the level -O0, the program is compiled five times faster."""
    definitions = [f"-D{macro}" for macro in macros] + [f"-I{one}" for one in (model.parent, *include)]
    text = subprocess.run(["gcc", "-E", "-P", "-x", "c", *definitions, model], check=True, capture_output=True, text=True).stdout
    (directory / model.name).write_text(text)
    made = subprocess.run(["spin", "-a", model.name], cwd=directory, capture_output=True, text=True)
    if not (directory / "pan.c").exists() or "Error" in made.stdout + made.stderr:
        raise RuntimeError(made.stdout + made.stderr)
    subprocess.run(["gcc", level, *COMPILED, "-o", "pan", "pan.c"], cwd=directory, check=True, capture_output=True)
    done = subprocess.run(["./pan", *SEARCH, *options], cwd=directory, capture_output=True, text=True, timeout=300)
    return read(done.stdout)


def read(text):
    def number(pattern, otherwise=None):
        found = re.search(pattern, text)
        if found is None and otherwise is None:
            raise RuntimeError(text)
        return float(found[1]) if found else otherwise
    if "max search depth too small" in text:
        raise RuntimeError("the search was not complete: " + text)
    broken = None
    if "assertion violated" in text:
        line = re.search(r"assertion violated (.*)", text)[1]
        law = re.search(r"law_(\w+)", line)
        broken = law[1] if law else "accepted" if "accepted" in line else line
    elif "invalid end state" in text.split("Full statespace")[0]:
        broken = "invalid end state"
    return Found(int(number(r"(\d+) states, stored")), int(number(r"(\d+) transitions")), int(number(r"depth reached (\d+)")),
                 number(r"elapsed time ([\d.]+)", 0.0), broken, text)
