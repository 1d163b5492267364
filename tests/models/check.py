#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the models of the protocols with Spin: all runs within their bounds follow the laws, and each planted fault breaks the law
that its line names. TAP; skipped without spin.

    check.py [MODEL]...      such as mirror; by default all

Lines of a model, where WORDS are variants, and bounds such as LOSSES=2:

    // variant NAME: ...
    // law NAME: ...
    // bounds WORDS: ...          the laws are checked again with other bounds
    // fault MACRO WORDS: LAW: ...
    // run VARIANT: EVENTS: ...      a trace of replay.py, such as "begin 0 0, lock 0 1", is a run of the model
    // no run VARIANT: EVENTS: ...   it is not
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import sys
import tempfile

import replay
import spin

HERE = pathlib.Path(__file__).resolve().parent


class Model:
    def __init__(self, file):
        self.file, self.name = file, file.stem
        lines = re.findall(r"^// (variant|law|bounds|fault|run|no run) ([^:]*): (.*)$", file.read_text(), re.MULTILINE)
        self.variants = [words for kind, words, _ in lines if kind == "variant"] or [""]
        self.laws = [words for kind, words, _ in lines if kind == "law"]
        self.bounds = [words.split() for kind, words, _ in lines if kind == "bounds"]
        self.runs = [(kind, words, text) for kind, words, text in lines if kind in ("run", "no run")]
        self.faults = [(*words.split(), text.split(":")[0]) for kind, words, text in lines if kind == "fault"]

    def among(self, words):
        """The variants and the bounds in a list of words; all variants if there is none."""
        named = [one for one in words if "=" not in one]
        unknown = set(named) - set(self.variants)
        assert not unknown, f"{self.name} has no variant {unknown}"
        return named or self.variants, [one for one in words if "=" in one]

    def title(self, variant, bounds, text):
        return " ".join(one for one in (self.name, variant, *bounds, text) if one)

    def cases(self):
        """The searches: a title, macros, and the law that must be broken, or None."""
        for variant in self.variants:
            yield self.title(variant, [], "follows its laws"), [variant], None
        for words in self.bounds:
            variants, bounds = self.among(words)
            for variant in variants:
                yield self.title(variant, bounds, "follows its laws"), [variant, *bounds], None
        for macro, *words, law in self.faults:
            assert law in self.laws, f"{self.name} has no law {law}"
            variants, bounds = self.among(words)
            for variant in variants:
                yield self.title(variant, bounds, f"with {macro} breaks {law}"), [variant, *bounds, macro], law

    def checks(self):
        """All checks: a title, and a function that returns the failure, or nothing, and what was searched."""
        for title, macros, law in self.cases():
            yield title, functools.partial(check, self, macros, law)
        for kind, variant, words in self.runs:
            trace, text = words.split(": ", 1)
            events = [(replay.NAMES.index(action), int(who), int(what)) for action, who, what in map(str.split, trace.split(", "))]
            yield self.title(variant, [], text), functools.partial(check_run, self, variant, events, kind == "run")


def check(model, macros, law):
    """Returns the failure, or nothing, and what was searched."""
    with tempfile.TemporaryDirectory() as directory:
        found = spin.search(model.file, [one for one in macros if one], pathlib.Path(directory))
    if found.broken == law:
        return None, str(found)
    return f"breaks {found.broken}, not {law}" if found.broken else f"breaks no law, not {law}", str(found)


def check_run(model, variant, events, is_run):
    """The same for a trace that must be a run of the model, or must not."""
    accepted = replay.accepts(model.name, [variant], events)
    return None if accepted == is_run else "is a run" if accepted else "is no run", f"{len(events)} events"


def main(names):
    files = [HERE / f"{name}.pml" for name in names] or sorted(HERE.glob("*.pml"))
    models = [Model(file) for file in files]
    checks = [one for model in models for one in model.checks()]
    untested = [f"{model.name} {law}" for model in models for law in model.laws if law not in [fault[-1] for fault in model.faults]]
    print(f"1..{len(checks) + 1}")
    print(f"{'not ok' if untested else 'ok'} 1 - each law is broken by a planted fault" + "".join(f"\n# {one}" for one in untested))
    if not spin.is_installed():
        for number, (title, _) in enumerate(checks, 2):
            print(f"ok {number} - {title} # SKIP needs spin")
        return bool(untested)
    failed = bool(untested)
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for number, (title, (why, searched)) in enumerate(pool.map(lambda one: (one[0], one[1]()), checks), 2):
            failed = failed or bool(why)
            print(f"{'not ok' if why else 'ok'} {number} - {title}\n# {why + '; ' if why else ''}{searched}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
