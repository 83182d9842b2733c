"""Memory over time: what a probe reports, what the programs do in each step, and the tables."""

from statistics import median

import pytest

from fakes import program
from freehold_lab.errors import LabError
from freehold_lab.measure import probe
from freehold_lab.model import MOST_MOMENTS, Moment, State, Timeline
from freehold_lab.report.figures import Figures
from freehold_lab.report.tables import timelines
from freehold_lab.statistics import mean_of_steps
from freehold_lab.workloads import ALL, TIMELINES
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result

WHERE = {"workload": "nights", "compiler": "g++-12", "strategy": "mimalloc"}
MOMENTS = '[{"milliseconds": 0, "used": 0, "resident": 4096}, {"milliseconds": 2.5, "used": 8192, "resident": 8192}]'
FIGURES = '"peak": 9000, "trimmed": 4096, "processor": 1.5, "system": 0.5, "faults": 7'
MEBIBYTE = 1 << 20
# Programs that take no more than these, at a hundredth of the whole.
SERIES = {
    "survivors": ["one in each MiB"],
    "light-work": ["after 300 MiB"],
    "sparse": ["1,000 of 400 kB", "4,000 of 64 KiB", "10,000 of 20 kB"],
    "parser": ["30 documents"],
    "nights": ["two days"],
}


def test_a_timeline_holds_what_the_probe_prints(tmp_path):
    answer = f'{{"checksum": "0", "points": [{{"series": "two days", "x": 100, "moments": {MOMENTS}, {FIGURES}}}]}}'
    executable = program(tmp_path, "probe_mimalloc", f"echo \"$@\" > {tmp_path}/asked; echo '{answer}'")
    moments = [Moment(milliseconds=0, used=0, resident=4096), Moment(milliseconds=2.5, used=8192, resident=8192)]
    told = Timeline(
        **WHERE, series="two days", moments=moments, peak=9000, trimmed=4096, processor=1.5, system=0.5, faults=7
    )
    assert probe.timelines(executable, *WHERE.values()) == [told]
    assert (tmp_path / "asked").read_text() == "timeline nights --scale 100\n"


def test_means_are_those_after_each_step():
    moments = [
        Moment(milliseconds=time, used=used, resident=resident)
        for time, used, resident in [(0, 0, 100), (1, 10, 20), (400, 2, 40)]
    ]
    assert [mean_of_steps(moments, which) for which in ("used", "resident")] == [6, 30]


def courses(probes, strategy, workload):
    """What a hundredth of the program does."""
    arguments = probe.measuring("timeline", [workload], State.ALONE, 1)
    return probe.ask(probe.Courses, probes.executable(strategy), *arguments)


def test_a_probe_refuses_a_workload_that_it_does_not_have(probes):
    with pytest.raises(LabError, match='there is no workload "night"'):
        courses(probes, "new_delete", "night")


def test_a_probe_times_no_program_that_is_followed_and_follows_none_that_is_timed(probes):
    executable = probes.executable("new_delete")
    timed = probe.ask(probe.Times, executable, *probe.measuring("time", ["parser"], State.ALONE, 1))
    assert timed.points == courses(probes, "new_delete", "pair").points == []


@pytest.mark.parametrize("workload", TIMELINES)
def test_all_strategies_follow_the_same_program(probes, workload):
    told = {strategy: courses(probes, strategy, workload) for strategy in probes.taking_part(workload)}
    assert {"new_delete", "replace_new_malloc"} <= told.keys()
    assert {each.checksum for each in told.values()} == {told["new_delete"].checksum}
    used = [[[moment.used for moment in each.moments] for each in every.points] for every in told.values()]
    assert all(each == used[0] for each in used) or workload == "nights"  # where what is handed over waits
    for every in told.values():
        assert [each.series for each in every.points] == SERIES[workload]
        for each in every.points:
            times = [moment.milliseconds for moment in each.moments]
            assert times == sorted(times) and len(times) <= MOST_MOMENTS
            assert max(moment.resident for moment in each.moments) <= each.peak
            assert each.trimmed > 0 and 0 <= each.system <= each.processor and each.faults > 0


def used_in_mebibytes(probes, workload, series=0):
    return [each.used / MEBIBYTE for each in courses(probes, "new_delete", workload).points[series].moments]


def test_one_survivor_of_each_mebibyte_is_left(probes):
    used = used_in_mebibytes(probes, "survivors")
    assert used[10] == pytest.approx(2.56, abs=0.01) and used[:11] == sorted(used[:11])
    assert {each * MEBIBYTE for each in used[15:]} == {3 * 200}


def test_nothing_is_left_when_light_work_begins(probes):
    used = used_in_mebibytes(probes, "light-work")
    assert used[10] == pytest.approx(3, abs=0.01) and set(used[15:]) == {0}


def test_what_is_written_of_sparse_buffers_is_used(probes):
    used = used_in_mebibytes(probes, "sparse", series=2)
    assert used[20] * MEBIBYTE == 100 * 1000 and used[-1] == 0


def test_a_document_is_dropped_before_the_next_one_is_built(probes):
    used = used_in_mebibytes(probes, "parser")
    assert set(used[::2]) == {0} and all(0.2 < each < 0.4 for each in used[1::2])


def test_days_and_nights_follow_each_other(probes):
    used = used_in_mebibytes(probes, "nights")
    assert median(used[25:31] + used[55:61]) < 0.1 < median(used[3:25] + used[33:55])


def test_a_malloc_says_that_the_program_has_it(probes):
    library = probe.identify(probes.executable("replace_new_malloc")).library
    assert library.startswith("Freehold ") and library.endswith(", libfreehold-malloc.so")


@pytest.fixture(scope="module")
def sections():
    return {each.workload: each for each in timelines.sections(Figures(make_result(MEMORY_TRUTHS, rounds=3)))}


def row(table, label):
    (found,) = (row for row in table.rows if row.label == label)
    return dict(zip([each.title for each in table.columns], [cell.text for cell in found.cells], strict=True))


def test_each_workload_that_was_followed_has_a_section(sections):
    assert list(sections) == list(TIMELINES)
    assert timelines.sections(Figures(make_result(TRUTHS[:3], rounds=3))) == []


def test_a_table_has_memory_in_mebibytes_and_what_it_cost(sections):
    (table,) = sections["nights"].tables
    assert table.title == "Nights, program"
    assert row(table, "mimalloc") == {
        **{"peak": "21.0", "mean": "14.5", "÷ used": "2.90", "end": "9.00", "trimmed": "1.00"},
        **{"all": "12.5", "system": "2.50", "page faults": "9,000"},
    }


def test_each_series_has_a_table(sections):
    assert [table.series for table in sections["sparse"].tables] == [["large"], ["small"]]


def test_a_strategy_that_could_not_be_measured_says_why():
    made = make_result(MEMORY_TRUTHS, rounds=3, missing=("mimalloc",))
    for section in timelines.sections(Figures(made)):
        for table in section.tables:
            (absent,) = (row for row in table.rows if row.label == "mimalloc")
            assert absent.note.startswith("install ") and not absent.cells


def test_every_timeline_compares_with_the_malloc_of_the_c_library():
    for workload in TIMELINES:
        assert {"new_delete", "replace_new_malloc", "mimalloc", "jemalloc", "tcmalloc"} <= set(ALL[workload].strategies)
