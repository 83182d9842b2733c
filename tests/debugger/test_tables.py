"""The tables of the debuggers have each pointer of the library."""

import re
import sys

from debugged import INCLUDE

sys.path.insert(0, str(INCLUDE / "freehold/diagnosis/debugger"))
import freehold_counts as counts
from freehold_owners import OWNERS

POINTER = re.compile(r"^class (?:[A-Z_]+ )?(\w+_ptr|traced_(?:view|local|root)) ", re.MULTILINE)


def test_each_pointer_is_in_the_table():
    headers = (
        path for layer in ("pointers", "cyclic", "traced") for path in (INCLUDE / "freehold" / layer).glob("*.hpp")
    )
    assert {name for path in headers for name in POINTER.findall(path.read_text())} == OWNERS.keys() - {"atomic"}


def test_a_word_that_two_threads_have_left_half_way_is_read_as_the_library_reads_it():
    one = counts.ONE_OWNER
    assert counts.in_word(1) == (1, 0)
    assert counts.in_word(2 * one + 5) == (3, 4)
    assert counts.in_word(-one + 1) == (0, 0)  # the last owner is leaving
    assert counts.in_word(-one + 3) == (1, 2)  # and a weak pointer may still lock the object
    assert counts.in_word(-(1 << 59) + 2) == (0, 2)
    assert counts.in_word(-(1 << 62)) == counts.IMMORTAL
    assert counts.in_biased((6 << 60) + 1, 2) == (2, 0)
    assert counts.in_biased((4 << 60) - 2 * one + 1, 4) == (1, 0)  # queued, as one of its owners
    assert counts.in_biased(one + 1, 7) == (2, 0)  # merged: one word counts
