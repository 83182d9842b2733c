"""What the laboratory must know of a processor to read its machine code, beside what capstone says of all."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from capstone import CS_GRP_CALL, CS_GRP_JUMP, CS_OP_IMM, Cs, CsInsn

NOWHERE = -1


@dataclass(frozen=True)
class Processor:
    name: str
    architecture: int  # capstone's
    mode: int
    longest_instruction: int
    padding: int  # capstone's number of the instruction that does nothing
    is_locked: Callable[[CsInsn], bool]  # says whether it is a locked read-modify-write
    never_falls_through: Callable[[CsInsn], bool]  # says whether it is a jump that is always taken
    locked_functions: re.Pattern[str]  # functions of the compiler's, of which a call is a locked read-modify-write

    def decoder(self) -> Cs:
        capstone = Cs(self.architecture, self.mode)
        capstone.detail = True
        return capstone


def is_call(instruction: CsInsn) -> bool:
    return bool(instruction.group(CS_GRP_CALL))


def is_jump(instruction: CsInsn) -> bool:
    """Says whether it is a jump and no call: capstone has AArch64's calls in both groups."""
    return bool(instruction.group(CS_GRP_JUMP)) and not is_call(instruction)


def destination(jump: CsInsn) -> int:
    """Returns the address that `jump` names, behind what it tests, or NOWHERE if it reads it from a register or from
    memory."""
    operand = jump.operands[-1]
    return operand.imm if operand.type == CS_OP_IMM else NOWHERE
