"""The modules: each exports the public names of its product, and a program imports them with either library.

The guide is docs/guide/modules.md.
"""

import os
import re

import pytest
from clang import cindex

from consuming import ROOT, run, tool

INCLUDE = ROOT / "include"
IN_ORDER = ("memory", "tracing", "pointers", "cyclic", "traced")

PROGRAM = """
#ifdef IMPORT_STD
import std;
#else
#include <memory_resource>
#include <unordered_set>
#include <vector>
#endif
import freehold;

struct node : freehold::ref_counted<node> { int value = 1; };
struct tree { freehold::traced_ptr<tree> next; void trace(auto& visit) const { visit(next); } };
struct ring { freehold::cyclic_ptr<ring> next; void trace(auto& visit) const { visit(next); } };

int main() {
    const freehold::shared_ptr<int> one = freehold::make_shared<int>(1);
    freehold::atomic_shared_ptr<int> atomic(one);
    freehold::pool_resource pool;
    const std::pmr::vector<int> vector({1, 2}, &pool);
    const std::unordered_set<freehold::shared_ptr<int>> set{one};
    freehold::traced_heap heap;
    freehold::traced_local<tree> first = heap.make<tree>();
    first->next = heap.make<tree>();
    freehold::cyclic_ptr<ring> ring_itself = freehold::make_cyclic<ring>();
    ring_itself->next = ring_itself;
    ring_itself = nullptr;
    const freehold::hazard_pointer hazard = freehold::make_hazard_pointer();
    const bool is_right = one == atomic.load() && one != nullptr && *freehold::make_local_shared<int>(2) == 2 &&
                          vector.size() == 2 && set.contains(one) && freehold::make_intrusive<node>()->value == 1 &&
                          first->next != nullptr && freehold::cycle_collector::collect() == 1;
    return is_right ? 0 : 1;
}
"""


def exported(module):
    return set(re.findall(r"^using freehold::(.+);$", (INCLUDE / f"freehold/{module}.cppm").read_text(), re.MULTILINE))


def declared():
    """Returns the names that freehold.hpp declares in the namespace, beside `detail`."""
    resources = run(tool("clang++-19", "clang-19"), "-print-resource-dir").strip()
    arguments = ["-std=c++20", f"-I{INCLUDE}", "-resource-dir", resources]
    text = "#include <freehold/freehold.hpp>\n"
    unit = cindex.Index.create().parse("all.cpp", arguments, [("all.cpp", text)])
    assert not [each for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]
    spaces = [each for each in unit.cursor.get_children() if each.spelling == "freehold"]
    versions = [each for space in spaces for each in space.get_children()]
    members = [each for version in versions for each in version.get_children()]
    # What is specialized here is declared elsewhere.
    own = [each for each in members if each.semantic_parent.spelling == each.lexical_parent.spelling]
    names = {each.spelling for each in own if not each.spelling.startswith("<deduction guide")}
    return names - {"", "detail", "operator()"}


def test_the_modules_export_what_the_headers_declare():
    assert set().union(*map(exported, IN_ORDER)) == declared()


def build(folder, options):
    """Builds the modules and the program, and runs it."""
    compiler = tool("clang++-19", "clang-19")
    command = [compiler, *options, "-Wall", "-Werror", "-Wno-unused-command-line-argument", f"-I{INCLUDE}"]
    command.append(f"-fprebuilt-module-path={folder}")
    for name in (*(f"freehold.{each}" for each in IN_ORDER), "freehold"):
        source = INCLUDE / "freehold" / f"{name.removeprefix('freehold.')}.cppm"
        run(*command, "--precompile", source, "-o", folder / f"{name}.pcm")
        run(*command, "-c", folder / f"{name}.pcm", "-o", folder / f"{name}.o")
    (folder / "main.cpp").write_text(PROGRAM)
    run(*command, folder / "main.cpp", *sorted(folder.glob("*.o")), "-o", folder / "program")
    run(folder / "program")


@pytest.mark.full
def test_a_program_imports_them(tmp_path):
    build(tmp_path, ["-std=c++20"])


@pytest.mark.full
def test_a_program_imports_the_module_of_libcxx_as_well(tmp_path):
    compiler = tool("clang++-19", "clang-19")
    options = ["-std=c++23", "-stdlib=libc++", "-DIMPORT_STD"]
    printed = run(compiler, "-stdlib=libc++", "-print-file-name=libc++.modules.json").strip()
    found = os.path.realpath(os.path.join(os.path.dirname(printed), "../share/libc++/v1/std.cppm"))
    if not os.path.exists(found):
        pytest.skip("there is no module std here: install libc++-19-dev")
    quiet = "-Wno-reserved-module-identifier"
    run(compiler, *options, quiet, "--precompile", found, "-o", tmp_path / "std.pcm")
    run(compiler, *options, "-c", tmp_path / "std.pcm", "-o", tmp_path / "std.o")
    build(tmp_path, options)
