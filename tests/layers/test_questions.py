"""The pages of questions: every path from the first question ends at an answer within four clicks, and no part of the
page is out of reach. The pages that list the types name each of them."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANSWER = ("- **Ruled out if**:", "- **Write**:", "- **Page**:")
MOST_CLICKS = 4


def sections(page):
    """Returns the text below each heading of level 2 and 3, by its anchor, in order."""
    parts = re.split(r"^#{2,3} (.+)$", (DOCS / "guide" / page).read_text(), flags=re.MULTILINE)
    anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in parts[1::2]]
    return dict(zip(anchors, parts[2::2], strict=True))


def clicks(page):
    """Returns how many clicks each section is away from the first question, by the questions alone."""
    parts = sections(page)
    seen = {next(iter(parts)): 0}
    waiting = list(seen)
    while waiting:
        section = waiting.pop(0)
        if ANSWER[-1] in parts[section]:
            continue
        for link in LINK.findall(parts[section]):
            if link.startswith("#") and link[1:] not in seen:
                seen[link[1:]] = seen[section] + 1
                waiting.append(link[1:])
    return seen


@pytest.mark.parametrize("page", ["which-pointer.md", "which-memory.md"])
def test_every_path_ends_at_an_answer_within_four_clicks(page):
    parts = sections(page)
    found = clicks(page)
    answers = [section for section in found if ANSWER[-1] in parts[section]]
    assert answers
    for section in answers:
        assert found[section] + 1 <= MOST_CLICKS, section  # the last click leads to the type's page
        told = [row for row in ANSWER if row in parts[section]]
        assert told == list(ANSWER), section
    questions = found.keys() - set(answers)
    assert all(parts[section].count("\n| ") >= 2 and LINK.search(parts[section]) for section in questions)


@pytest.mark.parametrize("page", ["which-pointer.md", "which-memory.md"])
def test_every_answer_is_reached(page):
    parts = sections(page)
    assert {section for section in parts if ANSWER[-1] in parts[section]} <= clicks(page).keys()


@pytest.mark.parametrize(
    ("page", "folders"),
    [
        ("pointers/README.md", ["pointers", "counting", "reclamation"]),
        ("memory/README.md", ["memory"]),
        ("collectors.md", ["cyclic", "traced", "tracing", "diagnosis", "interop"]),
    ],
)
def test_the_page_of_a_product_names_every_type(page, folders):
    links = {(DOCS / page).parent / link for link in LINK.findall((DOCS / page).read_text())}
    linked = {path.resolve() for path in links}
    there = {path for folder in folders for path in (DOCS / folder).glob("*.md") if path.name != "README.md"}
    assert there
    assert {path.name for path in there if path.resolve() not in linked} == set()
