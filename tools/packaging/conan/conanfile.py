# SPDX-License-Identifier: BSL-1.0
"""The Conan 2 recipe for this source tree: conan create tools/packaging/conan"""

import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy


class Strider(ConanFile):
    name = "strider"
    description = "Dependency graphs: build, transform, walk"
    license = "BSL-1.0"
    topics = ("dependency graph", "dag", "asio", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _root(self):
        return pathlib.Path(self.recipe_folder).parent.parent.parent

    def set_version(self):
        header = (self._root / "include" / "strider" / "version.hpp").read_text(encoding="utf-8")
        self.version = ".".join(re.findall(r"^#define STRIDER_VERSION_[A-Z]+ (\d+)$", header, re.MULTILINE))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "tools/strider-config.cmake.in"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("range-v3/[>=0.12.0 <1]", transitive_headers=True)
        self.requires("boost/[>=1.81.0 <2]", transitive_headers=True, options={"header_only": True})

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        CMakeToolchain(self).generate()
        CMakeDeps(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package contains its CMake configuration file, which finds the same libraries as that of an installation.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "strider")
        self.cpp_info.builddirs = ["share/cmake/strider"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
