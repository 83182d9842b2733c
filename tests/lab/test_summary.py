"""What to use, in words, follows from the figures and says so when it is a tie."""

import pytest

from freehold_lab.model import State
from freehold_lab.report.figures import Figures
from freehold_lab.report.summary import questions
from synthetic import REFERENCE, SOLE, TRUTHS, Truth, make_result

STD = Truth(REFERENCE, "std::make_shared", "peers", 30, 5, atomic=True)
RAW = Truth("raw", "raw", "baseline", 5, 0.1)
FAST = Truth("fast", "fast", "pointers", 40, 2, handle=24)
SMALL = Truth("small", "small", "pointers", 15, 4, atomic=True, control=0)


def asked(*truths, **choices):
    result = make_result(list(truths), compilers=("g++-12",), **choices)
    return {question.text.split(",")[0]: question.answers for question in questions(Figures(result))}


def test_each_question_has_its_own_winner_and_baselines_never_win():
    answers = asked(RAW, FAST, SMALL, STD, states=(State.ALONE,))
    assert answers["Fastest copy"][0].verdict.winner == "fast"
    assert answers["Fastest to create and release"][0].verdict.winner == "small"
    assert answers["Smallest"][0].verdict.winner == "small"


def test_the_reference_is_beside_the_winner():
    words = asked(FAST, STD, states=(State.ALONE,))["Fastest copy"][0].verdict.words
    assert "std::make_shared" in words
    assert "2.5 times that" in words
    assert "tie" not in words


@pytest.mark.parametrize("question", ["Fastest copy", "Fastest to create and release", "Smallest"])
def test_a_tie_is_called_a_tie(question):
    best = Truth("best", "best", "pointers", 12, 1.5, control=0)
    twin = best._replace(name="twin", label="twin")
    verdict = asked(best, twin, FAST, STD)[question][0].verdict
    (other,) = {"best", "twin"} - {verdict.winner}
    assert f"tied with {other};" in verdict.words


def test_creation_is_judged_by_a_set_that_was_timed_and_not_by_the_intercept():
    below = Truth("below", "below", "pointers", 1, 30)
    verdict = asked(below, SMALL, STD, states=(State.ALONE,))["Fastest to create and release"][0].verdict
    assert verdict.winner == "small"
    assert verdict.words.startswith(("22.", "23."))


def test_only_atomic_counts_answer_for_handles_shared_between_threads():
    (answer,) = asked(FAST, SMALL, STD)["Fastest copy with an atomic count"]
    assert answer.verdict.winner == "small"
    assert answer.where == "g++-12, second thread started"


def test_compilers_that_agree_share_an_answer():
    (question,) = [q for q in questions(Figures(make_result(TRUTHS))) if q.text.startswith("Smallest")]
    assert [answer.where for answer in question.answers] == ["g++-12 and clang++-19"]


def test_sole_owners_are_compared_with_each_other_only():
    managed = Truth("managed_ptr", "managed", "pointers", 12, 1, handle=8, control=0, workloads=SOLE)
    unique = Truth("std_unique_ptr", "unique", "peers", 10, 1, handle=8, control=0, workloads=SOLE)
    answers = asked(managed, unique, SMALL, STD, states=(State.ALONE,))
    verdict = answers["Fastest sole owner to create"][0].verdict
    assert verdict.winner == "unique"
    assert "; managed 12.9" in verdict.words and "1.2 times that" in verdict.words
    assert "std::make_shared" not in verdict.words
    assert answers["Smallest"][0].verdict.winner == "small"


def test_what_a_cpp_program_cannot_use_is_no_answer():
    rust = Truth("rust_arc", "Rust Arc", "peers", 1, 0.1, workloads=("operations", "instantiation"))
    for question, answers in asked(rust, FAST, STD).items():
        assert all("Rust" not in answer.verdict.winner + answer.verdict.words for answer in answers), question


def test_without_a_count_there_is_no_ownership():
    uncounted = Truth("uncounted_stack", "uncounted, stack", "uncounted", 1, 0)
    answers = asked(uncounted, FAST, SMALL, STD)["Fastest ownership for n-queens"]
    assert all("uncounted" not in answer.verdict.winner + answer.verdict.words for answer in answers)


def test_creation_in_two_threads_at_once_has_an_answer_of_its_own():
    (answer,) = asked(FAST, SMALL, STD)["Fastest to create and release in two threads at once"]
    assert (answer.verdict.winner, answer.where) == ("small", "g++-12, second thread started")
    assert answer.verdict.words.startswith(("53.", "54."))


def test_queens_are_reported_as_times_ocaml():
    ocaml = Truth("ocaml", "OCaml", "peers", 20, 0, workloads=("queens",))
    (answer,) = asked(ocaml, FAST, SMALL, STD, states=(State.ALONE,))["Fastest ownership for n-queens"]
    assert answer.verdict.winner == "small"
    assert answer.verdict.words.startswith("1.1")
    assert " times OCaml at n = 9; std::make_shared 1.99" in answer.verdict.words


def test_nothing_measured_nothing_to_say():
    assert asked(FAST, STD, rounds=0, counts=False, sizes=False) == {}
