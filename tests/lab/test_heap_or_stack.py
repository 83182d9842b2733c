"""heap-or-stack: what compilers make of its functions, and what a call of them executes."""

from functools import cache, partial

import pytest

from freehold_lab.errors import LabError
from freehold_lab.measure import heap_or_stack

ON_HEAP = ["by hand", "by hand, with catch", "by unique_ptr"]


@pytest.fixture
def read(probes):
    def read(strategy):
        path = probes.object_file(strategy, "heap_or_stack")
        return {each.function: each for each in heap_or_stack.read(path, probes.compiler, strategy)}

    return read


def count_anew(probes, strategy):
    return {each.function: each for each in heap_or_stack.count(probes.executable(strategy), probes.compiler, strategy)}


@pytest.fixture(scope="module")
def count(probes):
    """What is the same every time is counted once."""
    return cache(partial(count_anew, probes))


def mentions(listing, name):
    return any(name in line for line in listing.lines)


def test_every_strategy_has_all_functions(probes, read):
    for strategy in probes.taking_part("heap-or-stack"):
        assert list(read(strategy)) == ["on the stack", *ON_HEAP]


def test_a_list_on_the_stack_needs_no_memory_of_its_own(read):
    functions = read("new_delete")
    assert not mentions(functions["on the stack"], "operator new")
    assert all(mentions(functions[each], "operator new") for each in ON_HEAP)


def test_a_pool_by_its_type_calls_no_operator_new(read):
    assert not any(mentions(each, "operator new") for each in read("pool_resource").values())


def test_only_manual_release_has_no_handler_for_an_exception(read):
    functions = read("new_delete")
    assert not mentions(functions["by hand"], "_Unwind_Resume")
    assert mentions(functions["by hand, with catch"], "__cxa_rethrow")
    assert mentions(functions["on the stack"], "_Unwind_Resume")
    assert mentions(functions["by unique_ptr"], "_Unwind_Resume")


def test_the_list_is_filled_out_of_sight(read):
    assert all(mentions(each, " fill_list") for each in read("bump").values())


def test_a_line_is_an_instruction_or_a_label(read):
    for listing in read("pool_resource").values():
        instructions = [line for line in listing.lines if line.startswith(" ")]
        assert len(instructions) == listing.hot.instructions + listing.cold.instructions


def test_what_a_function_executes_is_part_of_what_its_calls_do(probes, count):
    for strategy in probes.taking_part("heap-or-stack"):
        assert all(0 < each.exclusive < each.inclusive for each in count(strategy).values())


def test_counts_of_calls_are_whole_and_the_same_every_time(probes, count):
    counts = count("pool_resource")
    assert counts == count_anew(probes, "pool_resource")
    assert all(each.exclusive.is_integer() and each.inclusive.is_integer() for each in counts.values())


def test_inlined_allocation_is_the_functions_own(count):
    calls = count("pool_resource")
    stack, heap = calls["on the stack"], calls["by hand"]
    assert heap.inclusive - stack.inclusive == heap.exclusive - stack.exclusive > 0


def test_allocation_out_of_line_is_not_the_functions_own(count):
    calls = count("new_delete")
    stack, heap = calls["on the stack"], calls["by hand"]
    assert heap.inclusive - stack.inclusive > 5 * (heap.exclusive - stack.exclusive) > 0


def test_the_heap_costs_a_pool_a_fifth_of_what_it_costs_new(count):
    def cost(strategy):
        calls = count(strategy)
        return calls["by hand"].inclusive - calls["on the stack"].inclusive

    assert cost("pool_resource") < cost("new_delete") / 5


def test_an_object_file_of_something_else_is_named(compile_file):
    path = compile_file("void by_hand() {}", "-c")
    with pytest.raises(LabError, match="output has no function by_hand"):
        heap_or_stack.read(path, "g++-12", "mine")
