"""What the terminal shows of who owns what: in 40 lines, whatever the program has."""

import io

import pytest
from rich.console import Console

from freehold_lab.owners.answers import difference, terminal, words
from freehold_lab.owners.answers.report import Leak, Step
from made_up import CLOSURES, LONG, a_full_report, a_leak, a_report, a_type, an_owner, asked


def printed(report, width=100, show=terminal.show):
    out = io.StringIO()
    show(report, Console(file=out, width=width, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 132, 250])
def test_it_has_at_most_forty_lines(width):
    lines = printed(a_full_report(), width).splitlines()
    assert len(lines) < 40, "the command adds one that names the page"
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80, 250])
def test_a_difference_has_at_most_forty_lines(width):
    full = difference.between(a_report(types=[], leaks=[]), a_full_report())
    assert len(printed(full, width, terminal.show_difference).splitlines()) < 40


def test_the_image_has_a_line():
    assert "x86-64, stopped 0.21 s, 215 MiB, glibc's malloc; 99.9 % of 40,440 owners found, 12 handles unknown" in (
        printed(a_report(), 200)
    )


def test_a_core_was_not_stopped():
    assert "stopped" not in printed(a_report(source="core.4711", stopped=0.0))


@pytest.mark.parametrize(("share", "text"), [(1, "100 %"), (0.99999, "99.9 %"), (0.81, "81.0 %"), (0, "0.0 %")])
def test_a_share_is_never_rounded_up(share, text):
    assert words.percent(share) == text


def test_a_cycle_is_on_a_line_below_its_figures():
    lines = printed(a_report()).splitlines()
    at = lines.index("leaked  2,000 times  5.7 MiB  behind it 4,000 Value, 12 Name")
    assert lines[at + 1] == "  Context +40 -> FunctionType +16 -> Context"


def test_a_member_that_is_known_needs_no_offset():
    assert words.cycle(a_leak("Context", ".callback[]"), 80) == "Context.callback[] -> Context"


def test_an_owner_that_was_lost_is_said():
    assert words.cycle(a_leak(types={"Session": 3}), 80) == "3 Session (an owner was lost)"


def test_an_owner_that_was_lost_without_a_type_is_said():
    assert words.cycle(Leak("leaked", [], {}, {"Session": 3}, 10, 1), 80) == "3 Session (an owner was lost)"


@pytest.mark.parametrize("room", [20, 40, 80, 160])
@pytest.mark.parametrize("length", [1, 2, 3, 50, 2000])
def test_a_cycle_fits(room, length):
    ring = Leak("leaked", [Step(LONG, "+8")] * length, {LONG: length}, {}, 10, 1)
    assert len(words.cycle(ring, room)) <= room


def test_of_a_long_cycle_begin_and_end_are_shown():
    ring = a_leak(*[part for number in range(100) for part in (f"T{number}", "+8")])
    text = words.cycle(ring, 60)
    assert text.startswith("T0 +8 -> T1 +8 -> ") and text.endswith("more … -> T0")


def test_long_names_lose_their_middle():
    assert words.short("std::vector<int>", 9) == "std:…int>"


def test_a_name_commands_no_terminal():
    text = printed(a_report(types=[a_type("\x1b[2J\nName\r")], leaks=[a_leak("\x1b[2J", "\x1b+8")]))
    assert "\x1b" not in text and "?[2J?Name?" in text


def test_with_doubts_a_leak_is_suspected():
    suspected = a_leak("Session", "+8", grade="suspected")
    text = printed(a_report(doubts=["of all owners only 81.0 % were found"], leaks=[suspected]))
    assert "Nothing is called leaked, only suspected: of all owners only 81.0 % were found." in text
    assert "\nleaked" not in text and "\nsuspected  " in text


def test_without_a_leak_it_says_so():
    assert "No leak was found." in printed(a_report(leaks=[]))


def test_what_expired_weak_pointers_keep_has_a_line():
    types = [a_type("Big", owners=0, expired_bytes=1 << 20), a_type("Small", expired_bytes=1 << 10)]
    assert "Kept by expired weak pointers: 1.0 MiB of Big, 1.0 KiB of Small" in printed(a_report(types=types))


def test_the_types_with_most_owners_have_a_line():
    types = [a_type("Few", owners=1), a_type("Many", owners=3000)]
    assert "Most owners: 3,000 of Many, 1 of Few" in printed(a_report(types=types))


def test_who_owns_an_object_is_told_instead():
    text = printed(a_report(asked=[asked([an_owner(1), an_owner(2, "weak", "stack of thread 4711")], unseen=1)]))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[-4:] == [
        "0x5510 Session: held, 3 owners, 1 weak, at most 1 owner not found",
        "0x5010 owner Session +40",
        "0x5020 weak stack of thread 4711",
        "held by global server in nginx -> Server +24 -> Session",
    ]
    assert "FunctionType" not in text


def test_of_many_owners_twenty_are_shown():
    text = printed(a_report(asked=[asked([an_owner(number) for number in range(50)])]))
    assert text.count("Session +40") == 20 and "and 30 more; --json has them all" in text


def test_of_many_objects_few_are_shown():
    many = [asked([an_owner(number) for number in range(50)])] * 20
    text = printed(a_report(asked=many))
    assert len(text.splitlines()) <= 40 and "and 15 more objects" in text


def test_what_nothing_holds_is_said():
    assert "nothing was found that holds it" in printed(a_report(asked=[asked(path=[], root="")]))


def test_a_difference_names_what_has_grown():
    old = a_report(types=[a_type("Context", 10, 1000, 20), a_type("Gone", 10, 5000)], leaks=[])
    text = printed(difference.between(old, a_report(leaks=[CLOSURES])), 100, terminal.show_difference)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "Context +1,990 +124 KiB +3,980" in lines
    assert "Context +40 -> FunctionType +16 -> Context +2,000 +8,012 +5.7 MiB" in lines
    assert "Types that have shrunk have 4.9 KiB less." in lines
