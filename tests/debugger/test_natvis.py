"""The file for Visual Studio names templates and members that exist. It has never been run."""

import re
from xml.etree import ElementTree

import pytest

from debugged import INCLUDE

FILE = INCLUDE / "freehold/diagnosis/debugger/freehold.natvis"
SPACE = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
TREE = ElementTree.parse(FILE).getroot()
NAMES = {each.get("Name") for kind in ("Type", "AlternativeType") for each in TREE.iter(SPACE + kind)}


@pytest.fixture(scope="session")
def headers():
    return "\n".join(path.read_text() for path in (INCLUDE / "freehold").rglob("*.hpp"))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_type_exists(headers, name):
    template = re.match(r"freehold::(\w+)", name)[1]
    assert re.search(rf"^class ([A-Z_]+ )?{template}\b", headers, re.MULTILINE)


def test_the_members_exist(headers):
    words = {word for each in TREE.iter() for word in re.findall(r"\b[a-z_]+_\b", (each.text or ""))}
    assert words and not [word for word in words if not re.search(rf"\b{word}( =|;|\{{)", headers)]
