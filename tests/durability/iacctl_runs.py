# SPDX-License-Identifier: BSL-1.0
"""Runs of the program for trials with faults, and the oracle of their side effects.

Each object of the configuration writes a line to `effects` when it is created and when it is destroyed. After the faults, an apply
converges and a destroy removes everything: an object that was created and is never destroyed was lost.
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CONFIGURATION = """
variable "round" {
  default = "1"
}
resource "terraform_data" "first" {
  count            = 2
  input            = "input ${var.round}"
  triggers_replace = [var.round]
  provisioner "local-exec" {
    command = "echo created ${self.id} >> ../effects"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo destroyed ${self.id} >> ../effects"
  }
}
resource "terraform_data" "second" {
  triggers_replace = [terraform_data.first[0].id]
  provisioner "local-exec" {
    command = "echo created ${self.id} >> ../effects"
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo destroyed ${self.id} >> ../effects"
  }
}
# Its prior object is destroyed without a provisioner.
resource "terraform_data" "deposed" {
  count            = 2
  triggers_replace = [var.round]
  lifecycle {
    create_before_destroy = true
  }
}
resource "terraform_data" "plain" {
  input = terraform_data.second.id
}
"""
ADDRESSES = {"terraform_data.first[0]", "terraform_data.first[1]", "terraform_data.second", "terraform_data.deposed[0]",
             "terraform_data.deposed[1]", "terraform_data.plain"}
TIME_LIMIT = 60
UNDECIDED = 7  # the exit code


class Hang(Exception):
    pass


class Lost(Exception):
    pass


class Different(Exception):
    pass


class Tally(dict):
    """Counts of points, and a line for each point that is not sound."""

    def __init__(self):
        super().__init__(points=0, losses=0, hangs=0, different=0)

    @contextlib.contextmanager
    def point(self, name):
        self["points"] += 1
        try:
            yield
        except Hang as why:
            self.report("hangs", name, why)
        except Different as why:
            self.report("different", name, why)
        except Lost as why:
            self.report("losses", name, why)

    def report(self, what, name, why):
        self[what] += 1
        print(f"not sound: {name}: {what}: {why}", file=sys.stderr, flush=True)


def numbers_of(options):
    """The index of the slice, from 0, and the number of slices."""
    index, count = options.slice.split("/")
    return int(index) - 1, int(count)


def in_slice(points, options):
    index, count = numbers_of(options)
    return list(points)[index::count]


@contextlib.contextmanager
def place():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="iacctl-durability-") as path:
        yield pathlib.Path(path)


class Workspace:
    """A directory with a configuration, `effects` beside it."""

    def __init__(self, binary, root, configuration=CONFIGURATION):
        self.binary, self.root, self.directory = binary, root, root / "work"
        self.directory.mkdir(parents=True)
        (self.directory / "main.tf").write_text(configuration)

    def copy(self, root):
        shutil.copytree(self.root, root)
        made = object.__new__(Workspace)
        made.binary, made.root, made.directory = self.binary, root, root / "work"
        return made

    def run(self, *arguments, around=(), time_limit=TIME_LIMIT, **options):
        """\return the finished process; if it hangs, it and all its descendants are ended"""
        process = subprocess.Popen([*around, self.binary, *arguments], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, **options)
        try:
            out, _ = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, _ = process.communicate()
            raise Hang(f"{' '.join(arguments)}: {out[-600:]}") from None
        return subprocess.CompletedProcess(arguments, process.returncode, out)

    def must(self, *arguments, **options):
        done = self.run(*arguments, **options)
        if done.returncode != 0:
            raise Lost(f"{' '.join(arguments)}: exit {done.returncode}: {done.stdout[-800:]}")
        return done.stdout

    def apply(self, round_="2", **options):
        return self.run("apply", "-auto-approve", "-no-color", f"-var=round={round_}", **options)

    def effects(self):
        file = self.root / "effects"
        return [line.split() for line in file.read_text().splitlines()] if file.exists() else []

    def take_rescue_copies(self):
        """Restores a state that could not be saved, as the message states."""
        for copy in sorted((self.directory / ".iacctl").glob("*/spool/*.tfstate")):
            self.must("state", "push", str(copy))

    def decide(self):
        """Records the results of destroy operations that were interrupted at their provisioners, from the effects of these."""
        destroyed = {identifier for what, identifier in self.effects() if what == "destroyed"}
        state = json.loads(self.must("state", "pull"))
        identifiers = {(one["name"], i.get("index_key")): i["attributes"]["id"] for one in state["resources"]
                       for i in one["instances"] if "deposed" not in i}
        for address in re.findall(r"^(\S+): destroy", self.must("state", "resolve"), re.MULTILINE):
            name, index = re.fullmatch(r"terraform_data\.(\w+)(?:\[(\d+)\])?", address).groups()
            done = identifiers[name, None if index is None else int(index)] in destroyed
            self.must("state", "resolve", address, "-done" if done else "-not-done")

    def check(self, reported, round_="2"):
        """State opens and has all reported results; after another apply and a destroy, each created object is destroyed.

        reported: identifiers of objects whose creation was reported as complete, without those whose destruction was
        """
        self.take_rescue_copies()
        state = self.must("state", "pull")
        missing = [identifier for identifier in reported if identifier not in state]
        if missing:
            raise Lost(f"reported, and not in state: {missing}")
        again = self.apply(round_)
        if again.returncode == UNDECIDED:
            self.decide()
            again = self.apply(round_)
        if again.returncode != 0:
            raise Lost(f"the next apply: exit {again.returncode}: {again.stdout[-800:]}")
        listed = set(self.must("state", "list").split())
        if listed != ADDRESSES:
            raise Different(f"state has {sorted(listed)}")
        self.must("plan", "-detailed-exitcode", "-no-color", f"-var=round={round_}")
        self.must("destroy", "-auto-approve", "-no-color")
        counts = collections.Counter((what, identifier) for what, identifier in self.effects())
        kept = sorted({identifier for what, identifier in counts if what == "created" and ("destroyed", identifier) not in counts})
        twice = sorted(identifier for (what, identifier), n in counts.items() if what == "created" and n > 1)
        if kept:
            raise Lost(f"created, and never destroyed: {kept}")
        if twice:
            raise Different(f"created twice: {twice}")


def reported_objects(text):
    """Identifiers of objects that exist according to the output."""
    exist = set()
    for line in text.splitlines():
        words = line.replace("[id=", " ").replace("]", " ").split()
        if "Creation complete after" in line:
            exist.add(words[-1])
    for line in text.splitlines():
        if "Destroying..." in line:
            exist.discard(line.replace("[id=", " ").replace("]", " ").split()[-1])
    return exist
