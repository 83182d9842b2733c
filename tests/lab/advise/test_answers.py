"""What is concluded from the figures of a program, and how it is told."""

import io

import msgspec
import pytest
from made_up_advice import a_full_report, a_node, a_prediction, a_recording, a_summary
from rich.console import Console

from freehold_lab.advise.analysis.naming import Names, is_of_library, without_arguments
from freehold_lab.advise.answers import bound, page, predictions, sentences, terminal
from freehold_lab.advise.changes import advice, arenas
from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay.counting import Usage
from freehold_lab.advise.replay.replaying import Allocator, Memory, Replayed

PROGRAM = bound.Program(1_000_000, Usage(status=0, seconds=1.0, cpu=1.0, system=0.1, faults=10_000, peak=0))
LIVE = 1 << 28


def bound_of(usual=20_000, peak=LIVE, faults=LIVE // 4096, threads=1):
    return bound.of(a_summary(threads=threads), PROGRAM, usual, 0, Memory(peak, peak, faults))


def test_where_all_is_small_nothing_should_change():
    assert bound_of().reasons == []


@pytest.mark.parametrize(
    ("open_bound", "said"),
    [
        (bound_of(usual=30_000), "3.0% of the instructions"),
        (bound_of(peak=LIVE * 2), "512 MiB for 256 MiB"),
        (bound_of(faults=LIVE // 4096 + 5_000), "5.0% of the CPU time"),
        (bound_of(threads=2), "2 threads"),
    ],
)
def test_what_is_open_is_named(open_bound, said):
    (reason,) = open_bound.reasons
    assert said in reason


def test_a_prediction_may_be_off_by_a_share_of_the_change_or_of_the_program():
    usual = Replayed(Allocator("usual", ""), 500_000, Memory(100, 50, 0))
    other = Replayed(Allocator("other", ""), 400_000, Memory(200, 50, 0))
    found = predictions.of(other, usual, PROGRAM, 0.5)
    assert (found.instructions.low, found.instructions.high) == pytest.approx((-0.105, -0.095))
    assert found.peak == Interval(100 - 2_000_000, 100, 100 + 2_000_000)


def test_no_more_is_promised_than_allocation_is():
    usual = Replayed(Allocator("usual", ""), 500_000, Memory(100, 50, 0))
    other = Replayed(Allocator("other", ""), 400_000, Memory(100, 50, 0))
    assert predictions.of(other, usual, PROGRAM, 0.1).instructions.low == -0.1


def test_a_gain_that_may_be_none_is_no_advice():
    other = (Allocator("other", "other.so"), a_prediction(-0.012))
    assert advice.choose([other], [], LIVE, "program") == []


def test_the_best_allocator_is_advised():
    others = [(Allocator(name, f"{name}.so"), a_prediction(gain)) for name, gain in (("a", -0.1), ("b", -0.2))]
    (found,) = advice.choose(others, [], LIVE, "program")
    assert (found.change, found.confirm.split(" --")[1]) == ("b as the program's allocator", "confirm b.so")


def test_an_allocator_that_takes_less_memory_is_advised():
    others = [(Allocator("a", "a.so"), a_prediction(0, peak=-LIVE / 2))]
    assert len(advice.choose(others, [], LIVE, "program")) == 1


def numbers(*nodes):
    return [each.number for each in arenas.calls(a_summary(nodes))]


def test_batches_are_candidates_for_an_arena():
    assert numbers(a_node(1)) == [1]


@pytest.mark.parametrize(
    "changed",
    [
        {"blocks": 100, "made": 100},
        {"made": 9_000},
        {"batches": 9_000},
        {"batches": 1},
        {"price": LIVE},
        {"by_others": 1},
        {"is_recursive": True},
    ],
)
def test_what_makes_an_arena_wrong(changed):
    assert numbers(a_node(1, **changed)) == []


def test_of_calls_with_the_same_blocks_the_innermost_is_chosen():
    assert numbers(a_node(1), a_node(2, parent=1)) == [2]


def test_of_calls_with_fewer_blocks_the_outer_is_chosen():
    assert numbers(a_node(1), a_node(2, parent=1, blocks=5_000, made=5_000)) == [1]


def test_an_arena_is_not_in_the_c_library_that_calls_main():
    nodes = [a_node(1, place=(1, 99)), a_node(2, 1, blocks=10), a_node(3, 1), a_node(4, 3, blocks=10**6)]
    summary = msgspec.structs.replace(a_summary(nodes), modules=["program", "/lib/libc.so.6"])
    assert [arenas.place(each, summary) for each in nodes[:2]] == [nodes[2].place, nodes[1].place]


def test_the_page_has_all_that_is_told(tmp_path):
    report = a_full_report()
    page.write(report, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<article>") == advice.MOST
    assert text.count('<tr><th scope="row"') == 4 + 50 + 50  # allocators, sites, and what they left
    assert "<script" not in text
    assert "a::function&lt;with::a::very_long_name" in text


def test_a_report_has_at_most_40_lines():
    text = io.StringIO()
    terminal.show(a_full_report(), Console(file=text, width=80))
    assert len(text.getvalue().splitlines()) <= 40


def shown(report):
    text = io.StringIO()
    terminal.show(report, Console(file=text, width=200))
    return text.getvalue()


def test_where_no_change_is_advised_that_is_said(tmp_path):
    report = a_full_report()
    assert "No change is advised" not in shown(report)
    report.advice.clear()
    words = (
        "No change is advised: none is predicted to save 1% of the instructions, and no allocator 10% of the memory."
    )
    assert words in shown(report)
    page.write(report, tmp_path / "page.html")
    assert words in (tmp_path / "page.html").read_text()
    report.predictions.clear()
    assert "No change is advised, as nothing is predicted." in shown(report)


def test_where_nothing_could_change_no_more_is_said():
    report = a_full_report()
    report.advice.clear()
    report.bound = bound_of()
    assert "No change is advised" not in shown(report)


def test_sites_of_few_samples_are_counted(tmp_path):
    report = a_full_report()
    for each in report.sites[1:4]:
        each.recorded = sentences.FEW - 1
    assert "fewer than" not in shown(report)  # all is recorded
    report.recording = a_recording(sampled=4096)
    report.advice.clear()
    assert "3 of these 8 sites have fewer than 100 samples" in shown(report)
    page.write(report, tmp_path / "page.html")
    assert "3 of these 50 sites have fewer than 100 samples" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("name", "is_so"),
    [
        ("std::vector<int, std::allocator<int> >::reserve(unsigned long)", True),
        ("void std::vector<int>::_M_realloc_insert<int>(int&&)", True),
        ("app::make<std::string>(std::string)", False),
        ("app::Map<int, std::less<int> >::insert(int)", False),
        ("std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()", False),
    ],
)
def test_functions_of_libraries(name, is_so):
    assert is_of_library(name) == is_so


@pytest.mark.parametrize(
    ("name", "shorter"),
    [
        ("serve(int)", "serve"),
        ("map<a (b), c>::find(int) const", "map<a (b), c>::find"),
        ("(anonymous namespace)::work()", "(anonymous namespace)::work"),
        ("main", "main"),
    ],
)
def test_names_without_arguments(name, shorter):
    assert without_arguments(name) == shorter


def test_a_file_that_has_gone_names_its_places():
    names = Names(["/gone/program"])
    assert names.where((0, 16)) == ("program+0x10", "program")
    assert names.where((-1, 16)) == ("0x10", "")
