#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests every way to use the library in a program: routes.py SOURCE FOLDER VERSION COMPILER; prints TAP.

The tree is installed by meson into FOLDER/prefix, as on a machine without the libraries of iacctl, and by the CMake
steps of the port for vcpkg into FOLDER/vcpkg. A small program is then built and run through pkg-config, through CMake's
find_package, add_subdirectory and FetchContent (from a clone on this machine), with the source as a meson subproject,
and with the headers of two floors in one (.ci/run parses all headers in one). The last route replaces the system's
range-v3 by our overlay of its wrap, with the headers of the system. A library that uses strider exports itself, too.

Programs: walk.cpp uses range-v3, Boost and threads; order.cpp, which compiles faster, range-v3 and Boost.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

LIBRARY = ["CMakeLists.txt", "LICENSE", "include", "meson.build", "meson_options.txt", "tools"]


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


def files_below(folder):
    """The texts of all files by path, without the parts that meson and CMake write differently."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8").rpartition("####\n")[2].strip()
            found[path.relative_to(folder).as_posix()] = text.replace('if("True")', 'if("TRUE")')
    return found


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
        build, nothing = self.folder / "build", self.folder / "nothing"
        nothing.mkdir()
        said = run("meson", "setup", build, self.source, f"--prefix={self.prefix}", "-Dtests=disabled", "-Dbenchmarks=disabled",
                   env=dict(self.environment, PKG_CONFIG_LIBDIR=str(nothing)))
        if not re.search(r"iacctl is left out, not found: .*\bicu-uc\b", said):
            raise Failed(f"the set-up does not report the missing libraries:\n{said}")
        targets = (build / "build.ninja").read_text(encoding="utf-8")
        if "examples/01_" not in targets or "examples/iacctl/iacctl" in targets:
            raise Failed("examples need no library of iacctl, but the set-up omits them")
        run("meson", "install", "-C", build, "--no-rebuild", "--quiet")
        headers = self.prefix / "include" / "strider"
        ours = {path.name for path in (self.source / "include" / "strider").rglob("*.hpp")}
        missing = ours - {path.name for path in headers.rglob("*.hpp")}
        if missing:
            raise Failed(f"not installed: {', '.join(sorted(missing))}")
        if not (self.prefix / "share" / "licenses" / "strider" / "LICENSE").is_file():
            raise Failed("the licence is not installed")

    def dist(self):
        """`meson dist` packs a commit; a checkout without git has none, but its files are already packed."""
        if not (self.source / ".git").exists():
            return "# SKIP needs git"
        run("meson", "dist", "-C", self.folder / "build", "--no-tests", "--allow-dirty", "--formats=zip")
        (archive,) = (self.folder / "build" / "meson-dist").glob("*.zip")
        with zipfile.ZipFile(archive) as content:
            packed = {name.removeprefix(f"strider-{self.version}/") for name in content.namelist() if not name.endswith("/")}
        tracked = set(run("git", "-C", self.source, "ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0")) - {""}
        if packed != tracked:
            raise Failed(f"different from the commit: {', '.join(sorted(packed ^ tracked)[:20])}")
        return ""

    def pkg_config(self):
        environment = dict(self.environment, PKG_CONFIG_PATH=str(self.prefix / "share" / "pkgconfig"))
        found = run("pkg-config", "--modversion", "strider", env=environment).strip()
        if found != self.version:
            raise Failed(f"pkg-config says version {found}")
        flags = run("pkg-config", "--cflags", "--libs", "strider", env=environment).split()
        self.compile(self.here / "walk.cpp", *flags)

    def compile(self, source, *flags):
        program = self.folder / f"{source.stem}_program"
        run(*self.compiler, "-std=c++20", source, "-o", program, *flags)
        self.expect(program)

    def vcpkg(self):
        """The port installs the same files as meson, with the CMake configuration in the directory of vcpkg."""
        port, prefix = self.source / "tools" / "packaging" / "vcpkg" / "strider", self.folder / "vcpkg"
        named = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))["version"]
        if named != self.version:
            raise Failed(f"vcpkg.json has version {named}")
        run("cmake", f"-DPORT={port}", f"-DPREFIX={prefix}", f"-DCOMPILER={self.compiler[-1]}", "-P", self.here / "vcpkg.cmake")
        ported, installed = files_below(prefix), files_below(self.prefix)
        installed.pop("share/pkgconfig/strider.pc")
        for name, text in installed.items():
            moved = name.replace("/cmake/strider/", "/strider/").replace("/licenses/strider/LICENSE", "/strider/copyright")
            if ported.pop(moved, None) != text:
                raise Failed(f"{name} is missing in the port, or different")
        if ported:
            raise Failed(f"only the port has {', '.join(ported)}")

    def configure(self, source, build, *options):
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={self.compiler[-1]}", *options)

    def cmake(self, route, program, *options):
        build = self.folder / f"cmake_{route}"
        self.configure(self.here / "cmake", build, f"-DROUTE={route}", f"-DPROGRAM={self.here / program}", *options)
        run("cmake", "--build", build)
        self.expect(build / "consumer")

    def export(self, route):
        """A library installs itself with its export and strider. A project that finds only the library is built with it."""
        build, prefix = self.folder / f"export_{route}", self.folder / f"export_{route}_prefix"
        self.configure(self.here / "cmake_export", build, f"-DROUTE={route}", f"-DSTRIDER={self.source}",
                       f"-DCMAKE_INSTALL_PREFIX={prefix}")
        run("cmake", "--install", build)
        if route == "fetch":
            self.cmake("library", "order.cpp", f"-DCMAKE_PREFIX_PATH={prefix}")
            self.configure(self.here / "cmake_export", build, "-DSTRIDER_INSTALL=OFF", f"-DCMAKE_INSTALL_PREFIX={prefix}_alone")
            run("cmake", "--install", build)
            if (pathlib.Path(f"{prefix}_alone") / "include").exists():
                raise Failed("STRIDER_INSTALL=OFF installs headers")

    def versions(self):
        """Below 1.0, a minor version may be incompatible, so a package is found for requests of its own minor version only."""
        project = self.folder / "versions"
        project.mkdir()
        major, minor, patch = map(int, self.version.split("."))
        found = [f"{major}.{minor}", self.version]
        refused = [f"{major + 1}.0", f"{major}.{minor + 1}", f"{major}.{minor}.{patch + 1}"]
        refused += [f"{major}.{minor - 1}"] if minor > 0 else []
        lines = ["cmake_minimum_required(VERSION 3.24)", "project(versions CXX)"]
        for request in found + refused:
            lines += [f"find_package(strider {request} QUIET)", f'message("{request}: ${{strider_FOUND}}")']
            lines += ["unset(strider_DIR CACHE)"]
        (project / "CMakeLists.txt").write_text("\n".join(lines), encoding="utf-8")
        said = run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_CXX_COMPILER={self.compiler[-1]}",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}")
        wrong = [request for request in found + refused if f"{request}: {int(request in found)}\n" not in said]
        if wrong:
            raise Failed(f"unexpected answers for {', '.join(wrong)}:\n{said}")

    def headers_only(self):
        """The command of README installs the same files as a set-up with examples."""
        readme = (self.source / "README.md").read_text(encoding="utf-8")
        line = re.search(r"^    (meson setup build-headers .*)$", readme, re.MULTILINE)
        if line is None:
            raise Failed("README has no command that installs the headers only")
        build, prefix = self.folder / "build-headers", self.folder / "headers_prefix"
        command = line.group(1).replace("build-headers", str(build)).replace("meson setup", f"meson setup --prefix={prefix}", 1)
        run("sh", "-c", command, cwd=self.source, env=self.environment)
        differ = sorted(files_below(prefix).keys() ^ files_below(self.prefix).keys())
        if differ:
            raise Failed(f"different from an installation with examples: {', '.join(differ)}")

    def fetch(self):
        clone = self.folder / "clone"
        clone.mkdir()
        for name in LIBRARY:
            path = self.source / name
            (shutil.copytree if path.is_dir() else shutil.copy)(path, clone / name)
        git = ["git", "-C", clone, "-c", "user.name=strider", "-c", "user.email=strider@localhost"]
        run(*git, "init", "--quiet", "--initial-branch=main")
        run(*git, "add", "--all")
        run(*git, "commit", "--quiet", "--message=strider")
        self.cmake("fetch", "order.cpp", f"-DSTRIDER={clone}")

    def single_header(self):
        folder = self.folder / "single"
        folder.mkdir()
        run(sys.executable, self.source / "tools" / "amalgamate", "-o", folder / "strider.hpp", "core", "walk")
        text = (self.here / "walk.cpp").read_text(encoding="utf-8")
        program = folder / "single.cpp"
        program.write_text("#include <strider.hpp>\n" + re.sub(r"#include <strider/.*>\n", "", text), encoding="utf-8")
        self.compile(program, f"-I{folder}", "-pthread")

    def subproject(self, name="meson", overlay=False):
        project = self.folder / name
        (project / "subprojects").mkdir(parents=True)
        shutil.copy(self.here / "order.cpp", project / "consumer.cpp")
        shutil.copy(self.here / "meson" / "meson.build", project)
        strider = project / "subprojects" / "strider"
        flags = []
        if overlay:
            flags.append("--force-fallback-for=range-v3")
            self.lay_range_over(project, strider)
        else:
            strider.symlink_to(self.source, target_is_directory=True)
        build = project / "build"
        run("meson", "setup", "--buildtype=plain", build, project, *flags, env=self.environment)
        run("meson", "compile", "-C", build)
        self.expect(build / "consumer")

    def lay_range_over(self, project, strider):
        """Makes the same files as the wrap: the overlay's build file beside the headers of range-v3."""
        strider.mkdir()
        for name in LIBRARY:
            (strider / name).symlink_to(self.source / name)
        wrapped = project / "subprojects" / "range-v3-0.12.0"
        (wrapped / "include").mkdir(parents=True)
        shutil.copy(self.source / "subprojects" / "packagefiles" / "range-v3" / "meson.build", wrapped)
        for name in ("range", "meta", "concepts", "std"):
            if pathlib.Path("/usr/include", name).is_dir():
                (wrapped / "include" / name).symlink_to(pathlib.Path("/usr/include", name))
        wrap = (self.source / "subprojects" / "range-v3.wrap").read_text(encoding="utf-8")
        (project / "subprojects" / "range-v3.wrap").write_text(wrap, encoding="utf-8")

    def all(self):
        return [
            ("a set-up without the libraries of iacctl reports them, and installs every public header", self.install),
            ("a set-up of headers only installs the same files", self.headers_only),
            ("the archive of meson dist has the files of the commit", self.dist),
            ("an installed strider is used through pkg-config", self.pkg_config),
            ("the CMake steps of the port for vcpkg install the same files", self.vcpkg),
            ("an installed strider is used through CMake",
             lambda: self.cmake("package", "order.cpp", f"-DCMAKE_PREFIX_PATH={self.prefix}")),
            ("strider is a directory of a CMake project that has range-v3 and Boost",
             lambda: self.cmake("subdirectory", "order.cpp", f"-DSTRIDER={self.source}")),
            ("the package is found for requests of its minor version", self.versions),
            ("a library that has strider as a directory exports itself, whatever targets it has", lambda: self.export("subdirectory")),
            ("a library that fetches strider exports itself, and is usable", lambda: self.export("fetch")),
            ("FetchContent clones strider, which finds range-v3 and Boost", self.fetch),
            ("strider is used as a meson subproject", self.subproject),
            ("the wrap of range-v3 replaces the system's", lambda: self.subproject("overlay", overlay=True)),
            ("floors of strider work as one header", self.single_header),
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
            note = walk()
            print(f"ok {number} - {name} {note or ''}".rstrip(), flush=True)
        except (Failed, KeyError, OSError, subprocess.SubprocessError) as error:
            failed = True
            print(f"not ok {number} - {name}", flush=True)
            for line in str(error).splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
