"""A page of what is in a snapshot, or of what has grown. It opens offline; it has no script."""

from dataclasses import dataclass
from pathlib import Path

from freehold_lab import files
from freehold_lab.heap.paths import Content, Count, Place
from freehold_lab.heap.retained import Amount
from freehold_lab.report import boxes, pages

MOST_PLACES = 2000  # drawn in the list of paths
MOST_DEPTH = 50
MOST_GROWN = 30
GRAY_LINES = 2  # of the picture: all objects, and kinds of roots


@dataclass(frozen=True)
class Line:
    """A type in the table. `share` is that of its bytes in the largest type's."""

    name: str
    now: Count
    more: Count
    share: float
    retained: int  # the bytes that would be freed with its objects; 0 if the snapshot does not tell that


@dataclass(frozen=True)
class Grown:
    path: tuple[str, ...]
    objects: int
    bytes: int


def write(before: Content | None, after: Content, path: Path) -> None:
    """Raises LabError if the page cannot be written."""
    environment = pages.environment("freehold_lab.heap")
    environment.filters |= {"size": size, "signed": signed, "signed_size": signed_size, "things": things}
    drawn = environment.get_template("heap.html.j2").render(
        content=after,
        total=total(after),
        more=total(after) - total(before) if before else None,
        lines=lines(before, after),
        boxes=boxes.draw(part(after.top), GRAY_LINES),
        width=boxes.WIDTH,
        line_height=boxes.HEIGHT,
        grown=grown(before, after) if before else [],
        listed=listed(after.top),
    )
    files.replace(path, drawn)


def total(content: Content) -> Count:
    whole = Count()
    for each in content.census.values():
        whole -= Count() - each
    return whole


def lines(before: Content | None, after: Content) -> list[Line]:
    """Returns a line for each type; those that have grown most come first, or those of most bytes."""
    old = before.census if before else {}
    found = []
    largest = max([1, *(each.all_bytes for each in after.census.values())])
    for name in sorted({*after.census, *old}):
        now = after.census.get(name, Count())
        freed = after.retained.by_type.get(name, Amount()).bytes if after.retained else 0
        found.append(Line(name, now, now - old.get(name, Count()), now.all_bytes / largest, freed))
    return sorted(found, key=lambda each: -(each.more if before else each.now).all_bytes)


def grown(before: Content, after: Content) -> list[Grown]:
    """Returns the paths that hold more bytes than before, without what the places below hold; the most first."""
    old = before.places()
    found = []
    for path, place in after.places().items():
        earlier = old.get(path, Place("", ()))
        if place.bytes > earlier.bytes:
            found.append(Grown(path, place.objects - earlier.objects, place.bytes - earlier.bytes))
    return sorted(found, key=lambda each: (-each.bytes, each.path))[:MOST_GROWN]


def part(place: Place, lines: int = boxes.MOST_LINES) -> boxes.Part:
    """Returns a place as a part of the picture, with what is below it in so many lines."""
    name = f"{' → '.join(place.path) or place.name}"
    below = [part(each, lines - 1) for each in place.below] if lines > 1 else []
    title = f"{name}: {place.all_objects:,} objects, {size(place.all_bytes)}"
    return boxes.Part(place.name, title, place.all_bytes, below)


def listed(top: Place) -> set[tuple[str, ...]]:
    """Returns the paths of the places that the list shows: those of most bytes."""
    found = []
    waiting = [top]
    for place in waiting:
        found.append(place)
        waiting += place.below if len(place.path) < MOST_DEPTH else []
    found.sort(key=lambda each: (-each.all_bytes, len(each.path)))
    return {each.path for each in found[:MOST_PLACES]}


def size(count: int) -> str:
    """Returns bytes in the unit that fits."""
    power = max(0, min(3, (abs(count).bit_length() - 1) // 10))
    unit = ("B", "KiB", "MiB", "GiB")[power]
    value = abs(count) / 1024**power
    sign = "−" if count < 0 else ""
    return f"{sign}{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{sign}{value:,.1f} {unit}"


def things(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def signed(count: int) -> str:
    return f"+{count:,}" if count > 0 else f"{count:,}".replace("-", "−")


def signed_size(count: int) -> str:
    return f"+{size(count)}" if count > 0 else size(count)
