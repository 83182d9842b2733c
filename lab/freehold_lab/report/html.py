"""Draws a result as one HTML file: what to use at the top, and all that was measured behind switches, offline."""

import base64
import hashlib
import math
import re
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import vl_convert
from markupsafe import Markup

from freehold_lab import files
from freehold_lab.errors import LabError
from freehold_lab.model import Result, State
from freehold_lab.report import about, packing, pages
from freehold_lab.report.decisions import RULE, decide
from freehold_lab.report.figures import STATE_NAMES, Figures
from freehold_lab.report.payload import payload
from freehold_lab.report.tables import sections, text
from freehold_lab.report.tables.model import Section
from freehold_lab.report.words import WORDS
from freehold_lab.workloads import ALL

TEMPLATE = "report.html.j2"
# In the order in which they need each other: they share one scope.
SCRIPTS = ("data", "figures", "state", "table", "charts", "timelines", "overview", "section", "strategy", "main")
GROUPS = {
    "pointer": "Pointers",
    "program": "Programs",
    "size": "Code and data size",
    "memory": "Memory",
    "listing": "Memory",
    "timeline": "Memory over time",
}
COPY_ICON = (
    '<svg viewBox="0 0 16 16" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="9" rx="1.5"/>'
    '<path d="M3.5 10.5h-1v-9h8v1"/></svg>'
)
PLOTTED = (1 / 24, 2)  # the ratios from end to end of the plots in the table of needs
TICKS = {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½", 1: "1"}


class Group(NamedTuple):
    title: str
    sections: list[Section]


def warm_up() -> None:
    """Puts the chart library together, which takes two seconds."""
    chart_library()


@cache
def chart_library() -> str:
    """Vega and all that it needs."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")


def write(result: Result, path: Path) -> None:
    """Writes the report of `result` to `path`, in place of an earlier one but of no other page."""
    if path.exists() and "Freehold" not in path.read_text(errors="replace")[:4000]:
        raise LabError(f"{path} is no page of this laboratory: move it away, or report a file of another name")
    files.replace(path, render(result))


def render(result: Result) -> str:
    figures = Figures(result)
    found = sections(figures)
    # Threads first: that is what most programs have.
    decisions = [(name, state, decide(figures, name, state)) for state in reversed(State) for name in figures.compilers]
    environment = pages.environment("freehold_lab.report")
    environment.filters |= {
        "ratio": text.times,
        "locked": lambda value: text.count(value).text,
        "brief": lambda where: re.sub(r" \(.*?\)", "", where),  # without where a workload comes from
        "whole": lambda value: text.number(value, 0),
    }
    folder = Path(__file__).parent / "page"
    unscripted = (folder / "unscripted.css").read_text(encoding="utf-8")
    style = (folder / "page.css").read_text(encoding="utf-8")
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    vega = chart_library()
    return environment.get_template(TEMPLATE).render(
        result=result,
        started=result.started[:16].replace("T", " "),  # to the minute
        rounds=figures.rounds,
        rule=RULE,
        decisions=decisions,
        copy_icon=Markup(COPY_ICON),
        across=across,
        ticks={across(ratio): name for ratio, name in TICKS.items()},
        words=WORDS,
        groups=_groups(found),
        ranks=max((len({table.x for table in section.tables if table.x}) for section in found), default=0) or 1,
        compilers=figures.compilers,
        states=STATE_NAMES,
        families=list(dict.fromkeys(strategy.family for strategy in figures.strategies)),
        remarks=about.remarks(figures),
        method=about.method(figures),
        identities=about.identities(figures),
        # No more than these can run or color the page, whatever a result holds.
        policy=f"default-src 'none'; style-src {_digest(style)} {_digest(unscripted)}; "
        f"script-src {_digest(script)} {_digest(vega)}; base-uri 'none'; form-action 'none'",
        style=style,
        unscripted=unscripted,
        script=script,
        data={
            "tables": packing.pack(payload(figures, found, [decided for *_, decided in decisions])),
            "result": packing.pack(
                result.model_copy(update={"findings": result.findings or figures.findings}).model_dump(mode="json")
            ),
            "vega": packing.compressed(vega),
        },
    )


def across(ratio: float) -> float:
    """How far to the right a ratio lies in the small plots of the needs, in percent."""
    least, most = map(math.log, PLOTTED)
    return round(100 * (math.log(min(max(ratio, PLOTTED[0]), PLOTTED[1])) - least) / (most - least), 1)


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _groups(found: list[Section]) -> list[Group]:
    return [
        Group(title, list(members))
        for title, members in groupby(found, key=lambda section: GROUPS[ALL[section.workload].kind])
    ]
