"""`./freehold advise --confirm` and `--time`: programs that are run again, and compared."""

import subprocess

import pytest

from freehold_lab.advise import confirming, given
from freehold_lab.advise.command import run
from freehold_lab.advise.confirming import BROKEN, KEPT, Confirmation
from freehold_lab.advise.interval import Interval
from freehold_lab.advise.replay import counting, timing
from freehold_lab.advise.replay.counting import Usage
from freehold_lab.advise.work import Request
from freehold_lab.errors import LabError

PROGRAM = """
#include <cstdio>
int main(int argc, char** argv) {
    unsigned sum = 0;
    for (unsigned i = 0; i < ROUNDS; ++i) sum = sum * 31 + i % 7;
    std::printf("%s\\n", sum > 0 && argc > 1 ? argv[1] : "");
    return STATUS;
}
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("confirming")
    source = folder / "program.cpp"
    source.write_text(PROGRAM)

    def program(name, rounds=1_000_000, status=0):
        macros = [f"-DROUNDS={rounds}", f"-DSTATUS={status}"]
        subprocess.run(["g++", "-O1", *macros, source, "-o", folder / name], check=True)
        return str(folder / name)

    return program


@pytest.fixture(scope="module")
def usual(build):
    return build("usual")


@pytest.fixture(scope="module")
def faster(build):
    return build("faster", rounds=400_000)


@pytest.fixture(autouse=True)
def few_rounds_and_no_input(monkeypatch):
    monkeypatch.setattr(timing, "ROUNDS", 3)
    monkeypatch.setattr(given, "keep", lambda folder: None)


@pytest.mark.parametrize(
    ("promised", "status", "word"),
    [("-60.0%:-20.0%", KEPT, "kept"), ("-20.0%:-10.0%", KEPT, "kept, and more"), ("-90.0%:-70.0%", BROKEN, "broken")],
)
def test_a_promise_is_judged_by_the_instructions(usual, faster, promised, status, word, capsys):
    assert confirming.run(Confirmation(faster, (usual, "x"), promised)) == status
    assert capsys.readouterr().out.splitlines()[0].endswith(f": {word}")


def test_a_program_that_prints_something_else_is_not_compared(usual, build):
    other = build("other", rounds=0)
    with pytest.raises(LabError, match="prints something else"):
        confirming.run(Confirmation(other, (usual, "x")))


def test_a_program_that_ends_otherwise_is_not_compared(usual, build):
    other = build("failing", status=3)
    with pytest.raises(LabError, match="ends with another status"):
        confirming.run(Confirmation(other, (usual, "x")))


def test_a_library_is_preloaded(usual, tmp_path, capsys):
    library = tmp_path / "libnothing.so"
    subprocess.run(["g++", "-shared", "-x", "c++", "/dev/null", "-o", library], check=True)
    assert confirming.run(Confirmation(str(library), (usual, "x"))) == KEPT
    assert capsys.readouterr().out.startswith("instructions: ")


@pytest.mark.parametrize("promised", ["-56%", "a:b", "-56.0%:-37.4% "])
def test_what_is_no_promise_is_one_line(usual, promised):
    with pytest.raises(LabError, match="is no promise"):
        confirming.run(Confirmation(usual, (usual,), promised))


def test_a_changed_program_that_is_not_there_is_one_line(usual):
    with pytest.raises(LabError, match="there is no file /nowhere"):
        confirming.run(Confirmation("/nowhere", (usual,)))


def test_without_the_program_as_it_was_it_says_what_it_needs(usual):
    with pytest.raises(LabError, match="--confirm needs the program as it was"):
        confirming.run(Confirmation(usual, ()))


def test_advice_has_the_command_that_confirms_it():
    told = confirming.command("CHANGED", Interval(-0.56, -0.5, -0.374), "./documents")
    assert told == "./freehold advise --confirm CHANGED --promised=-56.0%:-37.4% -- ./documents"


def usages(*seconds):
    return [Usage(0, each, each, 0.0, 0, 1000) for each in seconds]


def judged(*rounds):
    ways = [timing.Way(name, ("program",)) for name in ("usual", "", "other")]
    return timing._judged(ways, [usages(*each) for each in rounds])[0]


def test_a_difference_is_told_with_its_interval():
    found = judged((1.0, 1.01, 0.8), (1.0, 0.99, 0.81), (2.0, 2.0, 1.58))
    assert found.told == "−21.0% to −19.0%"


def test_what_is_within_chance_is_not_distinguishable():
    assert judged((1.0, 1.06, 0.95), (1.0, 0.94, 0.96), (2.0, 2.0, 1.9)).told == "not distinguishable"


def test_a_program_that_ends_now_so_now_otherwise_is_not_timed(tmp_path):
    flag = tmp_path / "flag"
    script = f"test -e {flag} && exit 1; touch {flag}"
    with pytest.raises(LabError, match="does not always end alike"):
        timing.compare(timing.Way("as it is", ("/bin/sh", "-c", script)), [])


def test_no_program_is_timed_unasked(usual):
    with pytest.raises(LabError, match="needs --rerun"):
        run(Request((usual,), time=True))


def test_the_peak_is_that_of_the_program_and_not_of_what_runs_it():
    assert counting.usage(["true"]).peak < 10 << 20
