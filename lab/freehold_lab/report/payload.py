"""What the page's scripts draw from, beside the result: tables, charts, and what candidates there are for each need."""

from typing import Any

from freehold_lab import needs
from freehold_lab.report.charts import templates
from freehold_lab.report.decisions import Candidate, Decision
from freehold_lab.report.figures import STATE_NAMES, Figures
from freehold_lab.report.tables import text
from freehold_lab.report.tables.model import Cell, Column, Row, Section, Table
from freehold_lab.workloads import ALL, Workload

OURS = ("pointers", "cyclic", "traced", "memory", "collection")  # the last one in results of version 0.1
PER = {"operations": "set", "instantiation": "owner"}  # what is timed, where it is not divided by anything
FLOOR = ("baseline", "floor")  # what neither shares nor frees: a bound, and no choice


def payload(figures: Figures, found: list[Section], decisions: list[list[Decision]]) -> dict[str, Any]:
    """What the page's script draws from, beside the result."""
    return {
        "sections": [
            {
                "workload": section.workload,
                "title": section.title,
                "axis": ALL[section.workload].x,
                "series": _series(figures, section.workload),
                "sizes": _sizes(figures, ALL[section.workload]),
                "unit": _unit(ALL[section.workload]),
                "tables": [_table(table) for table in section.tables],
            }
            for section in found
        ],
        "candidates": [[_table(_candidates(each)) for each in decided] for decided in decisions],
        "uses": _uses(),
        "units": {name: subject.title for name, subject in ALL.items()},
        "families": {"ours": list(OURS), "floor": list(FLOOR)},
        "states": dict(STATE_NAMES),
        "references": figures.references,
        "charts": templates(),
    }


def _uses() -> dict[str, Any]:
    """How a program uses a strategy, and the needs that it is a candidate for."""
    return {
        name: {
            "name": use.name,
            "write": use.write,
            "page": use.page,
            "needs": [
                {"title": need.title, "restrictions": need.candidates[name]}
                for need in needs.ALL
                if name in need.candidates
            ],
        }
        for name, use in needs.USES.items()
    }


def _series(figures: Figures, workload: str) -> list[str]:
    """The series of a workload in its own order."""
    timed = dict.fromkeys(place.series for place, _ in figures.times if place.workload == workload)
    return [*timed, *figures.timelines.get(workload, {})]


def _sizes(figures: Figures, subject: Workload) -> dict[str, str]:
    """The sizes that a workload was measured at, in words."""
    found = {place.x for place, _ in (*figures.times, *figures.counts) if place.workload == subject.name}
    named = subject.size.replace("{:,}", "")  # else it is a bare number
    return {str(x): subject.size.format(x) if named else subject.at(x) for x in sorted(found)}


def _unit(subject: Workload) -> dict[str, object]:
    """What is compared, and what a chart makes of nanoseconds: the words for it, and whether to divide by x."""
    others = {"size": "bytes", "listing": "instructions", "timeline": "mean resident memory"}
    measured = others.get(subject.kind, "time")
    per = subject.per or PER.get(subject.name)
    if not per:
        return {"measured": measured, "words": "milliseconds", "factor": 1e-6, "divided": False}
    divided = bool(subject.per) and subject.done_at(2) == 2
    return {"measured": measured, "words": f"nanoseconds for one {per}", "factor": 1, "divided": divided}


def _candidates(decision: Decision) -> Table:
    """All that could be used for a need, the fastest first."""
    there = sorted(filter(None, [decision.pick, *decision.beside]), key=lambda each: each.ratio)
    return Table(
        subject=f"Candidates for: {decision.need.title}",
        columns=[Column("time"), Column("bytes"), Column("locked"), Column("provided that", words=True)],
        rows=[
            Row(
                each.label,
                [
                    Cell(text.times(each.ratio), _interval(each), value=each.ratio),
                    text.count(each.memory),
                    text.count(each.locked),
                    Cell(", ".join(each.restrictions)),
                ],
                strategy=each.strategy,
            )
            for each in there
        ],
        command="",
    )


def _interval(candidate: Candidate) -> str:
    low, high = text.times(candidate.low), text.times(candidate.high)
    return "" if low == high else f"{low}–{high}"


def _table(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "compiler": table.compiler,
        "state": table.state or "",
        "x": table.x,
        "series": table.series,
        "command": table.command,
        "columns": [{"title": each.title, "group": each.group, "words": each.words} for each in table.columns],
        "rows": [
            {
                "strategy": row.strategy,
                "label": row.label,
                "note": row.note,
                "cells": [
                    {"text": cell.text, "detail": cell.detail, "tone": cell.tone, "value": _rounded(cell.value)}
                    for cell in row.cells
                ],
            }
            for row in table.rows
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
