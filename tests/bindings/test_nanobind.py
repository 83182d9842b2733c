"""Owners that cross between C++ and Python, by nanobind."""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from freehold_lab.setup import environment

pytestmark = pytest.mark.full

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()


@pytest.fixture(scope="module")
def compile_with():
    """Compiles a source for nanobind into an object file, with more options. Returns what the compiler did."""
    nanobind = pytest.importorskip("nanobind")
    python = sysconfig.get_path("include")
    if not Path(python, "Python.h").exists():
        pytest.skip("there is no Python.h")
    parts = [python, nanobind.include_dir(), Path(nanobind.source_dir()).parent / "ext" / "robin_map" / "include"]
    system = [option for part in parts for option in ("-isystem", part)]
    command = [
        environment.compilers()[0].path,
        "-std=c++20",
        "-O0",
        "-fPIC",
        "-fvisibility=hidden",
        f"-I{ROOT}/include",
    ]

    def run(source, output, *options):
        called = [*command, *system, *options, "-c", source, "-o", output]
        return subprocess.run(called, capture_output=True, text=True)

    return run


@pytest.fixture(scope="module")
def make(compile_with, tmp_path_factory):
    """Makes a module called bank of a source. Returns its folder."""
    nanobind = pytest.importorskip("nanobind")
    common = tmp_path_factory.mktemp("nanobind") / "nanobind.o"

    def compiled(source, output, *options):
        done = compile_with(source, output, *options)
        assert done.returncode == 0, done.stderr
        return output

    compiled(f"{nanobind.source_dir()}/nb_combined.cpp", common)

    def module(source):
        folder = tmp_path_factory.mktemp("module")
        objects = [compiled(source, folder / "bank.o", *WARNINGS), common]
        output = folder / f"bank{sysconfig.get_config_var('EXT_SUFFIX')}"
        subprocess.run([environment.compilers()[0].path, "-shared", "-pthread", *objects, "-o", output], check=True)
        return folder

    return module


@pytest.fixture(scope="module")
def module(make):
    """The folder of the module that the tests use."""
    return make(HERE / "bank.cpp")


def python(folder, text):
    return subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)


@pytest.fixture
def run(module):
    """Runs lines of Python after an import of the module. nanobind complains of what lives at the end."""

    def lines(text):
        done = python(module, f"import bank\n{text}")
        assert (done.returncode, done.stderr) == (0, "")

    return lines


def test_an_object_from_cpp_lives_as_long_as_python_has_it(run):
    run("a = bank.make(5); assert a.balance == 5 and bank.living() == 1; del a; assert bank.living() == 0")


def test_an_object_that_cpp_keeps_is_one_object_in_python(run):
    run("bank.keep_new(); assert bank.kept() is not None; a = bank.kept(); assert a is bank.kept(); bank.forget()")


def test_the_python_object_is_one_owner(run):
    run("""
bank.keep_new()
a = bank.kept()
b = bank.kept()
assert bank.owners_of_kept() == 2
del a, b
assert bank.owners_of_kept() == 1
bank.forget()""")


def test_an_object_of_cpp_outlives_its_python_object(run):
    run("""
bank.keep_new()
a = bank.kept()
a.balance = 8
a.name = 'of the Python object'
del a
assert bank.living() == 1
assert bank.kept().balance == 8 and not hasattr(bank.kept(), 'name')
bank.forget()
assert bank.living() == 0""")


def test_an_object_of_python_and_its_attributes_live_as_long_as_cpp_has_it(run):
    run("""
a = bank.Account(9)
a.name = 'mine'
bank.keep(a)
place = id(a)
del a
assert bank.living() == 1
assert id(bank.kept()) == place and bank.kept().name == 'mine' and bank.kept().balance == 9
bank.forget()
assert bank.living() == 0""")


def test_an_object_of_python_outlives_the_owner_in_cpp(run):
    run("a = bank.Account(9); bank.keep(a); bank.forget(); assert bank.living() == 1 and a.balance == 9")


def test_each_crossing_from_python_counts_by_itself(run):
    run("a = bank.make(1); bank.keep(a); assert bank.owners_of_kept() == 1 and bank.owners(a) == 1; bank.forget()")


def test_none_is_an_empty_owner(run):
    run("assert bank.kept() is None and bank.is_empty(None) and not bank.is_empty(bank.Account())")


def test_another_type_is_refused(run):
    run("""
try:
    bank.keep(bank.Member())
except TypeError as error:
    assert 'keep(arg: bank.Account, /)' in str(error), error
else:
    assert False""")


def test_const_and_biased_owners_cross(run):
    run("""
assert bank.balance(bank.make_const()) == 3
assert bank.biased_balance(bank.make_biased()) == 4""")


def test_a_member_owns(run):
    run("""
m = bank.Member()
assert m.own is None
m.own = bank.Account(6)
assert bank.living() == 1 and m.own.balance == 6
m.own = None
assert bank.living() == 0""")


def test_a_thread_without_the_gil_releases_an_object_of_python(run):
    run("bank.keep(bank.Account()); bank.forget_in_a_thread(); assert bank.living() == 0")


@pytest.mark.parametrize("made", ["bank.Member()", "bank.make_member()"])
def test_owners_of_an_object_that_finds_them_share(run, made):
    run(f"""
m = {made}
bank.keep_member(m)
assert m.itself() is m
kept = 1 + (1 if 'make' in {made!r} else 0)
assert bank.owners_of_member(m) == kept + 1
bank.forget_member()""")


@pytest.mark.parametrize("made", ["bank.Member()", "bank.make_member()"])
def test_an_object_that_finds_its_owners_outlives_its_name_in_python(run, made):
    run(f"""
m = {made}
m.own = bank.Account()
bank.keep_member(m)
del m
assert bank.living() == 1
bank.forget_member()
assert bank.living() == 0""")


def test_an_owner_that_is_left_when_python_ends_does_no_harm(module):
    assert python(module, "import bank; bank.keep(bank.Account())").returncode == 0


def test_the_example_of_the_page_runs(make, tmp_path):
    text = (ROOT / "docs/interop/nanobind.md").read_text()
    blocks = {language: re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1] for language in ("cpp", "python")}
    source = tmp_path / "page.cpp"
    source.write_text(blocks["cpp"])
    done = python(make(source), blocks["python"])
    assert (done.returncode, done.stderr) == (0, "")


def test_an_owner_of_one_thread_does_not_cross(compile_with, tmp_path):
    source = tmp_path / "source.cpp"
    source.write_text("""
#include <freehold/interop/nanobind.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
struct object {};
NB_MODULE(one, module) { module.def("make", [] { return freehold::make_local_shared<object>(); }); }
""")
    assert "a local_shared_ptr does not cross to std" in compile_with(source, tmp_path / "output.o").stderr
