"""Freehold's control blocks: tables of operations, each of which leads to a name that tells all else.

pointers/detail/block_name.hpp says what is in a name, counting/shared_count.hpp and its like what is in a count.
"""

import re

import numpy as np

from freehold_lab.owners.image.memory import WORD, Addresses, Image, Segment
from freehold_lab.owners.tables.type_information import Tables, is_code, is_inside, leading_to

PREFIX = "freehold block 1: "
NAME = re.compile(
    re.escape(PREFIX) + r"(?P<counts>\w+) (?P<table>\d+) (?P<contents>\w+) (?P<place>\d+) (?P<bytes>\d+) (?P<type>.*)"
)
FUNCTIONS = 4  # in a table; then the bytes of a block, then the name
SIZE = FUNCTIONS * WORD  # where in a table the bytes of a block are

ONE_OWNER = 1 << 28
EXPIRED_FROM = -(1 << 61)
BIASED_FROM, QUEUED, BIASED = 2 << 60, 4 << 60, 6 << 60
SHARDS_OPEN = 1 << 62
SHARD_BYTES, MOST_SHARDS, SHARDS_ALIGNMENT = 64, 64, 256
IMMORTAL = 1 << 23  # owners that are told of an object that is never destroyed


def find(image: Image, segments: list[Segment], known: Tables) -> Tables:
    """Returns the tables known and those of Freehold's blocks. The name of one is that which it leads to."""
    text = re.compile(re.escape(PREFIX.encode()))
    strings = [
        each.start + match.start()
        for each in segments
        if each.data is not None
        for match in text.finditer(each.data.data)
    ]
    at, name = leading_to(segments, np.array(strings, np.int64))
    at -= SIZE + WORD
    is_table = np.ones(len(at), bool)
    for function in range(FUNCTIONS):
        is_table &= is_code(image, image.words(at + function * WORD).view(np.int64))
    addresses = np.concatenate([known.addresses, at[is_table]])
    names = [*known.names, *(image.string(int(each)) for each in name[is_table])]
    order = np.argsort(addresses)
    bases = np.concatenate([known.bases, np.zeros(int(is_table.sum()), np.int64)])
    return Tables(addresses[order], [names[each] for each in order], bases[order])


def counts(image: Image, blocks: Addresses, policy: str) -> tuple[Addresses, Addresses]:
    """Returns the owners and the weak pointers of each block that counts as the policy says; -1 where that is none."""
    words = image.words(blocks).view(np.int64)
    owners, weak = _in_word(words)
    # A block that is free has a link there, which would be many owners.
    mapped = np.array([(each.start, each.end) for each in image.segments], np.int64).reshape(-1, 2)
    owners[is_inside(mapped, words)] = -1
    if policy == "biased":
        elsewhere = words >= BIASED_FROM
        queued = words < BIASED
        merged = (words - np.where(queued, QUEUED, BIASED)) // ONE_OWNER
        apart = image.words(blocks + 2 * WORD).view(np.int64)
        owners = np.where(elsewhere, np.maximum(apart + merged - queued, 1), owners)
        weak = np.where(elsewhere, words % ONE_OWNER - 1, weak)
    elif policy == "sharded":
        apart = np.flatnonzero(words >= SHARDS_OPEN - ONE_OWNER)
        shards = image.words(blocks[apart] + WORD).view(np.int64)
        copies = np.array([_copies(image, int(each)) for each in shards], np.int64)
        owners[apart] = np.maximum((words[apart] - SHARDS_OPEN) // ONE_OWNER + 1 + copies, 1)
        weak[apart] = words[apart] % ONE_OWNER - 1
    return owners, weak


def _in_word(words: Addresses) -> tuple[Addresses, Addresses]:
    weak = words % ONE_OWNER
    lives, expired = words >= 0, (words < -ONE_OWNER) & (words >= EXPIRED_FROM)
    immortal = words < EXPIRED_FROM
    owners = np.select([lives, expired, immortal], [words // ONE_OWNER + 1, 0, IMMORTAL], -1)
    return owners, np.select([lives, expired, immortal], [weak - 1, weak, 0], -1)


def _copies(image: Image, shards: int) -> int:
    """Returns the sum of the shards, which is an address with the number of the last shard in its lowest bits."""
    if shards & 1:
        return 0
    first, last = shards & -SHARDS_ALIGNMENT, shards >> 2 & MOST_SHARDS - 1
    each = image.words(first + np.arange(last + 1) * SHARD_BYTES).view(np.int64)
    return int(each[each > EXPIRED_FROM].sum())  # a shard that is closed has less
