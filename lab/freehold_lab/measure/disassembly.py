"""Machine code as text for people."""

from capstone import CS_GRP_JUMP, CsInsn
from capstone.x86 import X86_INS_NOP, X86_OP_IMM

from freehold_lab.measure.object_code import Function

NOWHERE = -1


def lines(name: str, function: Function) -> list[str]:
    """Returns the instructions of `function` without padding, below its name; nothing if it has none. Other functions
    stand by their names, variables behind the instruction, and where it jumps to in itself has a label."""
    if not function.instructions:
        return []
    labels = _labels(function)
    text = [f"{name}:"]
    for instruction in function.instructions:
        if instruction.address in labels:
            text.append(f"{labels[instruction.address]}:")
        if instruction.id != X86_INS_NOP:
            text.append(f"    {instruction.mnemonic} {_operands(instruction, function, labels)}".rstrip())
    return text


def _labels(function: Function) -> dict[int, str]:
    inside = {instruction.address for instruction in function.instructions}
    jumps = [each for each in function.instructions if each.group(CS_GRP_JUMP) and each.address not in function.targets]
    reached = sorted(inside & {_destination(jump) for jump in jumps})
    return {address: f".L{number}" for number, address in enumerate(reached, start=1)}


def _operands(instruction: CsInsn, function: Function, labels: dict[int, str]) -> str:
    if instruction.address in function.targets:
        return function.targets[instruction.address]
    if instruction.address in function.mentions:
        return f"{instruction.op_str}  ; {function.mentions[instruction.address]}"
    label = labels.get(_destination(instruction)) if instruction.group(CS_GRP_JUMP) else None
    return label or str(instruction.op_str)


def _destination(jump: CsInsn) -> int:
    """Returns the address that `jump` names, or NOWHERE if it reads it from a register or from memory."""
    (operand,) = jump.operands
    return operand.imm if operand.type == X86_OP_IMM else NOWHERE
