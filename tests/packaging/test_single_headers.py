"""What ./freehold amalgamate writes is each product in one file, which a program may include beside others."""

import pytest

from consuming import CONSUMER, run
from freehold_lab import amalgamating, cli
from freehold_lab.setup import environment

PROGRAM = """
#include <freehold/memory.hpp>
#include <freehold/pointers.hpp>
int main() {
    freehold::pool_resource pool;
    return *freehold::allocate_shared<int>(freehold::resource_allocator<int, freehold::pool_resource>(&pool), 0);
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("single")
    assert not cli.main(["amalgamate", str(folder)])
    return folder


@pytest.mark.parametrize("product", amalgamating.PRODUCTS)
def test_a_file_includes_nothing_else_of_freehold(folder, product):
    lines = (folder / "freehold" / product).read_text().splitlines()
    assert not [line for line in lines if line.lstrip().startswith('#include "')]


def test_two_products_are_included_in_one_file(folder, tmp_path):
    source, program = tmp_path / "main.cpp", tmp_path / "main"
    source.write_text(PROGRAM)
    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{folder}", source, "-o", program)
    run(program)


@pytest.mark.full
@pytest.mark.parametrize("option", ["-DNDEBUG", "-DFREEHOLD_HARDENED"])
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
def test_a_program_of_several_files_is_built(compiler, option, folder, tmp_path):
    sources = [CONSUMER / "main.cpp", CONSUMER / "other.cpp"]
    options = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", option, f"-I{folder}"]
    run(compiler.path, *options, *sources, "-o", tmp_path / "program", "-pthread")
    run(tmp_path / "program")
