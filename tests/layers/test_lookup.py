"""The check of calls itself, and what it says of the library."""

from __future__ import annotations

from pathlib import Path

import pytest

from freehold_lab.setup import environment
from lookup import check_lookup

ROOT = Path(__file__).parents[2]

HEADER = """
#include <utility>
namespace freehold {
template <class T> void helper(const T&) {}
template <class T> void by_name(const T& object) { CALL; }
}
"""

# What stands in a template, and the fault that it is.
CALLS = {
    "freehold::helper(object)": [],
    "(helper)(object)": [],
    "helper(1)": [],
    "std::move(object)": [],
    "intrusive_ptr_release(&object)": [],
    "helper(object)": ["helper is called unqualified"],
    "helper<T>(object)": ["helper is called unqualified"],
    "helper(*&object)": ["helper is called unqualified"],
    "[](auto& any) { helper(any); }(object)": ["helper is called unqualified"],
    "static_cast<void>(swap(object, object))": ["swap is called unqualified"],
}


@pytest.fixture(scope="module")
def clang():
    found = [compiler.path for compiler in environment.compilers() if "clang" in compiler.name]
    if not found:
        pytest.skip("there is no clang++")
    return found[0]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_others_could_answer_is_found(tmp_path, clang, call):
    header = tmp_path / "include/freehold/core/call.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER.replace("CALL", call))
    expected = [f"include/freehold/core/call.hpp:5: {fault}" for fault in CALLS[call]]
    assert check_lookup(tmp_path, clang) == expected


def test_the_library_calls_its_own_by_name(clang):
    assert check_lookup(ROOT, clang) == []
