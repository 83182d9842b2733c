"""The count of what only GNU compilers understand, itself."""

from __future__ import annotations

import pytest

from arrows import LIBRARY
from gnu import MOST, check_gnu, constructs


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("[[gnu::cold, gnu::noinline]] void f();", {"attribute gnu::": 2}),
        ("// gnu::cold", {}),
        ("int x = __builtin_expect(1, 1);", {"__builtin_": 1}),
        ('asm(""); __asm__ volatile("");', {"assembly": 2}),
        ("__atomic_load_n(p, 0);", {"__atomic_": 1}),
        ("int asm_;", {}),
    ],
)
def test_constructs_are_counted(code, found):
    assert constructs(code) == found


def test_one_more_is_refused_but_for_the_places_that_may(tmp_path):
    library = tmp_path / LIBRARY
    for name in ("core/config.hpp", "memory/use.hpp"):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text("[[gnu::cold]] void f();\n" * (MOST["attribute gnu::"] + (name[0] == "m")))
    (problem,) = check_gnu(tmp_path)
    assert "attribute gnu::" in problem
