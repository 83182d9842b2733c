"""Finds the memory orders and fences in the text of a header, and what is weaker by one step."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ORDER = re.compile(
    r"((?:std::)?memory_order_|(?:std::)?memory_order::|__ATOMIC_)(acquire|release|acq_rel|seq_cst)\b", re.IGNORECASE
)
FENCE = re.compile(r"[\w:. ]*fence\([^;()]*memory_order[^;]*;")
OPERATION = re.compile(r"[\w\])](?<!this)(?:\.|->)((?:load|store|exchange|fetch_\w+|compare_exchange_\w+)\()")
CALL = re.compile(r"(\w+)(?:<[^<>]*>)?\s*$")


@dataclass(frozen=True)
class Weakening:
    """A text at a position, and what takes its place."""

    position: int
    text: str
    becomes: str


def weakenings(text: str) -> Iterator[Weakening]:
    """Returns each order that the code names, with each that is one step weaker; and each fence, with nothing."""
    for match in _in_code(ORDER, text):
        if re.search(r"memory_order\s*\w*\s*=\s*$", text[: match.start()]):
            continue  # a default argument
        prefix, order = match.groups()
        for weaker in _weaker(order.lower(), _operation(text, match.start())):
            yield Weakening(match.start(), match.group(), prefix + (weaker.upper() if order.isupper() else weaker))
    for match in _in_code(FENCE, text):
        yield Weakening(match.start(), match.group(), ";")


def without_order(text: str) -> Iterator[str]:
    """Returns the operations on std::atomic that leave their order to the default."""
    for match in _in_code(OPERATION, text):
        arguments = text[match.end() : _end_of_arguments(text, match.end())]
        if "order" not in arguments:
            yield match.group(1) + arguments


def switched(text: str, numbered: Iterable[tuple[int, Weakening]]) -> str:
    """Returns the text in which is_mutant(number) chooses each weakening when the program runs."""
    places: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for number, each in numbered:
        places.setdefault((each.position, each.text), []).append((number, each.becomes))
    # From the last one on. A fence begins before its order, which has been replaced when the fence is.
    added = 0
    end = len(text)
    for (position, old), weaker in sorted(places.items(), reverse=True):
        length = len(old) + (added if position + len(old) > end else 0)
        inside = text[position : position + length]
        if old.endswith(";"):
            new = f" if (!is_mutant({weaker[0][0]})) {{ {inside} }}"
        else:
            new = "(" + "".join(f"is_mutant({number}) ? {becomes} : " for number, becomes in weaker) + inside + ")"
        text = text[:position] + new + text[position + length :]
        added = len(new) - len(old)
        end = position
    return text


def _in_code(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    comments = [match.span() for match in re.finditer(r"//[^\n]*", text)]
    for match in pattern.finditer(text):
        if not any(begin <= match.start() < end for begin, end in comments):
            yield match


def _operation(text: str, position: int) -> str:
    """Returns the function in whose arguments the position is."""
    depth = 0
    for i in range(position - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[i], 0)
        if depth < 0:
            match = CALL.search(text[:i])
            return match.group(1) if match else ""
    return ""


def _end_of_arguments(text: str, position: int) -> int:
    depth = 1
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return position


def _weaker(order: str, operation: str) -> list[str]:
    if order == "acq_rel":
        return ["acquire", "release"]
    if order != "seq_cst":
        return ["relaxed"]
    kind = re.fullmatch(r"(?:__atomic_)?(load|store)(?:_n)?", operation)
    return [{"load": "acquire", "store": "release"}[kind.group(1)] if kind else "acq_rel"]
