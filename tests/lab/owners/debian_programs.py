"""Runs the programs of debian_programs.toml, and reads their memory."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

from freehold_lab.owners.image import ending, live
from freehold_lab.owners.image.memory import Image

HERE = Path(__file__).parent / "debian_programs_files"
MOST_SECONDS = 300


@dataclass(frozen=True)
class Program:
    """A table of debian_programs.toml, which explains the fields."""

    name: str
    package: str
    uses: str
    command: str
    at: str
    work: str | None = None
    end: str | None = None
    status: int = 0
    leaks: int = 0

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.command.split()[0], path=_path()) is not None

    def image(self, folder: Path) -> Image:
        """Its memory. It must end as it would if nobody had looked."""
        variables = {"HERE": str(HERE), "FOLDER": str(folder), **_ports()}
        command = [Template(part).substitute(variables) for part in self.command.split()]
        # kea's own, instead of folders under /run
        own = {"KEA_PIDFILE_DIR": str(folder), "KEA_LOCKFILE_DIR": str(folder)}
        environment = {**os.environ, **variables, **own, "PATH": _path()}
        return self._at_exit(command, folder) if self.at == "exit" else self._working(command, folder, environment)

    def _at_exit(self, command: list[str], folder: Path) -> Image:
        images: list[Image] = []
        with chdir(folder):
            assert ending.run(command, images.append) == self.status
        return images[0]

    def _working(self, command: list[str], folder: Path, environment: dict[str, str]) -> Image:
        with ExitStack() as stack:
            # To a file, since nobody reads on after "ready".
            output = folder / "output"
            with output.open("wb") as written:
                program = stack.enter_context(_started(command, folder, environment, written.fileno()))
            if self.work:
                worker = [sys.executable, str(HERE / self.work)]
                said = folder / "work"
                with said.open("wb") as written:
                    working = stack.enter_context(_started(worker, folder, environment, written.fileno()))
                _await_ready(said, program, working)
            else:
                _await_ready(output, program)
            image = live.read(program.pid)
            if self.end == "input":
                assert program.stdin
                program.stdin.close()
            else:
                program.send_signal(getattr(signal, self.end or "SIGTERM"))
            assert program.wait(MOST_SECONDS) == self.status
            return image


def read() -> list[Program]:
    tables = tomllib.loads(HERE.with_name("debian_programs.toml").read_text())
    return [Program(name, **table) for name, table in tables.items()]


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin"


def _ports() -> dict[str, str]:
    """Two ports that are free for now."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return {"PORT": str(one.getsockname()[1]), "OTHER": str(other.getsockname()[1])}


@contextmanager
def _started(
    command: list[str], folder: Path, environment: dict[str, str], output: int
) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _await_ready(output: Path, *processes: subprocess.Popen[bytes]) -> None:
    """Waits for the line, for as long as all run."""
    waited = 0.0
    while "ready" not in output.read_text(errors="replace").splitlines():
        assert all(each.poll() is None for each in processes) and waited < MOST_SECONDS, output.read_text()
        try:
            processes[0].wait(0.2)
        except subprocess.TimeoutExpired:
            waited += 0.2
