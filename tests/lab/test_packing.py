"""What is packed comes back the same, whatever its names and numbers."""

import json
import math

import pytest

from freehold_lab.errors import LabError
from freehold_lab.report.packing import columns, pack, result_in, unpack


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [[]],
        [[], []],
        [{}, {}],
        [{"a": 1}, {"a": 2}],
        [{"a": 1}, {"b": 2}],
        [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
        [{"a": [{"b": 1}, {"b": 2}]}, {"a": []}],
        ["one"] * 20 + ["two"],
        {"#": 1},
        [{"@": 1, "$": "x"}, {"@": 2, "$": "y"}],
        {"=": [["#", 1]]},
        [["a", 1], ["b", None]],
        [0.1, 1e300, 12345678901234567890, True],
        {"</script>": "<!-- ü \x00 \U0001f600"},
    ],
    ids=str,
)
def test_it_comes_back_the_same(value):
    assert unpack(pack(value)) == value
    assert json.dumps(unpack(pack(value))) == json.dumps(value)


def test_what_is_no_number_comes_back_as_nothing():
    assert unpack(pack([math.nan, math.inf, 1.5])) == [None, None, 1.5]


def test_records_become_columns():
    assert columns([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]) == {"#": ["a", "b"], "c": [[1, 2], ["x", "y"]]}


def test_texts_that_repeat_become_numbers():
    assert columns(["x", "y"] * 5) == {"$": ["x", "y"], "c": [0, 1] * 5}


@pytest.mark.parametrize("letters", ["", "AAAA", pack([1])[:-8]])
def test_a_damaged_page_is_one_clear_error(letters):
    with pytest.raises(LabError, match="is damaged"):
        result_in(f'<script type="text/plain" id="result">{letters}</script>')


def test_another_page_is_one_clear_error():
    with pytest.raises(LabError, match="there is no result in this page"):
        result_in("<html></html>")
