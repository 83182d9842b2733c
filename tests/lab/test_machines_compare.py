"""./freehold compare, on made-up results."""

import pytest

from freehold_lab import cli, statistics, store
from freehold_lab.machines.changes import Axis, changes, matching
from freehold_lab.machines.trend import trends
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result, with_times_of

POINTERS = [each._replace(workloads=("operations", "containers")) for each in TRUTHS if each.family == "pointers"]
OTHERS = [each._replace(workloads=("operations",)) for each in TRUTHS if each.name == "std_shared_ptr"]
SOME = [each._replace(workloads=("operations",)) for each in POINTERS if "shared_ptr" in each.name] + OTHERS


def result(truths=SOME, seed=0, compilers=("g++-12",), **options):
    made = make_result(truths, compilers=compilers, seed=seed, rounds=6, sizes=False, **options)
    made.findings = statistics.find(made)
    return made


def slower(factor):
    """The truths with a local pointer that takes `factor` of its time."""
    return [
        each._replace(initialisation=each.initialisation * factor, copy=each.copy * factor)
        if each.name == "local_shared_ptr"
        else each
        for each in SOME
    ]


@pytest.fixture
def saved(tmp_path):
    def save(name, made):
        store.save(made, tmp_path / name)
        return str(tmp_path / name)

    return save


def all_changes(before, after):
    return changes(before, after, matching(before, after))


def test_two_runs_of_one_truth_are_alike():
    found = all_changes(result(seed=1), result(seed=2))
    worse = [change for change in found if change.is_worse(0.05) or change.is_better(0.05)]
    assert len(found) > 100
    assert len(worse) <= len(found) / 100


def test_a_slower_strategy_is_found_alone():
    found = [each for each in all_changes(result(seed=1), result(slower(1.5), seed=2)) if each.axis is Axis.TIME]
    local = [each for each in found if each.key[-1] == "local_shared_ptr" and each.key[0] == "operations"]
    assert local
    assert all(each.is_worse(0.05) for each in local)
    assert all(each.low < 1.5 < each.high for each in local[:3])
    others = [each for each in found if each.key[-1] == "shared_ptr"]
    assert sum(each.is_worse(0.05) for each in others) <= len(others) / 50


def test_the_largest_change_comes_first():
    found = all_changes(result(seed=1), result(slower(3), seed=2))
    assert found[0].key[-1] == "local_shared_ptr"
    assert [each.size for each in found] == sorted((each.size for each in found), reverse=True)


def test_a_change_below_the_threshold_is_none():
    found = all_changes(result(seed=1), result(slower(1.5), seed=2))
    assert not any(each.is_worse(0.8) for each in found if each.axis is Axis.TIME)


def test_noise_as_wide_as_the_change_hides_it():
    before, after = result(seed=1), result(slower(1.5), seed=2)
    controls = [each.model_copy(update={"high": 9.0}) if each.control else each for each in after.findings.ratios]
    after.findings = after.findings.model_copy(update={"ratios": controls})
    assert not any(each.is_worse(0.05) for each in all_changes(before, after) if each.axis is Axis.TIME)


def test_two_launches_prove_nothing():
    few = make_result(slower(9), compilers=("g++-12",), rounds=2, sizes=False)
    assert not any(each.is_worse(0) for each in all_changes(result(), few) if each.axis is Axis.TIME)


def test_a_compiler_is_compared_with_a_later_version():
    assert matching(result(compilers=("g++-12", "clang++-16")), result(compilers=("g++-14",))) == {"g++-12": "g++-14"}
    assert matching(result(compilers=("g++-12", "g++-13")), result(compilers=("g++-13",))) == {"g++-13": "g++-13"}


def test_the_exit_code_says_whether_something_became_worse(saved, capsys):
    before, after = saved("a.json", result(seed=1)), saved("b.json", result(slower(2), seed=2))
    assert cli.main(["compare", before, after]) == 1
    assert "time, local, operations, set" in capsys.readouterr().out
    assert cli.main(["compare", after, before]) == 0
    assert "0 figures are worse" in capsys.readouterr().out
    assert cli.main(["compare", before, after, "--threshold", "500", "--fail-on", "times"]) == 0


def test_what_is_gone_is_said(saved, capsys):
    without = [each for each in SOME if each.name != "local_shared_ptr"]
    assert cli.main(["compare", saved("a.json", result(seed=1)), saved("b.json", result(without, seed=1))]) == 0
    assert "points are in the first result only: local" in capsys.readouterr().out


def test_what_cannot_be_compared_is_not_called_equal(saved, capsys):
    short = result(seed=1)
    short.launches = [each for each in short.launches if each.round == 0]
    cli.main(["compare", saved("a.json", result(seed=1)), saved("b.json", short)])
    told = capsys.readouterr().out
    assert f"{len(SOME) * 2 * 7} times with fewer than 3 launches have no interval: not compared." in told


def test_counts_alone_can_decide(saved):
    before, after = result(seed=1), result(slower(2), seed=2)
    after.counts = before.counts
    names = saved("a.json", before), saved("b.json", after)
    assert cli.main(["compare", *names, "--fail-on", "counts"]) == 0
    assert cli.main(["compare", *names, "--fail-on", "times"]) == 1
    one, *others = before.counts
    after.counts = [one.model_copy(update={"instructions": one.instructions * 1.01}), *others]
    assert cli.main(["compare", names[0], saved("b.json", after), "--fail-on", "counts"]) == 1


MALLOCS = [each for each in MEMORY_TRUTHS if each.name in ("new_delete", "mimalloc", "pool_resource")]


def followed(factor=1.0):
    """The memory of mallocs over time, where one keeps `factor` of it."""
    made = make_result(MALLOCS, compilers=("g++-12",), rounds=0, counts=False)

    def changed(each):
        more = [moment.model_copy(update={"resident": int(moment.resident * factor)}) for moment in each.moments]
        return each.model_copy(update={"moments": more}) if each.strategy == "mimalloc" else each

    made.timelines = [changed(each) for each in made.timelines]
    return made


def test_memory_that_stays_is_found_and_decides_only_where_everything_does(saved, capsys):
    before, after = saved("a.json", followed()), saved("b.json", followed(2))
    assert cli.main(["compare", before, after]) == 1
    told = capsys.readouterr().out
    assert "mean memory, mimalloc, nights, program, g++-12: ×2.00, 14.5 MiB → 29.0 MiB" in told
    assert "6 figures are worse, 0 better" in told  # of sparse there are two series
    assert cli.main(["compare", after, before]) == 0
    assert [cli.main(["compare", before, after, "--fail-on", each]) for each in ("counts", "times")] == [0, 0]
    assert cli.main(["compare", before, saved("c.json", followed(1.4))]) == 0


def test_memory_over_many_results_changes_where_it_changed():
    found = trends([followed(1 if number < 4 else 2) for number in range(8)], 0.05)
    assert {(each.axis, each.key[-1]) for each in found} == {(Axis.MEMORY, "mimalloc")}
    assert all([step.at for step in each.steps] == [4] for each in found)


def test_at_most_forty_lines_unless_all_are_asked_for(saved, capsys):
    names = (
        saved("a.json", make_result(POINTERS, rounds=3, seed=1)),
        saved("b.json", make_result(POINTERS, rounds=3, noise=0.9, seed=2)),
    )
    cli.main(["compare", *names, "--threshold", "0"])
    few = capsys.readouterr().out
    cli.main(["compare", *names, "--threshold", "0", "--all"])
    assert len(few.splitlines()) <= 40 < len(capsys.readouterr().out.splitlines())


def test_one_compiler_is_compared_with_another(saved, capsys):
    one = saved("a.json", make_result(SOME, rounds=3))
    assert cli.main(["compare", one, one, "--compiler", "g++-12=clang++-19"]) in (0, 1)
    assert "g++-12 with clang++-19" in capsys.readouterr().out


def test_over_many_results_the_change_is_found_where_it_came():
    truths = [SOME] * 4 + [slower(2)] * 4
    found = trends([result(each, seed=number) for number, each in enumerate(truths)], 0.05)
    local = [each for each in found if each.axis is Axis.TIME and each.key[:2] == ("operations", "set")]
    assert {each.key[-1] for each in local} == {"local_shared_ptr"}
    assert all([step.at for step in each.steps] == [4] for each in local)
    assert all(1.8 < each.ratio < 2.2 and each.is_worse(0.05) for each in local)


def test_over_many_a_change_that_was_undone_is_not_worse(saved, capsys):
    usual, slow = result(seed=1), result(slower(2), seed=2)
    made = [*[usual] * 8, *[slow] * 5, *[usual] * 2]
    names = [saved(f"{number:02}.json", each) for number, each in enumerate(made)]
    assert cli.main(["compare", *names, "--fail-on", "times"]) == 0
    assert "×2.07 at 08.json, ×0.48 at 13.json" in capsys.readouterr().out
    assert cli.main(["compare", *names[:12]]) == 1


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["a.json"], "takes two results"),
        (["a.json", "none.json"], "there is no file"),
        (["a.json", "bad.json"], "is not a result"),
        (["a.json", "a.json", "--compiler", "g++-99"], "no compiler called g++-99"),
        (["a.json", "a.json", "a.json", "--compiler", "g++-12"], "--compiler is for two results"),
        (["a.json", "a.json", "--fail-on", "nothing"], "no kind of figure called nothing"),
        (["a.json", "other.json"], "no figure in common"),
    ],
)
def test_bad_input_is_one_line(saved, tmp_path, monkeypatch, capsys, arguments, complaint):
    saved("a.json", result())
    saved("other.json", result(compilers=("icc",)))
    (tmp_path / "bad.json").write_text('{"launches": [')
    monkeypatch.chdir(tmp_path)
    assert cli.main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert len(said.err.splitlines()) == 1


def test_a_disturbed_launch_changes_nothing():
    before, after = result(seed=1), with_times_of(result(seed=2), "local_shared_ptr", 3, 50)
    after.findings = statistics.find(after)
    local = [each for each in all_changes(before, after) if each.key[-1] == "local_shared_ptr"]
    assert sum(each.is_worse(0.05) for each in local) <= len(local) / 50
