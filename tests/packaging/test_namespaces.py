"""The inline namespace: two versions live in one process, a mixture of them does not link, and <freehold/fwd.hpp>
declares what its names say."""

import re
import shutil
import subprocess

import pytest

from consuming import ROOT, VERSION, run

OURS = "v" + "_".join(VERSION.split(".")[:2])
OTHER = "v9_9"

PART = """
#include <freehold/freehold.hpp>
int PART() {
    const freehold::local_shared_ptr<int> one = freehold::make_local_shared<int>(1);
    freehold::traced_heap heap;
    freehold::pool_resource pool;
    const freehold::resource_allocator<int, freehold::pool_resource> allocator(&pool);
    const auto other = freehold::allocate_shared<int>(allocator, 1);
    return *one + *freehold::make_shared<int>(1) + *freehold::make_cyclic<int>(1) + *heap.make<int>(1) + *other;
}
"""
BOTH = "int ours(); int others(); int main() { return ours() + others() - 10; }"

GIVES = "#include <freehold/pointers.hpp>\nvoid take(freehold::shared_ptr<int>) {}"
TAKES = "#include <freehold/fwd.hpp>\n#include <freehold/pointers.hpp>\n" + (
    "void take(freehold::shared_ptr<int>);\nint main() { take(freehold::make_shared<int>(1)); }"
)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The headers of another version."""
    folder = tmp_path_factory.mktemp("other") / "include"
    shutil.copytree(ROOT / "include", folder)
    for header in folder.rglob("*.hpp"):
        text = header.read_text()
        header.write_text(text.replace(OURS, OTHER))
    return folder


def compiled(folder, name, text, include):
    (folder / f"{name}.cpp").write_text(text)
    compiled_file = folder / f"{name}.o"
    run("g++", "-std=c++20", "-Wall", "-Werror", f"-I{include}", "-c", folder / f"{name}.cpp", "-o", compiled_file)
    return compiled_file


def test_each_header_has_the_namespace_of_the_version():
    for header in sorted((ROOT / "include/freehold").rglob("*.hpp")):
        opened = re.findall(r"^namespace freehold\b.*", header.read_text(), re.MULTILINE)
        assert all(line.startswith(f"namespace freehold::inline {OURS}") for line in opened), header


@pytest.mark.full
def test_two_versions_live_in_one_process(tmp_path, other):
    ours = compiled(tmp_path, "ours", PART.replace("PART", "ours"), ROOT / "include")
    others = compiled(tmp_path, "others", PART.replace("PART", "others"), other)
    run("g++", ours, others, compiled(tmp_path, "main", BOTH, other), "-o", tmp_path / "program")
    run(tmp_path / "program")


@pytest.mark.full
def test_a_mixture_of_versions_does_not_link(tmp_path, other):
    objects = [compiled(tmp_path, "gives", GIVES, ROOT / "include"), compiled(tmp_path, "takes", TAKES, other)]
    done = subprocess.run(["g++", *objects, "-o", tmp_path / "program"], capture_output=True, text=True)
    assert re.search(r"undefined reference to `take\(freehold::v9_9::shared_ptr", done.stderr)


def test_what_is_declared_forward_is_what_is_defined(tmp_path):
    """Each class and alias of fwd.hpp is used incomplete, and complete once all is included."""
    text = (ROOT / "include/freehold/fwd.hpp").read_text()
    public = re.sub(r"namespace detail \{.*?\n\}", "", text, flags=re.DOTALL)
    templates = re.findall(r"^template <class T\b[^>]*(?:<T>)?>\n(?:class|struct|using) (\w+)", public, re.MULTILINE)
    plain = re.sub(r"^template.*\n.*", "", public, flags=re.MULTILINE)
    classes = re.findall(r"^(?:class|struct|using) (\w+)(?:;| =)", plain, re.MULTILINE)
    assert len(templates) > 20 and len(classes) > 20
    templates.remove("resource_allocator")  # has no default argument there: a program may leave <memory_resource> out
    names = [f"freehold::{name}<incomplete>" for name in templates] + [f"freehold::{name}" for name in classes]
    source = "#include <freehold/fwd.hpp>\nstruct incomplete;\n"
    source += "".join(f"void use(const {name}&);\n" for name in names)
    source += "#include <freehold/freehold.hpp>\nstruct complete { void trace(auto&&) const {} };\n"
    source += "".join(f"static_assert(sizeof({name.replace('incomplete', 'complete')}) > 0);\n" for name in names)
    compiled(tmp_path, "forward", source, ROOT / "include")
