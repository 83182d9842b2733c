"""AArch64.

Since ARMv8.1 an instruction is a whole read-modify-write. Before, a program loads exclusively, changes the value and
stores it exclusively, again if that failed: each execution of such a store counts. So a compare and exchange that finds
another value counts with the one instruction, and not with the two. For programs that run on either, g++ calls a
function of its own run-time, which asks the processor.
"""

import re

from capstone import CS_ARCH_ARM64, CS_MODE_ARM, CsInsn
from capstone.arm64 import ARM64_CC_AL, ARM64_CC_INVALID, ARM64_INS_B, ARM64_INS_BR, ARM64_INS_NOP

from freehold_lab.measure.processors.processor import Processor

# What follows tells the order and the size, such as in ldaddal and stlxrb. The form st is that without a result.
_LOCKED = re.compile(r"(?:(?:ld|st)(?:add|clr|eor|set|[su]max|[su]min)|swp|casp?|stl?x[rp])(?:a|l|al)?[bh]?")


def _never_falls_through(instruction: CsInsn) -> bool:
    """A branch whose mnemonic has no condition, or one to the address in a register."""
    if instruction.id == ARM64_INS_B:
        return instruction.cc in (ARM64_CC_INVALID, ARM64_CC_AL)
    return bool(instruction.id == ARM64_INS_BR)


AARCH64 = Processor(
    name="AArch64",
    architecture=CS_ARCH_ARM64,
    mode=CS_MODE_ARM,
    longest_instruction=4,
    padding=ARM64_INS_NOP,
    is_locked=lambda instruction: bool(_LOCKED.fullmatch(instruction.mnemonic)),
    never_falls_through=_never_falls_through,
    locked_functions=re.compile(r"__aarch64_(?:cas|swp|ld(?:add|clr|eor|set))\d+_\w+"),
)
