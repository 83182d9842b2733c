"""A picture of parts within parts: each is a box as wide as its weight, below the one that it is a part of."""

from dataclasses import dataclass, field

COLORS = 8
WIDTH, HEIGHT = 1000.0, 26.0  # of the picture, and of one line in it
MOST_LINES = 16
NARROWEST = 2.0
LETTER = 7.0


@dataclass(frozen=True)
class Part:
    name: str
    title: str  # what is told of it where the pointer is
    weight: int  # with that of the parts below
    below: list["Part"] = field(default_factory=list)


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    width: float
    text: str  # as far as it fits
    title: str
    color: int


def draw(top: Part, gray: int = 0) -> list[Box]:
    """Returns all parts that are wide enough to be seen. Those in the first lines, as many as `gray`, have no color."""
    if top.weight == 0:
        return []
    colors: dict[str, int] = {}
    found: list[Box] = []

    def add(part: Part, x: float, line: int) -> None:
        width = WIDTH * part.weight / top.weight
        if width < NARROWEST or line >= MOST_LINES:
            return
        color = colors.setdefault(part.name, len(colors) % COLORS) if line >= gray else COLORS
        found.append(Box(x, line * HEIGHT, width, _fitting(part.name, width), part.title, color))
        for each in part.below:
            add(each, x, line + 1)
            x += WIDTH * each.weight / top.weight

    add(top, 0, 0)
    return found


def _fitting(text: str, width: float) -> str:
    letters = int((width - 6) / LETTER)
    if letters < 3:
        return ""
    return text if len(text) <= letters else text[: letters - 1] + "…"
