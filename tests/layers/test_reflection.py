"""C++26's static reflection is used where a compiler has it, and no other compiler sees a word of it."""

import subprocess
from pathlib import Path

import pytest

from freehold_lab.setup import environment

ROOT = Path(__file__).parents[2]
HEADER = ROOT / "include/freehold/tracing/trace.hpp"
HAS_IT = "#if defined(__cpp_impl_reflection) && defined(__cpp_lib_reflection) && defined(__cpp_expansion_statements)"


@pytest.mark.parametrize("compiler", environment.compilers(), ids=lambda compiler: Path(compiler.path).name)
def test_it_is_skipped_where_it_is_missing(compiler):
    macros = subprocess.run(
        [compiler.path, "-std=c++20", "-E", "-dM", HEADER], capture_output=True, text=True, check=True
    ).stdout
    if "__cpp_impl_reflection" in macros:
        pytest.skip("this compiler has reflection")
    assert "#define FREEHOLD_REFLECTION 0" in macros
    read = subprocess.run([compiler.path, "-std=c++20", "-E", "-P", HEADER], capture_output=True, text=True, check=True)
    assert "std::meta" not in read.stdout
    assert "with_members" in read.stdout


def test_it_is_behind_its_feature_tests():
    source = (HEADER.parent / "detail/reflected_members.hpp").read_text()
    before, _, behind = source.partition(HAS_IT)
    assert "meta" not in before
    assert "#include <meta>" in behind
