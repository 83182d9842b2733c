"""How much code the operations of a shared_ptr leave in a user's function, but for what is out of the way."""

import platform
import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"

PROGRAM = """\
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <new>
using owner = freehold::shared_ptr<int>;
struct node : freehold::enable_shared_from_this<node> {};
extern "C" {
void copy(void* place, const owner& from) { ::new (place) owner(from); }
void release(owner* from) { from->~owner(); }
void lock(void* place, const freehold::weak_ptr<int>& from) { ::new (place) owner(from.lock()); }
void make(void* place) { ::new (place) owner(freehold::make_shared<int>(1)); }
void share(void* place, node& object) { ::new (place) freehold::shared_ptr<node>(object.shared_from_this()); }
}
"""

# In bytes, with all that std::shared_ptr would not do: the test for one thread, the pool's list of free blocks, and the
# countdown of the heap profile.
AT_MOST = {
    "g++": {"copy": 60, "release": 105, "lock": 90, "make": 85, "share": 95},
    "clang++": {"copy": 60, "release": 90, "lock": 90, "make": 100, "share": 100},
}


# The releases of an owner beside others: neither is one of a weak pointer, which needs the value that it leaves.
RELEASES = """\
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/shared_ptr.hpp>
struct counted : freehold::ref_counted<counted> {};
extern "C" {
void release_shared(freehold::shared_ptr<int>* from) { from->~shared_ptr(); }
void release_intrusive(freehold::intrusive_ptr<counted>* from) { from->~intrusive_ptr(); }
}
"""


@pytest.fixture(scope="module", params=environment.compilers(), ids=lambda compiler: compiler.name)
def sizes(request, tmp_path_factory):
    """The family of the compiler, and the size of each function in .text, without what is cold."""
    directory = tmp_path_factory.mktemp("code_size")
    source, output = directory / "operations.cpp", directory / "operations.o"
    source.write_text(PROGRAM)
    options = ["-std=c++20", "-O2", "-DNDEBUG", f"-I{INCLUDE}", "-c", source, "-o", output]
    subprocess.run([request.param.path, *options], check=True)
    with output.open("rb") as stream:
        tables = (s for s in ELFFile(stream).iter_sections() if isinstance(s, SymbolTableSection))
        found = {symbol.name: symbol["st_size"] for table in tables for symbol in table.iter_symbols()}
    return "clang++" if "clang" in request.param.name else "g++", found


@pytest.mark.parametrize("operation", AT_MOST["g++"])
def test_an_operation_leaves_little_code(sizes, operation):
    family, found = sizes
    assert 0 < found[operation] <= AT_MOST[family][operation]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads the instructions of x86-64")
@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: compiler.name)
@pytest.mark.parametrize("release", ["release_shared", "release_intrusive"])
def test_a_locked_release_tests_the_sign_flag_and_fetches_no_value(tmp_path, compiler, release):
    source, output = tmp_path / "releases.cpp", tmp_path / "releases.s"
    source.write_text(RELEASES)
    options = ["-std=c++20", "-O2", "-DNDEBUG", f"-I{INCLUDE}", "-S", source, "-o", output]
    subprocess.run([compiler.path, *options], check=True)
    function = re.search(rf"^{release}:.*?^\s+\.size\s+{release},", output.read_text(), re.M | re.S)[0]
    locked = re.findall(r"\block\b[;\s]*(\w+)", function)
    assert locked
    assert not any("xadd" in instruction for instruction in locked)
