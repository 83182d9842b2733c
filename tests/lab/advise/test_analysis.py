"""What is told of the blocks of a program."""

from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.answers import sites


def test_realloc_of_nothing_takes_no_block(record):
    found = record("reallocated").summary()
    assert (found.reallocations, found.of_unknown) == (1000, 0)
    assert found.left_bytes < 1 << 20


def test_blocks_that_die_together_are_batches(record):
    found = record("batches", 7, 50)
    summary = found.summary()
    names = Names(summary.modules)
    (node,) = [each for each in summary.nodes if names.function(each.place).startswith("batch(")]
    assert (node.blocks, node.made, node.batches, node.left) == (350, 350, 7, 0)
    assert (node.most_bytes, node.most_live, node.price) == (800, 800, 0)


def test_an_arena_costs_what_dies_before_its_batch(record):
    found = record("hold").summary()
    names = Names(found.modules)
    (node,) = [each for each in found.nodes if names.function(each.place).startswith("main") and each.blocks == 3]
    assert (node.most_bytes, node.most_live, node.price) == (4 << 20, 3 << 20, 1 << 20)


def test_the_peak_has_its_sites(record):
    held = [site.at_peak for site, _ in record("hold").named("take")]
    assert sorted(held) == [0, 1 << 20, 2 << 20]


def test_blocks_freed_in_the_order_of_a_stack(record):
    ((site, _),) = record("pairs", 1000).named("take")
    assert site.in_stack_order == 1000


def test_blocks_freed_in_the_order_of_a_queue_are_not(record):
    found = record("handed", 100)
    ((site, _),) = found.named("take")
    assert site.in_stack_order == 0


def test_chains_that_begin_alike_are_one_site(record):
    found = record("recurse", 20).summary()
    groups = sites.groups(found.sites, Names(found.modules))
    (group,) = [each for each in groups if each.functions[0].startswith("take")]
    assert [name.partition("(")[0] for name in group.functions] == ["take", "recurse", "main"]


def test_half_of_the_blocks_live_no_longer(record):
    found = record("pairs", 1000).summary()
    (group,) = [each for each in sites.groups(found.sites, Names(found.modules)) if each.blocks == 1000]
    assert group.median_lifetime == 32


def test_the_timeline_has_the_peak_and_all_that_was_allocated(record):
    found = record("hold").summary()
    assert max(most for most, _ in found.timeline) == found.most_bytes
    assert sum(allocated for _, allocated in found.timeline) == found.bytes


def test_sizes_are_counted_up_to_powers_of_two(record):
    found = record("pairs", 1000).summary()
    assert found.sizes[5] >= 1000
    assert sum(found.sizes) == found.allocations + found.reallocations
