"""What is built for a program that is recorded needs little of the machine."""

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

from freehold_lab.advise import building

OLDEST = (2, 17)


def needs(path):
    """Returns the libraries of a file, and the versions of glibc that its symbols have."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        (dynamic,) = [each for each in elf.iter_sections() if isinstance(each, DynamicSection)]
        libraries = {tag.needed for tag in dynamic.iter_tags("DT_NEEDED")}
        sections = [each for each in elf.iter_sections() if isinstance(each, GNUVerNeedSection)]
        names = {each.name for section in sections for _, versions in section.iter_versions() for each in versions}
    return libraries, {tuple(map(int, name.removeprefix("GLIBC_").split("."))) for name in names}


def test_the_recorder_needs_glibc_alone_and_no_new_one():
    libraries, versions = needs(building.recorder())
    assert libraries <= {"libc.so.6", "libdl.so.2", "libpthread.so.0"}
    assert max(versions) <= OLDEST
