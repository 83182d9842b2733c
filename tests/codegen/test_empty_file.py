"""An otherwise empty file that includes a header of Freehold's has no code and no data."""

import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from freehold_lab.checking import is_foreign
from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"
ALLOCATED = 2  # SHF_ALLOC: the section takes memory in the process
# What a standard library leaves of its own constants where nothing is optimized.
OF_THE_STANDARD_LIBRARY = re.compile(r"^_ZN?K?(St|9__gnu_cxx|6__pstl|L?21__default_lock)")


# What one file of a program includes.
DEFINES = {"freehold/memory/replace_new.hpp", "freehold/diagnosis/gdb.hpp"}


def public_headers():
    paths = [path for path in (INCLUDE / "freehold").rglob("*.hpp") if not is_foreign(path)]
    headers = sorted(path.relative_to(INCLUDE).as_posix() for path in paths)
    return [header for header in headers if "/detail/" not in header and header not in DEFINES]


def residue(compiler, optimization, headers, directory):
    """Names of what the file defines, and of its sections where they hold what no symbol tells of."""
    source, output = directory / "empty.cpp", directory / "empty.o"
    source.write_text("".join(f'#include "{header}"\n' for header in headers))
    options = ["-std=c++20", optimization, f"-I{INCLUDE}", "-c", source, "-o", output]
    subprocess.run([compiler.path, *options], check=True)
    with output.open("rb") as stream:
        file = ELFFile(stream)
        sections = list(file.iter_sections())
        named, found = set(), []
        for table in sections:
            if not isinstance(table, SymbolTableSection):
                continue
            for symbol in table.iter_symbols():
                section = symbol["st_shndx"]
                if not isinstance(section, int) or symbol["st_info"]["type"] in ("STT_SECTION", "STT_FILE"):
                    continue
                named.add(section)
                if not OF_THE_STANDARD_LIBRARY.match(symbol.name):
                    found.append(symbol.name)
        for number, section in enumerate(sections):
            if not section["sh_flags"] & ALLOCATED or not section["sh_size"] or number in named:
                continue
            if not section.name.startswith(".note."):
                found.append(section.name)
    return found


@pytest.fixture(params=environment.compilers(), ids=lambda compiler: compiler.name)
def compiler(request):
    return request.param


@pytest.mark.parametrize("optimization", ["-O0", "-O2"])
def test_a_file_that_only_includes_has_neither_code_nor_data(compiler, optimization, tmp_path):
    # The umbrella first, as users include it, then what it leaves out.
    headers = sorted(public_headers(), key=lambda header: header != "freehold/freehold.hpp")
    assert residue(compiler, optimization, headers, tmp_path) == []


def test_a_file_that_makes_diagnosed_objects_has_what_its_debugger_calls(compiler, tmp_path):
    user = tmp_path / "user.hpp"
    user.write_text(
        "#include <freehold/diagnosis/diagnosis.hpp>\n"
        "inline void make() { static_cast<void>(freehold::make_diagnosed<int>(1)); }\n"
        "void (*used)() = make;\n"
    )
    found = residue(compiler, "-O2", [user], tmp_path)
    assert any("report_cycles" in symbol for symbol in found)
    assert any("report_owners" in symbol for symbol in found)
