"""The page holds what the terminal shows, in one file that asks the network for nothing."""

from html.parser import HTMLParser

import pytest

from freehold_lab.errors import LabError
from freehold_lab.model import State, Strategy
from freehold_lab.report.figures import Figures
from freehold_lab.report.html import render, write
from freehold_lab.report.tables import sections
from freehold_lab.workloads import TIMED_POINTERS
from synthetic import TRUTHS, make_result

LOADING = {"src", "href", "xlink:href", "srcset", "data", "action", "poster"}
VOID = {"meta", "br", "link", "img", "wbr"}


class Page(HTMLParser):
    """Collects the text of a page, its tags, and whatever a browser would load; fails on tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.text, self.tags, self.loaded, self.open = "", [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loaded += [value for name, value in attributes if name in LOADING and not value.startswith("#")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def result():
    return make_result(TRUTHS, missing=("boost_shared_ptr",))


@pytest.fixture(scope="module")
def source(result):
    return render(result)


def test_nothing_is_loaded_and_nothing_runs(source):
    page = Page(source)
    assert page.loaded == []
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert "@import" not in source
    assert "url(" not in source


def test_the_tables_are_those_of_the_terminal(result, source):
    text = Page(source).text
    for section in sections(Figures(result)):
        for table in section.tables:
            assert table.title in text
            assert table.command in text
            for row in table.rows:
                assert row.label in text
                assert row.note in text
                for cell in row.cells:
                    assert cell.text in text
                    assert cell.detail in text


def test_what_to_use_comes_first(source):
    text = Page(source).text
    assert text.index("Fastest copy") < text.index("Operations: g++-12")


def test_it_says_how_it_was_measured(source):
    text = Page(source).text
    for told in ("Example 9000", "glibc 2.36", "-std=c++20 -O2", "Boost 1.74.0", "A/A control", "a note of the run"):
        assert told in text


def test_every_chart_is_in_the_page(source):
    costs, lines, data_size = 2, 4, 1
    times = 2 * len({*TIMED_POINTERS} - {"operations"})
    assert Page(source).tags.count("svg") == costs + lines + times + data_size


def test_names_are_text_and_never_markup():
    result = make_result(TRUTHS[:3], rounds=3)
    odd = Strategy(
        name="odd",
        label="<b>odd & co</b>",
        family="pointers",
        status="planned",
        note="<script>",
        workloads=["operations"],
    )
    page = Page(render(result.model_copy(update={"strategies": [*result.strategies, odd]})))
    assert "<b>odd & co</b>" in page.text
    assert "script" not in page.tags


@pytest.mark.parametrize(
    "choices",
    [
        {"counts": False},
        {"sizes": False},
        {"compilers": ("clang++-19",), "states": (State.THREADED,)},
        {"rounds": 1},
        {"rounds": 0, "counts": False, "sizes": False},
        {"compilers": ()},
    ],
    ids=str,
)
def test_whatever_is_missing_it_draws(choices):
    result = make_result(TRUTHS[-5:], **{"compilers": ("g++-12",), **choices})
    assert "How to read this" in Page(render(result)).text


def test_a_page_that_cannot_be_written_is_one_clear_error(tmp_path):
    with pytest.raises(LabError, match="cannot write .*page.html: No such file or directory"):
        write(make_result(rounds=0), tmp_path / "absent" / "page.html")


def test_a_page_is_written(tmp_path):
    write(make_result(rounds=0), tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
