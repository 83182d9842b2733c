"""Types are named as a reader writes them, whichever library's block houses them."""

import subprocess
import sys

import pytest

from freehold_lab import folders
from freehold_lab.owners.tables import libraries, naming

POLICY = "LN9__gnu_cxx12_Lock_policyE2EE"
BLOCKS = {
    f"St23_Sp_counted_ptr_inplaceI4NodeSaIS0_E{POLICY}": "Node",
    f"St15_Sp_counted_ptrIP4Node{POLICY}": "Node",
    f"St19_Sp_counted_deleterIP4NodeSt14default_deleteIS0_ESaIvE{POLICY}": "Node",
    f"St23_Sp_counted_ptr_inplaceISt6vectorIiSaIiEESaIS2_E{POLICY}": "std::vector<int>",
    "NSt3__120__shared_ptr_emplaceI4NodeNS_9allocatorIS1_EEEE": "Node",
    "NSt3__120__shared_ptr_pointerIP4NodeNS_14default_deleteIS1_EENS_9allocatorIS1_EEEE": "Node",
    "N5boost6detail17sp_counted_impl_pI4NodeEE": "Node",
    "N5boost6detail18sp_counted_impl_pdIP4NodeNS0_13sp_ms_deleterIS2_EEEE": "Node",
}


@pytest.mark.parametrize("mangled", BLOCKS)
def test_names_the_object_of_a_block(mangled):
    assert naming.of_object(mangled) == BLOCKS[mangled]


@pytest.mark.parametrize("mangled", BLOCKS)
def test_knows_the_layout_of_a_block(mangled):
    assert libraries.layout(mangled) is not None


@pytest.mark.parametrize(
    "mangled", ["4Node", "St6vectorIiSaIiEE", "St16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE"]
)
def test_no_other_class_is_a_block(mangled):
    assert libraries.layout(mangled) is None


@pytest.mark.parametrize(
    ("part", "houses"),
    [("ptr_inplace", True), ("ptrI", False), ("counted_deleter", False), ("emplace", True), ("ms_del", True)],
)
def test_knows_whether_the_object_is_in_the_block(part, houses):
    layouts = [libraries.layout(each) for each in BLOCKS if part in each]
    assert layouts
    assert {each.houses for each in layouts if each} == {houses}


def test_a_block_without_atomic_counts_has_them_behind_its_mutex():
    with_mutex = libraries.layout(f"St15_Sp_counted_ptrIP4Node{POLICY.replace('E2E', 'E1E')}")
    assert with_mutex is not None
    assert (with_mutex.owners, with_mutex.size) == (48, 64)


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        ("std::vector<std::shared_ptr<A>, std::allocator<std::shared_ptr<A> > >", "std::vector<std::shared_ptr<A>>"),
        ("std::map<int, B, std::less<int>, std::allocator<std::pair<int const, B> > >", "std::map<int, B>"),
        ("std::__1::unique_ptr<A, std::__1::default_delete<A> >", "std::unique_ptr<A>"),
        ("X<std::allocator<int> >", "X<std::allocator<int>>"),
    ],
)
def test_leaves_out_what_a_reader_knows(whole, short):
    assert naming.shorter(whole) == short


def test_a_name_that_is_none_stands_as_it_is():
    assert naming.readable("?!") == "?!"


def test_the_system_needs_no_tools_that_find_libraries():
    program = """
import ctypes.util
ctypes.util.find_library = lambda name: None
from freehold_lab.owners.tables import naming
print(naming.demangled_function("_ZN2ab1cEv"))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=folders.ROOT / "lab", capture_output=True, text=True)
    assert done.stdout == "ab::c()\n", done.stderr
