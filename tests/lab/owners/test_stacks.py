"""Where threads' stacks are in a mapping that has several of them, and memory of the program."""

import numpy as np

from freehold_lab.owners.graph import stacks
from freehold_lab.owners.image.memory import PAGE, WORD, Image, Segment, Thread
from freehold_lab.owners.tables.modules import Module

START, SIZE = 0x10000, 4 * PAGE  # the mapping is the program's memory, then two stacks of this size
END = START + 3 * SIZE
LOWER, UPPER = (Thread(i + 1, top - PAGE, top - 0x940, ()) for i, top in enumerate((START + 2 * SIZE, END)))
PROGRAM = [Module("program", 0, (), thread_bytes=64)]
OF_DESCRIPTOR = 0x690  # where glibc's has the start of the stack, and its size


def image(threads, *, is_told=True):
    segment = Segment(START, END, "rw-p", "", data=np.zeros(END - START, np.uint8))
    for thread in threads if is_told else ():
        at = (thread.thread_pointer + OF_DESCRIPTOR - START) // WORD
        segment.words[at : at + 2] = -(-thread.thread_pointer // PAGE) * PAGE - SIZE, SIZE
    return Image("memory", "x86-64", [segment], threads)


def test_a_stack_begins_where_its_thread_says():
    for thread, start in ((LOWER, START + SIZE), (UPPER, START + 2 * SIZE)):
        found = stacks.of(image([LOWER, UPPER]), PROGRAM, thread)
        assert found == stacks.Stack(start, thread.stack_pointer - stacks.RED_ZONE, thread.thread_pointer - 64)


def test_a_stack_is_not_below_the_variables_of_another_thread():
    found = stacks.of(image([LOWER, UPPER], is_told=False), PROGRAM, UPPER)
    assert found and found.start >= START + 2 * SIZE


def test_a_stack_begins_with_its_mapping_if_nothing_tells():
    found = stacks.of(image([LOWER], is_told=False), PROGRAM, LOWER)
    assert found and found.start == START


def test_what_looks_like_a_start_and_a_size_must_hold_the_thread():
    made = image([UPPER])
    words = made.segments[0].words
    other = (UPPER.thread_pointer - START) // WORD + 1
    words[other : other + 2] = UPPER.stack_pointer - PAGE // 2, SIZE  # no page begins there
    words[other + 2 : other + 4] = START + 2 * SIZE + PAGE, PAGE  # it ends below the variables
    found = stacks.of(made, PROGRAM, UPPER)
    assert found and found.start == START + 2 * SIZE


def test_a_main_thread_s_variables_are_elsewhere():
    found = stacks.of(image([Thread(1, END - PAGE, 0x5000, ())]), PROGRAM, Thread(1, END - PAGE, 0x5000, ()))
    assert found == stacks.Stack(START, END - PAGE - stacks.RED_ZONE, END)
