"""The page of who owns what: it opens offline, shows each cycle, and believes no name."""

import stat
from html.parser import HTMLParser

import pytest

from browser import browser, needs_chromium
from freehold_lab.errors import LabError
from freehold_lab.owners.answers import difference, page
from made_up import LONG, a_full_report, a_leak, a_report, a_type, an_owner, asked

VOID = ("meta",)


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(text)
        assert self.open == []
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "img", "link", "iframe")
        assert not {"src", "href"} & {name for name, _ in attributes}, "it needs no other file"
        self.text += " "
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


@pytest.fixture
def drawn(tmp_path):
    def draw(report):
        path = tmp_path / "page.html"
        page.write(report, path)
        return Parsed(path.read_text())

    return draw


def test_a_cycle_is_drawn_with_its_places(drawn):
    text = drawn(a_report()).text
    assert "Leaked: 5.7 MiB in 1 kind of leak leaked 5.7 MiB, 2,000 times Context +40 FunctionType +16" in text
    assert "Behind them: 4,000 Value, 12 Name." in text


def test_types_are_in_a_table(drawn):
    assert "Context 2,000 125 KiB 4,000 – " in drawn(a_report()).text


def test_an_owner_that_was_lost_is_drawn(drawn):
    assert "an owner that was lost 3 Session" in drawn(a_report(leaks=[a_leak(types={"Session": 3})])).text


def test_why_nothing_is_called_leaked_is_said(drawn):
    suspected = a_leak("Session", "+8", grade="suspected", bytes=6_000_000)
    text = drawn(a_report(doubts=["of all owners only 81.0 % were found"], leaks=[suspected])).text
    assert "Nothing is called leaked, only suspected: of all owners only 81.0 % were found." in text
    assert "suspected 5.7 MiB" in text


def test_what_expired_weak_pointers_keep_is_listed(drawn):
    text = drawn(a_report(types=[a_type("Big", weak=7, expired_bytes=1 << 20)])).text
    assert "What expired weak pointers keep type expired weak pointers bytes Big 0 7 1.0 MiB" in text


def test_who_owns_an_object_is_told_first(drawn):
    text = drawn(a_report(asked=[asked([an_owner(1, where="stack of thread 1")])])).text
    assert "held by global server in nginx Server +24 Session at kind where 0x5010 owner stack of thread 1" in text


def test_a_program_that_owns_nothing_has_a_page(drawn):
    assert "No leak was found." in drawn(a_report(types=[], leaks=[], owners=0)).text


def test_names_are_no_markup(drawn):
    name = "<script>alert(1)</script><b style='x'>\x1b"
    text = drawn(a_report(source=name, notes=[name], types=[a_type(name)], leaks=[a_leak(name, name)])).text
    assert "<script>alert(1)</script>" in text and "\x1b" not in text


def test_a_page_of_very_much_is_small(tmp_path):
    path = tmp_path / "page.html"
    page.write(a_full_report(asked=[asked([an_owner(n, where=LONG) for n in range(100)])] * 200), path)
    assert path.stat().st_size < 2 << 20
    assert "and 100 types more" in Parsed(path.read_text()).text


def test_a_difference_has_a_page(tmp_path):
    path = tmp_path / "page.html"
    page.write_difference(difference.between(a_report(types=[], leaks=[], source="process 1"), a_report()), path)
    text = Parsed(path.read_text()).text
    assert "The earlier report is of process 1." in text
    assert "leaked +5.7 MiB, +2,000: now 2,000 times" in text
    assert "Context +2,000 +125 KiB +4,000" in text


def test_no_one_else_may_read_it(tmp_path):
    path = tmp_path / "page.html"
    for _ in range(2):  # a new one, and one in place of another
        page.write(a_report(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)


def test_another_file_is_left_as_it_is(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("<!doctype html> mine")
    with pytest.raises(LabError, match="is left as it is"):
        page.write(a_report(), path)
    assert path.read_text() == "<!doctype html> mine"


def test_an_empty_file_is_written(tmp_path):
    path = tmp_path / "page.html"
    path.touch()
    page.write(a_report(), path)
    assert path.stat().st_size


@needs_chromium
def test_a_browser_shows_it_without_a_fault(tmp_path):
    page.write(a_full_report(), tmp_path / "page.html")
    heard = []
    with browser(tmp_path) as chromium:
        for scheme, width in (("light", 1400), ("dark", 400)):
            shown = chromium.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
            shown.on("console", lambda said: heard.append(said.text))
            shown.on("request", lambda one: one.url.startswith("file:") or heard.append(one.url))
            shown.goto(f"file://{tmp_path}/page.html")
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert heard == []
