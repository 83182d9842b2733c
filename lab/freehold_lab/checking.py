"""`./freehold check`: what is checked of the text of the tree, without building anything.

A line and a time for each part. A part is a function that returns what is wrong, a line each, and how that is mended.
It needs neither the network nor, save to tell what has changed, git.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

from freehold_lab import folders
from freehold_lab.setup import environment

CPP = (".cpp", ".hpp")
WORDS = (*CPP, ".cmake", ".in", ".j2", ".md", ".py", ".toml", ".txt", ".yaml")
FOREIGN_SYSTEMS = ("windows", "macos")  # folders of core/platform/detail/ whose headers do not compile on Linux
OF_LIBRARIES = ("nanobind.hpp",)  # headers of interop/ that include another library's
MAX_SUBJECT = 72
# What git and hosting sites propose for a merge.
BRANCH_NAMED = re.compile(r"Merge (branch|remote-tracking branch|pull request) ")
CONFLICT = re.compile(rb"([<=>|])\1{6} ")


class SkippedError(Exception):
    """The part has nothing to check, or not what it needs for it. The message says which."""


def check() -> bool:
    """Runs every part, two at a time, and prints how each went. Returns whether nothing is wrong."""
    print("== check", flush=True)
    with ThreadPoolExecutor(2) as both:
        failed = [
            name
            for name, outcome in zip(PARTS, both.map(_timed, PARTS.values()), strict=True)
            if not _tell(name, *outcome)
        ]
    return not failed


def _timed(part: "Part") -> tuple[list[str] | SkippedError, float]:
    started = time.monotonic()
    try:
        found: list[str] | SkippedError = part()
    except SkippedError as reason:
        found = reason
    return found, time.monotonic() - started


def _tell(name: str, found: list[str] | SkippedError, seconds: float) -> bool:
    if isinstance(found, SkippedError):
        print(f"{name}: skipped, {found}", flush=True)
        return True
    print(f"{name}: {'FAILED' if found else 'passed'}, {seconds:.1f} s", flush=True)
    for line in found:
        print(f"    {line}", flush=True)
    return not found


def files(*suffixes: str) -> list[Path]:
    """Returns the files of the tree that have one of `suffixes`, relative to its root, without what git ignores. All
    files if there are no suffixes."""
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard")
    if listed is None:
        listed = [path.relative_to(folders.ROOT).as_posix() for path in folders.ROOT.rglob("*") if path.is_file()]
        listed = [name for name in listed if not name.startswith(("build/", "results/", "."))]
    return [
        path
        for name in sorted(listed)
        if (not suffixes or Path(name).suffix in suffixes) and (folders.ROOT / (path := Path(name))).is_file()
    ]


def changed() -> list[Path]:
    """Returns the files that differ from the upstream branch, or from the last commit where there is none."""
    base = _git("merge-base", "HEAD", upstream() or "HEAD")
    if not base:
        return []
    differing = _git("diff", "--name-only", "--diff-filter=d", base[0]) or []
    return [Path(name) for name in differing + (_git("ls-files", "--others", "--exclude-standard") or [])]


def upstream() -> str | None:
    """Returns what the branch is compared with: its upstream branch, or the main branch of origin."""
    candidates = ("@{upstream}", "origin/HEAD", "origin/main")
    return next((name for name in candidates if _git("rev-parse", "--verify", "--quiet", name)), None)


def check_format() -> list[str]:
    named = files(*CPP)
    found = _complaints([_tool("clang-format"), "--dry-run", "-Werror", *named], r"^(\S+?):\d+:\d+: error")
    return [f"{name} is not formatted: {_command('clang-format')} -i {name}" for name in found] + [
        f"{name} is not formatted: {_command('ruff')} format {name}"
        for name in _complaints([_tool("ruff"), "format", "--check", "."], r"^(?:Would reformat: | *--> )([^:]+)")
    ]


def check_tidy() -> list[str]:
    headers = [
        path for path in changed() if path.suffix == ".hpp" and path.parts[0] == "include" and not is_foreign(path)
    ]
    if not headers:
        raise SkippedError("no header has changed")
    tidy = shutil.which("clang-tidy-19")
    if not tidy:
        raise SkippedError("there is no clang-tidy-19 (Debian's package of that name has it)")
    only = json.dumps([{"name": str(header)} for header in headers])
    # One file that includes them all: a header that brings one that brings it cannot be compiled by itself.
    folders.BUILD.mkdir(exist_ok=True)
    including = folders.BUILD / "tidy.cpp"
    including.write_text("".join(f'#include "{folders.ROOT / header}"\n' for header in headers))
    options = f"--config-file={folders.ROOT / '.clang-tidy'}"
    return _output(
        [tidy, "--quiet", options, f"--line-filter={only}", including, "--", "-std=c++20", "-Iinclude"],
        r": (warning|error): ",
    )


def is_foreign(header: Path) -> bool:
    """Returns whether the header is for another system than Linux, or for a library that need not be here, so that it
    may not compile."""
    return header.parent.name in FOREIGN_SYSTEMS or header.name in OF_LIBRARIES


def check_python() -> list[str]:
    return _output([_tool("ruff"), "check", "--quiet", "--output-format=concise", "."])


def check_types() -> list[str]:
    return _output([sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", folders.BUILD / "mypy"])


def check_spelling() -> list[str]:
    found = _output([_tool("codespell"), *files(*WORDS)])
    return [*found, "(a word that is right is listed in pyproject.toml, tool.codespell)"] if found else []


def check_conflicts() -> list[str]:
    return [
        f"{path}:{number}: a conflict of a merge is not solved"
        for path in files()
        for number, line in enumerate((folders.ROOT / path).read_bytes().splitlines(), 1)
        if CONFLICT.match(line)
    ]


def check_links() -> list[str]:
    """Follows the relative links of the Markdown pages, to files and to headings."""
    pages = {path: _page(path) for path in files(".md")}
    return [
        f"{path}:{line}: {target} leads nowhere"
        for path, (_, links) in pages.items()
        for line, target in links
        if not _leads(path, target, pages)
    ]


Page = tuple[set[str], list[tuple[int, str]]]


def _page(path: Path) -> Page:
    """Returns the anchors of the headings of a page, and its links with their lines."""
    tokens = MarkdownIt().enable("table").use(anchors_plugin, max_level=6).parse((folders.ROOT / path).read_text())
    anchors = {str(token.attrs["id"]) for token in tokens if token.type == "heading_open"}
    links = [
        (token.map[0] + 1 if token.map else 0, str(target))
        for token in tokens
        for child in token.children or ()
        if (target := child.attrs.get("href") or child.attrs.get("src"))
    ]
    return anchors, links


def _leads(page: Path, target: str, pages: dict[Path, Page]) -> bool:
    if re.match(r"[a-z]+:", target):
        return True
    name, _, anchor = target.partition("#")
    place = (folders.ROOT / page.parent / name).resolve() if name else folders.ROOT / page
    if not place.exists() or not anchor:
        return place.exists()
    there = place.relative_to(folders.ROOT)
    return there in pages and anchor in pages[there][0]


def check_subjects() -> list[str]:
    base = upstream()
    if not base:
        raise SkippedError("there is no upstream branch")
    subjects = _git("log", "--no-merges", "--format=%h %s", f"{base}..HEAD") or []
    merges = _git("log", "--merges", "--format=%h %s", f"{base}..HEAD") or []
    return [
        f"{line}: {len(line.partition(' ')[2])} letters, of {MAX_SUBJECT} at most: git rebase -i"
        for line in subjects
        if len(line.partition(" ")[2]) > MAX_SUBJECT
    ] + [
        f"{line}: name what it brings, not the branch: git commit --amend"
        for line in merges
        if BRANCH_NAMED.match(line.partition(" ")[2])
    ]


def check_layers() -> list[str]:
    return _output([sys.executable, "tests/layers/check.py", "."])


def check_lookup() -> list[str]:
    clang = [compiler.path for compiler in environment.compilers() if environment.family(compiler) == "clang++"]
    if not clang:
        raise SkippedError("there is no clang++")
    return _output([sys.executable, "tests/layers/lookup.py", ".", clang[0]])


Part = Callable[[], list[str]]
PARTS: dict[str, Part] = {
    "format": check_format,
    "clang-tidy": check_tidy,
    "ruff": check_python,
    "mypy": check_types,
    "spelling": check_spelling,
    "conflicts": check_conflicts,
    "links": check_links,
    "commit subjects": check_subjects,
    "layers": check_layers,
    "lookup": check_lookup,
}


def _tool(name: str) -> Path:
    """Returns a program of the Python environment."""
    return Path(sys.executable).with_name(name)


def _command(name: str) -> str:
    return f"build/python/bin/{name}"


def _run(command: Iterable[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], cwd=folders.ROOT, capture_output=True, text=True, errors="replace")


def _output(command: Iterable[str | Path], pattern: str = "") -> list[str]:
    """Returns the lines that a failing command prints, those that match `pattern` if there are any."""
    done = _run(command)
    if done.returncode == 0:
        return []
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return [line for line in lines if re.search(pattern, line)] or lines or [f"exit code {done.returncode}"]


def _complaints(command: Iterable[str | Path], pattern: str) -> list[str]:
    """Returns what `pattern` finds, once each, in what a failing command prints."""
    lines = _output(command)
    found = [match[1] for line in lines if (match := re.search(pattern, line))]
    return list(dict.fromkeys(found)) or lines[:1]


def _git(*arguments: str) -> list[str] | None:
    """Returns the lines that git prints, or None if it fails: this may be no repository."""
    try:
        done = _run(["git", *arguments])
    except OSError:
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None
