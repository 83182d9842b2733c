"""Reads one translation unit of a tree with libclang."""

from functools import cache
from pathlib import Path

from clang import cindex

from freehold_lab.switching import clang, nodes
from freehold_lab.switching.border import Border
from freehold_lab.switching.facts import Facts
from freehold_lab.switching.lexing import Source
from freehold_lab.switching.meaning import Meanings
from freehold_lab.switching.parameters import Parameters
from freehold_lab.switching.tree import Tree
from freehold_lab.switching.units import Unit


def read(unit: Unit, tree: Tree) -> Facts:
    facts = Facts(unit.file)
    try:
        parsed = clang.parse(unit.file, list(unit.options), unit.folder)
    except cindex.TranslationUnitLoadError:
        facts.error = "libclang cannot read it"
        return facts
    fault = next((each for each in parsed.diagnostics if each.severity >= cindex.Diagnostic.Error), None)
    facts.error = str(fault) if fault else ""
    _note_files(parsed, tree, facts)
    found, macros = nodes.read(parsed, tree.has)
    meanings = Meanings(facts, macros, lambda file: source(file) if tree.has(file) else None)
    for node in found:
        meanings.note(node)
    Border(facts, tree).note(found)
    Parameters(facts, source).note(found)
    # A file outside may be included within a declaration of the tree.
    facts.remarks = {each for each in facts.remarks if each.file in facts.files}
    facts.crossings = {each for each in facts.crossings if each.file in facts.files}
    return facts


@cache
def source(file: Path) -> Source:
    return Source(file, file.read_bytes())


def _note_files(parsed: cindex.TranslationUnit, tree: Tree, facts: Facts) -> None:
    facts.files.add(facts.unit)
    for each in parsed.get_includes():
        file = clang.path_of(each.include.name)
        if tree.has(file):
            facts.files.add(file)
            by = clang.path_of(each.source.name)
            facts.included_at.add((file, by, each.location.offset))
    facts.skipped = {file: clang.skipped(parsed, file) for file in facts.files}
