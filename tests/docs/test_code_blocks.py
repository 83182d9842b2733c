"""The code of the pages compiles and runs, as a reader who copies it would have it. See code_blocks.py."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import code_blocks
from freehold_lab import testing
from freehold_lab.setup import environment

ROOT = Path(__file__).parents[2]
# The warnings of a careful reader; an example may make what it does not use. The precompiled header must be used.
WARNINGS = "-Wall -Wextra -Wno-unused -Winvalid-pch -Werror".split()
OPTIONS = ["-std=c++20", "-O0", "-pthread", *WARNINGS, "-I", ROOT / "include"]


@pytest.fixture(scope="session")
def compile_with(tmp_path_factory):
    """Runs the compiler on a source, with more options. clang++ where there is one: it takes a quarter less time."""
    command = [environment.compilers()[-1].path, *OPTIONS]
    header = tmp_path_factory.mktemp("precompiled") / "standard.hpp"
    header.write_text(code_blocks.PRECOMPILED)
    subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    def run(source, *options):
        called = [*command, "-include", header, source, *options]
        return subprocess.run(called, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})

    return run


@pytest.mark.parametrize("block", code_blocks.read_all(ROOT), ids=str)
def test_code_block(block, compile_with, tmp_path):
    if "tested" in block.comments:
        assert block.page in (ROOT / block.comments["tested"]).read_text()
        return
    if "needs" in block.comments:
        if not os.environ.get(testing.FULL):
            pytest.skip("only with ./freehold test --full")
        if not has_header(block, compile_with, tmp_path):
            pytest.skip(f"there is no {block.needs[0]}")
    check(block, compile_with, tmp_path)


def has_header(block, compile_with, folder):
    source = folder / "needs.cpp"
    source.write_text(f"#if !__has_include(<{block.needs[0]}>)\n#error\n#endif\n")
    return compile_with(source, "-fsyntax-only").returncode == 0


def linked_with(block):
    """Returns what links a block with the libraries that it needs."""
    libraries = block.needs[1:]
    packages = [name for name in libraries if not name.startswith("-")]
    options = [name for name in libraries if name.startswith("-")]
    if packages:
        found = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True)
        options += found.stdout.split()
    return options


def check(block, compile_with, folder):
    missing = block.missing_headers()
    demand(not missing, f"{block} lacks includes: {', '.join(sorted(missing))}")
    source, program = folder / "block.cpp", folder / "block"
    source.write_text(block.source())
    expected = block.comments.get("error")
    runs = block.runs and not expected
    done = compile_with(source, *(["-o", program] if runs else ["-fsyntax-only"]), *linked_with(block))
    if expected:
        errors = "\n".join(re.findall(r"error: .*", done.stderr))
        demand(re.search(expected, errors), f"{block}: no error has {expected!r}: {errors or 'it compiles'}")
        return
    demand(done.returncode == 0, f"{block} does not compile:\n{done.stderr}")
    if runs:
        ran = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=900)
        demand(ran.returncode == 0, f"{block} returns {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        printed = ran.stdout.strip()
        demand(printed == block.comments.get("prints", printed), f"{block} prints:\n{printed}")


def demand(condition, message):
    if not condition:
        pytest.fail(message, pytrace=False)


SOUND = [
    "<!-- given:\nint length() { return 0; }\n-->\n```cpp\nint main() { return length(); }\n```",
    "- an item\n\n  ```cpp\n  int main() {}\n  ```",
]
FAULTY = {
    "page.md:5:.*size": "# Page\n\n```cpp\nint main() {\n    return size;\n}\n```",
    "returns 1": "```cpp\nint main() { return 1; }\n```",
    "returns 2": "```cpp\nint count = 0;\nif (count == 0) ++count;\nreturn count + 1;\n```",
    "returns 3": "```cpp\n#include <cstdlib>\n\nvoid example() { std::exit(3); }\n```",
    "prints:\nfew": '<!-- prints: many -->\n```cpp\n#include <cstdio>\n\nint main() { std::puts("few"); }\n```',
    "lacks includes: vector": "```cpp\nstd::vector<int> numbers;\n```",
    "it compiles": "<!-- error: expected -->\n```cpp\nint main() {}\n```",
    "no error has 'no such thing'": "<!-- error: no such thing -->\n```cpp\nint main( {}\n```",
}


def the_block_of(page, folder):
    (folder / "page.md").write_text(page)
    (block,) = code_blocks.read(folder / "page.md", folder)
    return block


@pytest.mark.parametrize("page", SOUND, ids=["context", "in a list"])
def test_a_sound_block_passes(page, compile_with, tmp_path):
    check(the_block_of(page, tmp_path), compile_with, tmp_path)


@pytest.mark.parametrize(("header", "is_there"), [("vector", True), ("no/such/header.hpp", False)])
def test_a_block_that_needs_a_header_is_compiled_where_there_is_one(header, is_there, compile_with, tmp_path):
    block = the_block_of(f"<!-- needs: {header} -lm -->\n```cpp\nint main() {{}}\n```", tmp_path)
    assert has_header(block, compile_with, tmp_path) == is_there
    assert linked_with(block) == ["-lm"]


@pytest.mark.parametrize(("complaint", "page"), FAULTY.items(), ids=FAULTY.keys())
def test_a_faulty_block_fails(complaint, page, compile_with, tmp_path):
    with pytest.raises(pytest.fail.Exception, match=complaint):
        check(the_block_of(page, tmp_path), compile_with, tmp_path)
