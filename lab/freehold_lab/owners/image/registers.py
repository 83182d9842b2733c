"""Where a thread's registers are in what the kernel hands out: by ptrace, and in the notes of a core file."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.image.memory import WORD, Thread

GENERAL = 1  # NT_PRSTATUS
THREAD_POINTER = 0x401  # NT_ARM_TLS
CALL = 0x404  # NT_ARM_SYSTEM_CALL


@dataclass(frozen=True)
class Layout:
    processor: str
    machine: int  # in an ELF file
    count: int  # words
    general: int  # the first words may hold addresses
    stack_pointer: int  # a word
    instruction_pointer: int  # a word
    thread_pointer: int | None  # a word, or None if it is handed out separately
    call: int | None  # the word with the number of a system call, or None
    end_of_thread: int  # the number of the system call exit


# r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi, orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs
X86_64 = Layout(
    "x86-64",
    62,
    27,
    general=15,
    stack_pointer=19,
    instruction_pointer=16,
    thread_pointer=21,
    call=15,
    end_of_thread=60,
)
# x0 to x30, sp pc pstate
AARCH64 = Layout(
    "AArch64",
    183,
    34,
    general=31,
    stack_pointer=31,
    instruction_pointer=32,
    thread_pointer=None,
    call=None,
    end_of_thread=93,
)

BY_MACHINE = {each.machine: each for each in (X86_64, AARCH64)}
BY_NAME = {"x86_64": X86_64, "aarch64": AARCH64}  # as uname says


def thread(layout: Layout, id: int, general: bytes, separate: bytes = b"") -> Thread:
    """Returns the thread, given its registers and what is handed out separately."""
    words = [int(word) for word in np.frombuffer(general, np.uint64, layout.count)]
    pointer = int.from_bytes(separate[:WORD], "little")
    if layout.thread_pointer is not None:
        pointer = words[layout.thread_pointer]
    return Thread(
        id, words[layout.stack_pointer], pointer, tuple(words[: layout.general]), words[layout.instruction_pointer]
    )
