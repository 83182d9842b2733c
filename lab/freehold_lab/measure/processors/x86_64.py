"""x86-64."""

import re

from capstone import CS_ARCH_X86, CS_MODE_64, CS_OP_MEM, CsInsn
from capstone.x86 import X86_INS_JMP, X86_INS_NOP, X86_INS_XCHG, X86_PREFIX_LOCK

from freehold_lab.measure.processors.processor import Processor


def _is_locked(instruction: CsInsn) -> bool:
    """It has a lock prefix, or exchanges a register with memory, which locks without one."""
    if instruction.prefix[0] == X86_PREFIX_LOCK:
        return True
    return instruction.id == X86_INS_XCHG and any(operand.type == CS_OP_MEM for operand in instruction.operands)


X86_64 = Processor(
    name="x86-64",
    architecture=CS_ARCH_X86,
    mode=CS_MODE_64,
    longest_instruction=15,
    padding=X86_INS_NOP,
    is_locked=_is_locked,
    never_falls_through=lambda instruction: instruction.id == X86_INS_JMP,
    locked_functions=re.compile(r"(?!)"),  # none: compilers always know the instruction
)
