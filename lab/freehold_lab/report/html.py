"""Draws a result as one HTML file: no network, no script, light and dark."""

from pathlib import Path

import altair
from jinja2 import Environment, PackageLoader, StrictUndefined

from freehold_lab.errors import LabError
from freehold_lab.model import Result
from freehold_lab.report import about
from freehold_lab.report.charts import charts
from freehold_lab.report.charts.style import rows, to_svg
from freehold_lab.report.figures import Figures
from freehold_lab.report.summary import questions
from freehold_lab.report.tables import sections

TEMPLATE = "report.html.j2"


def warm_up() -> None:
    """Starts the engine of the charts, which takes as long as several charts do."""
    to_svg(altair.Chart(rows([])).mark_point())


def write(result: Result, path: Path) -> None:
    """Writes the report of `result` to `path`."""
    page = render(result)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise LabError(f"cannot write {path}: {error.strerror}") from error


def render(result: Result) -> str:
    figures = Figures(result)
    environment = Environment(
        loader=PackageLoader("freehold_lab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE).render(
        result=result,
        started=result.started[:16].replace("T", " "),  # to the minute
        questions=questions(figures),
        sections=[(section, charts(figures, section.workload)) for section in sections(figures)],
        remarks=about.remarks(figures),
        method=about.method(figures),
        identities=about.identities(figures),
    )
