#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Walks every route to a consumer: routes.py SOURCE FOLDER VERSION COMPILER; prints TAP.

The tree is installed by meson into FOLDER/prefix; a small program is then built and run through pkg-config, through
CMake's find_package, and with the source as a meson subproject. The last route replaces the system's range-v3 by our
overlay of its wrap, over the headers that are there.
"""

import os
import pathlib
import shutil
import subprocess
import sys

FEATURES = ["-Dtests=disabled", "-Dexamples=disabled", "-Dbenchmarks=disabled"]


class Failed(Exception):
    pass


def run(*command, **more):
    words = [str(word) for word in command]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300, **more
    )
    if done.returncode != 0:
        raise Failed(f"$ {' '.join(words)}\n{done.stdout}")
    return done.stdout


class Routes:
    def __init__(self, source, folder, version, compiler):
        self.source, self.folder, self.version, self.compiler = source, folder, version, compiler
        self.prefix = folder / "prefix"
        self.here = source / "tests" / "install"
        self.environment = dict(os.environ, CXX=" ".join(compiler))

    def expect(self, program):
        printed = run(program)
        wanted = f"start database\nstart service\nstrider {self.version}\n"
        if printed != wanted:
            raise Failed(f"printed:\n{printed}but wanted:\n{wanted}")

    def install(self):
        build = self.folder / "build"
        run("meson", "setup", build, self.source, f"--prefix={self.prefix}", *FEATURES, env=self.environment)
        run("meson", "install", "-C", build, "--quiet")
        headers = self.prefix / "include" / "strider"
        ours = {path.name for path in (self.source / "include" / "strider").rglob("*.hpp")}
        missing = ours - {path.name for path in headers.rglob("*.hpp")}
        if missing:
            raise Failed(f"not installed: {', '.join(sorted(missing))}")

    def pkg_config(self):
        environment = dict(self.environment, PKG_CONFIG_PATH=str(self.prefix / "share" / "pkgconfig"))
        found = run("pkg-config", "--modversion", "strider", env=environment).strip()
        if found != self.version:
            raise Failed(f"pkg-config says version {found}")
        flags = run("pkg-config", "--cflags", "--libs", "strider", env=environment).split()
        program = self.folder / "consumer_pkg_config"
        run(*self.compiler, "-std=c++20", self.here / "consumer.cpp", "-o", program, *flags)
        self.expect(program)

    def cmake(self):
        build = self.folder / "cmake"
        run("cmake", "-G", "Ninja", "-S", self.here / "consumer_cmake", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={self.compiler[-1]}")
        run("cmake", "--build", build)
        self.expect(build / "consumer")

    def subproject(self, name="meson", overlay=False):
        project = self.folder / name
        (project / "consumer" / "subprojects").mkdir(parents=True)
        shutil.copy(self.here / "consumer.cpp", project)
        shutil.copy(self.here / "consumer_meson" / "meson.build", project / "consumer")
        strider = project / "consumer" / "subprojects" / "strider"
        flags = []
        if overlay:
            flags.append("--force-fallback-for=range-v3")
            self.lay_range_over(project, strider)
        else:
            strider.symlink_to(self.source, target_is_directory=True)
        build = project / "build"
        run("meson", "setup", build, project / "consumer", *flags, env=self.environment)
        run("meson", "compile", "-C", build)
        self.expect(build / "consumer")

    def lay_range_over(self, project, strider):
        """What the wrap would leave: the overlay's build file beside the headers of range-v3."""
        strider.mkdir()
        for name in ("meson.build", "meson_options.txt", "include", "tools"):
            (strider / name).symlink_to(self.source / name)
        wrapped = project / "consumer" / "subprojects" / "range-v3-0.12.0"
        (wrapped / "include").mkdir(parents=True)
        shutil.copy(self.source / "subprojects" / "packagefiles" / "range-v3" / "meson.build", wrapped)
        for name in ("range", "meta", "concepts", "std"):
            if pathlib.Path("/usr/include", name).is_dir():
                (wrapped / "include" / name).symlink_to(pathlib.Path("/usr/include", name))
        wrap = (self.source / "subprojects" / "range-v3.wrap").read_text(encoding="utf-8")
        (project / "consumer" / "subprojects" / "range-v3.wrap").write_text(wrap, encoding="utf-8")

    def all(self):
        return [
            ("the tree installs every public header", self.install),
            ("an installed strider is used through pkg-config", self.pkg_config),
            ("an installed strider is used through CMake", self.cmake),
            ("strider is used as a meson subproject", self.subproject),
            ("the wrap of range-v3 stands in for the system's", lambda: self.subproject("overlay", overlay=True)),
        ]


def main(arguments):
    source, folder, version = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), arguments[2]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    routes = Routes(source, folder, version, arguments[3:]).all()
    print(f"1..{len(routes)}")
    failed = False
    for number, (name, walk) in enumerate(routes, 1):
        try:
            walk()
            print(f"ok {number} - {name}", flush=True)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            failed = True
            print(f"not ok {number} - {name}", flush=True)
            for line in str(error).splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
