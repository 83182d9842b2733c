"""What is said of a tree that is switched: file by file, then in all."""

from collections.abc import Iterator
from pathlib import Path

from freehold_lab.switching import borrowing
from freehold_lab.switching.deciding import Decision
from freehold_lab.switching.facts import Facts
from freehold_lab.switching.units import Unit


def lines(
    root: Path, units: list[Unit], facts: list[Facts], decisions: list[Decision], unread: list[Path]
) -> Iterator[str]:
    for decision in decisions:
        yield from _of_file(root, decision)
    for path in unread:
        yield f"{path.relative_to(root)}: not read, as no translation unit includes it"
    for each in facts:
        if each.error:
            yield f"{each.unit.relative_to(root)}: does not compile, so names may be missing: {each.error}"
    yield from _of_borrowing(root, borrowing.find(facts), {each.source.path: each for each in decisions})
    older = sum(unit.is_older for unit in units)
    if older:
        yield f"{older} of {len(units)} translation units are compiled as C++ before C++20, which Freehold needs"
    changed = [decision for decision in decisions if decision.edits]
    crossings = sum(each.crossings for each in changed)
    if crossings:
        yield (
            f"{crossings} crossings: each makes an owner of its own, so look where owners are compared by owner_less "
            "or owner_before, or counted by use_count()"
        )
    yield (
        f"{len(facts)} translation units; {len(changed)} files changed: {sum(each.names for each in changed)} names, "
        f"{crossings} crossings; {sum(len(each.left) for each in decisions)} left"
    )


def _of_borrowing(root: Path, found: borrowing.Borrowing, decisions: dict[Path, Decision]) -> Iterator[str]:
    for each in found.possible:
        line = decisions[each.file].source.line(each.start)
        yield f"{each.file.relative_to(root)}:{line}: {each.name or 'a parameter'} of {each.function} could be a const&"
    if found.total:
        reasons = "".join(f"; {count} {reason}" for reason, count in found.needed.most_common())
        yield f"{found.total} shared pointers passed by value: {len(found.possible)} could be a const&{reasons}"


def _of_file(root: Path, decision: Decision) -> Iterator[str]:
    name = decision.source.path.relative_to(root)
    done = [f"{decision.names} names"] if decision.names else []
    done += [f"{decision.crossings} crossings"] if decision.crossings else []
    if done:
        yield f"{name}: {', '.join(done)}"
    for line, reason in sorted(decision.left):
        yield f"{name}:{line}: left: {reason}"
