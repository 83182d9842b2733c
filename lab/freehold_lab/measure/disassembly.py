"""Machine code as text for people."""

from capstone import CsInsn

from freehold_lab.measure.object_code import Function
from freehold_lab.measure.processors.processor import destination, is_jump


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
        if instruction.id != function.processor.padding:
            text.append(f"    {instruction.mnemonic} {_operands(instruction, function, labels)}".rstrip())
    return text


def _labels(function: Function) -> dict[int, str]:
    inside = {instruction.address for instruction in function.instructions}
    jumps = [each for each in function.instructions if is_jump(each) and each.address not in function.targets]
    reached = sorted(inside & {destination(jump) for jump in jumps})
    return {address: f".L{number}" for number, address in enumerate(reached, start=1)}


def _operands(instruction: CsInsn, function: Function, labels: dict[int, str]) -> str:
    operands = str(instruction.op_str)
    if instruction.address in function.mentions:
        return f"{operands}  ; {function.mentions[instruction.address]}"
    target = function.targets.get(instruction.address)
    if target is None and is_jump(instruction):
        target = labels.get(destination(instruction))
    # Where it leads to comes behind what the jump tests, which a processor's jumps may name.
    return operands if target is None else ", ".join([*operands.split(", ")[:-1], target])
