"""Allocators whose blocks cannot be read here: which of them a program has."""

from pathlib import PurePath

from freehold_lab.owners.tables.modules import Module

NAMES = ("jemalloc", "tcmalloc", "mimalloc")  # parts of the names of their libraries


def name(modules: list[Module]) -> str:
    """Returns the allocator's name, or nothing where no library tells it, as in a program that is linked statically."""
    files = [PurePath(each.name).name for each in modules]
    return next((each for each in NAMES if any(each in file for file in files)), "")


def fault(name: str) -> str:
    return f"the blocks of {name or 'this allocator'} cannot be told apart"
