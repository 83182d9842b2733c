"""Writes core files as the kernel lays them out, for what cannot be run here."""

import struct
from dataclasses import dataclass, field

PAGE = 4096
X86_64, AARCH64 = 62, 183


def note(kind, data, name=b"CORE\0"):
    pad = [value + b"\0" * (-len(value) % 4) for value in (name, data)]
    return struct.pack("<III", len(name), len(data), kind) + pad[0] + pad[1]


def status(id, registers):
    """Returns the note NT_PRSTATUS of a thread."""
    return note(1, b"\0" * 32 + struct.pack("<i", id) + b"\0" * 76 + struct.pack(f"<{len(registers)}Q", *registers))


def files(*entries):
    """Returns the note NT_FILE, given (start, end, page in the file, name)."""
    numbers = b"".join(struct.pack("<QQQ", *entry[:3]) for entry in entries)
    names = b"".join(entry[3].encode() + b"\0" for entry in entries)
    return note(0x46494C45, struct.pack("<QQ", len(entries), PAGE) + numbers + names)


@dataclass
class Core:
    machine: int = X86_64
    kind: int = 4  # ET_CORE
    notes: list = field(default_factory=list)
    parts: list = field(default_factory=list)  # of memory: (address, size, permissions as a number, bytes)

    def text(self):
        notes = b"".join(self.notes)
        first = 64 + 56 * (len(self.parts) + 1)
        head = b"\x7fELF\2\1\1" + b"\0" * 9
        head += struct.pack(
            "<HHIQQQIHHHHHH", self.kind, self.machine, 1, 0, 64, 0, 0, 64, 56, len(self.parts) + 1, 64, 0, 0
        )
        headers = struct.pack("<IIQQQQQQ", 4, 0, first, 0, 0, len(notes), 0, 4)
        body = notes + b"\0" * (-(first + len(notes)) % PAGE)
        for address, size, flags, data in self.parts:
            headers += struct.pack("<IIQQQQQQ", 1, flags, first + len(body), address, 0, len(data), size, PAGE)
            body += data
        return head + headers + body
