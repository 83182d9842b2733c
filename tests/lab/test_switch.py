"""`./freehold switch`: what it changes, what it leaves and why."""

import json
import subprocess
from pathlib import Path

import pytest

from freehold_lab import cli, folders
from switched import body, left

CXX = "-std=c++17"
HAS_BOOST = Path("/usr/include/boost/smart_ptr").exists()
INCLUDE = folders.ROOT / "include"


NAMES = """#include <atomic>
#include <memory>
namespace sp = std;
using std::weak_ptr;
struct Node : std::enable_shared_from_this<Node> {
    Node() : std::enable_shared_from_this<Node>() {}
};
template <class T> struct Is;
template <class T> struct Is<std::shared_ptr<T>> {};
template <> struct Is<::std::weak_ptr<int>> {};
using Ptr = std::shared_ptr<Node>;
template <class T> std::shared_ptr<T> copy(T t) {
    return std::static_pointer_cast<T>(std::make_shared<T>(t));
}
template <class T> void store(std::shared_ptr<T>& at, std::atomic<int>& n) {
    std::atomic_store(&at, {});
    std::atomic_store(&n, 1);
}
using namespace std;
atomic<shared_ptr<Node>> root;
int main() {
    shared_ptr<Node> a = make_shared<Node>();
    sp::shared_ptr<const Node> b = dynamic_pointer_cast<const Node>(a);
    atomic_store(&a, Ptr());
    auto c = std::atomic_load(&a);
    weak_ptr<Node> w = a; // a shared_ptr, "std::shared_ptr"
    const char* text = "std::shared_ptr";
    std::unique_ptr<Node> u(new Node);
    std::shared_ptr d(std::move(u));
    auto f = [](const std::shared_ptr<Node>& p) noexcept(noexcept(std::shared_ptr<Node>(p))) {
        return sizeof(p);
    };
    try {} catch (std::bad_weak_ptr&) {}
    return f(d) && std::owner_less<Ptr>()(a, a) && text ? 1 : 0;
}
"""

NAMES_AFTER = """namespace sp = std;
using freehold::weak_ptr;
struct Node : freehold::enable_shared_from_this<Node> {
    Node() : freehold::enable_shared_from_this<Node>() {}
};
template <class T> struct Is;
template <class T> struct Is<freehold::shared_ptr<T>> {};
template <> struct Is<::freehold::weak_ptr<int>> {};
using Ptr = freehold::shared_ptr<Node>;
template <class T> freehold::shared_ptr<T> copy(T t) {
    return freehold::static_pointer_cast<T>(freehold::make_shared<T>(t));
}
template <class T> void store(freehold::shared_ptr<T>& at, std::atomic<int>& n) {
    freehold::atomic_store(&at, {});
    std::atomic_store(&n, 1);
}
using namespace std;
atomic<freehold::shared_ptr<Node>> root;
int main() {
    freehold::shared_ptr<Node> a = freehold::make_shared<Node>();
    freehold::shared_ptr<const Node> b = freehold::dynamic_pointer_cast<const Node>(a);
    freehold::atomic_store(&a, Ptr());
    auto c = freehold::atomic_load(&a);
    freehold::weak_ptr<Node> w = a; // a shared_ptr, "std::shared_ptr"
    const char* text = "std::shared_ptr";
    std::unique_ptr<Node> u(new Node);
    freehold::shared_ptr d(std::move(u));
    auto f = [](const freehold::shared_ptr<Node>& p) noexcept(noexcept(freehold::shared_ptr<Node>(p))) {
        return sizeof(p);
    };
    try {} catch (std::bad_weak_ptr&) {}
    return f(d) && freehold::owner_less<Ptr>()(a, a) && text ? 1 : 0;
}
"""


def test_names_are_found_by_what_they_mean(switch):
    files, report = switch({"names.cpp": NAMES}, standard="-std=c++20")
    assert body(files["names.cpp"]) == NAMES_AFTER.splitlines()
    assert left(report) == []
    headers = [line for line in files["names.cpp"].splitlines() if line.startswith("#include")]
    names = ("atomic_shared_ptr", "enable_shared_from_this", "make_shared", "owner_less", "pointer_cast")
    added = [f"#include <freehold/pointers/{name}.hpp>" for name in (*names, "shared_ptr_atomic_access")]
    assert headers == ["#include <atomic>", "#include <memory>", *added]


BOOST = """#include <boost/enable_shared_from_this.hpp>
#include <boost/intrusive_ptr.hpp>
#include <boost/make_shared.hpp>
#include <boost/scoped_ptr.hpp>
#include <boost/shared_array.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
struct N : boost::enable_shared_from_this<N> { int v = 1; };
struct C : boost::intrusive_ref_counter<C, boost::thread_unsafe_counter> { int v = 2; };
boost::shared_array<int> left;
int main() {
    boost::shared_ptr<N> p = boost::make_shared<N>();
    boost::weak_ptr<N> w = p->shared_from_this();
    boost::intrusive_ptr<C> c(new C);
    boost::scoped_ptr<N> s(new N);
    try { boost::shared_ptr<N> x(boost::weak_ptr<N>{}); } catch (const boost::bad_weak_ptr&) {}
    return w.lock() == p && c->v == 2 && s->v == 1 ? 0 : 1;
}
"""
BOOST_AFTER = """struct N : freehold::enable_shared_from_this<N> { int v = 1; };
struct C : freehold::ref_counted<C, freehold::plain_counting> { int v = 2; };
boost::shared_array<int> left;
int main() {
    freehold::shared_ptr<N> p = freehold::make_shared<N>();
    freehold::weak_ptr<N> w = p->shared_from_this();
    freehold::intrusive_ptr<C> c(new C);
    boost::scoped_ptr<N> s(new N);
    try { freehold::shared_ptr<N> x(freehold::weak_ptr<N>{}); } catch (const freehold::bad_weak_ptr&) {}
    return w.lock() == p && c->v == 2 && s->v == 1 ? 0 : 1;
}
"""


@pytest.mark.skipif(not HAS_BOOST, reason="libboost-dev is not installed")
def test_names_of_boost_are_switched(switch):
    files, report = switch({"boost.cpp": BOOST})
    assert body(files["boost.cpp"]) == BOOST_AFTER.splitlines()
    assert left(report) == ["boost.cpp:9: left: boost::shared_array: write freehold::shared_ptr<T[]>"]


# What libclang shows of it is written once, though two units read it, and both use what it defines.
SHARED = "#ifndef SHARED\n#define SHARED\n#include <memory>\nusing Ptr = std::shared_ptr<int>;\n#endif\n"
TWO_MEANINGS = """#pragma once
#include <memory>
namespace other { template <class T> struct shared_ptr {}; }
#ifdef OTHER
using other::shared_ptr;
#else
using std::shared_ptr;
#endif
inline shared_ptr<int> both();
"""


def test_a_header_is_read_by_several_units(switch):
    files, report = switch(
        {
            "shared.hpp": SHARED,
            "both.hpp": TWO_MEANINGS,
            "a.cpp": '#include "shared.hpp"\n#include "both.hpp"\nPtr a;\n',
            "b.cpp": '#define OTHER\n#include "shared.hpp"\n#include "both.hpp"\nPtr b;\n',
        }
    )
    assert files["shared.hpp"] == SHARED.replace(
        "<memory>", "<memory>\n#include <freehold/pointers/shared_ptr.hpp>"
    ).replace("std::", "freehold::")
    assert "inline shared_ptr<int> both();" in files["both.hpp"]
    assert "using freehold::shared_ptr;" in files["both.hpp"] and "using other::shared_ptr;" in files["both.hpp"]
    assert left(report) == [
        "both.hpp:9: left: shared_ptr means std::shared_ptr in a.cpp and other::shared_ptr in b.cpp",
    ]


LEFT = """#include <any>
#include <memory>
#define OWNER std::shared_ptr
#define SAME(x) x
OWNER<int> a;
SAME(std::shared_ptr<int> b;)
#if 0
std::shared_ptr<int> c;
#endif
std::any stored = b;
auto d = std::any_cast<std::shared_ptr<int>>(stored);
namespace mine { template <class T> struct shared_ptr {}; shared_ptr<int> own; }
template <class T> auto load(T& t) { return std::atomic_load(&t); }
"""


def test_what_cannot_be_decided_is_left_and_told(switch):
    files, report = switch({"left.cpp": LEFT})
    text = files["left.cpp"]
    assert "#define OWNER std::shared_ptr\n" in text and "SAME(freehold::shared_ptr<int> b;)" in text
    assert "struct shared_ptr {}; shared_ptr<int> own;" in text
    assert left(report) == [
        "left.cpp:3: left: shared_ptr in the macro OWNER",
        "left.cpp:5: left: the macro OWNER names std::shared_ptr",
        "left.cpp:8: left: shared_ptr: an #if leaves it out, so it was not read",
        "left.cpp:11: left: any_cast to a shared pointer: all code that stores one there must be switched",
        "left.cpp:13: left: atomic_load: cannot tell what it means",
    ]


def test_a_unit_that_does_not_compile_is_told(switch):
    files, report = switch({"a.cpp": "#include <memory>\nstd::shared_ptr<int> a = nothing;\n"})
    assert "freehold::shared_ptr<int> a = nothing;" in files["a.cpp"]
    assert any(line.startswith("a.cpp: does not compile, so names may be missing: ") for line in report)


def test_headers_that_no_unit_includes_are_read_alone(switch):
    files, _ = switch({"only.hpp": "#pragma once\n#include <memory>\ninline std::weak_ptr<int> w;\n"})
    included = "#include <memory>\n#include <freehold/pointers/weak_ptr.hpp>\n"
    assert files["only.hpp"] == f"#pragma once\n{included}inline freehold::weak_ptr<int> w;\n"


def test_includes_go_where_they_may(switch):
    files, _ = switch(
        {
            "a.cpp": '// What it is.\n\nnamespace a {\n#include "part.ipp"\n}\n',
            "part.ipp": "std::shared_ptr<int> part;\n",
            "guarded.h": "#ifndef G\n#define G\n#ifdef X\n#include <map>\n#endif\nstd::weak_ptr<int> g();\n#endif\n",
            "b.cpp": '#include <memory>\r\n#include "guarded.h"\r\nstd::weak_ptr<int> b;\r\n',
        },
        standard="-includememory",
    )
    shared, weak = (f"#include <freehold/pointers/{name}_ptr.hpp>" for name in ("shared", "weak"))
    assert files["part.ipp"] == "freehold::shared_ptr<int> part;\n"
    assert files["a.cpp"].splitlines()[:3] == ["// What it is.", shared, ""]
    assert files["guarded.h"].splitlines()[:4] == ["#ifndef G", "#define G", weak, "#ifdef X"]
    assert files["b.cpp"].splitlines()[:3] == ["#include <memory>", weak, '#include "guarded.h"']


OUTSIDE = """#pragma once
#include <functional>
#include <memory>
#include <vector>
namespace lib {
struct Shape { virtual ~Shape() = default; int v = 1; };
using ShapePtr = std::shared_ptr<Shape>;
inline std::vector<std::shared_ptr<Shape>>& all() { static std::vector<std::shared_ptr<Shape>> all; return all; }
inline void add(std::shared_ptr<Shape> s) { all().push_back(std::move(s)); }
inline std::shared_ptr<Shape> first() { return all().front(); }
inline void each(std::function<void(std::shared_ptr<Shape>)> f) { for (auto& s : all()) f(s); }
template <class T> int look(const std::shared_ptr<T>& p) { return p ? p->v : 0; }
struct Visitor {
    virtual ~Visitor() = default;
    virtual void visit(std::shared_ptr<Shape> s) = 0;
    virtual std::shared_ptr<Shape> made() = 0;
};
inline int accept(Visitor& v) { v.visit(first()); return v.made()->v; }
template <class T> std::shared_ptr<T> create() { return std::make_shared<T>(); }
struct Session : std::enable_shared_from_this<Session> { std::shared_ptr<Shape> shape; };
}
"""
BORDER = """#include <lib.hpp>
using Ptr = std::shared_ptr<lib::Shape>;
struct Mine : lib::Session { int n = 7; };
struct Seen : lib::Visitor {
    Ptr last;
    void visit(std::shared_ptr<lib::Shape> s) override { last = s; }
    std::shared_ptr<lib::Shape> made() override { return last; }
};
Ptr same(Ptr p) { return p; }
Ptr first() { return lib::first(); }
int main() {
    Ptr p = std::make_shared<lib::Shape>();
    lib::add(p);
    lib::add(nullptr);
    lib::all().pop_back();
    lib::all().push_back(p);
    lib::all().pop_back();
    std::vector<Ptr> mine;
    mine.push_back(lib::first());
    lib::add(mine.back());
    lib::all().pop_back();
    int n = lib::look(p) + lib::first()->v + lib::look(lib::first());
    auto f = lib::first();
    Ptr g(lib::first());
    p = same(lib::first());
    lib::each([&](std::shared_ptr<lib::Shape> s) { Ptr mine = s; n += mine->v; });
    for (auto& s : lib::all()) { n += lib::look(s); g = s; }
    Seen seen;
    n += lib::accept(seen);
    auto m = std::make_shared<Mine>();
    auto again = std::static_pointer_cast<Mine>(m->shared_from_this());
    lib::ShapePtr theirs = p;
    p = theirs;
    m->shape = p;
    return n == 6 && again == m && g == f && first() && seen.last ? 0 : 1;
}
"""
BORDER_AFTER = """using Ptr = freehold::shared_ptr<lib::Shape>;
struct Mine : lib::Session { int n = 7; };
struct Seen : lib::Visitor {
    Ptr last;
    void visit(std::shared_ptr<lib::Shape> s) override { last = freehold::from_std(s); }
    std::shared_ptr<lib::Shape> made() override { return freehold::to_std(last); }
};
Ptr same(Ptr p) { return p; }
Ptr first() { return freehold::from_std(lib::first()); }
int main() {
    Ptr p = freehold::make_shared<lib::Shape>();
    lib::add(freehold::to_std(p));
    lib::add(nullptr);
    lib::all().pop_back();
    lib::all().push_back(freehold::to_std(p));
    lib::all().pop_back();
    std::vector<Ptr> mine;
    mine.push_back(freehold::from_std(lib::first()));
    lib::add(freehold::to_std(mine.back()));
    lib::all().pop_back();
    int n = lib::look(freehold::to_std(p)) + lib::first()->v + lib::look(lib::first());
    auto f = freehold::from_std(lib::first());
    Ptr g(freehold::from_std(lib::first()));
    p = same(freehold::from_std(lib::first()));
    lib::each([&](std::shared_ptr<lib::Shape> s) { Ptr mine = freehold::from_std(s); n += mine->v; });
    for (auto& s : lib::all()) { n += lib::look(s); g = freehold::from_std(s); }
    Seen seen;
    n += lib::accept(seen);
    auto m = freehold::from_std(std::make_shared<Mine>());
    auto again = freehold::static_pointer_cast<Mine>(freehold::from_std(m->shared_from_this()));
    lib::ShapePtr theirs = freehold::to_std(p);
    p = freehold::from_std(theirs);
    m->shape = freehold::to_std(p);
    return n == 6 && again == m && g == f && first() && seen.last ? 0 : 1;
}
"""


def test_owners_cross_the_border_to_code_outside(switch):
    files, report = switch({"border.cpp": BORDER}, outside={"lib.hpp": OUTSIDE})
    assert body(files["border.cpp"]) == BORDER_AFTER.splitlines()
    assert "#include <freehold/interop/std_bridge.hpp>" in files["border.cpp"]
    assert left(report) == [
        "border.cpp:6: left: shared_ptr stays: overrides lib::Visitor::visit, which is outside the tree",
        "border.cpp:7: left: shared_ptr stays: overrides lib::Visitor::made, which is outside the tree",
        "border.cpp:26: left: shared_ptr stays: lib::each, which is outside the tree, calls it",
        "border.cpp:30: left: make_shared stays: a class outside the tree derives from std::enable_shared_from_this",
    ]


def test_what_the_bridge_cannot_convert_is_told(switch):
    text = """#include <lib.hpp>
std::vector<std::shared_ptr<lib::Shape>> mine = lib::all();
std::weak_ptr<lib::Shape> w = lib::first();
struct Own : std::enable_shared_from_this<Own> {};
auto own = lib::create<Own>();
"""
    files, report = switch({"a.cpp": text}, outside={"lib.hpp": OUTSIDE})
    assert "mine = lib::all();" in files["a.cpp"] and "w = lib::first();" in files["a.cpp"]
    assert [line.partition(": left: ")[0] for line in left(report)] == ["a.cpp:2", "a.cpp:3", "a.cpp:5"]
    assert left(report)[-1].endswith("shared_from_this() throws if code outside makes the object: make it in the tree")


def test_types_are_told_without_the_names_of_an_implementation(switch):
    outside = "#include <memory>\nnamespace lib { void fill(std::shared_ptr<int>* at); }\n"
    text = "#include <lib.hpp>\nvoid f() { auto p = std::make_shared<int>(); lib::fill(&p); }\n"
    _, report = switch({"a.cpp": text}, outside={"lib.hpp": outside})
    reason = "std::shared_ptr<int> * passes the border to code outside; to_std does not convert it"
    assert left(report) == [f"a.cpp:2: left: {reason}"]


BY_VALUE = """#include <functional>
#include <memory>
#include <vector>
struct N { int v; void run(); int get() const { return v; } };
using P = std::shared_ptr<N>;
P global; std::vector<P> all;
int reads(P p) { return p ? p->get() : 0; }
void runs(P p) { p->run(); }
void runs_global(P p) { p->run(); }
void stores(P p) { global = p; }
void stores_in_vector(P p) { all.push_back(p); }
void moves(P p) { global = std::move(p); }
void resets(P p) { p.reset(); }
P returns(P p) { return p; }
std::function<void()> captures(P p) { return [p] { p->run(); }; }
void taken(P p) { p->get(); }
void (*pointer)(P) = taken;
struct V { virtual void f(P p) { p->get(); } };
struct K { P n; K(P p) : n(p) {} };
void moved_to(P p) { p->get(); }
template <class T> void templated(P p, T) { p->get(); }
auto lambda = [](P p) { return p->get(); };
int main() { P l(new N); runs(l); runs(P(new N)); runs_global(global); moved_to(std::move(l)); }
"""


def test_parameters_that_could_be_references_are_counted(switch):
    files, report = switch({"a.cpp": BY_VALUE})
    assert "int reads(P p)" in files["a.cpp"]
    said = [line for line in report if "could be" in line]
    assert said == [
        "a.cpp:7: p of reads could be a const&",
        "a.cpp:8: p of runs could be a const&",
        said[-1],
    ]
    reasons = (
        "captured by a lambda",
        "changed",
        "moved from",
        "moved to by a caller",
        "may be released during the call",
        "of a function whose address is taken",
        "of a lambda",
        "of a template",
        "of a virtual function",
        "returned",
    )
    assert said[-1].startswith("15 shared pointers passed by value: 2 could be a const&; 3 stored: std::move it; ")
    assert all(f"; 1 {reason}" in said[-1] for reason in reasons)


def test_a_dry_run_shows_the_difference_and_writes_nothing(tmp_path, capsys):
    (tmp_path / "a.cpp").write_text("#include <memory>\nstd::weak_ptr<int> a;\n")
    assert not cli.main(["switch", str(tmp_path), "--", CXX])
    printed = capsys.readouterr().out
    assert "--- a/a.cpp\n+++ b/a.cpp\n" in printed
    assert "\n-std::weak_ptr<int> a;\n" in printed and "\n+freehold::weak_ptr<int> a;\n" in printed
    assert printed.splitlines()[-1] == "1 translation units; 1 files changed: 1 names, 0 crossings; 0 left"
    assert (tmp_path / "a.cpp").read_text() == "#include <memory>\nstd::weak_ptr<int> a;\n"


def test_a_compilation_database_names_units_and_options(tmp_path, capsys):
    (tmp_path / "build").mkdir()
    (tmp_path / "a.cpp").write_text("#include <memory>\n#ifdef ASKED\nstd::weak_ptr<int> a;\n#endif\n")
    (tmp_path / "b.cpp").write_text("#include <memory>\nstd::weak_ptr<int> b;\n")
    entry = {"directory": str(tmp_path), "file": "a.cpp", "command": "ccache c++ -DASKED -std=c++17 -o a.o -c a.cpp"}
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    assert not cli.main(["switch", str(tmp_path)])
    report = capsys.readouterr().out.splitlines()
    assert report[-4:] == [
        "a.cpp: 1 names",
        "b.cpp: not read, as no translation unit includes it",
        "1 of 1 translation units are compiled as C++ before C++20, which Freehold needs",
        "1 translation units; 1 files changed: 1 names, 0 crossings; 0 left",
    ]


def test_options_are_relative_to_the_current_folder(tmp_path, capsys, monkeypatch):
    (tmp_path / "tree" / "source").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "lib.hpp").write_text("#include <memory>\n")
    (tmp_path / "tree" / "source" / "a.cpp").write_text("#include <lib.hpp>\nstd::weak_ptr<int> a;\n")
    monkeypatch.chdir(tmp_path)
    assert not cli.main(["switch", "tree", "--", CXX, "-Ioutside"])
    assert "does not compile" not in capsys.readouterr().out


def git(folder, *arguments):
    user = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *user, *arguments], check=True, capture_output=True)


def test_what_git_could_not_bring_back_is_not_written(tmp_path, capsys):
    def fault():
        assert cli.main(["switch", str(tmp_path), "--write"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    (tmp_path / "a.cpp").write_text("#include <memory>\nstd::weak_ptr<int> a;\n")
    assert "is not under git" in fault()
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    assert "changes that are not committed" in fault()
    git(tmp_path, "commit", "--message", "a")
    assert not cli.main(["switch", str(tmp_path), "--write", "--", CXX])
    assert "freehold::weak_ptr" in (tmp_path / "a.cpp").read_text()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["missing"], "is no folder"),
        (["."], "has no C++ sources"),
        ([".", "--outside", "missing"], "missing is not in"),
        ([".", "--build", "."], "is no compilation database"),
        ([".", "--build", "empty"], "has no compile_commands.json"),
    ],
)
def test_a_bad_input_is_one_line(tmp_path, capsys, monkeypatch, arguments, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    if "." in arguments[1:]:
        (tmp_path / "compile_commands.json").write_text('[{"file": 1}]')
    assert cli.main(["switch", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert part in line


@pytest.mark.full
def test_what_is_rewritten_compiles_and_runs(switch, tmp_path):
    programs = {"names": NAMES, "border": BORDER} | ({"boost": BOOST} if HAS_BOOST else {})
    switch({f"{name}.cpp": text for name, text in programs.items()}, {"lib.hpp": OUTSIDE}, "-std=c++20")
    for name in programs:
        options = ["-std=c++20", f"-I{INCLUDE}", f"-I{tmp_path / 'outside'}", "-o", str(tmp_path / name)]
        subprocess.run(["c++", *options, str(tmp_path / "tree" / f"{name}.cpp")], check=True)
        subprocess.run([tmp_path / name], check=True)
