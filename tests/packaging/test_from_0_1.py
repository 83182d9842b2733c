"""packaging/from-0.1.sed moves a program that was written for version 0.1."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "from-0.1.sed"

PROGRAM = """
#include <freehold/collection/borrowed.hpp>
#include <freehold/collection/cycle_collector.hpp>
#include <freehold/collection/cyclic_heap.hpp>
#include <freehold/collection/cyclic_ptr.hpp>
#include <freehold/collection/cyclic_weak_ptr.hpp>
#include <freehold/collection/diagnosis.hpp>
#include <freehold/collection/ephemeron.hpp>
#include <freehold/collection/local.hpp>
#include <freehold/collection/persistent.hpp>
#include <freehold/collection/shared_cyclic_ptr.hpp>
#include <freehold/collection/shared_cyclic_weak_ptr.hpp>
#include <freehold/collection/trace.hpp>
#include <freehold/collection/traced_heap.hpp>
#include <freehold/collection/traced_ptr.hpp>
#include <freehold/collection/traced_weak_ptr.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/make_shared_cyclic.hpp>

struct node {
    freehold::traced_ptr<node> next;
};

struct shared_node {
    freehold::shared_cyclic_ptr<shared_node> next;
};

struct shape : freehold::ref_counted<shape> {};

struct self_aware {
    freehold::weak_ptr<self_aware> self;
};

int length(freehold::borrowed<const node> list) { return list ? 1 + length(list->next) : 0; }

int main() {
    freehold::traced_heap heap({.young_bytes = 1 << 20,
                                .most_young_bytes = 1 << 21,
                                .growth = 3,
                                .least_full_bytes = 1 << 20,
                                .observer = [](const freehold::traced_collection&) {}});
    freehold::local<node> list = heap.make<node>();
    freehold::persistent<node> kept = heap.make_borrowed<node>();
    freehold::cycle_collector::set_observer(nullptr);
    freehold::cyclic_heap shared;
    const freehold::cyclic_heap::session session(shared);
    freehold::shared_cyclic_ptr<shared_node> owner = shared.make<shared_node>();
    freehold::shared_cyclic_weak_ptr<shared_node> weak = owner;
    const auto aware = freehold::make_shared_cyclic<self_aware>(
        [](const freehold::weak_ptr<self_aware>& self) { return self_aware{self}; });
    const freehold::shared_ptr<shared_node> root = freehold::shared_root(owner);
    return length(list) + length(kept) + (weak.expired() ? 1 : 0) + (aware->self.expired() ? 1 : 0) - 2;
}
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.cpp"
    path.write_text(PROGRAM)
    return path


def compile_and_run(program):
    compiler = shutil.which("g++")
    assert compiler
    executable = program.with_suffix("")
    command = [compiler, "-std=c++20", "-isystem", ROOT / "include", program, "-o", executable, "-pthread"]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode != 0:
        return compiled.stderr
    return f"exit {subprocess.run([executable]).returncode}"


def test_a_program_of_0_1_no_longer_compiles_as_it_is(program):
    assert "error:" in compile_and_run(program)


def test_the_script_moves_a_program_of_0_1(program):
    subprocess.run(["sed", "-E", "-i", "-f", SCRIPT, program], check=True)
    assert compile_and_run(program) == "exit 0"


def test_the_moved_program_includes_nothing_by_its_old_path(program):
    subprocess.run(["sed", "-E", "-i", "-f", SCRIPT, program], check=True)
    assert "collection/" not in program.read_text()

    assert "make_shared_cyclic" not in program.read_text()


# What was brought by the header of something else, and how the script includes it now.
BROUGHT = {
    "pointers/intrusive_ptr.hpp": ("ref_counted<shape>", ["pointers/ref_counted.hpp"]),
    "collection/cyclic_ptr.hpp": ("shared_root(owner)", ["cyclic/cyclic_ptr.hpp", "interop/shared_root.hpp"]),
    "collection/shared_cyclic_ptr.hpp": (
        "shared_root(owner)",
        ["cyclic/concurrent_cyclic_ptr.hpp", "interop/shared_root.hpp"],
    ),
    "freehold.hpp": ("who_owns(p)", ["freehold.hpp", "diagnosis/diagnosis.hpp"]),
}


@pytest.mark.parametrize("header", BROUGHT)
def test_the_script_includes_what_a_header_no_longer_brings(program, header):
    use, expected = BROUGHT[header]
    program.write_text(f"#include <freehold/{header}>\n\nfreehold::{use};\n")
    for _ in range(2):  # the second time changes nothing
        subprocess.run(["sed", "-E", "-i", "-f", SCRIPT, program], check=True)
    includes = "".join(f"#include <freehold/{name}>\n" for name in expected)
    assert program.read_text() == f"{includes}\nfreehold::{use};\n"


@pytest.mark.parametrize(
    "text",
    [
        "int local = 1; std::vector<persistent> borrowed;\n",
        "bool idle = my.observer == nullptr && tree.growth ==\n1;\n",
        "#include <freehold/freehold.hpp>\n#include <freehold/interop/shared_root.hpp>\nfreehold::shared_root(p);\n",
    ],
)
def test_the_script_leaves_other_names_alone(program, text):
    program.write_text(text)
    subprocess.run(["sed", "-E", "-i", "-f", SCRIPT, program], check=True)
    assert program.read_text() == text
