"""The example of docs/guide/needless-copies.md: its commands print what the page says."""

import re
import shutil
import subprocess
import sys

import pytest

from freehold_lab import folders

BLOCKS = re.compile(r"(?:^    .*\n)+", re.MULTILINE)


def plain(text, folder):
    """Returns the text without what differs between machines."""
    text = re.sub(r"[\d,]+ instructions$", "N instructions", text.replace(str(folder), "/home/me"), flags=re.MULTILINE)
    return [line.rstrip() for line in text.splitlines() if line.strip() and not line.startswith("freehold: ")]


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
def test_the_commands_print_what_the_page_says(tmp_path):
    text = (folders.ROOT / "docs/guide/needless-copies.md").read_text()
    (tmp_path / "words.cpp").write_text(re.search(r"```cpp\n(.*?)```", text, re.DOTALL)[1])
    blocks = [re.sub(r"^    ", "", each, flags=re.MULTILINE) for each in BLOCKS.findall(text.split("```")[2])]
    command = f"{sys.executable} -m freehold_lab"
    environment = {"PYTHONPATH": str(folders.ROOT / "lab"), "PATH": "/usr/bin:/bin", "COLUMNS": "100"}
    for commands, printed in zip(blocks[::2], blocks[1::2], strict=True):
        script = "set -e\n" + commands.replace("./freehold", command)
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert plain(done.stdout, tmp_path) == plain(printed, tmp_path), done.stderr
