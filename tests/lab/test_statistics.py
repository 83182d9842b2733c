"""The statistics find the truth that a made-up result holds, whatever the noise and the accidents."""

import random

import numpy
import pytest

from freehold_lab.model import State
from freehold_lab.statistics import FEWEST_ROUNDS, control_spread, find, fit_line
from synthetic import REFERENCE, SIZES, Truth, make_result, with_points, with_times_of

STD = Truth(REFERENCE, "std::make_shared", "peers", 30, 5)
SAME = Truth("same", "same", "pointers", 30, 5)
TWICE = Truth("twice", "twice", "pointers", 60, 10)
HALF = Truth("half", "half", "pointers", 15, 2.5)
TRUTHS = [SAME, TWICE, HALF, STD]


@pytest.fixture(scope="module")
def result():
    return make_result(TRUTHS, compilers=("g++-12",), states=(State.ALONE,), rounds=20)


def ratios(findings, strategy):
    return [ratio for ratio in findings.ratios if ratio.strategy == strategy and not ratio.control]


def line(findings, strategy):
    return next(line for line in findings.lines if line.strategy == strategy)


def with_factor(launch, factor):
    points = [point.model_copy(update={"nanoseconds": point.nanoseconds * factor}) for point in launch.points]
    return launch.model_copy(update={"points": points})


def test_the_true_line_lies_within_the_errors(result):
    found = line(find(result), SAME.name)
    assert abs(found.initialisation - 30) <= found.initialisation_error
    assert abs(found.copy_cost - 5) <= found.copy_error
    assert found.initialisation_error < 2
    assert found.copy_error < 0.3


@pytest.mark.parametrize("launches", [5, 20])
def test_errors_hold_the_truth_about_as_often_as_two_standard_deviations_do(launches):
    noise = numpy.random.default_rng(1)
    sizes = numpy.array(SIZES, dtype=float)
    held = []
    for _ in range(300):
        factors = noise.normal(1, 0.03, (launches, 1)) * noise.normal(1, 0.015, (launches, len(sizes)))
        parameters, errors = fit_line(sizes, (30 + 5 * sizes) * factors)
        held.append(abs(parameters - [30, 5]) <= errors)
    assert (numpy.mean(held, axis=0) > 0.85).all()


def test_one_launch_has_the_error_of_its_own_points():
    sizes = numpy.array(SIZES, dtype=float)
    _, errors = fit_line(sizes, (30 + 5 * sizes + [1, -1, 1, -1, 1, -1, 1]).reshape(1, -1))
    assert (errors > 0).all()


def test_times_that_do_not_lie_on_a_line_have_a_large_error():
    sizes = numpy.array(SIZES, dtype=float)
    curve = numpy.tile(30 + sizes**2 / 4, (20, 1))
    _, errors = fit_line(sizes, curve)
    assert errors[1] > 1


def test_fewer_than_three_set_sizes_make_no_line(result):
    two_sizes = with_points(result, lambda point: point.x <= 4 or point.series != "set")
    assert find(two_sizes).lines == []


def test_equals_are_ties(result):
    assert all(ratio.tie for ratio in ratios(find(result), SAME.name))


@pytest.mark.parametrize(("truth", "true_ratio"), [(TWICE, 2), (HALF, 0.5)])
def test_a_true_ratio_lies_within_its_interval_and_is_no_tie(result, truth, true_ratio):
    found = [ratio for ratio in ratios(find(result), truth.name) if ratio.workload == "operations"]
    assert {ratio.x for ratio in found} == set(SIZES)
    # One in twenty may miss by the nature of a 95 % interval.
    assert sum(ratio.low <= true_ratio <= ratio.high for ratio in found) >= len(found) - 1
    assert all(ratio.low <= ratio.ratio <= ratio.high for ratio in found)
    assert not any(ratio.tie for ratio in found)


def test_the_control_is_compared_too_and_the_reference_is_not_compared_with_itself(result):
    findings = find(result)
    controls = [ratio for ratio in findings.ratios if ratio.control]
    assert {ratio.strategy for ratio in controls} == {REFERENCE}
    assert len(controls) == len(ratios(findings, SAME.name))
    assert ratios(findings, REFERENCE) == []
    assert all(line.strategy in {truth.name for truth in TRUTHS} for line in findings.lines)


def test_another_reference_turns_the_ratios_round(result):
    to_std, to_twice = find(result), find(result, TWICE.name)
    assert set(to_twice.references.values()) >= {TWICE.name}
    for there, back in zip(ratios(to_std, TWICE.name), ratios(to_twice, REFERENCE), strict=True):
        assert there.ratio * back.ratio == pytest.approx(1)


def test_another_reference_leaves_the_control_as_it_was(result):
    def controls(findings):
        return [ratio for ratio in findings.ratios if ratio.control]

    assert controls(find(result, TWICE.name)) == controls(find(result))


def test_the_spread_of_the_control_is_as_wide_below_one_as_above(result):
    control = next(ratio for ratio in find(result).ratios if ratio.control)
    assert control_spread(control.model_copy(update={"low": 0.8, "high": 1.1})) == 1.25
    assert control_spread(control.model_copy(update={"low": 1.02, "high": 1.1})) == 1.1


def test_a_control_that_differs_from_itself_makes_ties_of_small_differences():
    quiet = make_result([Truth("near", "near", "pointers", 31.5, 5.25), STD], rounds=12, noise=0.005)
    wide = quiet.model_copy(
        update={
            "launches": [
                with_factor(launch, 1.1) if launch.cell.control and launch.round % 2 else launch
                for launch in quiet.launches
            ]
        }
    )
    assert not any(ratio.tie for ratio in ratios(find(quiet), "near") if ratio.workload == "operations")
    assert all(ratio.tie for ratio in ratios(find(wide), "near"))


@pytest.mark.parametrize("disturbed", [TWICE.name, REFERENCE])
@pytest.mark.parametrize("factor", [0.01, 1000])
def test_a_crazy_launch_moves_nothing_by_more_than_its_error(result, disturbed, factor):
    before, after = find(result), find(with_times_of(result, disturbed, round=3, factor=factor))
    old, new = line(before, disturbed), line(after, disturbed)
    assert abs(new.initialisation - old.initialisation) < old.initialisation_error
    assert abs(new.copy_cost - old.copy_cost) < old.copy_error
    for was, now in zip(ratios(before, TWICE.name), ratios(after, TWICE.name), strict=True):
        assert was.low <= now.ratio <= was.high
        assert not now.tie


def test_the_same_launches_give_the_same_findings_in_any_order(result):
    shuffled = result.model_copy(update={"launches": random.Random(0).sample(result.launches, len(result.launches))})
    assert find(shuffled) == find(result)


def test_rounds_are_paired_so_a_machine_that_slows_down_does_no_harm(result):
    slowing = [
        with_factor(launch, 1 + launch.round)
        for launch in result.launches
        if launch.cell.strategy != TWICE.name or launch.round >= 10
    ]
    found = ratios(find(result.model_copy(update={"launches": slowing})), TWICE.name)
    assert all(1.9 < ratio.ratio < 2.1 for ratio in found if ratio.workload == "operations")


def test_too_few_rounds_give_no_ratio_but_lines():
    findings = find(make_result(TRUTHS, rounds=FEWEST_ROUNDS - 1))
    assert findings.ratios == []
    assert findings.lines != []


def test_without_the_reference_there_are_no_ratios(result):
    kept = [launch for launch in result.launches if launch.cell.strategy != REFERENCE]
    assert find(result.model_copy(update={"launches": kept})).ratios == []


def test_a_time_of_zero_is_left_out(result):
    stopped = with_times_of(result, TWICE.name, round=3, factor=0)
    assert all(numpy.isfinite(ratio.high) for ratio in find(stopped).ratios)


def test_no_launches_no_findings():
    findings = find(make_result(TRUTHS, rounds=0))
    assert findings.lines == []
    assert findings.ratios == []
