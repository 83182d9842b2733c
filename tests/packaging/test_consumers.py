"""A user's project can use Freehold both ways: installed, and as a subdirectory of its own sources."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONSUMER = Path(__file__).with_name("consumer")


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def build_and_run(folder, *settings):
    # Release: what the tests of the presets, built without NDEBUG, do not see.
    run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *settings)
    run("cmake", "--build", folder)
    run(folder / "consumer")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation that was moved after it was made: nothing in it may name where it was."""
    folder = tmp_path_factory.mktemp("freehold")
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", "-DFREEHOLD_BUILD_TESTS=OFF")
    run("cmake", "--install", folder / "build", "--prefix", folder / "first")
    return (folder / "first").rename(folder / "moved")


def test_an_installed_freehold_is_found(prefix, tmp_path):
    build_and_run(tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")


def test_an_older_freehold_is_refused(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES NONE)\nfind_package(freehold 0.3 REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "version: 0.2.0" in done.stderr


def test_every_header_is_installed(prefix):
    installed, source = prefix / "include", ROOT / "include"
    files = [path for path in source.rglob("*.*") if path.suffix in (".hpp", ".py", ".natvis")]
    assert {path.relative_to(installed) for path in installed.rglob("*.*")} == {
        path.relative_to(source) for path in files
    }


def test_freehold_as_a_subdirectory(tmp_path):
    build_and_run(tmp_path, f"-DFREEHOLD_SOURCE={ROOT}")
    assert not (tmp_path / "freehold" / "tests").exists(), "a user's build must not contain Freehold's tests"


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
