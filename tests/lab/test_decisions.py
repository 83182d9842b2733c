"""What to use for each need follows from the figures by the stated rule, and says what it does not know."""

import pytest

from freehold_lab import catalogue, folders, needs
from freehold_lab.model import State
from freehold_lab.report.decisions import decide
from freehold_lab.report.figures import Figures
from freehold_lab.workloads import ALL
from synthetic import MEMORY_TRUTHS, REFERENCE, TRUTHS, Truth, make_result

TREES = "Large immutable structure"
STD = Truth(REFERENCE, "std::make_shared", "peers", 30, 5, atomic=True, handle=16)
FREE = Truth("shared_ptr", "in-place counted", "pointers", 20, 4, atomic=True, handle=16)
THIN = Truth("thin_ptr", "thin", "pointers", 20, 4, atomic=True)
INTRUSIVE = Truth("intrusive_ptr", "intrusive, atomic", "pointers", 20, 4, atomic=True)


def decided(*truths, title="Shared between threads", peak=0, **choices):
    """The decision for a need; where `peak` is given, that is every strategy's peak in bytes."""
    result = make_result(list(truths), compilers=("g++-12",), **choices)
    if peak:
        result.peaks = [each.model_copy(update={"peak": peak}) for each in result.peaks]
    figures = Figures(result)
    return next(each for each in decide(figures, "g++-12") if each.need.title == title)


def test_the_fastest_is_the_pick():
    fastest = THIN._replace(initialisation=5, copy=1)
    decision = decided(fastest, FREE, STD)
    assert decision.pick.strategy == "thin_ptr"
    assert decision.pick.low < decision.pick.ratio < decision.pick.high < 1
    assert [each.strategy for each in decision.beside] == ["shared_ptr", REFERENCE]


def test_of_equals_the_one_with_the_fewest_restrictions_is_the_pick():
    assert decided(INTRUSIVE, THIN, FREE, STD).pick.strategy == "shared_ptr"
    assert decided(INTRUSIVE, THIN, STD).pick.strategy == "thin_ptr"


def test_of_equals_with_as_few_restrictions_the_smallest_is_the_pick():
    small = FREE._replace(initialisation=30, copy=5, control=0)
    assert decided(small, STD).pick.strategy == "shared_ptr"
    assert decided(small._replace(control=64), STD).pick.strategy == REFERENCE


def test_a_gain_of_less_than_a_twentieth_is_worth_no_restriction():
    hardly = THIN._replace(initialisation=FREE.initialisation * 0.97, copy=FREE.copy * 0.97)
    assert decided(hardly, FREE, STD, noise=0.001).pick.strategy == "shared_ptr"


def test_to_stay_with_the_standard_is_an_answer():
    decision = decided(FREE._replace(copy=9), THIN._replace(copy=8), STD)
    assert decision.stay
    assert decision.pick.ratio == 1


def test_noise_recommends_nothing_that_gains_nothing():
    """By what the fastest ties with, a candidate with restrictions could be the pick though it takes longer."""
    decision = decided(
        INTRUSIVE._replace(copy=3), THIN._replace(initialisation=31, copy=5.05), STD, noise=0.5, rounds=4
    )
    assert decision.pick.ratio < 1 or decision.stay


def test_unknown_memory_is_not_the_smallest():
    assert decided(THIN, INTRUSIVE, STD, sizes=False).pick.strategy == "thin_ptr"
    small, unknown = FREE._replace(initialisation=30, copy=5, control=0), STD
    figures = Figures(make_result([small, unknown], compilers=("g++-12",)))
    del figures.data["g++-12", REFERENCE]
    decision = next(each for each in decide(figures, "g++-12") if each.need.title == "Shared between threads")
    assert decision.pick.strategy == "shared_ptr"


def test_what_is_used_where_a_restriction_does_not_hold_has_none_of_them():
    decision = decided(THIN._replace(copy=1), FREE, STD)
    assert decision.pick.restrictions == ["no alias, deleter or array"]
    assert decision.otherwise.strategy == "shared_ptr"
    assert decided(FREE, STD).otherwise is None


def test_what_is_used_instead_has_few_restrictions_and_gains_something():
    fast, slow = THIN._replace(copy=1), FREE._replace(initialisation=60, copy=12)
    assert decided(fast, INTRUSIVE, slow, STD).otherwise.strategy == "intrusive_ptr"
    assert decided(fast, slow, STD).otherwise.strategy == REFERENCE


def test_it_says_which_point_decides():
    assert decided(FREE, STD).where == "Operations: set, 32 handles"
    assert decided(FREE, STD, title=TREES).where == "Binary trees: trees, 12 levels"


@pytest.mark.parametrize(
    ("title", "one"), [("One owner", "owner"), (TREES, "run"), ("Shared between threads", "handle")]
)
def test_it_says_what_locked_operations_are_counted_for(title, one):
    assert decided(FREE, STD, title=title).locked_per == one


def test_little_memory_is_no_ratio():
    small, large = (decided(FREE, STD, title=TREES, peak=bytes) for bytes in (4096, 1 << 22))
    assert (small.memory, small.kibibytes) == (None, (4, 4))
    assert (large.memory, large.kibibytes) == (1, None)


def test_much_memory_is_said():
    assert decided(FREE._replace(control=400), STD).heavy
    assert not decided(FREE, STD).heavy


def test_locked_operations_and_bytes_are_beside_the_time():
    decision = decided(FREE._replace(atomic=False, handle=8), STD)
    assert (decision.pick.locked, decision.replaced.locked) == (0, pytest.approx(2, abs=1))
    assert decision.memory < 1


def test_a_difference_within_the_noise_is_unsure_if_it_is_large():
    decision = decided(FREE._replace(initialisation=20, copy=3.3), STD, noise=0.6, rounds=4)
    assert decision.unsure
    assert not decision.tie


@pytest.mark.parametrize(
    ("choices", "missing"),
    [
        ({"rounds": 0}, "not measured"),
        ({"rounds": 2}, "too few rounds, or candidates"),
    ],
)
def test_what_cannot_be_decided_says_why(choices, missing):
    decision = decided(FREE, STD, counts=False, **choices)
    assert decision.pick is None
    assert decision.missing == missing


def test_without_what_is_replaced_nothing_is_decided():
    assert decided(FREE, THIN).missing == "std::shared_ptr was not measured"


def test_a_quick_run_says_what_a_whole_one_decides():
    result = make_result([FREE, STD], compilers=("g++-12",))
    launches = [each for each in result.launches if each.cell.workload == "operations"]
    quick = Figures(result.model_copy(update={"quick": True, "launches": launches, "peaks": []}))
    (decision,) = [each for each in decide(quick, "g++-12") if each.need.title == "Cycles"]
    assert decision.missing == "measured in a whole run only"


def test_every_need_is_decided_in_every_state():
    atomic = [
        Truth("atomic_shared_ptr", "atomic", "pointers", 9, 9, workloads=("replaced",)),
        Truth("std_atomic_shared_ptr", "std::atomic", "peers", 9, 12, workloads=("replaced",)),
    ]
    figures = Figures(make_result([*TRUTHS, *atomic, *MEMORY_TRUTHS]))
    for state in State:
        for decision in decide(figures, "g++-12", state):
            assert decision.pick, f"{decision.need.title}: {decision.missing}"


def test_the_registry_names_what_there_is():
    entries = {each.name: each for each in catalogue.read()}
    for need in needs.ALL:
        assert need.workload in ALL
        assert need.replaces in need.candidates
        assert need.candidates[need.replaces] == [] or need.name == "cycles"
        for name in need.candidates:
            assert entries[name].takes_part([need.workload]), f"{name} in {need.name}"
            assert name in needs.USES
    assert {name for need in needs.ALL for name in need.candidates} == needs.USES.keys()
    for use in needs.USES.values():
        assert not use.page or (folders.ROOT / "docs" / use.page).exists()
