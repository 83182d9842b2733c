"""The page of misuses and the tests are the same: each row names its test, which expects what the row says is told."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/guide/traced-misuses.md"
ROW = re.compile(r"^\| (.+) \| (.+) \| (.+) \| (.+) \| `([\w/.]+)` \|$", re.MULTILINE)
COLUMNS = ("misuse", "told", "by", "builds", "test")
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in ROW.findall(PAGE.read_text())]
BY = {
    "compiler": "all",
    "debug check": "without `NDEBUG`",
    "debug report": "without `NDEBUG`",
    "AddressSanitizer": "",
    "nothing": "none",
}

TEST = re.compile(r"^TEST\((\w+), (\w+)\) \{(.*?\}?)$(?=\n^TEST|\n*^#|\n*\Z|\n\n)", re.MULTILINE | re.DOTALL)
LITERALS = re.compile(r'"\s*\n\s*"')  # between the parts of a message
EXPECTS = re.compile(r'FREEHOLD_EXPECTS\(\s*([^"]+?),\s*"([^"]*)"')
PRECONDITION = re.compile(r'EXPECT_PRECONDITION\(.*?"((?:[^"\\]|\\.)*)"\);', re.DOTALL)


def read_tests():
    """The tests in C++ by SUITE.NAME: their texts."""
    found = {}
    for path in sorted([*ROOT.glob("tests/death/*.cpp"), *ROOT.glob("tests/unit/**/*.cpp")]):
        for suite, name, body in TEST.findall(path.read_text()):
            found[f"{suite}.{name}"] = body
    return found


TESTS = read_tests()
HEADERS = LITERALS.sub("", "".join(path.read_text() for path in ROOT.glob("include/freehold/**/*.hpp")))
CHECKS = EXPECTS.findall(HEADERS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["test"])
def test_row(row):
    assert row["builds"].startswith(BY[row["by"]])
    name = row["test"]
    if name.startswith("compile_fail/"):
        assert row["by"] == "compiler"
        expected = (ROOT / f"tests/{name}.cpp").read_text().splitlines()[0].removeprefix("// expect: ")
        ours = [text for text in re.findall(r'"(freehold: [^"]*)"', HEADERS) if re.search(expected, text)]
        assert row["told"] in expected or any(row["told"] in text for text in ours)
        return
    body = TESTS[name]
    if row["by"] == "debug check":
        wanted = PRECONDITION.search(body)[1].encode().decode("unicode_escape")
        meanings = [meaning for condition, meaning in CHECKS if re.search(wanted, condition)]
        assert any(row["told"] in meaning for meaning in meanings)
    elif row["by"] == "AddressSanitizer":
        assert row["told"] in body
    elif row["by"] in ("compiler", "debug report"):
        assert row["told"] in HEADERS


def test_there_are_enough_rows():
    assert len(ROWS) >= 40
    assert sum(row["by"] == "nothing" for row in ROWS) <= 7


def test_no_row_is_there_twice():
    assert len({(row["misuse"], row["test"]) for row in ROWS}) == len(ROWS)


def test_every_test_of_a_misuse_has_a_row():
    tested = {name for name in TESTS if name.startswith(("traced_misuses_death.", "traced_heap_death."))}
    tested |= {f"compile_fail/traced/{path.stem}" for path in ROOT.glob("tests/compile_fail/traced/*.cpp")}
    assert tested - {row["test"] for row in ROWS} == set()
