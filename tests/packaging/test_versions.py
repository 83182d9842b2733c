"""Each file that names the version, or what programs export for their plug-ins, is up to date."""

import pytest

from consuming import EXPORTED, ROOT, VERSION

VERSIONED = [
    "meson.build",
    "MODULE.bazel",
    "packaging/vcpkg/vcpkg.json",
    "packaging/homebrew/freehold.rb",
    "packaging/xmake/xmake.lua",
]
EXPORTING = [
    "meson.build",
    "conanfile.py",
    "BUILD.bazel",
    "packaging/xmake/xmake.lua",
    "docs/guide/with-shared-libraries.md",
]


@pytest.mark.parametrize("file", VERSIONED)
def test_a_file_names_the_version(file):
    assert VERSION in (ROOT / file).read_text()


@pytest.mark.parametrize("file", EXPORTING)
def test_a_file_names_what_is_exported(file):
    assert len(EXPORTED) == 2
    assert all(symbol in (ROOT / file).read_text() for symbol in EXPORTED)
