"""The recipe of Conan 2: conan create . --settings compiler.cppstd=20"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy


class Freehold(ConanFile):
    name = "freehold"
    license = "BSL-1.0"
    description = "Owning pointers and memory resources for C++20"
    topics = ("header-only", "smart-pointers", "memory-resource", "garbage-collection")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "LICENSE", "include/*", "!*.pyc"
    no_copy_source = True
    test_package_folder = "tests/packaging/consumer"

    def set_version(self):
        header = Path(self.recipe_folder, "include/freehold/core/version.hpp").read_text()
        self.version = re.search(r'#define FREEHOLD_VERSION "(.+)"', header)[1]

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        copy(self, "include/*", self.source_folder, self.package_folder)

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os == "Linux":
            exported = ("freehold_hazard_pointers_v0_2", "freehold_rcu_domain_v0_2")
            self.cpp_info.exelinkflags = [f"-Wl,--export-dynamic-symbol={name}" for name in exported]
            self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags
        # RISC-V has no atomic instruction for one byte: compilers call a library.
        if self.settings.arch.value.startswith("riscv"):
            self.cpp_info.system_libs = ["atomic"]
