#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Every wrap is pinned: directory, url, name, hash, and provided dependencies; prints TAP."""

import configparser
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "subprojects"


def wrong_with(path):
    wrap = configparser.ConfigParser(interpolation=None)
    wrap.read(path, encoding="utf-8")
    if not wrap.has_section("wrap-file"):
        return ["no section [wrap-file]"]
    file = wrap["wrap-file"]
    wrong = [f"no {key}" for key in ("directory", "source_url", "source_filename", "source_hash") if not file.get(key)]
    if not file.get("source_url", "").startswith("https://"):
        wrong.append("source_url is not https")
    if not re.fullmatch(r"[0-9a-f]{64}", file.get("source_hash", "")):
        wrong.append("source_hash is not 64 hexadecimal digits")
    patch = file.get("patch_directory")
    if patch and not (FOLDER / "packagefiles" / patch / "meson.build").is_file():
        wrong.append(f"patch_directory {patch} has no meson.build")
    version = file.get("directory", "").rpartition("-")[2]
    if version not in file.get("source_url", "") and f"v{version}" not in file.get("source_url", ""):
        wrong.append(f"directory says {version}, source_url does not")
    if not wrap.has_section("provide") or not list(wrap["provide"]):
        wrong.append("provides nothing")
    return wrong


def main():
    wraps = sorted(FOLDER.glob("*.wrap"))
    results = [("there are wraps", [] if wraps else [f"none in {FOLDER}"])]
    results += [(f"{path.name} is pinned", wrong_with(path)) for path in wraps]
    print(f"1..{len(results)}")
    for number, (name, wrong) in enumerate(results, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
        for line in wrong:
            print(f"# {line}")
    return 1 if any(wrong for _, wrong in results) else 0


if __name__ == "__main__":
    sys.exit(main())
