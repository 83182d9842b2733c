"""The layer check itself: a good small tree passes, and each kind of fault in it is found."""

from __future__ import annotations

import pytest

from arrows import check_arrows
from faults import check_faults
from guide import check_guide
from mirror import check_mirror
from resources import check_resources

GOOD = {
    "include/freehold/core/assert.hpp": "#include <cstdlib>\n",
    "include/freehold/core/platform/thread_state.hpp": "#if __has_include(<sys/single_threaded.h>)\n"
    "#include <sys/single_threaded.h>\n#endif\n",
    "include/freehold/memory/detail/chunk.hpp": '#include "../../core/assert.hpp"\n',
    "include/freehold/memory/pool.hpp": '#include "detail/chunk.hpp"\n',
    "include/freehold/pointers/linked_ptr.hpp": "#include <freehold/memory/pool.hpp>\n"
    "/*\n#include <boost/shared_ptr.hpp>\n*/\n",
    "include/freehold/freehold.hpp": '#include "core/platform/thread_state.hpp"\n#include "pointers/linked_ptr.hpp"\n',
    "include/freehold/interop/python.hpp": "#include <Python.h>\n",
    "tests/layers/exceptions.toml": '[empty]\n"docs/memory/pool.md" = "not written yet"\n'
    '[foreign]\n"include/freehold/interop/python.hpp: Python.h" = "is for Python"\n',
    "tests/unit/core/assert.cpp": "",
    "tests/unit/core/platform/thread_state.cpp": "",
    "tests/unit/memory/pool.cpp": "",
    "tests/unit/pointers/linked_ptr.cpp": "",
    "tests/unit/interop/python.cpp": "",
    "docs/core/assert.md": "",
    "docs/core/platform/thread_state.md": "",
    "docs/pointers/linked_ptr.md": "",
    "docs/interop/python.md": "",
    "lab/strategies.toml": '[strategies]\nlinked_ptr_plain = { family = "pointers" }\nraw = { family = "baseline" }\n'
    'pooled = { family = "peers" }\npool = { family = "pointers" }\n',
}

# A change to the good tree (a file's new text, or None to remove it) and the fault that it makes.
ARROW_FAULTS = {
    "an upward include": (
        {"include/freehold/core/assert.hpp": '#include "../memory/pool.hpp"\n'},
        "include/freehold/core/assert.hpp:1: core may not include memory (../memory/pool.hpp)",
    ),
    "an upward include by its full name": (
        {"include/freehold/memory/pool.hpp": "\n#  include <freehold/pointers/linked_ptr.hpp>\n"},
        "include/freehold/memory/pool.hpp:2: memory may not include pointers (freehold/pointers/linked_ptr.hpp)",
    ),
    "the umbrella from inside": (
        {"include/freehold/memory/pool.hpp": '#include "../freehold.hpp"\n'},
        "include/freehold/memory/pool.hpp:1: memory may not include freehold.hpp (../freehold.hpp)",
    ),
    "another layer's detail": (
        {"include/freehold/pointers/linked_ptr.hpp": '#include "../memory/detail/chunk.hpp"\n'},
        "include/freehold/pointers/linked_ptr.hpp:1: ../memory/detail/chunk.hpp is private to memory",
    ),
    "a third party": (
        {"include/freehold/memory/pool.hpp": "#include <boost/config.hpp>\n"},
        "include/freehold/memory/pool.hpp:1: boost/config.hpp is neither Freehold's nor the standard library's",
    ),
    "another header of that third party": (
        {"include/freehold/interop/python.hpp": "#include <Python.h>\n#include <structmember.h>\n"},
        "include/freehold/interop/python.hpp:2: structmember.h is neither Freehold's nor the standard library's",
    ),
    "a stale exception": (
        {"include/freehold/interop/python.hpp": ""},
        "tests/layers/exceptions.toml: include/freehold/interop/python.hpp: Python.h is no longer an exception",
    ),
    "a file outside include/": (
        {"include/freehold/memory/pool.hpp": '#include "../../../lab/probes/strategy.hpp"\n'},
        "include/freehold/memory/pool.hpp:1: "
        "../../../lab/probes/strategy.hpp is neither Freehold's nor the standard library's",
    ),
    "an unguarded header of the system": (
        {"include/freehold/core/platform/thread_state.hpp": "#if 1\n#endif\n#include <sys/single_threaded.h>\n"},
        "include/freehold/core/platform/thread_state.hpp:3: "
        "sys/single_threaded.h is a header of the system and needs an #if",
    ),
    "a new folder": (
        {"include/freehold/extras/any.hpp": ""},
        "include/freehold/extras/any.hpp: extras is not a layer",
    ),
    "a header that the umbrella lacks": (
        {"include/freehold/memory/stack.hpp": ""},
        "include/freehold/freehold.hpp: does not bring memory/stack.hpp",
    ),
    "interop in the umbrella": (
        {"include/freehold/freehold.hpp": GOOD["include/freehold/freehold.hpp"] + '#include "interop/pmr.hpp"\n'},
        "include/freehold/freehold.hpp:3: freehold.hpp may not include interop (interop/pmr.hpp)",
    ),
}

MIRROR_FAULTS = {
    "a missing test": (
        {"tests/unit/core/assert.cpp": None},
        "include/freehold/core/assert.hpp: tests/unit/core/assert.cpp is missing",
    ),
    "a missing page": (
        {"docs/pointers/linked_ptr.md": None},
        "include/freehold/pointers/linked_ptr.hpp: docs/pointers/linked_ptr.md is missing",
    ),
    "a strategy of no header": (
        {"lab/strategies.toml": GOOD["lab/strategies.toml"] + 'linked_pointer = { family = "pointers" }\n'},
        "lab/strategies.toml: linked_pointer is named after no header of pointers",
    ),
    "a strategy of a layer above": (
        {"lab/strategies.toml": '[strategies]\nlinked_ptr = { family = "memory" }\n'},
        "lab/strategies.toml: linked_ptr is named after no header of memory",
    ),
    "a stale exception": (
        {"docs/memory/pool.md": ""},
        "tests/layers/exceptions.toml: docs/memory/pool.md is no longer an exception",
    ),
}


@pytest.fixture
def problems(tmp_path):
    """Returns what a check says of the good tree with some changes."""

    def of(check, changes):
        for name, text in (GOOD | changes).items():
            if text is not None:
                path = tmp_path / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return check(tmp_path)

    return of


@pytest.mark.parametrize("check", [check_arrows, check_mirror])
def test_a_good_tree_passes(problems, check):
    assert problems(check, {}) == []


@pytest.mark.parametrize("fault", ARROW_FAULTS)
def test_a_fault_in_the_arrows_is_found(problems, fault):
    changes, line = ARROW_FAULTS[fault]
    assert line in problems(check_arrows, changes)


@pytest.mark.parametrize("fault", MIRROR_FAULTS)
def test_a_fault_in_the_mirror_is_found(problems, fault):
    changes, line = MIRROR_FAULTS[fault]
    assert problems(check_mirror, changes) == [line]


GUIDE = "`include/freehold/core/assert.hpp`, `tests/unit/LAYER/`, `build/NAME`, `detail::f(x)`\n"
FAULTS = "| | fault | noticed by |\n|---|---|---|\n| 1 | one | `suite.test` |\n| 2 | two | `suite.test` |\n"
TEST = {"tests/unit/core/assert.cpp": "TEST(suite, test) {}\n"}


@pytest.mark.parametrize(
    ("guide", "found"),
    [
        (GUIDE, []),
        (GUIDE + "`lab/strategy.hpp`", ["CONTRIBUTING.md: lab/strategy.hpp does not exist"]),
        (GUIDE.replace("tests/unit/", "tests/all/"), ["CONTRIBUTING.md: tests/unit/ is not told"]),
    ],
)
def test_the_guide_names_what_there_is(problems, guide, found):
    assert problems(check_guide, {"CONTRIBUTING.md": guide + "`tests/layers/`"}) == found


@pytest.mark.parametrize(
    ("faults", "found"),
    [
        (FAULTS, []),
        (FAULTS + FAULTS.splitlines()[-1], ["tests/faults.md: there are 2 faults of the number 2"]),
        (FAULTS.replace("suite.test", "suite.other"), ["tests/faults.md: suite.other does not exist"]),
    ],
)
def test_faults_have_numbers_of_their_own_and_tests(problems, faults, found):
    assert problems(check_faults, TEST | {"tests/faults.md": faults}) == found


PLACES = """
## Adding a memory resource
| place | |
|---|---|
| `tests/unit/memory/NAME.cpp` | `other/NAME.cpp` |
| `docs/memory/README.md`, `CHANGELOG.md` | |

| `lab/NAME.hpp` | |
## Another
"""
RESOURCE = {
    "CONTRIBUTING.md": PLACES,
    "include/freehold/memory/pool_resource.hpp": "",
    "tests/unit/memory/pool_resource.cpp": "",
    "docs/memory/README.md": "`pool_resource`",
    "CHANGELOG.md": "pool_resource",
}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"tests/unit/memory/pool_resource.cpp": None}, "tests/unit/memory/pool_resource.cpp is missing"),
        ({"CHANGELOG.md": "other_pool_resource"}, "CHANGELOG.md does not name pool_resource"),
        ({"CHANGELOG.md": None}, "CHANGELOG.md does not name pool_resource"),
        ({"CONTRIBUTING.md": "## Another"}, "CONTRIBUTING.md: no table says where a memory resource goes"),
    ],
)
def test_a_memory_resource_is_in_every_place_that_the_guide_names(problems, changes, found):
    header = "include/freehold/memory/pool_resource.hpp: "
    line = found if not found or found.startswith("CONTRIBUTING") else header + found
    assert problems(check_resources, RESOURCE | changes) == ([line] if line else [])
