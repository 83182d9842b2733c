"""Where a thread's stack is in the mapping that its stack pointer leads to.

That mapping may have more in it: from glibc 2.42 on, with Linux 6.13, a stack's guard is no mapping of its own, so that
the kernel joins neighboring stacks, and mappings of the program."""

from dataclasses import dataclass

import numpy as np

from freehold_lab.owners.image.memory import PAGE, WORD, Image, Thread
from freehold_lab.owners.tables.modules import Module

RED_ZONE = 128  # bytes below the stack pointer that a function may use
DESCRIPTOR = PAGE  # bytes of a thread's descriptor, at most: at the thread pointer, behind the thread's variables


@dataclass(frozen=True)
class Stack:
    start: int
    used: int  # from here on: below, nobody reads it
    end: int  # where the thread's variables begin


def of(image: Image, modules: list[Module], thread: Thread) -> Stack | None:
    """Returns the stack of a thread, or None if its stack pointer leads to none."""
    segment = image.segment(thread.stack_pointer)
    if segment is None or segment.is_file:
        return None
    start, end = segment.start, segment.end
    if segment.start <= thread.thread_pointer < segment.end:
        end = variables(modules, thread)[0]
        start = _told(image, thread, start) or _behind_others(image, thread, start)
    return Stack(start, thread.stack_pointer - RED_ZONE, end)


def variables(modules: list[Module], thread: Thread) -> tuple[int, int]:
    """Returns where a thread's variables and its descriptor begin, and where they end at most."""
    thread_bytes = sum(module.thread_bytes for module in modules)
    return thread.thread_pointer - thread_bytes, thread.thread_pointer + DESCRIPTOR


def _told(image: Image, thread: Thread, least: int) -> int:
    """Returns the start that glibc's descriptor of the thread has, beside the size, or 0."""
    words = image.words(thread.thread_pointer + np.arange(0, DESCRIPTOR, WORD)).astype(np.int64)
    start, size = words[:-1], words[1:]
    is_told = (start % PAGE == 0) & (start >= least) & (start <= thread.stack_pointer)
    is_told &= (size % PAGE == 0) & (size > thread.thread_pointer - start)
    is_told &= size <= thread.thread_pointer + 2 * DESCRIPTOR - start
    return int(start[is_told].max(initial=0))


def _behind_others(image: Image, thread: Thread, least: int) -> int:
    """Returns where the mapping goes on behind the descriptors of the threads below."""
    below = (each.thread_pointer for each in image.threads if each.thread_pointer < thread.thread_pointer)
    return max([least, *(-(-each // PAGE) * PAGE + DESCRIPTOR for each in below)])
