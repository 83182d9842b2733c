"""The list of strategies, and choosing from it."""

import subprocess

import pytest

from fakes import program
from freehold_lab import catalogue, folders
from freehold_lab.errors import LabError
from freehold_lab.model import Compiler
from freehold_lab.workloads import FAMILIES, POINTERS, PROGRAMS, REFERENCES, SEVERAL_THREADS, TIMELINES, WORKLOADS

COPIED = [each for each in POINTERS if each in FAMILIES["cyclic"] or each == "observers"]
PROGRAMS_ALONE = [each for each in PROGRAMS if each not in SEVERAL_THREADS]
GXX = Compiler(name="g++-12", path="/nowhere/g++", version="12.2.0", flags="")


@pytest.fixture
def entries():
    return catalogue.read()


@pytest.fixture
def listed(tmp_path):
    """Writes a list of strategies and reads it."""

    def read(line):
        path = tmp_path / "strategies.toml"
        path.write_text(f"[strategies]\n{line}\n")
        return catalogue.read(path)

    return read


def test_the_order_is_that_of_the_file(entries):
    names = [entry.name for entry in entries]
    assert names[:2] == ["raw", "dumb"] and REFERENCES["operations"] in names


def test_every_strategy_is_in_the_list(entries):
    headers = (folders.PROBES / "strategies").glob("*/*.hpp")
    assert {header.stem for header in headers if "struct strategy" in header.read_text()} <= {
        each.name for each in entries
    }


def test_a_planned_strategy_says_so_and_needs_no_file(listed):
    (future,) = listed('future_ptr = { family = "pointers", label = "future", status = "planned" }')
    assert (future.strategy([GXX]).status, future.strategy([GXX]).note) == ("planned", "not built yet")


def test_a_missing_peer_says_what_to_install(entries):
    (boost,) = (entry for entry in entries if entry.name == "boost_shared_ptr")
    assert (boost.strategy([GXX]).status, boost.strategy([GXX]).note) == ("missing", "install libboost-dev")


def test_a_missing_collector_says_what_to_install(entries, monkeypatch):
    monkeypatch.setattr(catalogue.environment, "finds_includes", lambda *_: False)
    (boehm,) = (entry for entry in entries if entry.name == "uncounted_boehm")
    assert (boehm.strategy([GXX]).status, boehm.strategy([GXX]).note) == ("missing", "install libgc-dev")


def test_a_strategy_takes_part_in_every_workload_unless_its_line_says_otherwise(entries):
    strategies = {entry.name: entry.strategy([GXX]) for entry in entries}
    assert [w for w in WORKLOADS if strategies["cyclic_ptr"].takes_part(w)] == COPIED
    assert [w for w in WORKLOADS if strategies["mimalloc"].takes_part(w)] == [*FAMILIES["allocators"], *TIMELINES]
    assert [w for w in WORKLOADS if strategies["managed_ptr"].takes_part(w)] == [
        "instantiation",
        "binary-trees",
        "code-size",
        "data-size",
    ]
    assert [w for w in WORKLOADS if strategies["rust_arc"].takes_part(w)] == [
        "operations",
        "instantiation",
        "observers",
        "contended",
        "queens",
        "binary-trees",
        "actors",
    ]
    assert [w for w in WORKLOADS if strategies["ocaml"].takes_part(w)] == [
        each for each in PROGRAMS if each != "shared-graph"
    ]
    assert [w for w in WORKLOADS if strategies["raw"].takes_part(w)] == list(FAMILIES["baseline"])
    assert [w for w in WORKLOADS if strategies["traced_ptr"].takes_part(w)] == PROGRAMS_ALONE
    assert [w for w in WORKLOADS if strategies["uncounted_stack"].takes_part(w)] == ["queens", "binary-trees"]


def test_observers_are_for_those_with_weak_pointers(entries):
    assert {entry.name for entry in entries if entry.takes_part(["observers"])} == {
        *("shared_ptr", "local_shared_ptr", "biased_shared_ptr", "sharded_shared_ptr"),
        *("cyclic_ptr", "concurrent_cyclic_ptr"),
        *("std_shared_ptr", "boost_make_shared", "rust_arc", "rust_rc"),
    }


def test_pointers_that_threads_replace_are_compared_with_the_standard_library_s(entries):
    compared = catalogue.select(entries, ["atomic_shared_ptr"])
    references = ["std_shared_ptr", "std_atomic_shared_ptr", "std_containers_mutex"]
    assert [entry.name for entry in compared] == ["atomic_shared_ptr", *references]


def test_rings_are_for_those_that_collect_cycles_or_leave_them_open(entries):
    assert {entry.name for entry in entries if entry.takes_part(["rings"])} == {
        *("cyclic_ptr", "concurrent_cyclic_ptr", "traced_ptr", "shared_ptr", "local_shared_ptr", "std_shared_ptr"),
        *("boost_make_shared", "rust_rc", "java_serial", "go", "ocaml"),
        *("uncounted_malloc", "uncounted_free_list", "uncounted_boehm"),
    }


def test_a_graph_is_for_those_that_collect_cycles(entries):
    collectors = {"cyclic_ptr", "traced_ptr", "ocaml", "uncounted_boehm"}
    assert {entry.name for entry in entries if entry.takes_part(["graph"])} == collectors | {"java_serial", "go"}
    for workload in ("gcbench", "live-tree"):
        taking_part = {entry.name for entry in entries if entry.takes_part([workload])}
        assert collectors | {"std_shared_ptr"} <= taking_part


@pytest.mark.parametrize(("name", "compiler"), [("rust_arc", "rustc"), ("ocaml", "ocamlopt"), ("java_serial", "javac")])
@pytest.mark.parametrize(("script", "found"), [("echo 1.63.0", True), ("echo no toolchain >&2; exit 1", False)])
def test_another_language_is_here_if_its_compiler_works(entries, tmp_path, monkeypatch, name, compiler, script, found):
    monkeypatch.setenv("PATH", str(tmp_path))
    (entry,) = (entry for entry in entries if entry.name == name)
    assert not entry.is_here([])
    program(tmp_path, compiler, script)
    assert entry.is_here([]) == found


@pytest.mark.parametrize(
    ("name", "package"), [("rust_rc", "rustc"), ("ocaml", "ocaml"), ("java_serial", "default-jdk-headless")]
)
def test_another_language_that_is_not_here_says_what_to_install(entries, tmp_path, monkeypatch, name, package):
    monkeypatch.setenv("PATH", str(tmp_path))
    (entry,) = (entry for entry in entries if entry.name == name)
    assert (entry.strategy([GXX]).status, entry.strategy([GXX]).note) == ("missing", f"install {package}")


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("", "install Go 1.26 or newer"),
        ("go version go1.19.8 linux/amd64", "Go 1.19.8 is too old: install Go 1.26 or newer"),
        ("go version go1.26.0 linux/amd64", ""),
        ("go version go2.0 linux/amd64", ""),
        ("go version devel go1.27-1a2b3c4 Mon Jan 5 linux/amd64", ""),
    ],
)
def test_a_peer_that_no_package_brings_says_which_version_to_install(entries, tmp_path, monkeypatch, said, note):
    monkeypatch.setenv("PATH", str(tmp_path))
    (go,) = (entry for entry in entries if entry.name == "go")
    assert go.strategy([GXX]).note == "install Go 1.26 or newer" and go.needed() == {""}
    program(tmp_path, "go", f'[ "$*" = version ] && echo "{said}"')
    assert (go.strategy([GXX]).status, go.strategy([GXX]).note) == ("missing" if note else "measured", note)


def test_a_peer_whose_source_tree_is_named_is_built_from_that(entries, tmp_path, monkeypatch):
    (sgcl,) = (entry for entry in entries if entry.name == "sgcl")
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv("FREEHOLD_SGCL", folder)
        assert (sgcl.is_here([]), sgcl.all_options()) == (False, "")
        assert sgcl.strategy([GXX]).note == "set FREEHOLD_SGCL to a source tree of SGCL"
    tree = tmp_path / "a tree"
    (tree / "sgcl").mkdir(parents=True)
    (tree / "sgcl" / "sgcl.h").touch()
    monkeypatch.setenv("FREEHOLD_SGCL", str(tree))
    options = f"-isystem '{tree}' -DFREEHOLD_SGCL_COMMIT="
    assert (sgcl.is_here([]), sgcl.all_options()) == (True, f"{options}unknown")
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message=first"]):
        subprocess.run(["git", "-C", tree, *command], check=True)
    commit = subprocess.run(["git", "-C", tree, "rev-parse", "HEAD"], capture_output=True, text=True).stdout
    assert sgcl.all_options() == f"{options}{commit[:12]}"
    (tree / "sgcl" / "sgcl.h").write_text("// changed\n")
    assert sgcl.all_options() == f"{options}{commit[:12]}-dirty"


def test_no_names_select_all(entries):
    assert catalogue.select(entries, []) == entries


def test_the_reference_is_always_selected(entries):
    assert [entry.name for entry in catalogue.select(entries, ["raw"])] == ["raw", REFERENCES["operations"]]


def test_a_pointer_is_selected_with_what_queens_are_compared_with(entries):
    assert [entry.name for entry in catalogue.select(entries, ["thin_ptr"])] == [
        "thin_ptr",
        REFERENCES["operations"],
        REFERENCES["queens"],
    ]


def test_memory_is_selected_with_its_own_reference(entries):
    assert [entry.name for entry in catalogue.select(entries, ["bump"])] == ["bump", REFERENCES["list"]]


def test_a_strategy_for_another_compiler_says_so(entries):
    (libcxx,) = (entry for entry in entries if entry.name == "libcxx_pool")
    assert libcxx.built_with([GXX]) == []
    assert (libcxx.strategy([GXX]).status, libcxx.strategy([GXX]).note) == ("missing", "only with clang++")


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(LabError, match="^there is no fruit called aple[.] Did you mean apple[?] Known: pear, apple$"):
        catalogue.check("fruit", ["pear", "aple"], ["pear", "apple"])


def test_a_strange_name_gets_the_list():
    with pytest.raises(LabError, match="^there is no fruit called xyz[.] Known: pear, apple$"):
        catalogue.check("fruit", ["xyz"], ["pear", "apple"])


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("oops", "strategies.toml: "),
        ("raw = 3", "strategies.toml: strategies.raw: "),
        ('raw = { family = "baseline" }', "strategies.toml: strategies.raw.label: "),
        ('raw = { family = "other", label = "raw" }', "strategies.toml: strategies.raw.family: "),
        ('raw = { family = "baseline", label = "raw", color = "red" }', "strategies.toml: strategies.raw.color: "),
        (
            'raw = { family = "baseline", label = "raw", workloads = ["flying"] }',
            "strategies.toml: strategies.raw.workl",
        ),
        (
            'new = { family = "peers", label = "new" }',
            "strategies.toml: new has no file lab/probes/strategies/peers/new",
        ),
    ],
)
def test_a_faulty_line_is_named(listed, line, fault):
    with pytest.raises(LabError, match=f"^{fault}"):
        listed(line)
