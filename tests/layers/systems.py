"""Where the library asks the operating system or the processor: in include/freehold/core/platform/ alone.

There a header documents an interface that knows no system, and includes what one system does for it, from the folder of
that name in core/platform/detail/. core/config.hpp chooses the system. No other header includes one of the system,
calls it past the C library, has assembly, or depends on a macro of a system or processor. Macros of compilers,
sanitizers and builds may stand anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from arrows import BLOCK_COMMENT, DIRECTIVE, INCLUDED, LIBRARY

PLATFORM = Path("core/platform")
CONFIG = Path("core/config.hpp")

SYSTEM_HEADERS = re.compile(
    r"(sys|linux|mach|asm|bits)/.*|(dlfcn|execinfo|fcntl|io|malloc|poll|process|psapi|pthread|sched|signal|unistd|windows)\.h"
    r"|csignal"  # which is standard, but has the system's as well
)

CALLS = re.compile(r"\b(syscall(?=\s*\()|asm\b|__asm\w*|__declspec|__stdcall)")

MACROS = re.compile(
    r"\b(FREEHOLD_(LINUX|WINDOWS|MACOS)|unix|linux|__(gnu_)?(linux|unix|LINUX|ANDROID|APPLE|MACH|CYGWIN|FreeBSD|NetBSD|OpenBSD)(__)?"
    r"|_?WIN(32|64)|__MINGW\w+|__GLIBC\w*|__BIONIC__|__musl__|_(GNU|POSIX)\w*|TARGET_OS_\w+"
    r"|__(x86_64|i[3-6]86|amd64|aarch64|arm|arm64|riscv|powerpc\w*|s390x?|loongarch\w*|LP64|ILP32|SSE|AVX)\w*"
    r"|_M_(X64|AMD64|IX86|ARM\w*)|__ARM\w*|__BYTE_ORDER\w*)\b"
)

LINE_COMMENT = re.compile(r"//[^\n]*")


def check_systems(root: Path) -> list[str]:
    """Returns a line for each place outside of core/platform/ and core/config.hpp where the system is asked."""
    library = root / LIBRARY
    return [
        f"{header.relative_to(root)}:{line}: {what} belongs in {LIBRARY / PLATFORM}/"
        for header in sorted(library.rglob("*.hpp"))
        if not is_floor(header.relative_to(library))
        for line, what in asked(header.read_text())
    ]


def is_floor(header: Path) -> bool:
    """Returns whether the header, relative to include/freehold, may ask the system."""
    return header == CONFIG or PLATFORM in header.parents


def asked(source: str) -> Iterator[tuple[int, str]]:
    """Yields the line of each place where the system or the processor is asked, and what does it."""
    code = LINE_COMMENT.sub("", BLOCK_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source))
    for number, line in enumerate(code.splitlines(), start=1):
        directive = DIRECTIVE.match(line)
        if directive and directive["name"] == "include":
            included = INCLUDED.match(directive["rest"])
            if included and SYSTEM_HEADERS.fullmatch(included["name"]):
                yield number, f"<{included['name']}>"
        elif directive and directive["name"] in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"):
            yield from ((number, found[0]) for found in MACROS.finditer(directive["rest"]))
        yield from ((number, found[0]) for found in CALLS.finditer(line))
