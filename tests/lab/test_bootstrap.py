"""./freehold itself: it makes the Python environment once, mends it, and hands over."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make_tree(root, requirements):
    """Makes a source tree whose lab only repeats what it is asked, and returns what its first call says."""
    shutil.copy(ROOT / "freehold", root)
    shutil.copytree(ROOT / "packaging", root / "packaging")
    shutil.copytree(ROOT / "lab" / "freehold_lab", root / "lab" / "freehold_lab")
    (root / "lab/freehold_lab/__main__.py").write_text("import sys; print(sys.argv[1:]); sys.exit(7)")
    (root / "lab/requirements").mkdir()
    for name, needed_by in (("lab", "every command"), ("docs", "docs")):
        (root / f"lab/requirements/{name}.txt").write_text(f"# needed by: {needed_by}\n{requirements}")
    return freehold(root)


def freehold(root, *arguments):
    return subprocess.run(
        [sys.executable, root / "freehold", *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"CI": "true"},
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A tree whose environment, of no packages, is made."""
    root = tmp_path_factory.mktemp("made")
    make_tree(root, "")
    return root


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """A tree whose environment could not be made, and what was said of it."""
    root = tmp_path_factory.mktemp("failed")
    return root, make_tree(root, "--no-index\nnothing==1\n")


def test_arguments_and_exit_code_are_handed_over(made):
    done = freehold(made, "run", "--quick")
    assert (done.stdout, done.returncode) == ("['run', '--quick']\n", 7)


def test_what_is_made_is_not_made_again(made):
    assert freehold(made).stderr == ""


def test_an_interrupted_making_is_mended(made):
    (made / "build/python/made-from").unlink()
    (made / "build/python/pyvenv.cfg").unlink()
    assert freehold(made).returncode == 7


def test_another_version_of_python_makes_its_own(made):
    stamp = made / "build/python/made-from"
    stamp.write_text(stamp.read_text().replace("Python 3", "Python 2"))
    assert "to install" in freehold(made).stderr


def test_a_set_is_added_for_the_first_command_that_needs_it(made):
    assert "to install" in freehold(made, "docs").stderr
    assert freehold(made, "docs").stderr == ""
    assert freehold(made, "run").stderr == ""


def test_a_set_that_changed_is_installed_again(made):
    freehold(made, "docs")
    pins = made / "lab/requirements/docs.txt"
    pins.write_text(pins.read_text() + "\n")
    assert freehold(made, "run").stderr == ""
    assert "to install" in freehold(made, "docs").stderr
    assert freehold(made, "docs").stderr == ""


def test_what_is_installed_is_said_first(failed):
    root, done = failed
    assert done.stderr.splitlines()[0] == f"freehold: to install: Python, into {root}/build/python: nothing==1"


def test_a_package_that_cannot_be_had_is_one_line(failed):
    _, done = failed
    fault = "freehold: pip failed: ERROR: No matching distribution found for nothing==1"
    assert done.stderr.splitlines()[1:] == [fault]
    assert done.returncode == 2


def test_a_failed_environment_is_not_stamped(failed):
    root, _ = failed
    assert not (root / "build/python/made-from").exists()


def test_an_old_python_can_read_as_far_as_the_check_of_its_version():
    ast.parse((ROOT / "freehold").read_text(), feature_version=(3, 6))


def test_the_standard_library_is_enough():
    modules = "from freehold_lab import errors; from freehold_lab.setup import debian"
    script = f"import sys; sys.path.insert(0, {str(ROOT / 'lab')!r}); {modules}"
    subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True)
