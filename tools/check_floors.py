#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the layers ("floors") of the code: check_floors.py [ROOT] prints one TAP line for each rule, and what breaks it.

A public header includes only headers of its own floor and of lower floors, and the third-party headers that its floor
permits. The floors are core < algorithm < transform < {lifecycle, walk} < {sim, remote, infra} < infra/sim; lifecycle
and walk do not include each other, nor do sim, remote and infra. Infra is divided into rooms; each room may include
those before it in INFRA. The rooms of the program are in the table of MAP; the last line is the number of includes between them.
"""

import pathlib
import re
import sys

BELOW = {
    "version": [],
    "core": ["version"],
    "algorithm": ["version", "core"],
    "transform": ["version", "core", "algorithm"],
    "lifecycle": ["version", "core", "algorithm", "transform"],
    "walk": ["version", "core", "algorithm", "transform"],
    "sim": ["version", "core", "algorithm", "transform", "walk"],
    "remote": ["version", "core", "algorithm", "transform", "walk"],
    "infra": ["version", "core", "algorithm", "transform", "lifecycle", "walk"],
    "infra/sim": ["version", "core", "algorithm", "transform", "lifecycle", "walk", "sim", "infra"],
}

# The rooms of infra, from the lowest to the highest, and the header above them. The model does not include Asio.
INFRA = ["infra/model", "infra/program", "infra/journal", "infra/graph", "infra/plan", "infra/apply", "infra/engine"]
MODEL = ["version", "core"]
BELOW |= {
    room: (MODEL if room == "infra/model" else BELOW["infra"]) + INFRA[:number] for number, room in enumerate(INFRA)
}
BELOW["infra"] = BELOW["infra"] + INFRA
BELOW["infra/sim"] = BELOW["infra/sim"] + INFRA

# The table of the rooms of the program: its first column is the name of a room, its last the rooms that it may include.
MAP = "examples/iacctl/README.md"
ROW = re.compile(r"^\| `([\w/]+)` \|.*\|([^|]*)\|$", re.MULTILINE)

# The application floor receives everything that it depends on as arguments.
OF_A_PROCESS = re.compile(
    r"<(?:iostream|csignal|CLI/\S*)>|\bstd::(?:cout|cerr|clog|cin)\b|\bSTD(?:IN|OUT|ERR)_FILENO\b"
    r"|\benviron\b|\bargv\b|\b(?:getenv|secure_getenv|current_path|f?chdir|getcwd|_?exit)\("
)

# Single headers of range-v3, and what results, sets of vertices, lists of properties and reference counts are made of.
LIBRARIES = (
    "range/v3/", "boost/assert/source_location.hpp", "boost/dynamic_bitset.hpp", "boost/mp11/", "boost/smart_ptr/",
    "boost/system/")

FORBIDDEN = {
    "boost/asio.hpp": "include single Asio headers",
    "filesystem": "files and terminals stay outside of the library",
    "fstream": "files and terminals stay outside of the library",
    "iostream": "files and terminals stay outside of the library",
    "range/v3/all.hpp": "include single range-v3 headers",
    "regex": "parsing stays outside of the library",
}

# Headers that include single headers of Asio, and what each of them may include; None: any.
ASIO_HEADERS = {
    "strider/walk/asio.hpp": None,
    "strider/walk/clock.hpp": {"boost/asio/steady_timer.hpp"},
    "strider/remote/detail/connection.hpp": {"boost/asio/buffer.hpp", "boost/asio/write.hpp"},
    "strider/sim/detail/network_connection.hpp": {"boost/asio/buffer.hpp"},
    "strider/infra/plan/async_semaphore.hpp": {"boost/asio/experimental/concurrent_channel.hpp"},
    "strider/infra/plan/concurrency_limiter.hpp": {"boost/asio/experimental/parallel_group.hpp"},
}
HEADER_LINES = 400
SOURCE_LINES = 900
SPDX = "// SPDX-License-Identifier: BSL-1.0"
GROUPS = ("strider", "range", "boost", "std")

# A file that does not exist: version.hpp includes it after an #error, which alone does not end a compilation.
END_OF_COMPILATION = "the error above"

INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
SPECIALIZATION = re.compile(r"^(?:struct|class|(?:inline )?constexpr [\w:]+) (\w+)<(?:\w+::)*(\w*)", re.MULTILINE)
CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b\s*(.*)$")
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)")
FLAGS = re.compile(r"\b(__cplusplus|__cpp_exceptions|__cpp_rtti|__EXCEPTIONS|__GXX_RTTI|_CPPUNWIND|_CPPRTTI|NDEBUG|__GNUC__|__clang__|__OPTIMIZE__|__SANITIZE_\w+|_MSC_VER|__has_feature)\b")


def floor_of(header):
    """The floor of `strider/...`; an umbrella header such as `strider/walk.hpp` belongs to the floor of its name."""
    path = header.split("/")[1:]
    stem = [part[:-4] if part.endswith(".hpp") else part for part in path]
    if stem[0] == "infra" and len(stem) > 1:
        return "/".join(stem[:2]) if "/".join(stem[:2]) in BELOW else None
    if path == ["fwd.hpp"]:
        return "core"
    return stem[0] if stem[0] in BELOW else None


def group_of(included):
    first = included.split("/")[0]
    return GROUPS.index(first) if first in GROUPS else GROUPS.index("std")


def includes_of(text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1), match.group(2)))
    return found


def own_floors(header, text):
    floor = floor_of(header)
    if floor is None:
        return [f"{header}: belongs to no floor"]
    allowed = set(BELOW[floor]) | {floor}
    broken = []
    for number, _, included in includes_of(text):
        if included.startswith("strider/") and floor_of(included) not in allowed:
            broken.append(f"{header}:{number}: floor {floor} must not include <{included}>")
    return broken


def read_rooms(text):
    """The rooms in the table of the map, and for each what it may include."""
    return {room: re.findall(r"`([\w/*]+)`", allowed) for room, allowed in ROW.findall(text)}


def room_of(path, rooms):
    """The room of a file of the program: `language/values/type.hpp` is in `language/values`."""
    parts = path.split("/")
    return next((room for room in ("/".join(parts[:2]), parts[0]) if room in rooms and len(parts) > 1), None)


def is_allowed(of, allowed):
    return of in allowed or f"{of.split('/')[0]}/*" in allowed


def arrows_between(files, rooms):
    """For each pair of rooms of which the first includes the second: the lines that do so."""
    found = {}
    for name, text in files:
        room = room_of(name, rooms)
        for number, _, included in includes_of(text):
            of = room_of(included, rooms)
            if room is not None and of is not None and of != room:
                found.setdefault((room, of), []).append(f"{name}:{number}")
    return found


def own_rooms(files, rooms):
    order = list(rooms)
    broken = [f"{name}: belongs to no room of {MAP}" for name, _ in files if "/" in name and room_of(name, rooms) is None]
    for room, allowed in rooms.items():
        for other in allowed:
            upward = other in rooms and order.index(other) > order.index(room)
            if upward or other not in rooms and not other.endswith("/*"):
                broken.append(f"{MAP}: {room} names {other}, which is {'above it' if upward else 'no room'}")
    for (room, of), lines in arrows_between(files, rooms).items():
        if not is_allowed(of, rooms[room]) or order.index(of) > order.index(room):
            broken += [f"{line}: room {room} must not include a header of {of}" for line in lines]
    return broken


def of_process(name, text):
    if "/".join(name.split("/")[:-1]) != "workspace":
        return []
    code = re.compile(r"//.*$")
    return [
        f"{name}:{number}: the room workspace must not use the state of the process: {found.group(0)}"
        for number, line in enumerate(text.splitlines(), 1)
        if (found := OF_A_PROCESS.search(code.sub("", line)))
    ]


def third_party(header, text):
    floor = floor_of(header)
    broken = []
    for number, _, included in includes_of(text):
        if "/" not in included or included.startswith("strider/") or included in FORBIDDEN:
            continue
        if floor == "version":
            allowed = False
        elif included.startswith("boost/asio/"):
            single = ASIO_HEADERS.get(header, set())
            allowed = single is None or included in single
        else:
            allowed = included.startswith(LIBRARIES)
        if not allowed:
            hint = " (take it from <strider/walk/asio.hpp>)" if included.startswith("boost/asio/") else ""
            broken.append(f"{header}:{number}: floor {floor} must not include <{included}>{hint}")
    return broken


def forbidden(header, text):
    return [
        f"{header}:{number}: <{included}> is forbidden: {FORBIDDEN[included]}"
        for number, _, included in includes_of(text)
        if included in FORBIDDEN
    ]


def include_order(header, text):
    broken = []
    previous = None
    for number, bracket, included in includes_of(text):
        if header == "strider/version.hpp" and included == END_OF_COMPILATION:
            continue
        if bracket != "<":
            broken.append(f"{header}:{number}: write <{included}> with angle brackets")
        key = (group_of(included), included)
        if previous is not None and key < previous:
            broken.append(f"{header}:{number}: <{included}> belongs before <{previous[1]}>")
        previous = key
    return broken


def version_first(header, text):
    """The first include of a header leads to version.hpp, before any other code. It rejects compilers without C++20 or exceptions."""
    if header == "strider/version.hpp" or any(included.startswith("strider/") for _, _, included in includes_of(text)):
        return []
    return [f"{header}: includes no header of strider: include <strider/version.hpp>"]


def guard_of(header):
    return re.sub(r"[/.]", "_", header).upper()


def guard(header, text, prefix=""):
    wanted = guard_of(prefix + header)
    lines = [line for line in text.splitlines() if line.strip()]
    opened = lines[1:3] == [f"#ifndef {wanted}", f"#define {wanted}"]
    closed = bool(lines) and lines[-1] == f"#endif  // {wanted}"
    return [] if opened and closed else [f"{header}: needs the include guard {wanted} around everything below line 1"]


def macros(header, text):
    allowed = {guard_of(header)}
    if header == "strider/version.hpp":
        allowed |= {f"STRIDER_VERSION_{part}" for part in ("MAJOR", "MINOR", "PATCH")}
    if header == "strider/core/assert.hpp":
        allowed.add("STRIDER_ASSERT")
    broken = []
    for number, line in enumerate(text.splitlines(), 1):
        defined = DEFINE.match(line)
        if defined and defined.group(1) not in allowed:
            broken.append(f"{header}:{number}: defines the macro {defined.group(1)}")
        condition = CONDITION.match(line)
        if condition and FLAGS.search(condition.group(1)) and header != "strider/version.hpp":
            broken.append(f"{header}:{number}: branches on the options of the compiler")
    return broken


def own_templates(header, text):
    """A header specializes templates that it declares, or any template for the types that it declares.

    If it specialized a template of another header for other types, a concept could have different answers in two units of a program.
    """
    declared = lambda kind, name: re.search(rf"\b(?:{kind}) {name}\b(?!<)", text)
    return [
        f"{header}:{text.count(chr(10), 0, found.start()) + 1}: specializes {found.group(1)}, which another header declares"
        for found in SPECIALIZATION.finditer(text)
        if not declared(r"struct|class|constexpr [\w:]+", found.group(1)) and not declared("struct|class", found.group(2))
    ]


def spdx(name, text):
    return [] if text.split("\n", 1)[0] == SPDX else [f"{name}:1: the first line is not '{SPDX}'"]


def length(name, text, limit):
    count = text.count("\n")
    return [] if count <= limit else [f"{name}: {count} lines, the limit is {limit}"]


# In the operand of a co_await: a lambda with captures, a braced object, a conditional operator.
AWAITED_TWICE = re.compile(r"(?<![\w)\]])\[[^\[\]]+\]\s*(?:\(|\{|mutable)|[\w(,>]\s*\{|\?")


def awaited_temporaries(name, text):
    """g++ 12 destroys such temporary objects twice. The object or the awaitable must be a named variable."""
    code = re.sub(r"//[^\n]*|R\"--\(.*?\)--\"|\"(?:[^\"\\\n]|\\.)*\"", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    broken = []
    for found in re.finditer(r"\bco_await\b", code):
        depth, end = 0, found.end()
        while end < len(code) and depth >= 0 and not (depth == 0 and code[end] == ";"):
            depth += (code[end] in "([{") - (code[end] in ")]}")
            end += 1
        if AWAITED_TWICE.search(code[found.end():end - 1 if depth < 0 else end]):
            broken.append(f"{name}:{code.count(chr(10), 0, found.start()) + 1}: the awaited expression has a lambda, a braced object or '?'")
    return broken


def read_all(root, folder, patterns):
    base = root / folder
    paths = sorted(path for pattern in patterns for path in base.rglob(pattern)) if base.is_dir() else []
    return [(path, path.read_text(encoding="utf-8")) for path in paths]


def check(root):
    """All rules over the tree at `root`, as (name of the rule, list of what breaks it), and a summary."""
    headers = [
        (path.relative_to(root / "include").as_posix(), text)
        for path, text in read_all(root, "include", ["*.hpp", "*.h", "*.ipp"])
    ]
    program = [
        (path.relative_to(root / "examples").as_posix(), text) for path, text in read_all(root, "examples", ["*.hpp"])
    ]
    inside = [
        (path.relative_to(root / "examples" / "iacctl").as_posix(), text)
        for path, text in read_all(root, "examples/iacctl", ["*.hpp", "*.cpp"])
    ]
    house = root / MAP
    rooms = read_rooms(house.read_text(encoding="utf-8")) if house.exists() else {}
    sources = [
        (path.relative_to(root).as_posix(), text)
        for folder in ("examples", "tests", "benchmarks")
        for path, text in read_all(root, folder, ["*.hpp", "*.cpp"])
    ]

    def over(files, rule, *more):
        return [line for name, text in files for line in rule(name, text, *more)]

    rules = [
        ("there are public headers", [] if headers else ["none found below include/"]),
        ("a public header includes its own floor and lower ones", over(headers, own_floors)),
        ("a public header includes the third-party headers of its floor", over(headers, third_party)),
        ("a public header includes no forbidden header", over(headers, forbidden)),
        ("a public header includes strider, range-v3, Boost, std, each sorted", over(headers, include_order)),
        ("a public header includes version.hpp before any other code", over(headers, version_first)),
        ("a public header has its include guard", over(headers, guard)),
        ("a public header specializes templates that it declares", over(headers, own_templates)),
        ("a public header defines no macro and does not ask for compiler flags", over(headers, macros)),
        ("a public header is at most 400 lines long", over(headers, length, HEADER_LINES)),
        ("a header of iacctl has its include guard", over(program, guard)),
        ("a source of iacctl includes its own room and those below it that its row of the map names", own_rooms(inside, rooms)),
        ("the room workspace does not use the state of the process", over(inside, of_process)),
        ("any other source is at most 900 lines long", over(sources, length, SOURCE_LINES)),
        ("a co_await has no temporary object that g++ 12 destroys twice",
         over(headers, awaited_temporaries) + over(sources, awaited_temporaries)),
        ("every source names its licence in line 1", over(headers, spdx) + over(sources, spdx)),
    ]
    arrows = arrows_between(inside, rooms)
    folders = {tuple(room.split("/")[0] for room in arrow) for arrow in arrows}
    between = sum(1 for first, second in folders if first != second)
    return rules, f"iacctl: {len(rooms)} rooms with {len(arrows)} arrows; {between} of them between folders of the first level"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent
    rules, summary = check(root)
    print(f"1..{len(rules)}")
    for number, (name, broken) in enumerate(rules, 1):
        print(f"{'not ok' if broken else 'ok'} {number} - {name}")
        for line in broken:
            print(f"# {line}")
    print(f"# {summary}")
    return 1 if any(broken for _, broken in rules) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
