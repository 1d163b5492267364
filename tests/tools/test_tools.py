#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests of the tools in tools/; each test plants a fault that its tool must find. Prints TAP."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_program(name):
    """Loads a tool without the suffix of a module."""
    path = ROOT / "tools" / name
    module = types.ModuleType(name.replace("-", "_"))
    module.__dict__["__file__"] = str(path)
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)  # pylint: disable=exec-used
    return module


amalgamate = load_program("amalgamate")
compare_speed = load_program("compare-speed")
draw_trace = load_program("draw-trace")
join_programs = load(ROOT / "tools" / "join_programs.py")
page_anchors = load(ROOT / "tools" / "page_anchors.py")
check_floors = load(ROOT / "tools" / "check_floors.py")
list_headers = load(ROOT / "tools" / "list_headers.py")
list_sources = load(ROOT / "tools" / "list_sources.py")
tally = load(ROOT / "tools" / "tally.py")
version = load(ROOT / "tools" / "version.py")
compile_units = load(ROOT / "tests" / "tools" / "compile_units.py")
console_blocks = load(ROOT / "tests" / "tools" / "console_blocks.py")
readme_blocks = load(ROOT / "tests" / "tools" / "readme_blocks.py")


def header(path, *includes, body=""):
    name = check_floors.guard_of(path)
    if path.startswith("strider/") and not any(each.startswith("strider/") for each in includes):
        includes = ("strider/version.hpp", *includes)
    lines = "".join(f"#include <{each}>\n" for each in includes)
    return f"{check_floors.SPDX}\n#ifndef {name}\n#define {name}\n\n{lines}{body}\n#endif  // {name}\n"


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def put(self, path, text=""):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def broken(self):
        return [line for _, lines in check_floors.check(self.root)[0] for line in lines]


class Compile(Tree):
    """The function `compile` of tools/packages, with a program in place of ninja."""

    def compile(self, *commands):
        self.put("bin/ninja", "\n".join(["#!/bin/bash", *commands, ""]))
        (self.root / "bin/ninja").chmod(0o755)
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", "source tools/packages && compile folder target"], cwd=ROOT, check=False,
                              env={**os.environ, "PATH": path, "PROGRESS_SECONDS": "1"}, stdout=subprocess.PIPE, text=True)

    def test_prints_a_line_from_time_to_time_in_place_of_a_line_for_each_step(self):
        done = self.compile("for i in 1 2 3 4 5 6; do echo \"[$i/6] Compiling $i\"; sleep 0.4; done")

        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertIn(len(lines), range(1, 6))
        for line in lines:
            self.assertRegex(line, r"^compiling: [1-6] of 6 steps are done after \d s$")

    def test_prints_such_a_line_during_a_long_step(self):
        done = self.compile("sleep 2.5", "echo '[1/1] Compiling 1'")

        self.assertRegex(done.stdout, r"^compiling: no step is done after \d s\n")

    def test_is_silent_if_nothing_is_to_be_done(self):
        done = self.compile("echo \"ninja: Entering directory \\`folder'\"", "echo 'ninja: no work to do.'")

        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_passes_on_messages_of_compilers_and_the_exit_status(self):
        done = self.compile("echo '[1/2] Compiling a'", "echo 'FAILED: b'", 
                            "printf 'a.cpp:1: '", "sleep 1.5", "echo 'error: x'", "exit 3")

        self.assertEqual(done.returncode, 3)
        self.assertIn("FAILED: b\n", done.stdout)
        self.assertIn("a.cpp:1: error: x\n", done.stdout)


class Amalgamate(Tree):
    def test_puts_a_header_after_its_includes(self):
        self.put("LICENSE", "terms")
        self.put("include/strider/version.hpp", "// SPDX\n#define STRIDER_VERSION_MAJOR 1\n#define STRIDER_VERSION_MINOR 2\n"
                 "#define STRIDER_VERSION_PATCH 3\n")
        self.put("include/strider/a.hpp", "// SPDX\n#include <strider/z.hpp>\n#include <vector>\nint a;\n")
        self.put("include/strider/z.hpp", "// SPDX\n#include <strider/version.hpp>\n#include <boost/z.hpp>\nint z;\n")
        text = amalgamate.amalgamate(self.root, ["a"])
        places = [text.index(part) for part in ("terms", "MAJOR", "<boost/z.hpp>", "<vector>", "int z;", "int a;")]
        self.assertEqual(places, sorted(places))
        self.assertNotIn("<strider/", text)
        self.assertIn("strider 1.2.3", text)


class JoinPrograms(Tree):
    def test_gives_each_program_a_namespace_and_an_end(self):
        self.put("01_a.cpp", "#include <cstdio>\nint main()\n{\n    std::puts(\"a\");\n}\n")
        text = join_programs.join([self.root / "01_a.cpp"])
        self.assertLess(text.index("#include <cstdio>"), text.index("namespace program_01_a {"))
        self.assertIn("return 0;\n}\n}  // namespace program_01_a", text)

    def test_rejects_a_program_whose_main_is_not_the_last_function(self):
        self.put("01_a.cpp", "int main()\n{\n}\nint more;\n")
        with self.assertRaises(ValueError):
            join_programs.join([self.root / "01_a.cpp"])


class PageAnchors(Tree):
    def test_resolves_links_of_a_page_to_its_headings(self):
        text = page_anchors.convert("walk", "# Walk\n\n## Order, limits\n[see](#order-limits) [other](graph.md#two-graphs) [ids](ids.md)\n")
        self.assertEqual(text, "# Walk {#guide_walk}\n\n## Order, limits {#walk-order-limits}\n"
                               "[see](#walk-order-limits) [other](#graph-two-graphs) [ids](@ref guide_ids)\n")

    def test_keeps_the_label_of_a_generated_page(self):
        self.assertEqual(page_anchors.convert("x", "# Title {#example_x}\n"), "# Title {#example_x}\n")

    def test_links_named_pages_and_examples(self):
        text = page_anchors.convert("x", "# X\n\n`docs/ids.md`, `docs/none.md`, `examples/12_own_order.cpp`\n")
        self.assertIn("[Ids and freezing](@ref guide_ids), `docs/none.md`, [12_own_order](@ref example_12_own_order)\n", text)

    def test_puts_drawings_into_the_page(self):
        self.put("a.svg", '<svg class="strider-drawing"></svg>\n')
        self.put("b.svg", "<svg></svg>\n")
        text = page_anchors.convert("x", "# X\n\n![one](a.svg)\n\n![two](b.svg)\n", self.root)
        self.assertIn('<div class="drawings">\n<svg class="strider-drawing"></svg>\n</div>', text)
        self.assertIn("![two](b.svg)", text)

    def test_does_not_change_code(self):
        self.assertIn("\n# comment\n", page_anchors.convert("walk", "# Walk\n\n```\n# comment\n```\n"))


class CompareSpeed(Tree):
    def run_with(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), unittest.mock.patch.dict(os.environ):
            code = compare_speed.main(["--resources", "2", "--rounds", "1", *arguments])
        return code, output.getvalue()

    def program(self, name):
        path = pathlib.Path(self.folder.name) / name
        path.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_has_a_column_for_each_program(self):
        iacctl, tofu = self.program("iacctl"), self.program("tofu")
        with unittest.mock.patch.object(compare_speed.shutil, "which", lambda name: None if name == "terraform" else name):
            code, text = self.run_with("--program", f"tofu={tofu}", str(iacctl))
        self.assertEqual(code, 0)
        self.assertIn("| | iacctl s | iacctl MB | tofu s | tofu MB | times faster |\n|---|---|---|---|---|---|\n| apply |", text)

    def test_is_skipped_without_another_program(self):
        iacctl = self.program("iacctl")
        with unittest.mock.patch.object(compare_speed.shutil, "which", lambda name: None):
            self.assertEqual(self.run_with(str(iacctl)), (77, "skipped: the program terraform is missing, and --program names no other one\n"))

    def test_rejects_a_program_that_does_not_exist(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            self.run_with("--program", "tofu=/no/such/program", str(self.program("iacctl")))
        self.assertIn('"tofu=/no/such/program" is not NAME=PATH with the path of a program', said.getvalue())


class ConsoleBlocks(Tree):
    def run_page(self, page):
        path = pathlib.Path(self.folder.name) / "page.md"
        path.write_text(page, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = console_blocks.main([sys.executable, str(path)])
        return code, output.getvalue()

    def test_writes_files_answers_questions_and_compares(self):
        page = ("<!-- file name -->\n```hcl\nworld\n```\n<!-- setup\necho again >> name\n-->\n\n```console\n"
                "$ cat name; printf 'Enter a value: '; read answer; echo $answer; exit 3    # exit 3\n"
                "wor…\n...\nEnter a value: yes\nyes\n```\n")
        self.assertEqual(self.run_page(page), (0, "ok 1 - block at page.md:9\n1..1\n"))

    def test_finds_another_output(self):
        code, text = self.run_page("```console\n$ echo one\ntwo\n```\n")
        self.assertEqual(code, 1)
        self.assertIn("not ok 1 - block at page.md:1\n# $ echo one\n# printed:\n# one\n# but the page contains:\n# two\n", text)

    def test_finds_another_exit_code(self):
        self.assertIn("# exit code 1 instead of 0\n", self.run_page("```console\n$ false\n```\n")[1])

    def test_finds_a_page_without_commands(self):
        self.assertEqual(self.run_page("No block.\n"), (1, "1..0\n"))


class DrawTrace(unittest.TestCase):
    def test_draws_visits_queues_and_pools(self):
        bar = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10000}
        events = [dict(bar, name="slow"), dict(bar, name="slow", pid=4), dict(bar, name="fast", tid=2, dur=5000)]
        events += [{"ph": phase, "name": "fast", "pid": 2, "tid": 0, "ts": ts, "cat": "pool", "id": 1}
                   for phase, ts in (("b", 0), ("e", 2000))]
        events.append({"ph": "C", "name": "pool disk", "pid": 1, "tid": 0, "ts": 0, "args": {"running": 1}})
        text = draw_trace.Picture(events).text()
        self.assertEqual(text.count(draw_trace.DARK), 1)
        for part in ("worker 2", "waits for a pool", "url(#hatched)", "pool disk", "10 ms"):
            self.assertIn(part, text)


class CheckFloors(Tree):
    def test_accepts_a_tree_that_keeps_the_rules(self):
        self.put("include/strider/core/edge.hpp", header("strider/core/edge.hpp", "boost/system/result.hpp", "vector"))
        self.put("include/strider/walk/asio.hpp", header("strider/walk/asio.hpp", "boost/asio/post.hpp"))
        self.put("include/strider/sim/clock.hpp", header("strider/sim/clock.hpp", "strider/walk/asio.hpp"))
        self.put_rooms()
        self.put("examples/iacctl/a/b.hpp", header("iacctl/a/b.hpp", "fstream"))
        self.assertEqual(self.broken(), [])

    ROOMS = ("| `base` | text | |\n| `language/values` | types | `base` |\n| `language/validation` | checks | `base` `language/values` |\n"
             "| `a` | what uses all of the language | `base` `language/*` |\n| `workspace` | plans | `base` `language/values` |\n"
             "| `cli` | commands | `workspace` |\n")

    def put_rooms(self, more=""):
        self.put(check_floors.MAP, self.ROOMS + more)

    def assert_breaks(self, path, text, sentence):
        self.put(path, text)
        self.assertTrue(any(sentence in line for line in self.broken()), self.broken())

    def test_finds_an_empty_tree(self):
        self.assertIn("none found below include/", self.broken())

    def test_finds_an_include_of_a_higher_floor(self):
        text = header("strider/core/edge.hpp", "strider/transform/prune.hpp")
        self.assert_breaks("include/strider/core/edge.hpp", text, "floor core must not include")

    def test_keeps_sim_and_infra_apart(self):
        text = header("strider/infra/plan/plan.hpp", "strider/sim/clock.hpp")
        self.assert_breaks("include/strider/infra/plan/plan.hpp", text, "floor infra/plan must not include <strider/sim/clock.hpp>")

    def test_keeps_remote_apart_from_sim_and_infra(self):
        for lower, path in (("sim/clock.hpp", "remote/worker.hpp"), ("remote/worker.hpp", "infra/plan/plan.hpp")):
            text = header(f"strider/{path}", f"strider/{lower}")
            floor = "remote" if path.startswith("remote") else "infra/plan"
            self.assert_breaks(f"include/strider/{path}", text, f"floor {floor} must not include <strider/{lower}>")

    def test_keeps_the_folders_of_infra_in_order(self):
        lower = "strider/infra/graph/nodes.hpp"
        self.put("include/strider/infra/plan/plan.hpp", header("strider/infra/plan/plan.hpp", lower))
        self.assertEqual(self.broken(), [])
        text = header(lower, "strider/infra/plan/plan.hpp")
        self.assert_breaks("include/" + lower, text, "floor infra/graph must not include <strider/infra/plan/plan.hpp>")

    def test_finds_a_header_of_infra_outside_of_its_folders(self):
        self.assert_breaks("include/strider/infra/x.hpp", header("strider/infra/x.hpp"), "belongs to no floor")

    def test_keeps_asio_out_of_the_model_of_infra(self):
        path = "strider/infra/model/event.hpp"
        self.assert_breaks("include/" + path, header(path, "strider/walk/asio.hpp"), "floor infra/model must not include")

    def test_keeps_lifecycle_and_walk_apart(self):
        text = header("strider/walk/walk.hpp", "strider/lifecycle/forced_cbd.hpp")
        self.assert_breaks("include/strider/walk/walk.hpp", text, "floor walk must not include <strider/lifecycle/forced_cbd.hpp>")

    def test_accepts_both_in_the_simulated_infrastructure(self):
        text = header("strider/infra/sim/cloud.hpp", "strider/infra/plan/plan.hpp", "strider/sim/clock.hpp")
        self.put("include/strider/infra/sim/cloud.hpp", text)
        self.assertEqual(self.broken(), [])

    def test_rejects_an_umbrella_that_includes_a_higher_floor(self):
        text = header("strider/core.hpp", "strider/walk.hpp")
        self.assert_breaks("include/strider/core.hpp", text, "floor core must not include <strider/walk.hpp>")

    def test_finds_asio_outside_of_its_one_header(self):
        text = header("strider/walk/walk.hpp", "boost/asio/post.hpp")
        self.assert_breaks("include/strider/walk/walk.hpp", text, "take it from <strider/walk/asio.hpp>")

    def test_finds_a_header_that_does_not_include_the_version(self):
        path = "strider/core/edge.hpp"
        text = header(path, "vector").replace("#include <strider/version.hpp>\n", "")
        self.assert_breaks("include/" + path, text, "includes no header of strider")

    def test_finds_libraries_that_core_must_not_use(self):
        text = header("strider/core/edge.hpp", "boost/graph/adjacency_list.hpp")
        self.assert_breaks("include/strider/core/edge.hpp", text, "must not include <boost/graph/adjacency_list.hpp>")

    def test_finds_the_whole_of_asio(self):
        text = header("strider/walk/asio.hpp", "boost/asio.hpp")
        self.assert_breaks("include/strider/walk/asio.hpp", text, "<boost/asio.hpp> is forbidden")

    def test_finds_streams(self):
        text = header("strider/core/edge.hpp", "iostream")
        self.assert_breaks("include/strider/core/edge.hpp", text, "<iostream> is forbidden")

    def test_finds_unsorted_includes(self):
        text = header("strider/core/edge.hpp", "vector", "map")
        self.assert_breaks("include/strider/core/edge.hpp", text, "<map> belongs before <vector>")

    def test_finds_a_wrong_guard(self):
        text = header("strider/core/edges.hpp")
        self.assert_breaks("include/strider/core/edge.hpp", text, "include guard STRIDER_CORE_EDGE_HPP")

    def test_finds_a_wrong_guard_in_iacctl(self):
        text = header("iacctl/scanner.hpp")
        self.assert_breaks("examples/iacctl/language/syntax/scanner.hpp", text, "include guard IACCTL_LANGUAGE_SYNTAX_SCANNER_HPP")

    def test_finds_an_include_of_a_higher_room_of_iacctl(self):
        self.put_rooms()
        text = f'{check_floors.SPDX}\n#include "cli/run.hpp"\n'
        self.assert_breaks("examples/iacctl/workspace/plan.cpp", text, "plan.cpp:2: room workspace must not include a header of cli")

    def test_finds_an_include_of_a_higher_room_of_the_language(self):
        self.put_rooms()
        text = f'{check_floors.SPDX}\n#include "language/validation/schema.hpp"\n'
        self.assert_breaks("examples/iacctl/language/values/type.cpp", text, "room language/values must not include")

    def test_finds_an_include_of_a_lower_room_that_the_map_does_not_name(self):
        self.put_rooms()
        text = f'{check_floors.SPDX}\n#include "language/validation/schema.hpp"\n'
        self.assert_breaks("examples/iacctl/workspace/plan.cpp", text, "room workspace must not include a header of language/validation")

    def test_finds_a_file_in_a_folder_that_is_no_room(self):
        self.put_rooms()
        self.assert_breaks("examples/iacctl/attic/plan.cpp", f"{check_floors.SPDX}\n", "attic/plan.cpp: belongs to no room")

    def test_finds_a_row_of_the_map_that_names_a_room_above_it(self):
        self.put_rooms("| `b` | late | `c` |\n| `c` | later | |\n")
        self.assertTrue(any("b names c, which is above it" in line for line in self.broken()))

    def test_counts_the_arrows_between_rooms(self):
        self.put_rooms()
        include = f'{check_floors.SPDX}\n#include "{{}}"\n'.format
        self.put("examples/iacctl/language/values/type.hpp", include("base/text.hpp"))
        self.put("examples/iacctl/language/validation/schema.hpp", include("language/values/type.hpp"))
        self.put("examples/iacctl/a/use.hpp", include("language/values/type.hpp"))
        self.put("examples/iacctl/a/check.hpp", include("language/validation/schema.hpp"))
        self.assertIn("4 arrows; 2 of them", check_floors.check(self.root)[1])

    def test_finds_uses_of_the_process_in_the_room_workspace(self):
        for line in ("#include <iostream>", 'auto p = std::getenv("PATH");', "auto d = fs::current_path();"):
            text = f"{check_floors.SPDX}\n{line}\n"
            self.assert_breaks("examples/iacctl/workspace/plan.cpp", text, "the room workspace must not use")

    def test_accepts_uses_of_the_process_in_other_rooms(self):
        self.put_rooms()
        self.put("include/strider/core/edge.hpp", header("strider/core/edge.hpp"))
        self.put("examples/iacctl/cli/run.cpp", f'{check_floors.SPDX}\n#include <iostream>\n#include "workspace/plan.hpp"\n')
        self.assertEqual(self.broken(), [])

    def test_finds_temporary_objects_in_awaited_expressions(self):
        for expression in ("call([t] {})", "start(\n    [t = 1](auto h) { h(); }, token)", "take(pair{t, 1})", "take({t, 1})", "take(c ? a : b)"):
            text = f"{check_floors.SPDX}\nvoid f()\n{{\n    co_await {expression};\n}}\n"
            self.assert_breaks("examples/iacctl/workspace/plan.cpp", text, "plan.cpp:4: the awaited expression")

    def test_accepts_awaited_names_and_plain_calls(self):
        self.put("include/strider/core/edge.hpp", header("strider/core/edge.hpp"))
        awaited = ("std::move(waiting)", "asio::post(asio::use_awaitable)", "take(all[0], t)", "take([] { return 1; })")
        lines = "".join(f"    if (co_await {one} == 1) {{ g(); }}\n" for one in awaited)
        self.put_rooms()
        self.put("examples/iacctl/workspace/plan.cpp", f"{check_floors.SPDX}\nvoid f()\n{{\n{lines}}}\n")
        self.assertEqual(self.broken(), [])

    def test_finds_a_template_that_another_header_specializes(self):
        own = "template <class T>\ninline constexpr bool is_own = false;\ntemplate <class T>\ninline constexpr bool is_own<T*> = true;\n"
        self.put("include/strider/core/edge.hpp", header("strider/core/edge.hpp", body=own + "template <>\nstruct std::hash<edge> {};\n"))
        self.assertEqual(self.broken(), [])
        mine = "class mine {};\ntemplate <>\ninline constexpr bool is_own<mine> = true;\n"
        self.put("include/strider/core/mine.hpp", header("strider/core/mine.hpp", body=mine))
        self.assertEqual(self.broken(), [])
        for line in ("inline constexpr bool is_own<int> = true;", "struct traits<int> {};"):
            text = header("strider/core/other.hpp", body=f"template <>\n{line}\n")
            self.assert_breaks("include/strider/core/other.hpp", text, "which another header declares")

    def test_finds_a_macro(self):
        text = header("strider/core/edge.hpp", body="#define STRIDER_LOG(x) x\n")
        self.assert_breaks("include/strider/core/edge.hpp", text, "defines the macro STRIDER_LOG")

    def test_finds_a_branch_on_compiler_flags(self):
        for condition in ("__cplusplus > 202002L", "defined(__cpp_exceptions)", "!defined(__GXX_RTTI)"):
            text = header("strider/core/edge.hpp", body=f"#if {condition}\n#endif\n")
            self.assert_breaks("include/strider/core/edge.hpp", text, "branches on the options of the compiler")

    def test_finds_a_header_that_is_too_long(self):
        text = header("strider/core/edge.hpp", body="\n" * 400)
        self.assert_breaks("include/strider/core/edge.hpp", text, "the limit is 400")

    def test_finds_a_missing_licence_line(self):
        self.assert_breaks("tests/core/edge.test.cpp", "int main() {}\n", "the first line is not")


class ListHeaders(Tree):
    def test_lists_sorted_relative_to_the_include_folder(self):
        self.put("strider/walk/walk.hpp")
        self.put("strider/core/edge.hpp")
        self.put("strider/core/notes.md")
        self.assertEqual(list_headers.list_headers(self.root), ["strider/core/edge.hpp", "strider/walk/walk.hpp"])


class ListSources(Tree):
    def test_makes_a_folder_with_a_test_an_executable(self):
        self.put("core/edge.test.cpp")
        self.put("core/helper.cpp")
        self.put("iacctl/state/store.test.cpp")
        self.put("support/graph.cpp")
        self.put("compile_fail/order.test.cpp")
        listed = list_sources.list_sources(self.root)
        self.assertEqual(
            listed, ["core:core/edge.test.cpp", "core:core/helper.cpp", "iacctl/state:iacctl/state/store.test.cpp"]
        )

    def test_lists_the_largest_folder_first(self):
        self.put("core/edge.test.cpp", "short")
        self.put("core/helper.cpp", "short")
        self.put("walk/walk.test.cpp", "longer than both others")
        self.assertEqual(list_sources.list_sources(self.root)[0], "walk:walk/walk.test.cpp")


class Version(unittest.TestCase):
    def test_reads_the_three_numbers(self):
        text = "".join(f"#define STRIDER_VERSION_{p} {n}\n" for p, n in (("MAJOR", 1), ("MINOR", 20), ("PATCH", 3)))
        self.assertEqual(version.read_version(text), "1.20.3")

    def test_reports_which_number_is_missing(self):
        with self.assertRaisesRegex(ValueError, "STRIDER_VERSION_MINOR"):
            version.read_version("#define STRIDER_VERSION_MAJOR 1\n")


class Repository(unittest.TestCase):
    def test_has_a_changelog_entry_for_its_version(self):
        now = version.read_version(version.HEADER.read_text(encoding="utf-8"))
        self.assertIn(f"\n## [{now}]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))

    def test_documents_each_compiler_that_it_is_tested_with(self):
        tested = re.search(r"^all_names=\((.*)\)$", (ROOT / "tools" / "compilers").read_text(encoding="utf-8"), re.MULTILINE)
        page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE), tested.group(1).split())


class ReadmeBlocks(unittest.TestCase):
    def test_finds_code_its_line_and_its_output(self):
        page = "# a\n```cpp\nint main() {}\n```\n\n<!-- output -->\n```text\n1\n```\n```sh\nls\n```\n```cpp\nint x;\n```\n"
        self.assertEqual(readme_blocks.blocks(page), [(3, "int main() {}\n", "1\n"), (14, "int x;\n", None)])


class CompileUnits(Tree):
    def compile(self, mode, text, compiler="g++=c++", **others):
        texts = {"unit.cpp": text, **{f"{name}.cpp": other for name, other in others.items()}}
        for name, one in texts.items():
            self.put(name, one)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = compile_units.main(
                [mode, "--cache", str(self.root / "cache"), "--include", str(self.root), f"--compiler={compiler}",
                 "--flag=-std=c++20", "--files", *(str(self.root / name) for name in texts)]
            )
        return status, out.getvalue()

    def test_passes_units_that_compile_and_fails_others(self):
        self.assertEqual(self.compile("static", "static_assert(true);\n")[0], 0)
        self.assertEqual(self.compile("static", "static_assert(false);\n")[0], 1)

    def test_requires_the_sentence_of_a_failure(self):
        text = '// expect: stages are in order\nstatic_assert(false, "{}");\n'
        self.assertEqual(self.compile("compile_fail", text.format("the stages are in order"))[0], 0)
        status, said = self.compile("compile_fail", text.format("no"))
        self.assertEqual(status, 1)
        self.assertIn("failed without the message: stages are in order", said)

    def test_judges_each_misuse_by_its_own_errors(self):
        text = '// expect: {}\nstatic_assert(false, "{}");\n'
        self.assertEqual(self.compile("compile_fail", text.format("one", "one"), my_unit=text.format("two", "two"))[0], 0)
        _, said = self.compile("compile_fail", text.format("one", "two"), my_unit=text.format("two", "one"))
        self.assertEqual(said.count("\nnot ok"), 2)
        _, said = self.compile("compile_fail", "// expect: one\nint x;\n", my_unit=text.format("one", "one"))
        self.assertIn("ok 1 - g++: my_unit.cpp\nnot ok 2 - g++: unit.cpp\n# compiled, but must not\n", said)

    def test_rejects_a_misuse_that_compiles_or_names_no_sentence(self):
        self.assertIn("compiled, but must not", self.compile("compile_fail", "// expect: x\nint x;\n")[1])
        self.assertIn("no line '// expect:", self.compile("compile_fail", "static_assert(false);\n")[1])

    def test_forgets_a_result_when_an_included_file_changes(self):
        self.put("part.hpp", "static_assert(true);\n")
        self.assertEqual(self.compile("static", "#include <part.hpp>\n")[0], 0)
        self.put("part.hpp", "static_assert(false);\n")
        self.assertEqual(self.compile("static", "#include <part.hpp>\n")[0], 1)

    def test_shares_a_unit_among_headers_that_include_one_another(self):
        self.put("a.hpp", "#include <vector>\n")
        self.put("b.hpp", "#include <a.hpp>\n")
        self.put("c.hpp", "#include <a.hpp>\n")
        self.put("d.hpp", "#include <b.hpp>\n#include <c.hpp>\n")
        closure = compile_units.Closure([self.root])
        found = compile_units.chains(["a.hpp", "b.hpp", "c.hpp", "d.hpp"], closure)
        self.assertEqual(sorted(name for chain in found for name in chain), ["a.hpp", "b.hpp", "c.hpp", "d.hpp"])
        self.assertEqual(len(found), 2)
        for chain in found:
            for earlier, later in zip(chain, chain[1:]):
                self.assertIn(earlier, closure.names(later))

    def test_finds_a_header_that_lacks_an_include(self):
        self.put("a.hpp", "#ifndef A\n#define A\nstruct a {};\n#endif\n")
        self.put("b.hpp", "#ifndef B\n#define B\ninline a global;\n#endif\n")
        self.put("c.hpp", "#ifndef C\n#define C\n#include <a.hpp>\n#include <b.hpp>\n#endif\n")
        status, said = self.compile("headers", "")
        self.assertEqual(status, 1)
        self.assertEqual([line for line in said.splitlines() if line.startswith("not ok")], ["not ok 2 - g++: b.hpp"])

    def test_skips_a_missing_compiler(self):
        self.assertIn("# SKIP clang++ is not installed", self.compile("static", "int x;\n", "clang++=")[1])


class Tally(Tree):
    def log(self, *tests):
        known = [{"name": test["name"].split(" / ")[-1], "protocol": test.pop("protocol", "tap")} for test in tests]
        self.put("meson-info/intro-tests.json", json.dumps(known))
        self.put("meson-logs/testlog.json", "".join(json.dumps(test) + "\n" for test in tests))
        return tally.count(self.root)

    def gtest(self, name, result, text=None):
        if text is not None:
            self.put(f"{name}.xml", text)
        shown = f"strider:unit / {name}"
        return {"name": shown, "protocol": "gtest", "result": result, "returncode": 0, "command": [f"/b/{name}"], "stdout": ""}

    def test_counts_cases_and_not_executables(self):
        xml = (
            '<testsuites><testsuite name="A"><testcase name="x" classname="A" status="run" result="completed"/>'
            '<testcase name="y" classname="A" status="run" result="completed"><failure message="no"/></testcase>'
            '<testcase name="z" classname="A" status="run" result="skipped"><skipped message="why"/></testcase>'
            "</testsuite></testsuites>"
        )
        counted = self.log(self.gtest("core", "FAIL", xml))
        self.assertEqual((counted.passed, counted.failed, counted.skipped), (1, ["core: A.y"], ["core: A.z (why)"]))

    def test_counts_a_skip_for_lack_of_a_required_tool_as_failed(self):
        tap = {"name": "strider:unit / t", "result": "OK", "returncode": 0,
               "stdout": "1..2\nok 1 - a # SKIP needs go: no network\nok 2 - b # SKIP needs slurm\n"}
        counted = self.log(tap)
        counted.require(["go"])
        self.assertEqual(counted.failed, ["t: a (needs go: no network): go is required, and it was skipped"])
        self.assertEqual(counted.skipped, ["t: b (needs slurm)"])

    def test_counts_the_cases_of_a_command(self):
        for printed, status, last in (("1..2\nok 1 - a\nok 2 - b # SKIP needs go\n", 0, "1 passed, 0 failed"),
                                      ("1..1\nok 1 - b # SKIP needs go\n", 0, "0 passed, 0 failed"),
                                      ("1..1\nnot ok 1 - a\n", 1, "0 passed, 1 failed"),
                                      ("1..2\nok 1 - a\n", 0, "1 passed, 1 failed"),
                                      ("", 3, "0 passed, 1 failed")):
            said = io.StringIO()
            with contextlib.redirect_stdout(said), unittest.mock.patch.dict(os.environ, STRIDER_REQUIRE=""):
                ended = tally.main(["--tap", "t", "sh", "-c", f"printf '{printed}'; exit {status}"])
            lines = said.getvalue().splitlines()
            self.assertEqual((ended == 0, lines[-1]), (last.endswith(" 0 failed"), last))
            self.assertEqual("skipped: t: b (needs go)" in lines, "SKIP" in printed)

    def test_counts_a_crash_as_failed(self):
        counted = self.log(self.gtest("core", "FAIL"))
        self.assertEqual((counted.passed, counted.failed), (0, ["core: ended without a report"]))

    def test_counts_a_crash_after_the_last_case_as_failed(self):
        xml = '<testsuites><testsuite name="A"><testcase name="x" status="run" result="completed"/></testsuite></testsuites>'
        counted = self.log(self.gtest("core", "FAIL", xml))
        self.assertEqual((counted.passed, len(counted.failed)), (1, 1))

    def test_counts_a_timeout_as_failed(self):
        counted = self.log(self.gtest("core", "TIMEOUT"))
        self.assertEqual(len(counted.failed), 1)

    def test_counts_the_lines_of_tap(self):
        out = "1..3\nok 1 - a\nnot ok 2 - b\n# here\n# there\nok 3 - c # SKIP no clang\n"
        counted = self.log({"name": "t", "result": "FAIL", "returncode": 1, "command": ["t"], "stdout": out})
        self.assertEqual((counted.passed, counted.failed, counted.skipped), (1, ["t: b"], ["t: c (no clang)"]))
        self.assertEqual(counted.details, {"t: b": ["# here", "# there"]})

    def test_counts_incomplete_tap_as_failed(self):
        out = "1..3\nok 1 - a\n"
        counted = self.log({"name": "t", "result": "ERROR", "returncode": 0, "command": ["t"], "stdout": out})
        self.assertEqual((counted.passed, len(counted.failed)), (1, 1))

    def test_counts_a_plain_program_once(self):
        counted = self.log(
            {"name": "a", "result": "OK", "returncode": 0, "command": ["a"]},
            {"name": "b", "result": "SKIP", "returncode": 77, "command": ["b"]},
        )
        self.assertEqual((counted.passed, counted.failed, len(counted.skipped)), (1, [], 1))


class Packages(Tree):
    def program(self, name, text):
        path = self.root / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def need(self, package):
        script = f'set -euo pipefail; source "{ROOT}/tools/packages"; need {package}'
        path = f"{self.root}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": path})

    def test_installs_unknown_packages_in_a_script_that_stops_at_errors(self):
        self.program("dpkg-query", "exit 1")
        self.program("id", "echo 0")
        self.program("apt-get", f'echo "$@" >>"{self.root}/asked"')
        done = self.need("some-package")
        self.assertEqual((done.returncode, done.stdout), (0, "installing some-package\n"))
        self.assertIn("install -y -qq --no-install-recommends some-package", (self.root / "asked").read_text())

    def test_prints_nothing_if_all_packages_are_installed(self):
        self.program("dpkg-query", "echo installed some-package")
        self.assertEqual(self.need("some-package").stdout, "")


class Demo(Tree):
    def test_rejects_what_is_no_option_of_meson_before_it_does_anything(self):
        # In a tree without sources, so that a demo that does not check its arguments cannot build anything.
        tools = self.root / "tools"
        tools.mkdir()
        for name in ["demo", "packages"]:
            shutil.copy(ROOT / "tools" / name, tools)
        for argument in ["--help", "step1", "-D", "-Dx", "-D=1"]:
            ran = subprocess.run([tools / "demo", argument], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""), argument)
            self.assertIn(f"'{argument}' is not an option of meson", ran.stderr)


class Tap(unittest.TextTestResult):
    def startTestRun(self):
        self.lines = []

    def note(self, good, test, more="", detail=""):
        self.lines.append((good, f"{type(test).__name__} {test._testMethodName[5:].replace('_', ' ')}{more}", detail))

    def addSuccess(self, test):
        self.note(True, test)

    def addFailure(self, test, err):
        self.note(False, test, detail=self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.note(False, test, detail=self._exc_info_to_string(err, test))


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = Tap(unittest.runner._WritelnDecorator(sys.stderr), False, 0)
    result.startTestRun()
    suite.run(result)
    print(f"1..{len(result.lines)}")
    for number, (good, name, detail) in enumerate(result.lines, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        for line in detail.splitlines():
            print(f"# {line}")
    return 0 if all(good for good, _, _ in result.lines) else 1


if __name__ == "__main__":
    sys.exit(main())
