"""What compare() makes of an analysis that is right, and of one that errs in each way."""

import pytest

import truth

EXPECTED = {
    0x1000: ("leaked", "pair"),
    0x2000: ("leaked-raw", "raw registry"),
    0x3000: ("held", "stack of main"),
    0x4000: ("expired", "expired"),
}
RIGHT = {address: grade for address, (grade, _) in EXPECTED.items()}


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "truth"
    file.write_text("".join(f"{address:x} {grade} {kind}\n" for address, (grade, kind) in EXPECTED.items()))
    return file


def test_all_is_right(path):
    found = truth.compare(path, RIGHT)
    assert (found.right, found.missed_leaks, found.false_leaks, found.unknown) == (4, [], [], {})
    assert found.by_kind["raw registry"] == {"right": 1}


@pytest.mark.parametrize("grade", ["leaked-raw", "leaked-stale"])
def test_a_leak_may_have_a_stale_raw_pointer(path, grade):
    assert truth.compare(path, RIGHT | {0x1000: grade}).right == 4


@pytest.mark.parametrize("address", [0x1000, 0x2000])
@pytest.mark.parametrize("grade", ["held", "expired"])
def test_a_leak_is_missed(path, address, grade):
    found = truth.compare(path, RIGHT | {address: grade})
    assert [each.address for each in found.missed_leaks] == [address]
    assert (found.right, found.false_leaks) == (3, [])


def test_a_leak_that_is_absent_is_missed(path):
    found = truth.compare(path, {address: grade for address, grade in RIGHT.items() if address != 0x1000})
    assert [each.grade for each in found.missed_leaks] == ["absent"]


@pytest.mark.parametrize("address", [0x3000, 0x4000])
@pytest.mark.parametrize("grade", ["leaked", "leaked-raw", "leaked-stale"])
def test_a_leak_is_false(path, address, grade):
    found = truth.compare(path, RIGHT | {address: grade})
    assert [each.address for each in found.false_leaks] == [address]
    assert found.by_kind[EXPECTED[address][1]] == {"false": 1}


@pytest.mark.parametrize(("address", "grade"), [(0x2000, "leaked"), (0x3000, "expired"), (0x4000, "held")])
def test_another_grade_is_not_right(path, address, grade):
    found = truth.compare(path, RIGHT | {address: grade})
    assert (found.right, found.missed_leaks, found.false_leaks) == (3, [], [])
    assert found.by_kind[EXPECTED[address][1]] == {"other": 1}


def test_a_block_is_unknown(path):
    found = truth.compare(path, RIGHT | {0x5000: "held"})
    assert (found.right, found.false_leaks, found.unknown) == (4, [], {0x5000: "held"})


def test_an_unknown_block_that_leaks_is_a_false_leak(path):
    assert [each.address for each in truth.compare(path, RIGHT | {0x5000: "leaked-raw"}).false_leaks] == [0x5000]


@pytest.mark.parametrize(("address", "label"), [(0x1000, "held"), (0x3000, "leaked"), (0x4000, "held")])
def test_a_label_that_was_changed_is_reported(path, address, label):
    grade, kind = EXPECTED[address]
    path.write_text(path.read_text().replace(f"{address:x} {grade} ", f"{address:x} {label} "))
    found = truth.compare(path, RIGHT)
    assert found.right == 3
    assert f"{kind}, {label}: {{'{grade}': 1}}" in str(found)
