"""The C++ code blocks of the pages, and the source that each becomes.

A block is fenced as ```cpp. One with main() is a program. One with statements becomes the body of main(). One with
declarations is compiled as it stands; if example() is among them, main() calls it. Comments right before a block, which
a rendered page does not show, say more:

    <!-- given: CODE -->       declarations that the block needs, and that would only distract the reader
    <!-- prints: TEXT -->      what the program prints
    <!-- error: REGEX -->      the block must not compile, and this is found in the compiler's error
    <!-- tested: FILE -->      the test that compiles the block instead
    <!-- needs: HEADER OPTION... -->
                               a header of another library, without which the block is skipped, and what it is linked
                               with: an option, or the name of a package for pkg-config
"""

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

OTHER_PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]

COMMENT = re.compile(r"<!--\s*(given|prints|error|tested|needs):\s*(.*?)\s*-->", re.DOTALL)
EXAMPLE = re.compile(r"^void example\(\)", re.MULTILINE)
INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)

# A line that begins at the margin and can only be in a function.
STATEMENT = re.compile(
    "^(?:"
    r"(?:if|for|while|do|switch|return|try)\b"
    r"|[{*+-]"
    r"|[\w:.>\[\]-]*(?:\.|->)\w+\("  # a member function's call
    r"|\w+(?:::\w+)*\(.*\);"
    r"|[\w:.>-]+ (?:=|\+=|-=|<<) "
    ")",
    re.MULTILINE,
)
RUNS = re.compile(rf"{STATEMENT.pattern}|{EXAMPLE.pattern}|^int main\(", re.MULTILINE)

# The header of each name of std that a block uses: nothing else says that a reader who copies the block lacks one.
HEADERS = {
    "algorithm": "copy find_if max min sort",
    "any": "any",
    "atomic": "atomic",
    "chrono": "chrono",
    "coroutine": "coroutine_handle suspend_always",
    "cstddef": "byte nullptr_t",
    "cstdio": "FILE fclose fopen fprintf printf puts",
    "cstdlib": "exit",
    "cstdint": "uint32_t",
    "exception": "exception terminate",
    "format": "format formatter format_to",
    "fstream": "ofstream",
    "functional": "function less",
    "iostream": "cerr cout",
    "list": "list",
    "map": "map",
    "memory": "allocate_shared allocator allocator_arg enable_shared_from_this make_shared make_unique shared_ptr "
    "static_pointer_cast unique_ptr weak_ptr",
    "memory_resource": "memory_resource monotonic_buffer_resource polymorphic_allocator",
    "mutex": "lock_guard mutex scoped_lock unique_lock",
    "new": "bad_alloc nothrow",
    "optional": "optional",
    "set": "set",
    "span": "span",
    "sstream": "ostringstream stringstream",
    "string": "string to_string",
    "string_view": "string_view",
    "thread": "jthread this_thread thread",
    "type_traits": "is_same_v",
    "unordered_map": "unordered_map",
    "utility": "exchange forward move pair",
    "vector": "erase_if vector",
}
STD = {name: header for header, names in HEADERS.items() for name in names.split()}
# All headers of the table: read once for all blocks, which takes half of the time to compile them.
PRECOMPILED = "".join(f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n" for header in HEADERS)


@dataclass(frozen=True)
class Block:
    page: str
    line: int  # of the first line of code
    code: str
    comments: dict[str, str]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def needs(self) -> list[str]:
        return self.comments.get("needs", "").split()

    @property
    def runs(self) -> bool:
        return bool(RUNS.search(self.code))

    def source(self) -> str:
        """Returns a translation unit whose lines the compiler reports as those of the page."""
        ends = [match.end() for match in INCLUDE.finditer(self.code)]
        begin = self.code.find("\n", ends[-1]) + 1 if ends else 0
        includes, body = self.code[:begin], self.code[begin:]
        before, after = "", ""
        if STATEMENT.search(body):
            before, after = "int main() {", "}"
        elif EXAMPLE.search(body):
            after = "int main() { example(); }"
        return "\n".join(
            [
                f'#line {self.line} "{self.page}"\n{includes}',
                f'#line 1 "what is given to {self}"\n{self.comments.get("given", "")}',
                before,
                f'#line {self.line + includes.count(chr(10))} "{self.page}"\n{body}',
                after,
                "",
            ]
        )

    def missing_headers(self) -> set[str]:
        """Returns the standard headers that the block, or what is given to it, should include."""
        code = self.comments.get("given", "") + self.code
        # any header brings size_t
        included = set(re.findall(r"#include <(\w+)>", code))
        used = set(re.findall(r"\bstd::(?:pmr::)?(\w+)", re.sub(r"//.*|\"[^\"]*\"", "", code))) - {"pmr", "size_t"}
        return {STD.get(name, f"(the header of std::{name})") for name in used} - included


def read(path: Path, root: Path) -> list[Block]:
    """Returns the blocks of a page."""
    blocks = []
    comments: dict[str, str] = {}
    for token in MarkdownIt().parse(path.read_text()):
        if token.type == "html_block":
            comments |= dict(COMMENT.findall(token.content))
            continue
        if token.type == "fence" and token.info.split()[:1] == ["cpp"]:
            blocks.append(Block(str(path.relative_to(root)), token.map[0] + 2, token.content, comments))
        comments = {}
    return blocks


def read_all(root: Path) -> list[Block]:
    """Returns the blocks of all pages of the tree."""
    pages = [*(root / name for name in OTHER_PAGES), *sorted((root / "docs").rglob("*.md"))]
    return [block for page in pages for block in read(page, root)]
