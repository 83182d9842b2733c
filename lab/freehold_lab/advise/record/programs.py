"""What a program is, by its file: whether the recorder is for it is known before it runs."""

import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

from freehold_lab.errors import LabError

MACHINE = "x86_64"
MOST_SCRIPTS = 4  # that run one another
NAMES = {"EM_AARCH64": "AArch64", "EM_ARM": "32-bit Arm", "EM_RISCV": "RISC-V", "EM_386": "32-bit x86"}


@dataclass(frozen=True)
class Program:
    path: Path  # of a script, that of its interpreter
    machine: str  # as the ELF header names it
    is_64_bit: bool
    loader: str  # empty: it is linked statically
    has_malloc: bool  # of its own

    def expect_recordable(self) -> None:
        """Raises LabError if the recorder is not for it."""
        if self.machine != "EM_X86_64" or not self.is_64_bit:
            kind = NAMES.get(self.machine, self.machine if self.is_64_bit else "32-bit")
            raise LabError(f"nothing of {self.path} is recorded: it is for {kind}, and the recorder for x86-64")
        if Path(self.loader).name.startswith("ld-musl"):
            raise LabError(f"nothing of {self.path} is recorded: it has musl, and the recorder is for glibc")

    @property
    def hides(self) -> str:
        """Why its calls are not seen, or nothing."""
        if not self.loader:
            return "it is linked statically"
        return "it has a malloc of its own" if self.has_malloc else ""


def expect_machine() -> None:
    """Raises LabError where no program can be recorded."""
    if platform.machine() != MACHINE:
        raise LabError(f"advise records programs on x86-64 alone, and this machine is {platform.machine()}")


def inspect(command: str) -> Program | None:
    """Returns what will run, or None if that is no ELF file."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection
    from elftools.elf.segments import InterpSegment

    path = _of_script(command)
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            loaders = [each.get_interp_name() for each in elf.iter_segments() if isinstance(each, InterpSegment)]
            symbols = elf.get_section_by_name(".dynsym")
            found = symbols.get_symbol_by_name("malloc") if isinstance(symbols, SymbolTableSection) else None
            has_malloc = any(each["st_shndx"] != "SHN_UNDEF" for each in found or [])
            return Program(path, elf["e_machine"], elf.elfclass == 64, "".join(loaders[:1]), has_malloc)
    except (OSError, ELFError):
        return None


def _of_script(command: str) -> Path:
    """Returns the file of a command or, where that is a script, of what interprets it."""
    for _ in range(MOST_SCRIPTS):
        found = Path(shutil.which(command) or command)
        try:
            with found.open("rb") as file:
                first = file.readline(256).decode(errors="replace")
        except OSError:
            return found
        words = first.removeprefix("#!").split()
        if not first.startswith("#!") or not words:
            return found
        command = next(iter(_without_settings(words[1:])), "") if Path(words[0]).name == "env" else words[0]
    return found


def _without_settings(words: list[str]) -> list[str]:
    """Returns the command of env's."""
    return [each for each in words if not each.startswith("-") and "=" not in each]
