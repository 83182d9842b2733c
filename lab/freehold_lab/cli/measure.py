"""Commands that measure, and that show what was measured."""

from pathlib import Path
from typing import Annotated

import typer

from freehold_lab import folders
from freehold_lab.errors import distrusting

commands = typer.Typer()


@commands.command()
def run(
    quick: Annotated[bool, typer.Option("--quick", help="End within 3 minutes instead of 15.")] = False,
    size: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            show_default=False,
            help="Of programs: small, usual, large (an hour) or huge (hours). Without it, usual, and more where only "
            "programs are measured.",
        ),
    ] = "",
    only: Annotated[
        list[str], typer.Option(metavar="WORKLOAD", help="Measure this alone; may be given several times.")
    ] = [],
    strategy: Annotated[list[str], typer.Option(metavar="NAME", help="The same, of strategies.")] = [],
    compiler: Annotated[list[str], typer.Option(metavar="NAME", help="Such as g++ or clang++-19.")] = [],
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder for results.")] = folders.RESULTS,
    no_count: Annotated[bool, typer.Option("--no-count", help="Do without instruction counts and valgrind.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Print every table, too.")] = False,
    on: Annotated[
        str | None,
        typer.Option(metavar="SCHEDULER", help="Run on a Dask cluster (tcp://host:8786), or through Slurm (slurm:4)."),
    ] = None,
) -> None:
    """Install what is needed, build, measure, and report. An interrupted run resumes where it stopped.

    ./freehold list tells the workloads with their sizes, and the strategies.
    """
    from freehold_lab import run
    from freehold_lab.setup import crates, install

    request = run.Request(
        output=output,
        quick=quick,
        size=size,
        count=not no_count,
        everything=everything,
        workloads=tuple(only),
        strategies=tuple(strategy),
        compilers=tuple(compiler),
    )
    run.check(request)
    if on is not None:
        from freehold_lab.machines import on as machines

        raise typer.Exit(machines.run(request, on))
    install.install(
        "run",
        without=["count"] if no_count else [],
        needless=run.needless(request),
        meanwhile=lambda: run.build_ahead(request),
    )
    if crates.NEEDED not in run.needless(request):
        crates.fetch()
    raise typer.Exit(run.run(request))


@commands.command(name="list")
def list_names() -> None:
    """Tell the workloads and strategies that can be measured, a line each."""
    from freehold_lab import names

    print(*names.lines(), sep="\n")


@commands.command()
def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved result.")],
    to: Annotated[str, typer.Option(metavar="NAME", help="The strategy that ratios are to.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Print every table, too.")] = False,
) -> None:
    """Show a saved result, and write its page beside it."""
    from freehold_lab import catalogue, run, statistics, store

    result = store.load(file)
    catalogue.check("strategy", [to] if to else [], [each.name for each in result.strategies])
    with distrusting(file):
        if to or not result.findings:
            result.findings = statistics.find(result, to)
        run.draw(result, file, everything)


@commands.command()
def merge(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE…", help="Saved results, folders of them, or patterns.", show_default=False),
    ] = [],
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder for what is merged.")] = folders.RESULTS,
    sql: Annotated[
        str, typer.Option(metavar="QUERY", help="Ask the table `merged`; without FILE, of the last merge.")
    ] = "",
) -> None:
    """Merge results of several machines: a page that compares them, and merged.parquet for queries."""
    from freehold_lab.machines import merge

    with distrusting("one of these files"):
        code = merge.merge(files, output, sql)
    raise typer.Exit(code)


@commands.command()
def compare(
    files: Annotated[list[str], typer.Argument(metavar="BEFORE AFTER [MORE…]", help="Saved results in order of time.")],
    compiler: Annotated[str, typer.Option(metavar="BEFORE=AFTER", help="Compare one compiler with another.")] = "",
    threshold: Annotated[
        float, typer.Option(metavar="PERCENT", min=0, help="Times that change by less are alike; counts are exact.")
    ] = 5,
    fail_on: Annotated[
        str, typer.Option(metavar="FIGURES", help="What decides the exit code: any, counts or times.")
    ] = "any",
    everything: Annotated[bool, typer.Option("--all", help="Show every change.")] = False,
) -> None:
    """Compare results before and after. Exit code: 0 if nothing became worse, 1 if something did, 2 for bad input."""
    from freehold_lab import catalogue
    from freehold_lab.machines import compare

    catalogue.check("kind of figure", [fail_on], list(compare.Judged))
    with distrusting("one of these files"):
        code = compare.compare(files, compiler, threshold / 100, compare.Judged(fail_on), everything)
    raise typer.Exit(code)


@commands.command()
def log(file: Annotated[Path, typer.Argument(metavar="FILE", help="What a logging_resource wrote.")]) -> None:
    """Show what a program did with a memory resource, and which resources it could use."""
    from rich.console import Console

    from freehold_lab import allocation_log
    from freehold_lab.report import terminal

    terminal.show_section(allocation_log.section(allocation_log.read(file), file), Console())


@commands.command()
def heap(
    files: Annotated[list[Path], typer.Argument(metavar="FILE [LATER]", help="What write_json of a snapshot wrote.")],
    output: Annotated[Path | None, typer.Option(metavar="PAGE", help="The page, if not beside the last file.")] = None,
) -> None:
    """Show what is in the snapshot of a collected heap, or what a later one has more, and write a page of it."""
    from freehold_lab.heap import command

    command.show(files, output)
