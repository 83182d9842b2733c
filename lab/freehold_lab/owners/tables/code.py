"""Sizes of control blocks, read from the machine code that frees them: operator delete is told how many bytes."""

import re

from freehold_lab.owners.image.memory import WORD, Image

DESTROY = {"libstdc++": (3, 1), "Boost": (3, 1), "libc++": (4, 1)}  # virtual functions that free a block
MOST_CODE = 200  # bytes that are read of such a function
MOST_SIZE = 1 << 24
# The second and the third argument of a call: operator delete(block, bytes), and deallocate(resource, block, bytes).
SIZES = {
    "x86-64": re.compile(r"^[er](?:si|dx), (0x[0-9a-f]+|\d+)$"),
    "AArch64": re.compile(r"^[wx][12], #(0x[0-9a-f]+|\d+)$"),
}


def size_of(image: Image, table: int, library: str) -> int:
    """Returns the bytes of a block with this table of virtual functions, or 0 if its code does not tell."""
    from freehold_lab.measure.processors import PROCESSORS

    reader = next(each for each in PROCESSORS.values() if each.name == image.processor).decoder()
    pattern = SIZES[image.processor]
    for slot in DESTROY[library]:
        function = image.word(table + slot * WORD)
        last = 0
        for _, _, mnemonic, operands in reader.disasm_lite(image.bytes(function, MOST_CODE), function):
            if mnemonic.startswith("mov") and (found := pattern.match(operands)):
                last = int(found[1], 0)
            elif mnemonic in ("jmp", "call", "b", "bl", "blr", "br") and 2 * WORD < last < MOST_SIZE:
                return last
            elif mnemonic == "ret":
                break
    return 0
