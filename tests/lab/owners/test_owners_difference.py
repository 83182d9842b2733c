"""What a later report has more than an earlier one."""

from freehold_lab.owners.answers import difference
from freehold_lab.owners.answers.difference import Count
from made_up import a_leak, a_report, a_type


def between(old, new):
    return difference.between(
        a_report(**{"types": [], "leaks": [], **old}), a_report(**{"types": [], "leaks": [], **new})
    )


def test_types_that_have_grown_by_most_bytes_come_first():
    old = [a_type("A", 10, 100, 5), a_type("B", 10, 100, 5), a_type("Same")]
    new = [a_type("B", 12, 150, 6), a_type("A", 11, 300, 4), a_type("New", 1, 10, 1), a_type("Same")]
    found = between({"types": old}, {"types": new}).types
    assert [(each.name, each.more) for each in found] == [
        ("A", Count(1, 200, -1)),
        ("B", Count(2, 50, 1)),
        ("New", Count(1, 10, 1)),
    ]


def test_owners_alone_may_have_grown():
    found = between({"types": [a_type("A", owners=1)]}, {"types": [a_type("A", owners=9)]})
    assert found.types[0].more == Count(owners=8)


def test_what_has_shrunk_is_a_sum():
    found = between({"types": [a_type("A", bytes=100), a_type("B", bytes=50)]}, {"types": [a_type("A", bytes=70)]})
    assert found.types == [] and found.freed == 80


def test_types_of_one_name_are_one():
    found = between({"types": [a_type("A", 10)]}, {"types": [a_type("A", 10), a_type("A", 5)]})
    assert found.types[0].more.objects == 5


def test_a_leak_is_the_same_wherever_its_cycle_begins():
    old, new = a_leak("A", "+8", "B", "+16", count=2), a_leak("B", "+16", "A", "+8", count=5, bytes=2001)
    (grown,) = between({"leaks": [old]}, {"leaks": [new]}).leaks
    assert (grown.more.times, grown.more.bytes, grown.now.times) == (3, 1, 5)


def test_rings_of_other_lengths_are_the_same_leak():
    old, new = a_leak(*["Node", "+8"] * 3, count=2), a_leak(*["Node", "+8"] * 4, count=5)
    assert between({"leaks": [old]}, {"leaks": [new]}).leaks[0].more.times == 3


def test_a_leak_through_another_member_is_another():
    old, new = a_leak("A", "+8", count=2), a_leak("A", "+16", count=2)
    assert between({"leaks": [old]}, {"leaks": [new]}).leaks[0].more.times == 2


def test_a_leak_that_was_only_suspected_is_the_same():
    found = between({"leaks": [a_leak("A", "+8", grade="leaked-raw")]}, {"leaks": [a_leak("A", "+8")]})
    assert found.leaks == []


def test_lost_owners_are_compared_by_type():
    old, new = a_leak(types={"A": 3}, count=3), a_leak(types={"A": 5}, count=5)
    (grown,) = between({"leaks": [old]}, {"leaks": [new]}).leaks
    assert (grown.more.times, grown.more.objects) == (2, 2)


def test_equal_reports_have_no_difference():
    report = a_report()
    found = difference.between(report, report)
    assert (found.types, found.leaks, found.freed) == ([], [], 0)
