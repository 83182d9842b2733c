"""Crossings that `./freehold switch` must not write, as they would compile and be wrong, and what it says of each."""

import pytest

from switched import left

OUTSIDE = """#pragma once
#include <memory>
namespace lib {
struct Obj { int n = 0; };
std::shared_ptr<Obj> give();
const std::shared_ptr<Obj>& first();
struct Cache { std::weak_ptr<Obj> w; };
void watch(const std::weak_ptr<Obj>& w);
struct View { const std::shared_ptr<Obj>& r; View(const std::shared_ptr<Obj>& p) : r(p) {} };
const std::shared_ptr<Obj>& pick(const std::shared_ptr<Obj>& a);
int look(const std::shared_ptr<Obj>& a);
void fill(std::shared_ptr<Obj>& out);
}
"""
OURS = """#include <lib.hpp>
using P = std::shared_ptr<lib::Obj>;
struct User { std::weak_ptr<lib::Obj> seen; };
"""
WEAK = "would be expired at once: keep what {} returns in a shared_ptr, and refer to that"
KEPT = "{} may keep a reference to the temporary that {} returns: keep it in a variable that lives as long"
FILLED = "lib::fill may change the owner that it is given: give it one of std, and convert that afterwards"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("void f(User& u) { u.seen = lib::give(); }", "a weak_ptr " + WEAK.format("from_std")),
        ("void f(lib::Cache& c, P p) { c.w = p; }", "a weak_ptr " + WEAK.format("to_std")),
        ("std::weak_ptr<lib::Obj> w(lib::give());", "a weak_ptr " + WEAK.format("from_std")),
        ("void f(P p) { lib::watch(p); }", "a weak_ptr " + WEAK.format("to_std")),
        ("void f(P p) { auto v = lib::View(p); }", KEPT.format("lib::View", "to_std")),
        ("void f(P p) { lib::View v(p); }", KEPT.format("lib::View", "to_std")),
        ("void f(P p) { lib::View v{p}; }", KEPT.format("lib::View", "to_std")),
        ("void f(P p) { lib::pick(p); }", KEPT.format("lib::pick", "to_std")),
        ("const P& f() { return lib::first(); }", KEPT.format("the caller of f", "from_std")),
        ("struct S { const P& r; S() : r(lib::first()) {} };", KEPT.format("S::r", "from_std")),
        ("void f(P p) { lib::fill(p); }", FILLED),
    ],
)
def test_a_crossing_that_would_be_wrong_is_left(switch, line, reason):
    files, report = switch({"a.cpp": f"{OURS}{line}\n"}, outside={"lib.hpp": OUTSIDE})
    assert "to_std(" not in files["a.cpp"] and "from_std(" not in files["a.cpp"]
    assert left(report) == [f"a.cpp:4: left: {reason}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("void f(P p) { lib::look(p); }", "void f(P p) { lib::look(freehold::to_std(p)); }"),
        (
            "struct S { P p; S(const P& p) : p(p) {} }; S s = S(lib::first());",
            "S s = S(freehold::from_std(lib::first()));",
        ),
        ("P g(); auto v = lib::View(g());", "P g(); auto v = lib::View(freehold::to_std(g()));"),
        ("P p; int n = lib::look(p);", "int n = lib::look(freehold::to_std(p));"),
        ("const P& p = lib::first();", "const P& p = freehold::from_std(lib::first());"),
    ],
)
def test_a_reference_to_a_temporary_that_lives_long_enough_is_written(switch, before, after):
    files, report = switch({"a.cpp": f"{OURS}{before}\n"}, outside={"lib.hpp": OUTSIDE})
    assert after in files["a.cpp"] and left(report) == []


def test_the_report_says_what_crossings_do_to_identity(switch):
    _, report = switch({"a.cpp": f"{OURS}void f(P p) {{ lib::look(p); }}\n"}, outside={"lib.hpp": OUTSIDE})
    assert report[-2] == (
        "1 crossings: each makes an owner of its own, so look where owners are compared by owner_less or owner_before, "
        "or counted by use_count()"
    )


ANY = "takes any type, and gets an owner of std here: if it asks for one, give it from_std"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("template <class T> int any(const T& t); int n = any(lib::first());", "any"),
        ("template <class... T> int any(int, const T&... t); int n = any(1, lib::first());", "any"),
        ("struct W { template <class T> W(const T& t); }; W w(lib::first());", "W::W"),
    ],
)
def test_an_owner_that_a_template_takes_as_anything_is_told(switch, lines, name):
    _, report = switch({"a.cpp": f"{OURS}{lines}\n"}, outside={"lib.hpp": OUTSIDE})
    assert left(report) == [f"a.cpp:4: left: {name} {ANY}"]


@pytest.mark.parametrize(
    "lines",
    [
        "template <class T> int any(const T& t); int f(P p) { return any(p); }",
        "template <class T> int any(const std::shared_ptr<T>& t); int n = any(lib::first());",
        "template <class T> int any(const T& t); int n = any(lib::first().get());",
    ],
)
def test_what_a_template_is_given_of_the_tree_is_not_told(switch, lines):
    _, report = switch({"a.cpp": f"{OURS}{lines}\n"}, outside={"lib.hpp": OUTSIDE})
    assert left(report) == []


def test_a_member_of_a_template_outside_is_of_the_library_that_the_argument_is_of(switch):
    box = "#pragma once\nnamespace lib { template <class T> struct Box { T value; }; }\n"
    line = "void f(lib::Box<std::shared_ptr<int>> b) { std::shared_ptr<int> p = b.value; b.value = p; }\n"
    files, report = switch({"a.cpp": f"#include <box.hpp>\n#include <memory>\n{line}"}, outside={"box.hpp": box})
    assert "_std(" not in files["a.cpp"]
    assert left(report) == []
