"""`./freehold advise --shim`, and `--copies` of a program that was rebuilt with it."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from test_copies import SOURCE as COUNTED
from test_copies import expected

from freehold_lab.advise.copies import advice, following, shim
from freehold_lab.advise.copies.following import COPIED, CROSSED, LOCKED, MOVABLE, SOURCE_FIRST
from freehold_lab.advise.replay import counting
from freehold_lab.errors import LabError

SOURCE = Path(__file__).with_name("needless.cpp")
PAIR = """
#include <memory>
__attribute__((noinline)) void take({} p) {{ asm volatile("" :: "r"(&p) : "memory"); }}
int main() {{
    const auto p = std::make_shared<int>();
    for (int i = 0; i < 100'000; ++i) take(p);
}}
"""


@pytest.fixture(scope="module")
def shimmed(tmp_path_factory):
    """Compiles a program as the command says."""
    folder = tmp_path_factory.mktemp("shim")
    told = shim.make(folder, "g++")

    def build(source, *options, compiler="g++"):
        program = folder / f"{source.stem}{len(list(folder.iterdir()))}"
        flags, libraries = (shlex.split(line.partition(":")[2]) for line in told.splitlines())
        command = [compiler, "-std=c++20", "-pthread", *options, *flags, source, "-o", program, *libraries]
        subprocess.run(command, check=True)
        return str(program)

    return build


@pytest.fixture(scope="module")
def followed(shimmed):
    """Returns the counts of the lines of needless.cpp, by the comments that they end with."""
    comments = dict(_comments())
    lines = following.follow([shimmed(SOURCE, "-O0")]).copies
    return {comments[line.number]: (line, counts) for line, counts in lines.items() if line.number in comments}


def _comments():
    lines = enumerate(SOURCE.read_text().splitlines(), 1)
    return [(number, found[1]) for number, line in lines if (found := re.search(r"[;{}] +// ([a-z ]+)$", line))]


def words(followed, comment):
    line, counts = followed[comment]
    found = advice.of(line, counts)
    return found.words if found else ""


@pytest.mark.parametrize(
    ("compiler", "optimization"),
    [
        pytest.param("g++", "-O2", marks=pytest.mark.full),
        pytest.param("g++", "-O0", marks=pytest.mark.full),
        pytest.param("clang++-19", "-O2", marks=pytest.mark.full),
    ],
)
def test_each_line_has_the_copies_that_it_makes(compiler, optimization, shimmed, capfd):
    told = following.follow([shimmed(COUNTED, optimization, compiler=compiler)])
    assert {line.number: counts[COPIED] + counts[LOCKED] for line, counts in told.copies.items()} == expected()


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("argument", "const std::shared_ptr<T>&"),
        ("variable", "const std::shared_ptr<T>&"),
        ("base", "conversion"),
        ("cursor", "T*"),
        ("element", "a reference to the object or container"),
        ("holder", "const Holder&"),
        ("last", "std::move"),
        ("outlives", ""),
        ("source changed", ""),
    ],
)
def test_each_needless_copy_has_its_words(followed, comment, expected):
    assert words(followed, comment).startswith(expected)
    assert bool(words(followed, comment)) == bool(expected)


def test_a_copy_that_outlives_its_source_is_not_needless(followed):
    _, counts = followed["last"]
    assert following.needless(counts) == 0
    assert counts[SOURCE_FIRST] == counts[MOVABLE] == counts[COPIED] == 10


def test_a_copy_that_dies_in_another_thread_has_crossed(followed):
    _, counts = followed["crosses"]
    assert following.needless(counts) == 0
    assert counts[CROSSED] == 1


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_a_reference_saves_what_is_told_at_least(tmp_path):
    counts = []
    for parameter in ("std::shared_ptr<int>", "const std::shared_ptr<int>&"):
        source, program = tmp_path / "pair.cpp", str(tmp_path / "pair")
        source.write_text(PAIR.format(parameter))
        subprocess.run(["g++", "-std=c++20", "-O2", source, "-o", program], check=True)
        counts.append(counting.instructions([program]))
    assert counts[0] - counts[1] >= 100_000 * advice.PAIR


def test_a_header_in_which_a_place_is_missing_is_told():
    with pytest.raises(LabError, match=r"a\.h cannot be followed: the first namespace .* is there 0 times, not once"):
        shim.edited("", Path("a.h"))


def test_a_compiler_that_is_not_there_is_told(tmp_path):
    with pytest.raises(LabError, match="there is no compiler nowhere"):
        shim.make(tmp_path, "nowhere")


def test_a_header_that_is_no_shim_is_left_as_it_is(tmp_path):
    mine = tmp_path / "bits" / shim.HEADER
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(LabError, match="is left as it is"):
        shim.make(tmp_path, "g++")
