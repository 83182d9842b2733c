"""Tables of whole programs in the guides: what fills them."""

import re

import pytest

from freehold_lab import checking, folders, statistics, store
from freehold_lab.errors import LabError
from freehold_lab.model import Point
from freehold_lab.site import programs
from synthetic import TRUTHS, make_result

NAMES = ("traced_ptr", "local_shared_ptr", "std_shared_ptr", "ocaml")
NAMED = [f"--strategy {each}" for each in NAMES]
COMMAND = " ".join(["./freehold run --size usual --only binary-trees --only document-tree", *NAMED])
# The series whose operations are told.
TOLD = {programs.DOCUMENT_TREE: "parents owned", programs.SUBTREES: "replace"}
MEASURED = ("binary-trees", *TOLD)
FIGURES = [f"{group}, {part}" for group in ("one", "hundred") for part in ("p50", "p99", "p99.9", "max")]


def told(launch):
    """A launch with its operations: 1 µs, 2 µs and so on."""
    x, series = max(point.x for point in launch.points), TOLD[launch.cell.workload]
    points = [Point(series=series, x=x, nanoseconds=5e6)]
    points += [Point(series=f"{series}, {each}", x=x, nanoseconds=1e3 * (i + 1)) for i, each in enumerate(FIGURES)]
    return launch.model_copy(update={"points": points})


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    truths = [each for each in TRUTHS if each.name in NAMES]
    made = make_result(truths, rounds=4, noise=0, compilers=("g++-12",), counts=False)
    wanted = [each for each in made.launches if each.cell.workload in MEASURED]
    made.launches = [told(each) if each.cell.workload in TOLD else each for each in wanted]
    made.findings = statistics.find(made)
    made.command = COMMAND
    path = tmp_path_factory.mktemp("results") / "latest.json"
    store.save(made, path)
    return path


@pytest.fixture
def fill(tmp_path, monkeypatch, result):
    monkeypatch.setattr(folders, "ROOT", tmp_path)

    def fill_page(kind):
        page = tmp_path / "page.md"
        page.write_text(f"# Title\n\n<!-- programs: {kind} -->\n<!-- /programs -->\n\nAfter.\n")
        done = list(programs.fill(result))
        return page.read_text(), done

    return fill_page


def rows(page):
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {line[0]: line[1:] for line in lines}


def test_every_table_of_programs_in_the_pages_is_of_a_known_kind():
    marks = [
        kind for path in checking.files(".md") for kind, _ in programs.TABLE.findall((folders.ROOT / path).read_text())
    ]
    assert sorted(marks) == sorted(programs.KINDS)


def test_times_are_over_those_of_ocaml(fill):
    page, _ = fill("times")
    assert "| | OCaml, ms | traced | local | std::make_shared |" in page
    trees = rows(page)["binary-trees"]
    truth = {each.name: each for each in TRUTHS}
    expected = truth["traced_ptr"].initialisation / truth["ocaml"].initialisation
    assert float(trees[1]) == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("kind", ["parents-owned", "subtrees"])
def test_operations_have_a_line_for_each_strategy(fill, kind):
    ones = ["1.00", "2.00", "3.00", "4.00"]
    hundreds = ["0.005", "0.006", "0.007", "0.008"]
    assert rows(fill(kind)[0])["traced"][:9] == ["5.00", *ones, *hundreds]


def test_pauses_are_beside_the_two_largest_trees(fill):
    page, _ = fill("pauses")
    assert "| | 10,000 nodes | 100,000 nodes |" in page
    assert rows(page)["traced, store"] == ["0.011, 1.23", "0.101, 1.23"]
    assert not any(name.startswith("OCaml") for name in rows(page))  # it reports no pauses


def test_the_command_is_the_one_that_measured(fill):
    page, done = fill("times")
    command = re.search(r"^    (\./freehold run (?:.*\\\n)*.*)$", page, re.MULTILINE)[1]
    assert len(command.splitlines()) > 1 and all(len(line) <= 120 for line in command.splitlines())
    assert command.replace("\\\n", "").split() == COMMAND.split()
    assert len(done) == 1 and page.endswith("<!-- /programs -->\n\nAfter.\n")


def test_a_result_without_its_command_is_refused(fill, result, monkeypatch):
    earlier = store.load(result).model_copy(update={"command": ""})
    monkeypatch.setattr(store, "load", lambda path: earlier)
    with pytest.raises(LabError, match="the result does not say which command measured it: measure it again"):
        fill("times")


def test_a_table_without_figures_stays_as_it_is(fill):
    page, done = fill("actors")
    assert "<!-- programs: actors -->\n<!-- /programs -->" in page and done == []


def test_an_unknown_kind_is_one_line(fill):
    with pytest.raises(LabError, match=r"page\.md: there is no table of programs called speed, only times, "):
        fill("speed")
