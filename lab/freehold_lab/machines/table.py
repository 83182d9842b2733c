"""merged.parquet: the rows of all machines in one file, written and asked by DuckDB."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from freehold_lab.errors import LabError
from freehold_lab.machines.between import Between, between
from freehold_lab.machines.rows import COLUMNS

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


def write(rows: list[Path], path: Path) -> None:
    """Writes the CSV files `rows` as one table, at one stroke: whatever fails, the old file is whole."""
    draft = path.with_name(f"{path.name}.draft")
    with _connected() as database:
        read = "read_csv(?, header = false, columns = ?, auto_detect = false, quote = '\"', escape = '\"')"
        try:
            database.execute(f"CREATE TABLE rows AS FROM {read}", [[str(each) for each in rows], COLUMNS])
            database.execute(f"COPY rows TO {_quoted(draft)} (FORMAT parquet, COMPRESSION zstd)")
            draft.replace(path)
        except (duckdb.Error, OSError) as error:
            draft.unlink(missing_ok=True)
            raise LabError(f"cannot write {path}: {_first_line(error)}") from error


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
    compiler counts once, with the median."""
    with _connected(path) as database:
        found = database.execute(
            f"""
            WITH each_machine AS (
              SELECT workload, series, x, regexp_replace(compiler, '-[0-9.]+$', '') AS family, state, strategy, machine,
                reference, median(ratio) AS ratio, min(place) AS place
              FROM (SELECT *, row_number() OVER () AS place FROM {VIEW}) WHERE ratio > 0 GROUP BY ALL
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
            database.execute(f"CREATE VIEW {VIEW} AS FROM read_parquet({_quoted(path)})")
        yield database


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
