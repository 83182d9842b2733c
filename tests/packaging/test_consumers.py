"""A CMake project can use Freehold in each way that CMake has, also with the oldest CMake that Freehold supports."""

import subprocess
import sys
from pathlib import Path

import pytest

from consuming import CONSUMER, ROOT, run, run_consumer

OLDEST = "3.16"


def build_and_run(folder, *settings, cmake="cmake"):
    # Release: what the tests of the presets, built without NDEBUG, do not see.
    run(cmake, "-G", "Ninja", "-S", CONSUMER, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *settings)
    run(cmake, "--build", folder)
    run_consumer(folder / "consumer")


# What each way passes to the consumer.
WAYS = {
    "find_package": lambda get: f"-DCMAKE_PREFIX_PATH={get('prefix')}",
    "add_subdirectory": lambda get: f"-DFREEHOLD_SOURCE={ROOT}",
    "fetched by git": lambda get: f"-DFREEHOLD_FETCH=GIT_REPOSITORY;file://{get('repository')};GIT_TAG;main",
    "fetched as an archive": lambda get: f"-DFREEHOLD_FETCH=URL;{get('archive')}",
}


@pytest.mark.parametrize("way", [pytest.param(way, marks=pytest.mark.full if "fetched" in way else []) for way in WAYS])
def test_a_project_of_cmake(way, request, tmp_path):
    build_and_run(tmp_path, WAYS[way](request.getfixturevalue))
    assert not list(tmp_path.rglob("tests/CMakeFiles")), "a user's build must not contain Freehold's tests"


@pytest.fixture
def oldest_cmake():
    """The oldest CMake, which the Python environment has. It is not on the PATH, where it would hide the system's."""
    path = Path(sys.executable).with_name("cmake")
    if not path.exists():
        pytest.skip(f"there is no {path}: ./freehold test --full installs CMake {OLDEST}")
    assert f"version {OLDEST}." in run(path, "--version")
    return path


@pytest.mark.full
@pytest.mark.parametrize("way", WAYS)
def test_a_project_of_the_oldest_cmake(way, oldest_cmake, request, tmp_path):
    build_and_run(tmp_path, WAYS[way](request.getfixturevalue), cmake=oldest_cmake)


@pytest.mark.full
def test_the_oldest_cmake_installs_the_same(prefix, oldest_cmake, tmp_path):
    run(oldest_cmake, "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build", "-DFREEHOLD_BUILD_TESTS=OFF")
    run(oldest_cmake, "--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    assert files(tmp_path / "prefix") == files(prefix)


def test_an_older_freehold_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(newer LANGUAGES NONE)\nfind_package(freehold 0.3 REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "version: 0.2.0" in done.stderr


def test_a_dependency_may_find_what_is_a_subdirectory_already(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(both LANGUAGES CXX)\n"
        f"add_subdirectory({ROOT} freehold)\nfind_package(freehold 0.2 REQUIRED)\n"
    )
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")


def test_the_headers_the_license_and_what_tools_read_are_installed(prefix):
    headers = {Path("include") / path for path in files(ROOT / "include") if "__pycache__" not in path.parts}
    others = {
        "share/doc/freehold/LICENSE",
        "share/pkgconfig/freehold.pc",
        *(f"share/cmake/freehold/freehold{name}.cmake" for name in ("Config", "ConfigVersion", "Link", "Targets")),
    }
    assert files(prefix) == headers | set(map(Path, others))


def files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("way", ["find_package", "add_subdirectory"])
def test_risc_v_links_the_library_of_atomics(way, request, tmp_path):
    for processor in ("riscv64", "aarch64"):
        settings = ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={processor}"]
        folder = tmp_path / processor
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, *settings, WAYS[way](request.getfixturevalue))
        assert ("-latomic" in (folder / "build.ninja").read_text()) == (processor == "riscv64")


def test_the_compiled_part_is_built_where_it_is_linked(tmp_path):
    build_and_run(tmp_path, f"-DFREEHOLD_SOURCE={ROOT}", "-DFREEHOLD_TARGET=freehold::compiled")


def test_the_compiled_part_is_installed_on_request(prefix, tmp_path):
    assert not list(prefix.rglob("*.a"))
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT,
        "-B",
        tmp_path / "build",
        "-DFREEHOLD_BUILD_TESTS=OFF",
        "-DFREEHOLD_INSTALL_COMPILED=ON",
        "-DCMAKE_BUILD_TYPE=Release",
    )
    run("cmake", "--build", tmp_path / "build")
    run("cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    build_and_run(
        tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}", "-DFREEHOLD_TARGET=freehold::compiled"
    )
