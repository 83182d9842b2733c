"""Tables of costs in the pages: what fills them, and that every measured type has one."""

import re

import pytest

from freehold_lab import catalogue, checking, cli, folders, store
from freehold_lab.errors import LabError
from freehold_lab.model import Count, Findings, State
from freehold_lab.site import costs
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result

DOCS = folders.ROOT / "docs"
FAMILIES = ("pointers", "memory", "cyclic", "traced")
COPY = "instructions to copy and release the copy"
SHARED = "# Title\n\n<!-- costs: shared_ptr -->\n<!-- /costs -->\n\nAfter.\n"


NAMES = ("shared_ptr", "local_shared_ptr", "intrusive_ptr", "intrusive_ptr_plain", "linked_ptr", "std_shared_ptr")


def make(**options):
    """A small result, whose statistics nobody needs."""
    truths = [truth for truth in TRUTHS if truth.name in NAMES] + MEMORY_TRUTHS
    made = make_result(truths, rounds=1, **options)
    made.findings = Findings()
    return made


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "latest.json"
    store.save(make(), path)
    return path


@pytest.fixture
def fill(tree, result):
    """Fills the tables of a page with that text, and returns it."""

    def fill_page(text, file=result):
        page = tree / "page.md"
        page.write_text(text)
        list(costs.fill(file))
        return page.read_text()

    return fill_page


def cells(page):
    """The cells of the rows of a page's first table, by what a row is called."""
    table = page[page.index("\n| ") :].lstrip().partition("\n\n")[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()]
    return {line[0]: line[1:] for line in lines[2:]}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_measured_type_has_one_table_of_its_costs(family):
    marks = {path.stem: costs.TABLE.findall(path.read_text()) for path in (DOCS / family).glob("*.md")}
    workloads = [row.workload for row in (*costs.ROWS, *costs.CODE) if family in row.families]
    entries = [entry for entry in catalogue.read() if entry.family == family and entry.takes_part(workloads)]
    measured = [entry.name for entry in entries if entry.name in marks]
    assert measured
    for name in measured:
        assert len(marks[name]) == 1, (
            f"docs/{family}/{name}.md needs one place between <!-- costs: {name} --> and <!-- /costs -->"
        )
        ((names, _),) = marks[name]
        assert names.split()[0] == name
    named = {name for found in marks.values() for names, _ in found for name in names.split()}
    assert named <= {entry.name for entry in catalogue.read()}


def test_a_page_has_no_table_of_costs_but_the_one_that_is_filled():
    for path in checking.files(".md"):
        text = (folders.ROOT / path).read_text()
        for section in re.findall(r"## What it costs\n(.*?)(?=\n## |\Z)", text, re.DOTALL):
            by_hand = costs.TABLE.sub("", section)
            assert len(re.findall(r"^\| ?-", by_hand, re.MULTILINE)) + len(costs.MARK.findall(section)) <= 1, path


def test_every_table_is_filled():
    pages = [(folders.ROOT / path).read_text() for path in checking.files(".md")]
    filled = [found[0] for page in pages for found in costs.TABLE.finditer(page)]
    assert len(filled) >= 15
    assert [table for table in filled if "./freehold docs --costs results/latest.json" not in table] == []


def test_a_table_is_filled_between_its_marks(fill):
    page = fill(SHARED)
    assert page.startswith("# Title\n\n<!-- costs: shared_ptr -->\n\n| | |\n| --- | ---: |\n| handle, bytes | 16 |\n")
    assert page.endswith("    ./freehold docs --costs results/latest.json\n\n</details>\n\n<!-- /costs -->\n\nAfter.\n")
    assert "    ./freehold run --only data-size --only operations --only code-size --strategy shared_ptr\n" in page


def test_a_row_is_split_where_threads_make_a_difference(fill):
    found = cells(fill(SHARED))
    alone, threaded = (found[f"{COPY}, {state}"][0] for state in ("one thread", "with threads"))
    assert "locked" not in alone
    assert threaded.endswith(", 2 locked")
    assert COPY not in found
    assert COPY in cells(fill(SHARED.replace("shared_ptr", "local_shared_ptr")))


def test_the_machine_code_is_folded_below_its_notation(fill):
    page = fill(SHARED)
    small, _, folded = page.partition("\n<details markdown>\n<summary>Machine code")
    assert "machine" not in small.lower()
    assert folded.index("N/M/I: ") < folded.index("\n| | g++ | clang++ |\n") < folded.index("\n| an empty handle | ")
    both = fill(SHARED.replace("shared_ptr", "intrusive_ptr intrusive_ptr_plain"))
    heads = [f"intrusive, {kind}, {compiler}" for kind in ("atomic", "plain") for compiler in ("g++", "clang++")]
    assert f"\n| | {' | '.join(heads)} |\n" in both


def test_filling_twice_changes_nothing(fill, result):
    once = fill(SHARED)
    assert list(costs.fill(result)) == []
    assert fill(once) == once


def test_several_strategies_stand_side_by_side(fill):
    page = fill(SHARED.replace("shared_ptr", "intrusive_ptr intrusive_ptr_plain"))
    assert "\n| | intrusive, atomic | intrusive, plain |\n" in page


def test_many_strategies_have_a_line_each(fill):
    names = "shared_ptr local_shared_ptr intrusive_ptr intrusive_ptr_plain linked_ptr"
    page = fill(SHARED.replace("shared_ptr", names))
    assert len(cells(page)) == 5
    heads, _, *lines = page[page.index("\n| ") :].lstrip().partition("\n\n")[0].splitlines()
    columns = heads.strip("| ").split(" | ")
    assert f"{COPY}, with threads" not in columns
    copied = {line.split(" | ")[0]: line.strip("| ").split(" | ")[columns.index(COPY) + 1] for line in lines}
    (atomic,) = [cell for name, cell in copied.items() if name == "| intrusive, atomic"]
    assert re.fullmatch(r"\d+; with threads \d+, 2 locked", atomic)
    assert "threads" not in copied["| intrusive, plain"]


def test_compilers_are_told_apart_where_they_differ(fill, tree):
    made = make()
    made.data = [
        each.model_copy(update={"handle": 24}) if each.compiler == "clang++-19" else each for each in made.data
    ]
    store.save(made, tree / "differs.json")
    page = fill(SHARED, tree / "differs.json")
    assert cells(page)["handle, bytes"] == ["16 / 24"]
    assert "\n\nTwo figures are those of g++ / clang++.\n\n" in page


def test_counts_are_for_one_block(fill, tree):
    made = make()
    made.counts = [
        Count(
            workload="batch",
            compiler=compiler.name,
            strategy="pool_resource",
            state=state,
            series="32 bytes",
            x=1000,
            instructions=25_004,
            locked=2_000,
        )
        for compiler in made.compilers
        for state in State
    ]
    store.save(made, tree / "memory.json")
    found = cells(fill(SHARED.replace("shared_ptr", "pool_resource"), tree / "memory.json"))
    assert found["the same, 1,000 at a time"] == ["25, 2 locked"]
    assert "handle, bytes" not in found


@pytest.mark.parametrize("name", ["linked_ptr", "managed_ptr"])
def test_a_table_stays_if_the_result_lacks_its_strategy(tree, name):
    """One was missing on that machine, the other is none of that run."""
    store.save(make(missing=("linked_ptr",)), tree / "less.json")
    page = tree / "page.md"
    page.write_text(kept := f"<!-- costs: {name} -->\n\nkept\n\n<!-- /costs -->\n")
    assert list(costs.fill(tree / "less.json")) == [f"left as they were, because the result lacks them: {name}"]
    assert page.read_text() == kept


def test_figures_do_not_depend_on_times(fill, tree):
    slow = make(noise=0.5, seed=7)
    store.save(slow, tree / "slow.json")
    assert fill(SHARED) == fill(SHARED, tree / "slow.json")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("<!-- costs: sharde_ptr -->\n<!-- /costs -->\n", "page.md: there is no strategy sharde_ptr"),
        ("<!-- costs: shared_ptr -->\n", "page.md: a table of costs is"),
        ("<!-- costs: -->\n<!-- /costs -->\n", "page.md: a table of costs is"),
    ],
)
def test_a_wrong_mark_is_one_line_and_changes_nothing(tree, result, text, part):
    page = tree / "page.md"
    page.write_text(text)
    with pytest.raises(LabError, match=part):
        list(costs.fill(result))
    assert page.read_text() == text


@pytest.mark.parametrize(("text", "part"), [("{", "is not a result"), ("{}", "is not a result"), (None, "cannot read")])
def test_a_file_that_is_no_result_is_one_line(tree, capsys, text, part):
    file = tree / "latest.json"
    if text is not None:
        file.write_text(text)
    assert cli.main(["docs", "--costs", str(file)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert part in line
