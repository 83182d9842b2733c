"""The page is one file that asks the network for nothing, and holds all of its result: as text, never as markup."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from freehold_lab import store
from freehold_lab.errors import LabError
from freehold_lab.model import State, Strategy
from freehold_lab.report import packing
from freehold_lab.report.decisions import decide
from freehold_lab.report.figures import Figures
from freehold_lab.report.html import chart_library, render, write
from freehold_lab.report.tables import sections
from synthetic import MEMORY_TRUTHS, TRUTHS, make_result

LOADING = {"src", "href", "xlink:href", "srcset", "data", "action", "poster"}
VOID = {"meta", "br", "link", "img", "wbr", "input"}


class Page(HTMLParser):
    """Collects the text of a page, its tags, and whatever a browser would load; fails on tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.text, self.tags, self.loaded, self.open, self.scripts = "", [], [], [], []
        self.policy = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loaded += [value for name, value in attributes if name in LOADING and not value.startswith("#")]
        if dict(attributes).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attributes)["content"]
        if tag == "script":
            self.scripts.append((dict(attributes), ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))
        else:
            self.text += data

    def packed(self, name):
        return packing.unpack(next(text for attributes, text in self.scripts if attributes.get("id") == name))


@pytest.fixture(scope="module")
def result():
    return make_result([*TRUTHS, *MEMORY_TRUTHS], missing=("boost_shared_ptr",))


@pytest.fixture(scope="module")
def source(result):
    return render(result)


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_nothing_is_loaded(page, source):
    assert page.loaded == []
    assert "link" not in page.tags
    assert "@import" not in source
    assert "url(" not in source


def test_nothing_runs_but_the_page_s_own_scripts(page):
    """The policy names them by their digests, so that no other can run, and nothing can be asked for."""
    directives = dict(each.strip().split(" ", 1) for each in page.policy.split(";"))
    (own,) = (text for attributes, text in page.scripts if attributes.get("type") == "module")
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].split() == [digest(own), digest(chart_library())]
    assert "unsafe" not in page.policy


def test_the_tables_are_those_of_the_terminal(result, page):
    drawn = {each["workload"]: each["tables"] for each in page.packed("tables")["sections"]}
    for section in sections(Figures(result)):
        assert [each["title"] for each in drawn[section.workload]] == [table.title for table in section.tables]
        for there, table in zip(drawn[section.workload], section.tables, strict=True):
            assert there["command"] == table.command
            assert [each["label"] for each in there["rows"]] == [row.label for row in table.rows]
            assert [each["note"] for each in there["rows"]] == [row.note for row in table.rows]
            for one, row in zip(there["rows"], table.rows, strict=True):
                assert [(each["text"], each["detail"]) for each in one["cells"]] == [
                    (cell.text, cell.detail) for cell in row.cells
                ]


def test_it_holds_the_result(result, source):
    assert type(result).model_validate_json(packing.result_in(source)).launches == result.launches


def test_what_to_use_is_there_without_scripts(result, page):
    decisions = decide(Figures(result), "clang++-19")
    assert any(decision.pick for decision in decisions)
    for decision in decisions:
        assert decision.need.title in page.text
        assert decision.missing in page.text
        if decision.pick:
            assert decision.write in page.text
            assert decision.pick.label in page.text


def test_a_saved_result_draws_the_same_page(tmp_path):
    result = make_result(TRUTHS[-3:], rounds=3)
    store.save(result, tmp_path / "result.json")
    assert render(store.load(tmp_path / "result.json")) == render(result)


def test_it_says_how_it_was_measured(page):
    for told in ("Example 9000", "glibc 2.36", "-std=c++20 -O2", "Boost 1.74.0", "A/A control", "a note of the run"):
        assert told in page.text


def test_names_are_text_and_never_markup(page):
    result = make_result(TRUTHS[:3], rounds=3)
    odd = Strategy(
        name="odd",
        label="<b>odd & co</b></script><script>",
        family="<i>family",
        status="planned",
        note="<script>",
        workloads=["operations"],
    )
    changes = {"strategies": [*result.strategies, odd], "notes": ["<script>alert(1)</script>"]}
    odd_page = Page(render(result.model_copy(update=changes)))
    assert "<script>alert(1)</script>" in odd_page.text
    assert "<i>family" in odd_page.text
    assert odd_page.tags.count("script") == page.tags.count("script")
    assert odd_page.packed("result")["strategies"][-1]["label"] == odd.label


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
    with pytest.raises(LabError, match="cannot save .*page.html: No such file or directory"):
        write(make_result(rounds=0), tmp_path / "absent" / "page.html")


def test_a_page_is_written(tmp_path):
    write(make_result(rounds=0), tmp_path / "page.html")
    assert re.match("<!doctype html>", (tmp_path / "page.html").read_text(encoding="utf-8"))
