"""Makes a header of the compiler's own that tells what happens to shared pointers, and what it is linked with.

The header is copied, and calls are added where it copies, moves, locks or ends an owner. The layout is the same.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from freehold_lab.advise import building
from freehold_lab.errors import LabError
from freehold_lab.owners.answers import saving

HEADER = "shared_ptr_base.h"
LIBRARY = "libfreehold-copies.so"
MARK = "// Written by ./freehold advise --shim"
DECLARED = """extern "C" {
#define FREEHOLD_COPIES [[__gnu__::__visibility__("default")]] void
FREEHOLD_COPIES freehold_copies_copied(const void*, const void*, const void*) noexcept;
FREEHOLD_COPIES freehold_copies_converted(const void*) noexcept;
FREEHOLD_COPIES freehold_copies_assigned(const void*, const void*, const void*, const void*) noexcept;
FREEHOLD_COPIES freehold_copies_moved(const void*, const void*) noexcept;
FREEHOLD_COPIES freehold_copies_locked(const void*) noexcept;
FREEHOLD_COPIES freehold_copies_died(const void*, const void*) noexcept;
FREEHOLD_COPIES freehold_copies_weakly(const void*) noexcept;
FREEHOLD_COPIES freehold_copies_block_ended(const void*) noexcept;
#undef FREEHOLD_COPIES
}
"""
# What is looked for, exactly once each, and what is added after it.
EDITS = (
    ("the first namespace", r"(?=^namespace std\b)", DECLARED),
    (
        "the copy",
        r"__shared_count\(const __shared_count& __r\) noexcept\s*: _M_pi\(__r\._M_pi\)\s*\{",
        "if (_M_pi) freehold_copies_copied(this, &__r, _M_pi);",
    ),
    (
        "the assignment",
        r"operator=\(const __shared_count& __r\) noexcept\s*\{",
        "freehold_copies_assigned(this, &__r, _M_pi, __r._M_pi);",
    ),
    ("the end", r"~__shared_count\(\) noexcept\s*\{", "if (_M_pi) freehold_copies_died(this, _M_pi);"),
    (
        "the exchange",
        r"_M_swap\(__shared_count& __r\) noexcept\s*\{",
        "if (_M_pi || __r._M_pi) freehold_copies_moved(this, &__r);",
    ),
    (
        "the lock",
        r"__shared_count\(const __weak_count<_Lp>& __r\)\s*: _M_pi\(__r\._M_pi\)\s*\{[^{}]*",
        "freehold_copies_locked(_M_pi);",
    ),
    (
        "the lock that does not throw",
        r"__shared_count\(const __weak_count<_Lp>& __r, std::nothrow_t\)(?: noexcept)?\s*"
        r": _M_pi\(__r\._M_pi\)\s*\{[^{}]*",
        "if (_M_pi) freehold_copies_locked(_M_pi);",
    ),
    (
        "the conversion",
        r"__shared_ptr\(const __shared_ptr<\w+, _Lp>& __r\) noexcept\s*"
        r": _M_ptr\(__r\._M_ptr\), _M_refcount\(__r\._M_refcount\)\s*\{",
        "freehold_copies_converted(&_M_refcount);",
    ),
    (
        "the cast",
        r"__shared_ptr\(const __shared_ptr<\w+, _Lp>& __r,\s*element_type\* __p\) noexcept\s*"
        r": _M_ptr\(__p\), _M_refcount\(__r\._M_refcount\)[^{}]*\{",
        "freehold_copies_converted(&_M_refcount);",
    ),
    ("the weak copy", r"^\s+_M_weak_add_ref\(\) noexcept\s*\{", "freehold_copies_weakly(this);"),
    ("the weak end", r"^\s+_M_weak_release\(\) noexcept\s*\{", "freehold_copies_weakly(this);"),
    ("the end of the counts", r"~_Sp_counted_base\(\) noexcept\s*\{", "freehold_copies_block_ended(this);"),
)


def make(folder: Path, compiler: str) -> str:
    """Returns what a program is to be built with. Raises LabError, also if the header is not as expected."""
    header = find(compiler)
    text = MARK + ", of " + str(header) + ".\n" + edited(header.read_text(errors="replace"), header)
    library = building.copies()
    (folder / "bits").mkdir(parents=True, exist_ok=True)
    saving.replace(folder / "bits" / HEADER, text.encode(errors="replace"), MARK.encode())
    shutil.copyfile(library, folder / LIBRARY)
    here = shlex.quote(str(folder.resolve()))
    return (
        f"compile with: -g -fno-omit-frame-pointer -isystem {here}\n"
        f"link with:    -Wl,--no-as-needed {here}/{LIBRARY} -Wl,-rpath,{here}"
    )


def find(compiler: str) -> Path:
    """Returns the compiler's own header. Raises LabError if it has none."""
    program = shutil.which(compiler)
    if not program:
        raise LabError(f"there is no compiler {compiler}: --compiler names that of the program")
    command = [program, "-std=c++17", "-x", "c++", "-E", "-H", "-"]
    done = subprocess.run(command, input="#include <memory>\n", capture_output=True, text=True, errors="replace")
    found = re.search(rf"^\.+ (.*/{re.escape(HEADER)})$", done.stderr, re.MULTILINE)
    if not found:
        raise LabError(f"{compiler} does not use the shared_ptr of libstdc++, and no other is followed")
    return Path(found[1]).resolve()


def edited(text: str, header: Path) -> str:
    """Raises LabError unless each place is in the text exactly once."""
    for name, pattern, added in EDITS:
        found = list(re.finditer(pattern, text, re.MULTILINE))
        if len(found) != 1:
            raise LabError(
                f"{header} cannot be followed: {name} of a shared pointer is there {len(found)} times, not once"
            )
        text = text[: found[0].end()] + added + text[found[0].end() :]
    return text
