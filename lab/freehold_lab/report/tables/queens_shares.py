"""Where the time of std::make_shared goes in queens: what is saved without counting, and without allocation."""

from freehold_lab.model import Share, State
from freehold_lab.report.figures import STATE_NAMES, Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import NOTHING, Cell, Column, Row, Table
from freehold_lab.statistics import LEFT_OUT
from freehold_lab.workloads import QUEENS

STYLE_OF_THE_ARTICLE = "by value"


def tables(figures: Figures) -> list[Table]:
    """A table for each compiler, of the largest board that all was timed on."""
    largest = _of_the_largest_board(figures)
    by_compiler = [[share for share in largest if share.compiler == compiler] for compiler in figures.compilers]
    styles = list(dict.fromkeys(place.series for place, _ in figures.times if place.workload == QUEENS))
    return [_table(shares, styles) for shares in by_compiler if shares]


def sentences(figures: Figures) -> list[str]:
    """What the article said, and what it is today."""
    found = [share for share in _of_the_largest_board(figures) if share.series == STYLE_OF_THE_ARTICLE]
    if not found:
        return []
    parts = [
        f"{of} takes {' and '.join(words)}"
        for of in LEFT_OUT
        if (words := [_over_compilers(shares) for state in State if (shares := _of(found, of, state))])
    ]
    return [
        "The article found that counting took some 80 % of the time, and far more than allocation. Of the time of "
        f"std::make_shared {STYLE_OF_THE_ARTICLE} at n = {found[0].x} on this machine, {', '.join(parts)}. Counting is "
        "what uncounted lists with malloc and free save, including the bytes of the counts; allocation is what a stack "
        "saves beyond that."
    ]


def _of_the_largest_board(figures: Figures) -> list[Share]:
    largest = max((share.x for share in figures.shares), default=0)
    return [share for share in figures.shares if share.x == largest]


def _of(shares: list[Share], of: str, state: State) -> list[Share]:
    return [share for share in shares if share.of == of and share.state is state]


def _over_compilers(shares: list[Share]) -> str:
    percents = sorted({round(100 * share.share) for share in shares})
    ends = dict.fromkeys([percents[0], percents[-1]])
    return f"{' to '.join(map(str, ends))} % ({STATE_NAMES[shares[0].state]})"


def _table(shares: list[Share], styles: list[str]) -> Table:
    by_place: dict[tuple[str, str, State], Share] = {(each.of, each.series, each.state): each for each in shares}
    columns = [(state, style) for state in State for style in styles]

    def cell(of: str, state: State, style: str) -> Cell:
        share = by_place.get((of, style, state))
        return text.percent(share.share, share.low, share.high) if share else NOTHING

    return Table(
        subject="Queens, shares of the time of std::make_shared",
        size=f"n = {shares[0].x}",
        compiler=shares[0].compiler,
        columns=[Column(style, STATE_NAMES[state].capitalize()) for state, style in columns],
        rows=[
            Row(of.capitalize(), [cell(of, *column) for column in columns])
            for of in dict.fromkeys(share.of for share in shares)
        ],
        command=f"./freehold run --only {QUEENS} --compiler {shares[0].compiler}",
    )
