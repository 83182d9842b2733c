"""What the doctor tells of, on a machine that is a folder of stand-ins."""

import pytest

from fakes import compiler, program
from freehold_lab.setup import doctor


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(doctor, "GOOGLETEST", tmp_path / "googletest")
    return tmp_path


def test_a_compiler_is_found_with_its_version(machine):
    path = compiler(machine, "g++-13", "13.1.0")
    assert doctor.Tool("g++-13", "g++", "13.1.0", str(path)) in doctor.tools()


def test_a_program_is_found_with_its_version(machine):
    path = program(machine, "valgrind", "echo valgrind-3.19.0")
    assert doctor.Tool("valgrind", "valgrind", "3.19.0", str(path)) in doctor.tools()


def test_a_header_is_found_by_the_compiler(machine):
    path = compiler(machine, "g++", "13.1.0")
    path.write_text(f"{path.read_text()}echo '-: /usr/include/c++/13/version /usr/include/boost/version.hpp'\n")
    assert doctor.Tool("libboost-dev", "libboost-dev", "", "/usr/include/boost/version.hpp") in doctor.tools()


def test_sources_are_found_in_their_folder(machine):
    (machine / "googletest").mkdir()
    assert doctor.Tool("googletest", "googletest", "", str(machine / "googletest")) in doctor.tools()


def test_what_is_missing_has_no_path(machine):
    assert all(tool.path == "" for tool in doctor.tools())


def test_the_doctor_says_what_to_install(machine):
    assert "clang++           missing: install clang-19" in doctor.lines()


def test_the_doctor_says_what_the_user_brings(machine, monkeypatch):
    monkeypatch.delenv("FREEHOLD_SGCL", raising=False)
    assert "go                missing: install Go 1.26 or newer" in doctor.lines()
    assert "sgcl              missing: set FREEHOLD_SGCL to a source tree of SGCL" in doctor.lines()
    path = program(machine, "go", "echo go version go1.26.8 linux/amd64")
    assert f"go                1.26.8        {path}" in doctor.lines()


def test_the_doctor_says_what_is_where(machine):
    path = program(machine, "ninja", "echo 1.11.1")
    assert f"ninja             1.11.1        {path}" in doctor.lines()
