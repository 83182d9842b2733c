"""gdb shows each owner with its counts and its object, and calls its functions, also in a core file."""

import re

import pytest

from debugged import HERE, answers, gdb

# Each owner in owners.cpp: its type, the value of its object, and a vector of it.
OWNERS = {
    "shared": ("shared_ptr<node>", 1, ""),
    "adopted": ("shared_ptr<node>", 2, "shareds"),
    "immortal": ("shared_ptr<node>", 8, ""),
    "aligned": ("shared_ptr<wide>", 7, ""),
    "made_mutable": ("shared_ptr<node>", 19, ""),
    "local": ("local_shared_ptr<node>", 3, "locals"),
    "biased": ("biased_shared_ptr<node>", 4, "biaseds"),
    "biased_elsewhere": ("biased_shared_ptr<node>", 4, ""),
    "sharded": ("sharded_shared_ptr<node>", 5, "shardeds"),
    "thin": ("thin_ptr<node>", 6, "thins"),
    "thin_wide": ("thin_ptr<wide>", 7, ""),
    "local_thin": ("local_thin_ptr<node>", 9, ""),
    "intrusive": ("intrusive_ptr<node>", 10, "intrusives"),
    "linked": ("linked_ptr<node>", 11, "linkeds"),
    "managed": ("managed_ptr<node>", 12, ""),
    "managed_share": ("managed_ptr<node>", 1, ""),
    "cyclic": ("cyclic_ptr<cyclic_node>", 14, "cyclics"),
    "parent": ("parent_ptr<cyclic_node>", 14, "parents"),
    "concurrent": ("concurrent_cyclic_ptr<shared_cyclic_node>", 15, "concurrents"),
    "traced_local": ("traced_local<traced_node>", 16, ""),
    "traced_root": ("traced_root<traced_node>", 16, "traced_roots"),
    "traced_local->next": ("traced_ptr<traced_node>", 17, ""),
    "borrowed": ("borrowed_ptr<node>", 1, "borroweds"),
    "snapshot": ("snapshot_ptr<node>", 1, "snapshots"),
}
# What owns nothing has no operators, but is printed.
OBSERVERS = {
    "weak": ("weak_ptr<node>", 1),
    "local_weak": ("local_weak_ptr<node>", 3),
    "cyclic_weak": ("cyclic_weak_ptr<cyclic_node>", 14),
    "concurrent_weak": ("concurrent_cyclic_weak_ptr<shared_cyclic_node>", 15),
    "traced_weak": ("traced_weak_ptr<traced_node>", 16),
    "atomic": ("atomic_shared_ptr<node>", 1),
}
UNCOUNTED = ["traced_local", "traced_root", "traced_local->next"]  # nobody counts their owners
NOT_WATCHED = ["borrowed"]  # with NDEBUG

OPTIMIZED_AWAY = ("<optimized out>", "<variable not available>")

QUESTIONS = [f"print {name}" for name in [*OWNERS, *OBSERVERS]]
QUESTIONS += [f"print {form}" for name in OWNERS for form in (f"*{name}", f"{name}->value", f"{name}.get()->value")]
QUESTIONS += [f"print {name}.use_count()" for name in [*OWNERS, *OBSERVERS]]
QUESTIONS += [f"print {form}" for *_, each in OWNERS.values() if each for form in (each, f"{each}[0]->value")]
QUESTIONS += [
    f"print {name}" for name in ("empty", "expired", "cyclic_expired", "dangling", "gone", "alias", "array", "manageds")
]
QUESTIONS += ["print array[1]", "print weak.expired()", "print expired.expired()"]
TYPES = {
    "*shared": "node",
    "shared->value": "int",
    "shared.get()": r"node \*",
    "shared.use_count()": "long",
    "weak.expired()": "bool",
    "array[1]": "int",
    "intrusives[0]->next": "freehold::.*shared_ptr<node.*>",
}
QUESTIONS += [f"whatis {expression}" for expression in TYPES]
RESOURCES = {
    "pool": r"pool_resource \(131072 bytes in slabs, \d+ of them spare, 40000 bytes in 1 large blocks\)",
    "monotonic": r"monotonic_resource \(\d+ bytes in chunks, \d+ left in the current one, 0 bytes in 0 large blocks\)",
    "counting": r"counting_resource \(196 bytes in 2 live blocks, 196 bytes at the peak, 2 allocations\)",
    "limiting": r"limiting_resource \(96 of 4096 bytes allocated\)",
    "stack": r"stack_resource \(0 bytes in chunks, 0 left in the current one\)",
    "concurrent_pool": r"concurrent_pool_resource \(0 bytes in slabs, 0 of them spare, 0 bytes in 0 large blocks\)",
    "pages": r"page_cache \(0 bytes in use, 0 idle\)",
    "region": r"region_resource \(0 bytes in slabs, 0 of them spare, 0 bytes in 0 large blocks\)",
    "heap": r"traced_heap \(\d{5,} bytes in chunks, 0 of live objects at the last collection\)",
    "heap_of_threads": r"shared_traced_heap \(0 bytes in chunks, 0 of live objects at the last collection\)",
    "run_length": r"run_length_resource \(0 bytes in slabs, 0 of them spare, 0 bytes in 0 large blocks\)",
}
QUESTIONS += [f"print {name}" for name in RESOURCES]
COMMANDS = {
    "freehold owners shared": r"freehold::shared_ptr<node> \(4 owners, \d weak pointers?\)",
    "freehold owners &shared->value": r"object_block of node at 0x\w+: 4 owners, \d weak pointers?",
    "freehold owners adopted.handle_.word_": r"pointer_block of node\s?\* at 0x\w+: 3 owners, 0 weak pointers",
    "freehold owners array.get()": r"array_block of int at 0x\w+: 1 owner, 0 weak pointers",
    "freehold owners biased.get()": r"object_block of node at 0x\w+: 4 owners, 0 weak pointers",
    "freehold owners sharded.get()": r"object_block of node at 0x\w+: 3 owners, 0 weak pointers",
    "freehold owners &cyclic->value": r"cyclic_object of cyclic_node at 0x\w+: 3 owners",
    "freehold owners &counting": r"0x\w+ is in no block of Freehold",
    "freehold owners numbers": r"error: numbers is neither an owner of Freehold nor an address",
    "freehold owners nobody": r'error: No symbol "nobody" in current context\.',
    "freehold owners": r"error: an expression is missing",
    "freehold resource abstract": r"freehold::limiting.*\nfreehold::counting.*\nfreehold::monotonic.*\n"
    r"freehold::pool_resource.*\nfreehold::page_cache .*",
    "freehold heap": r"\d+ bytes in slabs, \d+ of them spare(\n +\d+ bytes a block: \d+ slabs? of 64 KiB)+",
}
QUESTIONS += [*COMMANDS, "freehold resource heap", "freehold resource heap_of_threads"]


class Session:
    """What gdb has answered, and what the program has printed of itself."""

    def __init__(self, answered, printed, build):
        self.answered, self.build = answered, build
        self.owners = dict(re.findall(r"^(\w+) (\d+)$", printed, re.MULTILINE))

    def says(self, question, name=""):
        seen = [self.answered.get(each, "") for each in (question, f"print {name}", f"frame variable {name}")]
        if not self.build.is_checked and any(gone in each for each in seen for gone in OPTIMIZED_AWAY):
            pytest.skip("the compiler has optimized it away")
        return re.sub(r"^\$\d+ = ", "", self.answered[question])


@pytest.fixture(scope="session")
def sessions(build, owners, place):
    """The program while it is stopped, and the core file of that moment."""
    ask = [f"source {HERE / 'look_gdb.py'}", f"python show({QUESTIONS!r})"]

    def look(live):
        core = live.with_name("gdb.core")
        live.write_text(gdb("break at_this_point", "run", *ask, f"generate-core-file {core}", program=owners))
        core.with_suffix(".dead").write_text(gdb(f"core-file {core}", *ask, program=owners))
        core.unlink()

    live = place.once("gdb.live", look).read_text()
    dead = (place.path / "gdb.dead").read_text()
    return {"live": Session(answers(live), live, build), "core": Session(answers(dead), live, build)}


@pytest.fixture(params=["live", "core"])
def session(request, sessions):
    return sessions[request.param]


def counts_of(session, name):
    """Returns the pattern of the counts in parentheses."""
    if name in UNCOUNTED or (name in NOT_WATCHED and not session.build.is_checked) or name == "traced_weak":
        return ""
    if name == "immortal":
        return r" \(immortal\)"
    owners = session.owners.get(name, r"\d+")
    return rf" \({owners} owners?(, \d+ weak pointers?)?\)"


@pytest.mark.parametrize("name", [*OWNERS, *OBSERVERS])
def test_an_owner_is_printed_with_its_counts_and_its_object(session, name):
    kind, value, *_ = (OWNERS | OBSERVERS)[name]
    expected = (
        rf"freehold::{re.escape(kind)}{counts_of(session, name)} to \{{.*\bvalue = {value}\b.*\}} = {{get\(\) = 0x"
    )
    assert re.match(expected, session.says(f"print {name}", name))


@pytest.mark.parametrize("name", OWNERS)
def test_an_owner_is_dereferenced(session, name):
    value = OWNERS[name][1]
    assert re.search(rf"\bvalue = {value}\b", session.says(f"print *{name}", name))
    assert session.says(f"print {name}->value") == str(value)
    assert session.says(f"print {name}.get()->value") == str(value)


@pytest.mark.parametrize(
    "name", [name for name in [*OWNERS, *OBSERVERS] if name not in [*UNCOUNTED, "traced_weak", "atomic"]]
)
def test_the_owners_are_those_that_the_library_counts(session, name):
    if name in NOT_WATCHED and not session.build.is_checked:
        pytest.skip("with NDEBUG it knows no count")
    counted = session.says(f"print {name}.use_count()", name)
    assert counted.isdecimal() and counted == session.owners.get(name, counted)


@pytest.mark.parametrize("name", [name for name, (*_, vector) in OWNERS.items() if vector])
def test_the_elements_of_a_vector_are_shown(session, name):
    kind, value, vector = OWNERS[name]
    shown = session.says(f"print {vector}")
    assert re.match(
        rf"std::vector of length [12], .* = \{{freehold::{re.escape(kind)}.* to \{{.*value = {value}\b", shown
    )
    assert session.says(f"print {vector}[0]->value") == str(value)


@pytest.mark.parametrize("expression", TYPES)
def test_an_expression_has_its_type(session, expression):
    assert re.fullmatch(f"type = {TYPES[expression]}", session.says(f"whatis {expression}", expression.split("[")[0]))


def test_what_has_no_object_says_so(session):
    assert session.says("print empty") == "freehold::shared_ptr<node> (empty) = {get() = 0x0}"
    assert re.match(r"freehold::weak_ptr<node> \(expired, 1 weak pointer\)", session.says("print expired"))
    assert re.match(r"freehold::cyclic_weak_ptr<cyclic_node> \(expired", session.says("print cyclic_expired"))
    assert re.match(r"freehold::parent_ptr<cyclic_node> \(expired\) =", session.says("print gone"))
    assert session.says("print weak.expired()") == "false"
    assert session.says("print expired.expired()") == "true"
    if session.build.is_checked:
        assert re.match(r"freehold::borrowed_ptr<node> \(expired", session.says("print dangling"))


def test_aliases_and_arrays_are_owners_too(session):
    assert re.match(r"freehold::shared_ptr<int> \(4 owners, \d weak pointers?\) to 1 =", session.says("print alias"))
    assert re.match(r"freehold::shared_ptr<int ?\[\]> \(1 owner, 0 weak pointers\)", session.says("print array"))
    assert " to [0] = 30 = {get() = 0x" in session.says("print array")
    assert session.says("print array[1]") == "30"
    assert "managed_ptr<node> (empty)" in session.says("print manageds")


@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_a_line(session, name):
    assert re.fullmatch(f"freehold::{RESOURCES[name]}", session.says(f"print {name}", name))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers(session, command):
    assert re.fullmatch(COMMANDS[command], session.says(command))


def test_a_heap_of_traced_objects_answers_as_a_resource(session):
    for name in ("heap", "heap_of_threads"):
        said = session.says(f"freehold resource {name}", name)
        assert re.fullmatch(r"freehold::(shared_)?traced_heap \(\d+ bytes in chunks, .*", said)


def test_step_passes_over_the_library_and_freehold_step_goes_through_it(build, owners):
    if not build.is_checked:
        pytest.skip("optimized code has no lines to step through")
    lines = (HERE / "owners.cpp").read_text().splitlines()
    calls = ("    auto p = freehold::make_shared<node>(20);", "    const int value = value_of(p);", "    p.reset();")
    breaks = [f"break owners.cpp:{1 + lines.index(call)}" for call in calls]
    steps = ["run", "freehold step", "continue", "step", "continue", "freehold step"]
    seen = gdb(*breaks, *steps, program=owners)
    assert re.search(r"^#0 .*node::node \(this=0x\w+, v=20\)", seen, re.MULTILINE)
    assert re.search(r"^value_of \(p=.*\) at .*\n.*return p->value;", seen, re.MULTILINE)
    assert re.search(r"^#0 .*node::~node", seen, re.MULTILINE)


def test_what_is_not_constructed_yet_does_no_harm(build, owners):
    if not build.is_checked:
        pytest.skip("only one build needs to be looked at")
    garbage = "set {unsigned long[8]}&%s = {1001, 1003, 1005, 1007, 1009, 1011, 1013, 1015}"
    names = [*OWNERS, "weak", "cyclic_weak", "monotonic", "stack", "pool"]
    names.remove("traced_local->next")
    told = [word for name in names for word in (garbage % name, f"print {name}")]
    seen = gdb("break main", "run", *told, program=owners)
    assert seen.count("= {get() = ") + seen.count("unreadable") + seen.count("_resource (") >= len(names) - 2
    assert "Python" not in seen
