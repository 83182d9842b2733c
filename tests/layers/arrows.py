"""The include arrows: what a header under include/ may include.

Folders are layers. A header may include its own layer and those that its layer points to, the standard
library, and a header of the system of the list below inside an #if; systems.py says which headers may. A layer's
detail/ is its own business. exceptions.toml lists the headers that include another library's, with reasons.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path("include/freehold")
EXCEPTIONS = Path("tests/layers/exceptions.toml")
UMBRELLA = "freehold.hpp"
FORWARD = "fwd.hpp"  # only declares, so each layer may name what others define
PRODUCTS = ("pointers.hpp", "memory.hpp", "cyclic.hpp", "traced.hpp")
IN_NO_UMBRELLA = ("diagnosis", "interop")
# In no umbrella either: two that a program includes once, two that bring all containers of the standard, and one that
# few programs need.
BY_NAME = {
    Path("core/platform/modules.hpp"),  # for diagnosis, which no umbrella brings
    Path("core/platform/code_modules.hpp"),  # for heap_profile.hpp, as the next two
    Path("core/platform/new_file.hpp"),
    Path("core/platform/unwind.hpp"),
    Path("memory/heap_profile.hpp"),
    Path("memory/replace_new.hpp"),
    Path("memory/containers.hpp"),
    Path("memory/pmr.hpp"),
    Path("memory/concurrent_monotonic_resource.hpp"),
}

# As drawn in the design: layer -> the layers it points to. What those point to may be included as well.
ARROWS = {
    FORWARD: [],
    "core": [FORWARD],
    "memory": ["core"],
    "counting": ["core"],
    "reclamation": ["core"],
    "pointers": ["counting", "memory", "reclamation"],
    "tracing": ["core"],
    "cyclic": ["tracing", "counting", "memory"],
    "traced": ["tracing", "memory"],
    "diagnosis": ["pointers", "tracing", "cyclic", "traced"],
    "interop": ["pointers", "cyclic", "traced", "diagnosis"],
    "pointers.hpp": ["pointers", "reclamation"],
    "memory.hpp": ["memory"],
    "cyclic.hpp": ["cyclic"],
    "traced.hpp": ["traced"],
    UMBRELLA: [*PRODUCTS],
}

SYSTEM_HEADERS = {
    "dlfcn.h",  # dladdr, of macOS
    "execinfo.h",  # backtrace, of glibc and the BSDs
    "fcntl.h",  # open, of POSIX
    "io.h",  # _write, of Windows
    "linux/futex.h",
    "linux/membarrier.h",
    "link.h",  # dl_iterate_phdr, of Linux
    "malloc.h",  # _aligned_malloc, of Windows
    "pthread.h",  # threads, the keys of threads and pthread_atfork, of POSIX
    "sanitizer/asan_interface.h",
    "sanitizer/lsan_interface.h",
    "sanitizer/tsan_interface.h",
    "signal.h",  # of POSIX
    "sys/auxv.h",  # what Linux tells a process at its start
    "sys/mman.h",  # pages, of POSIX
    "sys/single_threaded.h",  # __libc_single_threaded, of glibc
    "sys/syscall.h",
    "unwind.h",  # _Unwind_Backtrace, of g++ and clang++
    "unistd.h",  # syscall, sysconf and write
}

# Does not exist: a compiler that is told to compile older C++ stops there.
MISSING = "freehold_needs_cplusplus_20_compile_with_std_c++20"

BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"\s*#\s*(?P<name>\w+)\s*(?P<rest>.*)")
INCLUDED = re.compile(r'(?P<open>[<"])(?P<name>[^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_0-9]+")  # only the standard library's headers have neither a folder nor a suffix


def reachable(layer: str) -> set[str]:
    """Returns the layer and all that can be reached from it along the arrows."""
    return {layer}.union(*(reachable(below) for below in ARROWS[layer]))


def includes(header: Path) -> Iterator[tuple[int, str, str, bool]]:
    """Yields each include of a header: line, the opening `<` or `"`, name, and whether it stands in an #if."""
    text = BLOCK_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), header.read_text())
    depth = 0
    for number, line in enumerate(text.splitlines(), start=1):
        directive = DIRECTIVE.match(line)
        if not directive:
            continue
        depth += directive["name"] in ("if", "ifdef", "ifndef")
        depth -= directive["name"] == "endif"
        if directive["name"] == "include" and (included := INCLUDED.match(directive["rest"])):
            yield number, included["open"], included["name"], depth > 0


def own_header(library: Path, header: Path, opening: str, name: str) -> Path | None:
    """Returns which of Freehold's headers is meant, relative to include/freehold, or None for any other header."""
    if opening == '"':
        target = (header.parent / name).resolve()
    elif name.startswith("freehold/"):
        target = (library.parent / name).resolve()
    else:
        return None
    return target.relative_to(library.resolve()) if target.is_relative_to(library.resolve()) else None


def layer_of(header: Path) -> str:
    return header.parts[0]


def objection(source: Path, target: Path | None, name: str, guarded: bool) -> str | None:
    """Returns why the header `source` may not include `name` (of Freehold: `target`), or None if it may."""
    layer = layer_of(source)
    if target is None:
        if STANDARD.fullmatch(name) or (name in {*SYSTEM_HEADERS, MISSING} and guarded):
            return None
        if name in SYSTEM_HEADERS:
            return f"{name} is a header of the system and needs an #if"
        return f"{name} is neither Freehold's nor the standard library's"
    if layer_of(target) not in reachable(layer):
        return f"{layer} may not include {layer_of(target)} ({name})"
    if "detail" in target.parts and layer_of(target) != layer:
        return f"{name} is private to {layer_of(target)}"
    return None


def foreign_includes(root: Path) -> set[str]:
    """Returns the includes of another library's headers that are allowed, as HEADER: NAME."""
    return set(tomllib.loads((root / EXCEPTIONS).read_text()).get("foreign", ()))


def check_arrows(root: Path) -> list[str]:
    """Returns a line for each include that points the wrong way, each exception that no longer holds, and each header
    that an umbrella lacks."""
    library = root / LIBRARY
    allowed = foreign_includes(root)
    used = set()
    problems = []
    brings: dict[Path, set[Path]] = {}
    for header in sorted(library.rglob("*.hpp")):
        source = header.relative_to(library)
        if layer_of(source) not in ARROWS:
            problems.append(f"{LIBRARY / source}: {layer_of(source)} is not a layer")
            continue
        brings[source] = set()
        for line, opening, name, guarded in includes(header):
            target = own_header(library, header, opening, name)
            if (exception := f"{LIBRARY / source}: {name}") in allowed:
                used.add(exception)
            elif reason := objection(source, target, name, guarded):
                problems.append(f"{LIBRARY / source}:{line}: {reason}")
            elif target:
                brings[source].add(target)
    problems += [f"{EXCEPTIONS}: {exception} is no longer an exception" for exception in sorted(allowed - used)]
    for umbrella in (*PRODUCTS, UMBRELLA):
        layers = ARROWS[umbrella] if umbrella in PRODUCTS else set(ARROWS) - set(IN_NO_UMBRELLA)
        wanted = {header for header in public_headers(root) if layer_of(header) in layers}
        lacking = wanted - BY_NAME - closure(brings, Path(umbrella))
        if umbrella == UMBRELLA or Path(umbrella) in brings:
            problems += [f"{LIBRARY / umbrella}: does not bring {header}" for header in sorted(lacking)]
    return problems


def closure(brings: dict[Path, set[Path]], start: Path) -> set[Path]:
    """Returns all headers that including `start` brings."""
    seen: set[Path] = set()
    waiting = [start]
    while waiting:
        header = waiting.pop()
        if header not in seen:
            seen.add(header)
            waiting.extend(brings.get(header, ()))
    return seen


def public_headers(root: Path) -> list[Path]:
    """Returns the headers a user may include, but for the umbrella, relative to include/freehold."""
    library = root / LIBRARY
    return [
        header.relative_to(library)
        for header in sorted(library.glob("*/**/*.hpp"))
        if "detail" not in header.relative_to(library).parts
    ]
