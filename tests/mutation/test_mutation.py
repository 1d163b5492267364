#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests mutation testing. Prints TAP.

The mutants of tiny/price.hpp are known, and so are those that the tests in tiny/price.cpp find.
"""

import contextlib
import io
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "golden")]
sys.dont_write_bytecode = True
import find  # noqa: E402
import programs  # noqa: E402
import run  # noqa: E402
import tap  # noqa: E402

KILLED = {
    "T total = amount {* => +} each;",
    "if (total {> => <=} limit) total = limit;",
    "if (total > limit) {total = limit => };",
    "bool open = {true => false};",
    "if ({!open => open} || price < 0) return false;",
    "if (!open || price {< => >=} 0) return false;",
    "if ({!open || price < 0 => !(!open || price < 0)}) return false;",
    "{prices.push_back(price) => };",
    "return {true => false};",
    "int sum = {0 => 1};",
    "for (int const price : prices) sum {+= => -=} price;",
    "for (int const price : prices) {sum += price => };",
    "return {sum => (sum) + 1};",
    "return n {* => +} 2;",
    "return n * {2 => 3};",
    "return {n * 2 => (n * 2) + 1};",
    "inline constexpr int limit = {100 => 101};",
}
SURVIVED = {
    "if (total {> => >=} limit) total = limit;",
    "if (!open {|| => &&} price < 0) return false;",
    "if (!open || price {< => <=} 0) return false;",
    "if (!open || price < {0 => 1}) return false;",
    "void close() { {open = false => }; }",
    "void close() { open = {false => true}; }",
}
NOT_REACHED = {
    "if (!open || price < 0) return {false => true};",
    "[[nodiscard]] auto count() const -> int { return {static_cast<int>(prices.size()) => (static_cast<int>(prices.size())) + 1}; }",
}


def made(folder):
    """Runs the mutants of the tiny program. Returns those of each kind."""
    tiny = run.Run("tiny", HERE / "tiny", [HERE / "tiny" / "price.hpp"], [], folder)
    (folder / "unit.cpp").write_text((HERE / "tiny" / "price.cpp").read_text(encoding="utf-8"), encoding="utf-8")
    options = ["clang++-19", "-std=c++20", "-pthread", f"-I{tiny.mutated}"]
    link = ["clang++-19", "-pthread", "-lgtest_main", "-lgtest"]
    tiny.programs = [programs.Program("price", [programs.Unit(folder / "unit.cpp", options)], link, folder)]
    drawn = find.drawn(find.mutants_of(tiny.files, tiny.root, options[1:]), 1)
    mutants = tiny.prepare(drawn, len(drawn))
    results = tiny.results(mutants)
    kinds = {"killed": set(), "survived": set(), "not reached": set()}
    for mutant in mutants:
        kinds[results[mutant.number][0]].add(mutant.text)
    (folder / "explained.txt").write_text("# why\n\n" + "\n".join(
        " | ".join(mutant.key()) for mutant in mutants if "close" in mutant.text) + "\nNothing is added later.\n\n", encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        survivors, line = run.report(tiny, mutants, results, run.explanations(folder / "explained.txt"))
    return kinds, [mutant.text for mutant in survivors], line, drawn


def finds_the_mutants_that_tests_kill(folder):
    if find.cindex is None or shutil.which("clang++-19") is None:
        raise tap.Missing("libclang")

    kinds, survivors, line, drawn = made(folder)

    assert kinds["killed"] == KILLED, kinds["killed"] ^ KILLED
    assert kinds["survived"] == SURVIVED, kinds["survived"] ^ SURVIVED
    assert kinds["not reached"] == NOT_REACHED, kinds["not reached"] ^ NOT_REACHED
    # Those that are explained are no survivors.
    assert set(survivors) == {text for text in SURVIVED | NOT_REACHED if "close" not in text}, survivors
    assert line.endswith(" 25 mutants, 17 killed, 2 explained, 6 survived: 73.9 %"), line
    # The seed alone decides which mutants are drawn.
    assert find.drawn(sorted(drawn, key=str), 1) == drawn
    assert find.drawn(drawn, 2) != drawn


def copies_all_files_that_the_record_store_includes(_):
    mine, others = run.files_of_record()
    copied = {str(path.relative_to(run.IACCTL)) for path in mine + others}

    missing = set()
    for path in mine + others:
        for name in re.findall(r'^ *#include "(.+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            beside = str((path.parent / name).relative_to(run.IACCTL))
            if beside not in copied and name not in copied:
                missing.add(name)

    assert "state/record/record_store.hpp" in copied
    assert not missing, missing


def lets_other_users_read_the_folder_of_a_program(folder):
    program = programs.Program("user", [], [], folder)
    program.path = folder / "user"
    program.path.write_text('#!/bin/sh\ntest "$(stat -c %a "$TMPDIR")" = 755\n', encoding="utf-8")
    program.path.chmod(0o755)

    failure = programs.execute(program, {}, 5)

    assert failure is None, failure


sys.exit(tap.run([finds_the_mutants_that_tests_kill, copies_all_files_that_the_record_store_includes,
    lets_other_users_read_the_folder_of_a_program]))
