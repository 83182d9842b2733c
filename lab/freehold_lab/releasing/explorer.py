"""Links to Compiler Explorer: each program with the published single header, compiled and run there."""

import base64
import json
import re
from pathlib import Path

INCLUDE = re.compile(r"#include <freehold/(?P<name>[^>]+)>\n")
PROGRAM = re.compile(r"```cpp\n(?P<text>#include <freehold/.*?)```", re.DOTALL)
# As Compiler Explorer calls them.
COMPILERS = {"g++ 12.2": "g122", "clang++ 19.1": "clang1910"}
OPTIONS = "-std=c++20 -O2 -Wall -Wextra -pthread"


def programs(tree: Path) -> dict[str, str]:
    """Returns the programs that are linked: the README's, and the examples."""
    first = PROGRAM.search((tree / "README.md").read_text())
    assert first, "README.md has no program"
    examples = {path.name: path.read_text() for path in sorted((tree / "examples").glob("*.cpp"))}
    return {"README.md": first["text"]} | examples


def link(program: str, header: str) -> str:
    """Returns the link to `program` with the single header at the address `header` in place of Freehold's headers."""
    others = INCLUDE.sub("", program)
    start = INCLUDE.search(program)
    assert start, "a program includes Freehold"
    at = start.start()
    source = f"{others[:at]}#include <{header}>\n{others[at:]}"
    compilers = [{"id": name, "options": OPTIONS} for name in COMPILERS.values()]
    session = {
        "id": 1,
        "language": "c++",
        "source": source,
        "compilers": compilers,
        "executors": [{"compiler": compilers[0]}],
    }
    state = json.dumps({"sessions": [session]}, separators=(",", ":"))
    return f"https://godbolt.org/clientstate/{base64.urlsafe_b64encode(state.encode()).decode()}"


def page(tree: Path, header: str) -> str:
    """Returns a page of links, in Markdown."""
    lines = [f"- [{name}]({link(text, header)})" for name, text in programs(tree).items()]
    return f"# Programs in Compiler Explorer\n\nWith {' and '.join(COMPILERS)}.\n\n" + "\n".join(lines) + "\n"
