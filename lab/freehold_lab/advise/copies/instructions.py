"""The instructions of a file that may add an owner to a count, and its calls."""

import re
from dataclasses import dataclass, field

from freehold_lab.advise.copies.binutils import objdump

COPY, LOCK = "copy", "lock"
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(.*?) *(?:#.*)?$")
CALL = re.compile(r"(?:call|jmp)q?\s+([0-9a-f]+) <")
COUNT = r"(?!-0x[0-9a-f]+\(%rbp\)|.*\(%rsp)[-0-9a-fx]*\(%\w+\)"  # memory that is no local variable
REGISTER = r"%(?:e\w\w|r\d+d)"
ADDING = {
    # A sum that is stored may have several owners, so it is the additions that are counted.
    COPY: re.compile(
        rf"(?:lock )?(?:add|inc|xadd)l?\s+(?:(?:\$0x(?P<more>[0-9a-f]+)|%\w+),)?{COUNT}"
        rf"|(?:add|inc)\s+(?:(?:\$0x(?P<added>[0-9a-f]+)|{REGISTER}|{COUNT}),)?{REGISTER}"
        rf"|lea\s+(?:0x(?P<next>[0-9a-f]+)\(%\w+\)|\(%\w+,%\w+,1\)),{REGISTER}"
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
    for line in objdump("-d", "--no-show-raw-insn", path):
        if not (instruction := INSTRUCTION.match(line)):
            continue
        address, text = int(instruction[1], 16), instruction[2]
        if called := CALL.match(text):
            found.calls.append((address, int(called[1], 16)))
        elif any(each.fullmatch(text) for each in ADDING.values()):
            found.adding[address] = text
    return found


def owners(kind: str, text: str) -> int:
    """Returns how many an instruction adds; of a sum, the first is the one that made the object."""
    match = ADDING[kind].fullmatch(text)
    if not match:
        return 0
    numbers = {name: int(number, 16) for name, number in match.groupdict().items() if number}
    return numbers["all"] - 1 if "all" in numbers else sum(numbers.values()) or 1
