"""The instructions of a file that may add an owner to a count, and its calls."""

import re
from dataclasses import dataclass, field

from freehold_lab.advise.copies.binutils import objdump

COPY, LOCK = "copy", "lock"
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(.*?) *(?:#.*)?$")
CALL = re.compile(r"(?:call|jmp)q?\s+([0-9a-f]+) <")
COUNT = r"(?!-0x[0-9a-f]+\(%rbp\)|.*\(%rsp)[-0-9a-fx]*\(%\w+\)"  # memory that is no local variable
WRITTEN = re.compile(r"(?!cmp|test)(?:.*,|inc\s+)%(\w+)")
REGISTER = r"%(?:e\w\w|r\d+d)"
ADDING = {
    # A sum that is stored may have several owners, so it is the additions that are counted. What is stored without one
    # is the count that a release found just before.
    COPY: re.compile(
        rf"(?:lock )?(?:add|inc|xadd)l?\s+(?:(?:\$0x(?P<more>[0-9a-f]+)|%\w+),)?{COUNT}"
        rf"|(?:add|inc)\s+(?:(?:\$0x(?P<added>[0-9a-f]+)|{REGISTER}|{COUNT}),)?{REGISTER}"
        rf"|lea\s+(?:0x(?P<next>[0-9a-f]+)\(%\w+\)|\(%\w+,%\w+,1\)),{REGISTER}"
        rf"|mov\s+(?P<stored>{REGISTER}),{COUNT}"
        rf"|movl\s+\$0x(?P<all>[0-9a-f]+),{COUNT}"  # the compiler knows how many owners there are
    ),
    LOCK: re.compile(rf"lock cmpxchg\s+%\w+,{COUNT}"),
}


@dataclass
class Instructions:
    adding: dict[int, str] = field(default_factory=dict)
    calls: list[tuple[int, int]] = field(default_factory=list)  # from and to


def read(path: str) -> Instructions:
    found = Instructions()
    sums: set[str] = set()  # registers that have one
    for line in objdump("-d", "--no-show-raw-insn", path):
        if not (instruction := INSTRUCTION.match(line)):
            continue
        address, text = int(instruction[1], 16), instruction[2]
        if called := CALL.match(text):
            found.calls.append((address, int(called[1], 16)))
            continue
        adding = ADDING[COPY].fullmatch(text)
        stored = adding["stored"] if adding else None
        if (adding and stored not in sums) or ADDING[LOCK].fullmatch(text):
            found.adding[address] = text
        if written := WRITTEN.fullmatch(text):
            register = re.sub(r"^r(?=\D)", "e", written[1].removesuffix("d"))
            (sums.add if adding else sums.discard)(f"%{register}" + "d" * register[-1].isdigit())
    return found


def is_store(text: str) -> bool:
    match = ADDING[COPY].fullmatch(text)
    return bool(match and match["stored"])


def owners(kind: str, text: str) -> int:
    """Returns how many an instruction adds; of a sum, the first is the one that made the object."""
    match = ADDING[kind].fullmatch(text)
    if not match:
        return 0
    numbers = {name: int(number, 16) for name, number in match.groupdict().items() if number and name != "stored"}
    return numbers["all"] - 1 if "all" in numbers else sum(numbers.values()) or 1
