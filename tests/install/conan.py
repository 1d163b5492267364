#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Creates the package of Conan and builds a program with it: conan.py SOURCE CACHE COMPILER; prints TAP.

conan is that of PATH, or is installed from PyPI into the folder CACHE; without both the test is skipped. range-v3 and
Boost are those of the system, so no registry of Conan is contacted.
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

NAME = "conan create builds the package and runs a program that uses it"
PROFILE = """[settings]
os=Linux
arch={arch}
build_type=Release
compiler={compiler}
compiler.version={version}
compiler.libcxx=libstdc++11
compiler.cppstd=20
[platform_requires]
range-v3/0.12.0
boost/1.81.0
[conf]
tools.build:compiler_executables={{"cpp": "{command}"}}
tools.cmake.cmaketoolchain:generator=Ninja
tools.cmake.cmake_layout:test_folder={folder}/test
"""


def find_conan(cache):
    """(command, environment), or (None, the reason)."""
    found = shutil.which("conan")
    if found:
        return [found], {}
    target = cache / "conan"
    if not target.is_dir():
        draft = cache / f"conan-{os.getpid()}"
        try:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", draft, "conan==2.34.0"],
                           check=True, capture_output=True, timeout=170)
            draft.rename(target)
        except (OSError, subprocess.SubprocessError) as failed:
            shutil.rmtree(draft, ignore_errors=True)
            return None, f"needs pypi: {type(failed).__name__}"
    return [sys.executable, "-m", "conans.conan"], {"PYTHONPATH": str(target)}


def profile(compiler, folder):
    asked = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"(\d+)\.\d+\.\d+", asked).group(1)
    return PROFILE.format(arch="armv8" if platform.machine() == "aarch64" else platform.machine(),
                          compiler="clang" if "clang" in asked else "gcc", version=version,
                          folder=folder, command=shutil.which(compiler) or compiler)


def create(source, conan, environment, compiler):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "profile")
        path.write_text(profile(compiler, folder), encoding="utf-8")
        done = subprocess.run(
            [*conan, "create", source / "tools" / "packaging" / "conan", "-pr:a", path, "--no-remote"],
            env=dict(os.environ, CONAN_HOME=f"{folder}/home", PYTHONDONTWRITEBYTECODE="1", **environment),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
    if done.returncode == 0 and "start database\nstart service\n" in done.stdout:
        return []
    return [f"exit {done.returncode}", *done.stdout.splitlines()]


def main(arguments):
    source, cache, compiler = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[-1]
    conan, more = find_conan(cache)
    print("1..1")
    if conan is None:
        print(f"ok 1 - {NAME} # SKIP {more}")
        return 0
    wrong = create(source, conan, more, compiler)
    print(f"{'not ok' if wrong else 'ok'} 1 - {NAME}")
    for line in wrong:
        print(f"# {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
