"""merged.parquet: the rows of all machines in one file, written and asked by DuckDB."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy

from freehold_lab.errors import LabError
from freehold_lab.machines.between import Between, between
from freehold_lab.machines.reading import Points, Run
from freehold_lab.machines.rows import FIGURES, POINT

NAME = "merged.parquet"
VIEW = "merged"


@dataclass(frozen=True)
class Everywhere:
    """A ratio on all machines; `least` and `most` name the machines with the smallest and the largest."""

    workload: str
    series: str
    x: int
    compiler: str
    state: str
    strategy: str
    reference: str
    ratio: Between
    least: tuple[str, float]
    most: tuple[str, float]


# The columns of the file, and where they come from.
COLUMNS = {
    **dict.fromkeys(("machine", "processor", "cores", "freehold", "started"), "runs"),
    **dict.fromkeys(POINT, "points"),
    **dict.fromkeys(FIGURES, "figures"),
}


def write(runs: list[Run], points: Points, path: Path) -> None:
    """Writes what `runs` have as one table, at one stroke: whatever fails, the old file is whole."""
    draft = path.with_name(f"{path.name}.draft")
    columns = ", ".join(
        f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END::{FIGURES[name]} AS {name}" if name in FIGURES else name
        for name in COLUMNS
    )
    with _connected() as database:
        for name, arrays in (("runs", _runs(runs)), ("points", _points(points)), ("figures", _figures(runs))):
            database.register(name, arrays)
        try:
            database.execute(
                f"COPY (SELECT {columns} FROM figures JOIN runs USING (run) JOIN points USING (point) "
                f"ORDER BY number) TO {_quoted(draft)} (FORMAT parquet, COMPRESSION zstd)"
            )
            draft.replace(path)
        except (duckdb.Error, OSError) as error:
            draft.unlink(missing_ok=True)
            raise LabError(f"cannot write {path}: {_first_line(error)}") from error


def _runs(runs: list[Run]) -> dict[str, numpy.ndarray]:
    return {
        "run": numpy.arange(len(runs)),
        "machine": _texts(run.name for run in runs),
        "processor": _texts(run.machine.processor for run in runs),
        "cores": numpy.array([run.machine.cores for run in runs], dtype=numpy.int64),
        "freehold": _texts(run.freehold for run in runs),
        "started": _texts(run.started for run in runs),
    }


def _points(points: Points) -> dict[str, numpy.ndarray]:
    columns = dict(zip(POINT, zip(*points.values(), strict=True), strict=True))
    texts = {name: _texts(column) for name, column in columns.items() if name != "x"}
    return {"point": numpy.array(list(points)), "x": numpy.array(columns["x"], dtype=numpy.int64), **texts}


def _figures(runs: list[Run]) -> dict[str, numpy.ndarray]:
    figures = numpy.concatenate([run.figures for run in runs], axis=1)
    return {
        "number": numpy.arange(figures.shape[1]),
        "run": numpy.repeat(numpy.arange(len(runs)), [len(run.points) for run in runs]),
        "point": numpy.concatenate([run.points for run in runs]),
        **dict(zip(FIGURES, figures, strict=True)),
    }


def _texts(texts: Iterable[str]) -> numpy.ndarray:
    return numpy.array(list(map(str, texts)), dtype=object)


def ask(query: str, path: Path) -> None:
    """Prints what `query` finds in the table `merged`."""
    with _connected(path) as database:
        try:
            found = database.sql(query)
            if found is not None:
                found.show(max_rows=10_000, max_width=10_000)
        except duckdb.Error as error:
            raise LabError(f"--sql: {_first_line(error)}") from error


def everywhere(path: Path) -> list[Everywhere]:
    """Returns each ratio that two machines or more have, in the order of the file. A machine with several versions of a
    compiler counts once, with the geometric mean."""
    with _connected(path) as database:
        found = database.execute(
            f"""
            WITH each_machine AS (
              SELECT workload, series, x, rtrim(compiler, '0123456789.-') AS family, state, strategy,
                reference, machine, exp(avg(ln(ratio))) AS ratio, min(file_row_number) AS place
              FROM {VIEW} WHERE ratio > 0 GROUP BY ALL
            )
            SELECT workload, series, x, family, state, strategy, reference,
              list(ratio), arg_min(machine, ratio), min(ratio), arg_max(machine, ratio), max(ratio)
            FROM each_machine GROUP BY ALL HAVING count(*) > 1 ORDER BY min(place)
            """
        ).fetchall()
    return [_everywhere(row) for row in found]


def _everywhere(row: tuple[Any, ...]) -> Everywhere:
    *key, ratios, on, least, there, most = row
    return Everywhere(*key, ratio=between(ratios), least=(on, least), most=(there, most))  # type: ignore[misc]


@contextmanager
def _connected(path: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as database:
        if path:
            if not path.exists():
                raise LabError(f"there is no {path}: merge results first")
            database.execute(f"CREATE VIEW {VIEW} AS FROM read_parquet({_quoted(path)}, file_row_number = true)")
        yield database


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
