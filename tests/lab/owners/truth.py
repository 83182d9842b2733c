"""The programs of this folder, built and run, and what they say of their objects compared with what an analysis says.

ground.hpp says how the programs are started and what they write.
"""

import fcntl
import hashlib
import os
import resource
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from freehold_lab import folders
from freehold_lab.setup import environment

HERE = Path(__file__).parent
ABSENT = "absent"  # the grade of a block that was not found
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
MOST_SECONDS = 120


@dataclass(frozen=True)
class Build:
    """A way to build the programs."""

    name: str
    compiler: str  # the family
    options: tuple[str, ...]


def _build(compiler: str, *options: str) -> Build:
    return Build(" ".join([compiler, *options]), compiler, options)


LIBSTDCXX = [
    _build("g++", "-O0"),
    _build("g++", "-O2"),
    _build("g++", "-O2", "-s"),
    _build("g++", "-O2", "-s", "-static"),
    _build("g++", "-O2", "-s", "-static-pie"),
    _build("g++", "-O2", "-no-pie", "-fno-pie"),
    _build("g++", "-O2", "-flto"),
    _build("clang++", "-O0"),
    _build("clang++", "-O2", "-s"),
]
LIBCXX = [_build("clang++", "-O0", "-stdlib=libc++"), _build("clang++", "-O2", "-s", "-stdlib=libc++")]
WITHOUT_RTTI = [
    _build("g++", "-O2", "-s", "-fno-rtti"),
    _build("clang++", "-O2", "-s", "-fno-rtti", "-stdlib=libc++"),
]
BOOST = [_build("g++", "-O2", "-s", "-DFREEHOLD_TRUTH_BOOST")]
FREEHOLD = [
    Build("Freehold", "g++", ("-O2", "-s", "-DFREEHOLD_TRUTH_FREEHOLD", f"-I{folders.ROOT / 'include'}")),
]
WITH_DEBUG_INFORMATION = [_build("g++", "-O2", "-g"), _build("clang++", "-O2", "-g", "-stdlib=libc++")]
# As CMakeLists.txt builds libfreehold-malloc.so, but for less time.
MALLOC = (
    *("-shared", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fno-exceptions", "-fno-rtti"),
    *("-fno-builtin-malloc", "-ftls-model=initial-exec", "-fsemantic-interposition", "-nodefaultlibs"),
    *("-O1", f"-I{folders.ROOT / 'include'}"),
)
LINKING = ("-s", "-static", "-no-pie")  # options that say nothing to the compiler
BUILDS = [*LIBSTDCXX, *LIBCXX, *WITHOUT_RTTI, *BOOST, *FREEHOLD]


def build(source: str, compiler: str, options: tuple[str, ...], folder: Path) -> Path:
    """Returns the program, which is built unless the folder has it. Several processes may share the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [_path(compiler), "-std=c++20", *(each for each in options if each not in LINKING)]
    ccache = ["ccache"] if environment.has_program("ccache") else []
    compiled = _made(folder, source, ".o", [*ccache, *command, "-c", str(HERE / source)])
    return _made(folder, source, "", [_path(compiler), *options, str(compiled)])


def _made(folder: Path, source: str, suffix: str, command: list[str]) -> Path:
    """Returns what the command makes of the source."""
    key = hashlib.sha256(" ".join([source, *command]).encode()).hexdigest()[:12]
    file = folder / f"{Path(source).stem}-{key}{suffix}"
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            _run(*command, "-o", str(file))
    return file


def malloc(folder: Path, *options: str) -> str:
    """Returns the path of Freehold's malloc, to be preloaded. It is built unless the folder has it."""
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"libfreehold-malloc{''.join(options)}.so"
    with library.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            command = [_path("g++"), "-std=c++20", *MALLOC, *options, str(folders.ROOT / "src" / "malloc.cpp")]
            unwinder = ("-lgcc_eh", "-Wl,--exclude-libs=libgcc_eh.a")
            _run(*command, "-o", str(library), *unwinder, "-lc", "-lgcc", "-ldl")
    return str(library)


def compiled(text: str, folder: Path, *options: str, compiler: str = "g++") -> Path:
    """Returns the program of a text in C++."""
    (folder / "program.cpp").write_text(text)
    _run(_path(compiler), "-std=c++20", *options, str(folder / "program.cpp"), "-o", str(folder / "program"))
    return folder / "program"


@contextmanager
def ready(*command: str | Path, preload: str = "") -> Iterator[int]:
    """The number of a process that has said that it is ready, and waits for its input to end."""
    variables = _variables(preload)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
        assert process.stdout
        try:
            assert process.stdout.readline() == b"ready\n"
            yield process.pid
        finally:
            process.kill()


def _variables(preload: str) -> dict[str, str]:
    """Returns the environment of a program with a library that replaces malloc."""
    return {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}


def _path(family: str) -> str:
    for each in environment.compilers():
        if environment.family(each) == family:
            return each.path
    pytest.skip(f"{family} is missing")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


@dataclass(frozen=True)
class Running:
    pid: int
    truth: Path


@contextmanager
def running(program: Path, *arguments: str, fate: str = "leaks", preload: str = "") -> Iterator[Running]:
    """The program as it waits to be looked at, with a library that replaces malloc. Afterwards it must end as if nobody
    had looked."""
    with tempfile.TemporaryDirectory() as folder:
        truth = Path(folder) / "truth"
        command: list[str | Path] = [program, truth, fate, "wait", *arguments]
        variables = _variables(preload)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
            assert process.stdin and process.stdout
            try:
                assert process.stdout.readline() == b"ready\n"
                yield Running(process.pid, truth)
                process.stdin.close()
                assert process.wait(MOST_SECONDS) == 0
            finally:
                process.kill()


def crash(program: Path, folder: Path, *arguments: str, fate: str = "leaks") -> tuple[Path, Path]:
    """Returns the kernel's core of the program, which has called abort(), and its truth. The folder is for them."""
    if CORE_PATTERN.read_text()[0] in "|/":
        pytest.skip("this system's kernel does not leave a core in the working directory")
    truth = folder / "truth"
    command: list[str | Path] = [program, truth, fate, "abort", *arguments]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, preexec_fn=_allow_core, timeout=MOST_SECONDS)
    (core,) = folder.glob("core*")
    return core, truth


def _allow_core() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


@dataclass(frozen=True)
class Block:
    address: int
    kind: str
    expected: str
    grade: str

    @property
    def outcome(self) -> str:
        """ "right", "missed" (a leak), "false" (no leak, but called one) or "other" (another grade, or absent)."""
        leaks = self.expected.startswith("leaked")
        called = self.grade.startswith("leaked")
        if leaks != called:
            return "missed" if leaks else "false"
        # A stale word can be an object's only raw pointer, which a program does not know of.
        return "right" if self.grade == self.expected or self.expected == "leaked" else "other"


@dataclass
class Comparison:
    blocks: list[Block]
    unknown: dict[int, str]  # grades of blocks that the program did not label
    by_kind: dict[str, Counter[str]] = field(init=False)  # outcomes

    def __post_init__(self) -> None:
        self.by_kind = {}
        for each in self.blocks:
            self.by_kind.setdefault(each.kind, Counter())[each.outcome] += 1

    def _with(self, outcome: str) -> list[Block]:
        return [each for each in self.blocks if each.outcome == outcome]

    @property
    def right(self) -> int:
        return len(self._with("right"))

    @property
    def leaks(self) -> int:
        """How many objects leak."""
        return sum(each.expected.startswith("leaked") for each in self.blocks)

    @property
    def missed_leaks(self) -> list[Block]:
        return self._with("missed")

    @property
    def false_leaks(self) -> list[Block]:
        """What does not leak but is called a leak: objects of the program, and others, which it never lets leak."""
        others = [Block(address, "unknown", "held", grade) for address, grade in self.unknown.items()]
        return self._with("false") + [each for each in others if each.outcome == "false"]

    def __str__(self) -> str:
        """The kinds that are not right, and what they are taken for."""
        grades: dict[tuple[str, str], Counter[str]] = {}
        for each in self.blocks:
            grades.setdefault((each.kind, each.expected), Counter())[each.grade] += 1
        lines = [
            f"{self.right} of {len(self.blocks)} right, {len(self.missed_leaks)} of {self.leaks} leaks missed, "
            f"{len(self.false_leaks)} false leaks, {len(self.unknown)} unknown: {dict(Counter(self.unknown.values()))}"
        ]
        for (kind, expected), counts in grades.items():
            if set(counts) != {expected}:
                lines.append(f"  {kind}, {expected}: {dict(counts)}")
        return "\n".join(lines)


def compare(truth: Path, grades: dict[int, str]) -> Comparison:
    """Compares the grades of blocks, by address, with those that the program expects."""
    blocks = []
    for line in truth.read_text().splitlines():
        address, expected, kind = line.split(" ", 2)
        blocks.append(Block(int(address, 16), kind, expected, grades.get(int(address, 16), ABSENT)))
    known = {each.address for each in blocks}
    return Comparison(blocks, {address: grade for address, grade in grades.items() if address not in known})
