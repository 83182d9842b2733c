"""The charts are well-formed pictures in which every strategy has its name, apart from the others."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from altair.utils import schemapi

from freehold_lab.model import State
from freehold_lab.report.charts import charts
from freehold_lab.report.charts.lines import spread
from freehold_lab.report.charts.style import colors, strategy_axis
from freehold_lab.report.figures import Figures
from freehold_lab.workloads import PROGRAMS, TIMED_POINTERS
from synthetic import STYLES, TRUTHS, make_result

CHARTED = [*TIMED_POINTERS, "data-size"]


@pytest.fixture(autouse=True)
def checked():
    """Every part of a chart is checked against Vega-Lite's schema."""
    with schemapi.debug_mode(True):
        yield


@pytest.fixture(scope="module")
def without_boost():
    return Figures(make_result(missing=("boost_shared_ptr",)))


def texts(chart):
    return {element.text for element in ElementTree.fromstring(chart.svg).iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("workload", CHARTED)
def test_every_measured_strategy_has_its_whole_name_in_every_chart(without_boost, workload):
    drawn = charts(without_boost, workload)
    assert drawn
    labels = {strategy.label for strategy in without_boost.strategies if strategy.status == "measured"}
    there = {strategy.label for strategy in without_boost.measured(workload)}
    for chart in drawn:
        assert labels & texts(chart) == there
        assert "future" not in texts(chart)
        assert "NaN" not in chart.svg


def test_axes_name_their_units():
    figures = Figures(make_result(TRUTHS[-5:]))
    units = ["nanoseconds", "milliseconds", *["nanoseconds"] * 3, *["milliseconds"] * len(PROGRAMS), "bytes"]
    for workload, unit in zip(CHARTED, units, strict=True):
        assert all(any(unit in (text or "") for text in texts(chart)) for chart in charts(figures, workload))


def test_two_threads_at_once_have_a_panel_where_they_were_measured():
    alone, both = (
        charts(Figures(make_result(TRUTHS[-5:], compilers=("g++-12",), states=states)), "instantiation")[0]
        for states in ([State.ALONE], list(State))
    )
    assert {"make and release", "make, move and release"} <= texts(alone) & texts(both)
    assert "two threads at once" in texts(both) - texts(alone)


def test_the_largest_board_is_drawn():
    for chart in charts(Figures(make_result(TRUTHS[-5:])), "queens"):
        assert "n = 9" in chart.caption
        assert set(STYLES) <= texts(chart)


def test_there_is_a_chart_of_lines_for_each_compiler_and_state():
    captions = [chart.caption for chart in charts(Figures(make_result(TRUTHS[-5:])), "operations")]
    for panel in ("g++-12, one thread", "clang++-19, second thread started"):
        assert any(caption.startswith(panel) for caption in captions)


@pytest.mark.parametrize("workload", CHARTED)
def test_nothing_measured_no_charts(workload):
    assert charts(Figures(make_result(rounds=0, counts=False, sizes=False)), workload) == []


@pytest.mark.parametrize("workload", [*CHARTED, "code-size"])
def test_one_compiler_one_state_one_round_and_two_strategies_are_enough(workload):
    result = make_result(TRUTHS[-5:-3], compilers=("g++-12",), states=(State.ALONE,), rounds=1, counts=False)
    assert len(charts(Figures(result), workload)) == {"operations": 2, "code-size": 0, "replaced": 0}.get(workload, 1)


@pytest.mark.parametrize(
    "heights", [[5, 5, 5], [0, 0, 0, 100, 100], [99, 98, 1, 2, 50], [100] * 10], ids=["same", "ends", "mixed", "full"]
)
def test_names_are_spread_in_order_and_within_the_chart(heights):
    moved = spread(heights, gap=10, top=100)
    ordered = sorted(range(len(heights)), key=lambda index: (heights[index], moved[index]))
    assert all(moved[b] - moved[a] >= 10 - 1e-9 for a, b in pairwise(ordered))
    assert min(moved) >= 5 - 1e-9
    assert max(moved) <= 95 + 1e-9


def test_names_that_are_apart_stay_where_their_lines_end():
    assert spread([20, 80, 50], gap=10, top=100) == [20, 80, 50]


def test_a_color_is_used_once_in_a_family_and_does_not_depend_on_what_is_missing():
    strategies = make_result().strategies
    found = colors(strategies)
    for family in ("baseline", "pointers", "peers"):
        labels = [strategy.label for strategy in strategies if strategy.family == family]
        assert len({found[label] for label in labels}) == len(labels)
    assert colors(make_result(missing=("boost_shared_ptr",)).strategies) == found


def test_a_row_is_the_same_strategy_s_in_every_panel():
    axis = strategy_axis(["one", "two", "three"], named=False).to_dict()
    assert axis["scale"]["domain"] == axis["sort"] == ["one", "two", "three"]
