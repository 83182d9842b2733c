"""What an address is in words: which member of which object, or which variable."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from freehold_lab.owners.analysis import Analysis
from freehold_lab.owners.answers import frames
from freehold_lab.owners.graph import stacks
from freehold_lab.owners.graph.words import Region
from freehold_lab.owners.image.memory import WORD, Addresses, Thread
from freehold_lab.owners.tables import libraries, naming, symbols

MOST_PARENTS = 3  # blocks of no known type that are named by what leads to them


class Places:
    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.nodes = analysis.nodes

    @cached_property
    def owner(self) -> Addresses:
        """For each node, the block whose object it is, or which it is itself; or -1."""
        return self.nodes.owners(self.analysis.object_node)

    @cached_property
    def table(self) -> Addresses:
        """For each node the table of virtual functions at its start, or -1."""
        return self.nodes.tables(self.analysis.objects)

    @cached_property
    def type_of_block(self) -> list[str]:
        """For each number in `types` the type."""
        return self._types[0]

    @cached_property
    def types(self) -> Addresses:
        """For each block the number of its object's type."""
        return self._types[1]

    @cached_property
    def _types(self) -> tuple[list[str], Addresses]:
        """A block beside its object knows the type that it was made with, its object's table the one that it has."""
        analysis = self.analysis
        table = analysis.blocks.table.copy()
        beside = np.flatnonzero((analysis.object_node >= 0) & ~analysis.blocks.houses)
        own = self.table[analysis.object_node[beside]]
        table[beside[own >= 0]] = own[own >= 0]
        numbers, which = np.unique(table, return_inverse=True)
        is_block = np.isin(numbers, analysis.blocks.table)
        names = [
            naming.of_object(analysis.tables.names[each]) if of_block else naming.readable(analysis.tables.names[each])
            for each, of_block in zip(numbers, is_block, strict=True)
        ]
        distinct = sorted(set(names))
        return distinct, np.array([distinct.index(each) for each in names], np.int64)[which]

    @cached_property
    def _stacks(self) -> list[tuple[Thread, stacks.Stack | None]]:
        image, modules = self.analysis.image, self.analysis.modules
        return [(thread, stacks.of(image, modules, thread)) for thread in image.threads]

    def type_name(self, node: int) -> str:
        """Returns the type of the object in a node, or an empty text."""
        block = int(self.owner[node])
        if block >= 0:
            return str(self.type_of_block[self.types[block]])
        table = int(self.table[node])
        return naming.readable(self.analysis.tables.names[table]) if table >= 0 else ""

    def start(self, node: int) -> int:
        """Returns where the object in a node begins."""
        block = int(self.nodes.block[node])
        if block < 0 or not self.analysis.blocks.houses[block]:
            return int(self.nodes.starts[node])
        layout = libraries.layout(self.analysis.tables.names[self.analysis.blocks.table[block]])
        return int(self.analysis.blocks.addresses[block]) + (layout.object if layout else 0)

    def address(self, block: int) -> int:
        """Returns where the object of a block begins, or the block itself if that is not known."""
        node = int(self.analysis.object_node[block])
        return self.start(node) if node >= 0 else int(self.analysis.blocks.addresses[block])

    def member(self, node: int, address: int) -> str:
        """Returns such as "Session +40" or "Session.timers"; in a block of no known type, how one comes to it, too."""
        text = ""
        for _ in range(MOST_PARENTS):
            name = self.type_name(node)
            if name:
                member = self._named(node, address - self.start(node))
                return f"{name}{'' if member.startswith('.') else ' '}{member}{text}"
            size = int(self.nodes.ends[node] - self.nodes.starts[node])
            text = f" -> {size} bytes {address - self.start(node):+d}{text}"
            parent = self._parent(node)
            if parent is None:
                break
            node, address = parent
        return text.removeprefix(" -> ")

    def is_bare_block(self, node: int) -> bool:
        """Says whether a node is a control block beside its object: no object of the program's."""
        block = int(self.nodes.block[node])
        return block >= 0 and not self.analysis.blocks.houses[block]

    def learn(self, paths: Iterable[list[int]]) -> None:
        """Effects: asks the debug information for the members on the paths of nodes."""
        found = {self._type(node) for path in paths for node in path[:-1]}
        self.analysis.members.ask(name for name in found if name)

    def offset(self, node: int, to: int) -> str:
        """Returns the member of a node's object that leads to another, such as "+40" or ".sessions"."""
        offset = self._offset(node, to)
        return "" if offset is None else self._named(node, offset)

    def _named(self, node: int, offset: int) -> str:
        return self.analysis.members.name(self._type(node), offset) or f"{offset:+d}"

    def _type(self, node: int) -> str:
        """Returns the whole name of the type in a node, or an empty text."""
        block, names = int(self.owner[node]), self.analysis.tables.names
        table = int(self.table[node])
        if block < 0 or (table >= 0 and not self.is_bare_block(node) and not self.analysis.blocks.houses[block]):
            return naming.demangled(names[table]) if table >= 0 else ""
        return naming.object_type(names[self.analysis.blocks.table[block]])

    def _offset(self, node: int, to: int) -> int | None:
        """Returns how far from the start of the object in a node the word is that leads to another node."""
        words = self.analysis.words
        begin, end = np.searchsorted(words.at, (self.nodes.starts[node], self.nodes.ends[node]))
        mine = words.at[begin:end][(words.target[begin:end] == to) & (words.source[begin:end] == node)]
        if len(mine) == 0:
            return None
        # A handle's word that leads to the block is its second; the handle begins before it.
        is_handle = np.isin(mine - WORD, self.analysis.handles.at[self.analysis.handles.source == node])
        address = int(mine[is_handle][0]) - WORD if is_handle.any() else int(mine[0])
        return address - self.start(node)

    def _parent(self, node: int) -> tuple[int, int] | None:
        words = self.analysis.words
        leading = np.flatnonzero((words.target == node) & (words.to == self.nodes.starts[node]))
        leading = leading[(words.source[leading] >= 0) & (words.source[leading] != node)]
        return (int(words.source[leading[0]]), int(words.at[leading[0]])) if len(leading) else None

    def _frame(self, thread: Thread, address: int) -> str:
        """Returns such as ", in serve()+0x12 of server", or nothing where the frame cannot be told."""
        found = frames.frame_of(self.analysis.image, self.analysis.modules, thread, address)
        where = symbols.function(self.analysis.image, self.analysis.modules, found.instruction) if found else ""
        return f", in {where}" if where else ""

    def outside(self, address: int, region: int) -> str:
        """Returns what the place is that is in no node."""
        image, modules = self.analysis.image, self.analysis.modules
        segment = image.segment(address)
        for thread, stack in self._stacks if region in (Region.STACK, Region.OTHER) else ():
            name = f"thread {thread.id}" + (f" ({thread.name})" if thread.name else "")
            if stack and stack.start <= address < stack.end:
                return f"stack of {name}{self._frame(thread, address)}"
            start, end = stacks.variables(modules, thread)
            if start <= address < end:
                return f"variable of {name}"
        if region == Region.GLOBAL:
            for module in modules:
                if any(each.start <= address < each.end for each in module.segments):
                    return f"global {module.name.rpartition('/')[2]}+{address - module.start:#x}"
        return f"memory at {address:#x}" if segment is None or not segment.name else f"{segment.name} at {address:#x}"
