"""The constructs in which owners cross the border: each is written, or left with its reason."""

import pytest

from switched import left

OUTSIDE = """#pragma once
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>
namespace lib {
struct Obj { int n = 0; };
using Ptr = std::shared_ptr<Obj>;
std::shared_ptr<Obj> give();
const std::shared_ptr<Obj>& first();
void take(std::shared_ptr<Obj> p);
void call(std::function<void(std::shared_ptr<Obj>)> f);
std::pair<int, std::shared_ptr<Obj>> pair();
std::vector<std::shared_ptr<Obj>> many();
std::map<int, std::shared_ptr<Obj>> map();
struct Holder { int n; std::shared_ptr<Obj> p; };
struct Box { Box(std::shared_ptr<Obj> p); };
}
"""
OURS = """#include <lib.hpp>
using P = std::shared_ptr<lib::Obj>;
struct Own { Own(P p); };
struct Part { P p; };
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("void f(P p) { lib::Box b{p}; }", "lib::Box b{freehold::to_std(p)};"),
        ("void f(P p) { lib::Holder h{1, p}; }", "lib::Holder h{1, freehold::to_std(p)};"),
        ("Part part{lib::give()};", "Part part{freehold::from_std(lib::give())};"),
        ("std::vector<P> v{lib::give()};", "std::vector<P> v{freehold::from_std(lib::give())};"),
        ("void f(P p, P q) { lib::take(p ? p : q); }", "lib::take(freehold::to_std(p ? p : q));"),
        (
            "void f(lib::Ptr p, P q) { lib::take(q ? p : q); }",
            "lib::take(freehold::to_std(q ? freehold::from_std(p) : q));",
        ),
        ("void f() { auto [i, p] = lib::pair(); P q = p; }", "P q = freehold::from_std(p);"),
        ("void f() { for (auto& [i, p] : lib::map()) { P q = p; } }", "P q = freehold::from_std(p);"),
        ("void f() { auto v = lib::many(); P q = v[0]; }", "P q = freehold::from_std(v[0]);"),
        ("P q = lib::many().back();", "P q = freehold::from_std(lib::many().back());"),
        ("P q = *lib::many().begin();", "P q = freehold::from_std(*lib::many().begin());"),
        ("P q = lib::map().begin()->second;", "P q = freehold::from_std(lib::map().begin()->second);"),
        ("P q = std::get<1>(lib::pair());", "P q = freehold::from_std(std::get<1>(lib::pair()));"),
        (
            "void f(std::vector<P> v) { v.emplace_back(lib::give()); }",
            "v.emplace_back(freehold::from_std(lib::give()));",
        ),
        ("auto own = std::make_unique<Own>(lib::give());", "std::make_unique<Own>(freehold::from_std(lib::give()));"),
        ("bool f(P p) { return p == lib::first(); }", "return p == freehold::from_std(lib::first());"),
        ("void f(std::map<P, int> m) { m[lib::give()] = 1; }", "m[freehold::from_std(lib::give())] = 1;"),
        ("void f(std::function<void(P)> g) { g(lib::give()); }", "g(freehold::from_std(lib::give()));"),
        ("void f() { auto g = [] { return lib::give(); }; P p = g(); }", "P p = freehold::from_std(g());"),
    ],
)
def test_it_is_written(switch, before, after):
    files, report = switch({"a.cpp": f"{OURS}{before}\n"}, outside={"lib.hpp": OUTSIDE})
    assert after in files["a.cpp"] and left(report) == []


USED = "{}, a function outside the tree, is passed on as an object: pass a lambda that crosses, instead"
CALLED = "lib::call, which is outside the tree, calls it with owners of std: pass a lambda that crosses, instead"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("void f(P p) { std::thread t(lib::take, p); }", USED.format("lib::take")),
        ("void f(P p) { auto b = std::bind(&lib::take, p); }", USED.format("lib::take")),
        ("std::function<void(P)> g = lib::take;", USED.format("lib::take")),
        (
            "void f() { lib::call([](auto p) { P q = p; }); }",
            "lib::call, which is outside the tree, calls it: what its auto parameters are given is std's",
        ),
        ("void handle(P p); void f() { lib::call(handle); }", CALLED),
        (
            "void f(P p) { auto b = std::make_unique<lib::Box>(p); }",
            "std::make_unique passes an owner on to lib::Box, which is outside the tree: it needs to_std",
        ),
        (
            "void f(P p) { auto v = lib::many(); std::swap(p, v[0]); }",
            "std::swap is given owners of both libraries: convert one first",
        ),
        (
            "void f() { std::vector<P> v; v = lib::many(); }",
            "std::vector<std::shared_ptr<Obj>> passes the border to code outside; from_std does not convert it",
        ),
        (
            "void f() { for (const std::shared_ptr<lib::Obj>& p : lib::many()) { p->n = 1; } }",
            "shared_ptr stays: the loop is over owners of code outside",
        ),
        (
            "void f() { for (const P& p : lib::many()) { p->n = 1; } }",
            "the loop is over owners of code outside: write auto instead of P",
        ),
    ],
)
def test_it_is_left(switch, line, reason):
    files, report = switch({"a.cpp": f"{OURS}{line}\n"}, outside={"lib.hpp": OUTSIDE})
    assert "to_std(" not in files["a.cpp"] and "from_std(" not in files["a.cpp"]
    assert left(report) == [f"a.cpp:5: left: {reason}"]


def test_a_function_outside_that_is_given_to_code_outside_is_not_told(switch):
    _, report = switch({"a.cpp": f"{OURS}void f() {{ lib::call(lib::take); }}\n"}, outside={"lib.hpp": OUTSIDE})
    assert left(report) == []
