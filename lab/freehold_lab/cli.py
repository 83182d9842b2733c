"""The command line: its options, and how faults are reported."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from freehold_lab import folders
from freehold_lab.errors import LabError, distrusting, say

# Every command imports its part when it is called: scipy takes a second that doctor and --help need not wait.
app = typer.Typer(add_completion=False, rich_markup_mode=None)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code. A fault that the user can fix is one line."""
    # SIGTERM does what Ctrl-C does, so that no measurement is lost.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return app(arguments, prog_name="freehold", standalone_mode=False) or 0
    except typer.TyperException as error:
        fault = f"{error.format_message()} (freehold --help says what there is)"
    except LabError as error:
        fault = str(error)
    except ModuleNotFoundError as error:  # of the installed package, whose user has not asked for it
        fault = f"this needs the Python package {error.name}, which comes with freehold[machines]"
    except OSError as error:
        fault = f"{error.filename or 'this machine'}: {error.strerror or error}"
    say(" ".join(fault.split()))
    return 2


@app.callback()
def freehold() -> None:
    """Measure ownership strategies on this machine, and test Freehold."""


@app.command()
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


@app.command(name="list")
def list_names() -> None:
    """Tell the workloads and strategies that can be measured, a line each."""
    from freehold_lab import names

    print(*names.lines(), sep="\n")


@app.command()
def test(
    preset: Annotated[list[str], typer.Option(metavar="NAME", help="A test preset of CMakePresets.json.")] = [],
    filter: Annotated[str, typer.Option(metavar="REGEX", help="Only the C++ test files whose names match.")] = "",
    changed: Annotated[
        bool,
        typer.Option(
            "--changed",
            help="Only tests reached by changes since the last ./freehold test that passed (else since HEAD).",
        ),
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Optimized instead, also with clang++, and under the sanitizers.")
    ] = False,
    long: Annotated[
        bool, typer.Option("--long", help="All that, and what takes long: stress, and more compilers.")
    ] = False,
    platforms: Annotated[
        bool, typer.Option("--platforms", help="The unit tests for other processors and systems.")
    ] = False,
    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants", help="Break the library on purpose, and expect a test to fail; --filter: only these headers."
        ),
    ] = False,
) -> None:
    """Install what is needed and run every test once. With --preset or --filter, only the C++ tests so chosen."""
    folders.expect_source_tree("test")
    from freehold_lab import mutants as broken
    from freehold_lab import testing
    from freehold_lab.setup import install

    testing.check(preset)
    if mutants:
        install.install("test")
        raise typer.Exit(broken.test(filter))
    preset = [*preset, *testing.PLATFORMS] if platforms else preset
    scope = testing.Scope.LONG if long else testing.Scope.FULL if full else testing.Scope.ONCE
    install.install(*testing.needs(preset, scope))
    raise typer.Exit(testing.test_changed() if changed else testing.test(preset, filter, scope))


@app.command()
def watch(
    renew: Annotated[bool, typer.Option("--renew", help="Record them; what differs is then in the diff.")] = False,
) -> None:
    """Print the figures that ./freehold test compares with those on record: instructions, headers, sizes, memory."""
    folders.expect_source_tree("watch")
    from freehold_lab import watch as watching
    from freehold_lab.setup import install

    install.install("watch")
    raise typer.Exit(watching.show(renew))


@app.command()
def check() -> None:
    """Check format, spelling, links, types, layers and what else needs no build."""
    folders.expect_source_tree("check")
    from freehold_lab import checking

    raise typer.Exit(0 if checking.check() else 1)


@app.command()
def docs(
    serve: Annotated[bool, typer.Option("--serve", help="Serve it here, and again when a page changes.")] = False,
    costs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only fill the tables of the pages from a result.")
    ] = None,
) -> None:
    """Build the site of the documentation in build/docs, to read from there or to search."""
    folders.expect_source_tree("docs")
    if costs:
        from freehold_lab.site import costs as tables
        from freehold_lab.site import programs

        for line in (*tables.fill(costs), *programs.fill(costs)):
            print(line)
        return
    from freehold_lab.setup import install
    from freehold_lab.site import build

    install.install("docs")
    if serve:
        build.serve()
    else:
        print(f"open {build.build()}")


@app.command()
def doctor() -> None:
    """Say what is found and what is missing, a line each."""
    from freehold_lab.setup import doctor

    print(*doctor.lines(), sep="\n")


@app.command()
def log(file: Annotated[Path, typer.Argument(metavar="FILE", help="What a logging_resource wrote.")]) -> None:
    """Show what a program did with a memory resource, and which resources it could use."""
    from rich.console import Console

    from freehold_lab import allocation_log
    from freehold_lab.report import terminal

    terminal.show_section(allocation_log.section(allocation_log.read(file), file), Console())


@app.command()
def amalgamate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER")] = folders.BUILD / "single",
) -> None:
    """Write each product as a single header into FOLDER, which includes nothing else of Freehold's."""
    from freehold_lab import amalgamating

    print(*amalgamating.write(folder), sep="\n")


@app.command()
def release(
    version: Annotated[str, typer.Argument(metavar="[VERSION]", help="If it is not that of the tree.")] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Leave the tree as it is: neither commit nor tag.")
    ] = False,
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the single headers will be, for links to Compiler Explorer.")
    ] = "",
) -> None:
    """Make a release in build/release: archive, single headers, wheel, Debian package, site and checksums."""
    folders.expect_source_tree("release")
    from freehold_lab.releasing import command
    from freehold_lab.setup import install

    install.install("docs", "release")
    command.release(version, url, dry_run)


@app.command()
def debugger(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the programs are.")] = Path(),
    lldb: Annotated[bool, typer.Option("--lldb", help="For lldb, which needs no folder.")] = False,
) -> None:
    """Print the line for ~/.config/gdb/gdbinit with which gdb shows Freehold's pointers, or that for ~/.lldbinit."""
    from freehold_lab import debuggers

    print(debuggers.LLDB if lldb else debuggers.gdb(folder))


@app.command()
def switch(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The source tree.", show_default=False)],
    options: Annotated[
        list[str],
        typer.Argument(
            metavar="[-- OPTIONS…]",
            show_default=False,
            help="Of the compiler, such as -std=c++20 -Iinclude, instead of those of a compile_commands.json.",
        ),
    ] = [],
    build: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where compile_commands.json is, if not in PATH or PATH/build."),
    ] = None,
    outside: Annotated[
        list[Path],
        typer.Option(metavar="PART", help="A folder or file in PATH that keeps std; may be given several times."),
    ] = [],
    write: Annotated[bool, typer.Option("--write", help="Change the files instead of showing a diff.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also if changes are not committed.")] = False,
) -> None:
    """Switch a program from std's or Boost's shared pointers to Freehold's, and say what is left and why."""
    from freehold_lab.setup import install
    from freehold_lab.switching import command

    install.install("switch")
    command.switch(command.Request(path, options, build, tuple(outside), write, force))


@app.command()
def advise(
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM ARGUMENTS", show_default=False, help="What is run and recorded.")
    ] = [],
    rerun: Annotated[
        bool,
        typer.Option("--rerun", help="The program may be run twice more, with the same input: then it is predicted."),
    ] = False,
    output: Annotated[Path | None, typer.Option(metavar="PAGE", help="Also write a page, with all sites.")] = None,
) -> None:
    """Record what an unmodified program allocates, and say whether another allocator or an arena would pay.

    It ends with the program's exit code.
    """
    from freehold_lab.advise import command as advising

    raise typer.Exit(advising.run(advising.Request(tuple(command), rerun, output)))


@app.command()
def heap(
    files: Annotated[list[Path], typer.Argument(metavar="FILE [LATER]", help="What write_json of a snapshot wrote.")],
    output: Annotated[Path | None, typer.Option(metavar="PAGE", help="The page, if not beside the last file.")] = None,
) -> None:
    """Show what is in the snapshot of a collected heap, or what a later one has more, and write a page of it."""
    from freehold_lab.heap import command

    command.show(files, output)


@app.command()
def owners(
    what: Annotated[
        list[str],
        typer.Argument(metavar="PID|CORE", show_default=False, help="Or with --at-exit: -- PROGRAM ARGUMENTS."),
    ] = [],
    who: Annotated[
        str, typer.Option(metavar="ADDRESS|TYPE", help="Tell every owner of these objects, and the path to them.")
    ] = "",
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all as JSON; - prints it instead of the tables.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="The page, if not owners-PID.html in this folder.")
    ] = None,
    sysroot: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Of a core: the files of the machine on which it was written.")
    ] = None,
    at_exit: Annotated[bool, typer.Option("--at-exit", help="Run a program, and read it when it ends.")] = False,
    children: Annotated[bool, typer.Option("--children", help="With --at-exit: also each process it begins.")] = False,
    every: Annotated[
        str, typer.Option(metavar="TIME", help="Read again and again, such as 10m, and keep the reports as JSON.")
    ] = "",
    diff: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="OLD NEW", help="Show what has grown between two reports.")
    ] = None,
    most: Annotated[
        str, typer.Option(metavar="SIZE", help="Do not stop a process that has written more than this.")
    ] = "8G",
) -> None:
    """Read a running C++ program, or a core: who owns what, what leaks, and which cycles keep it alive.

    The program needs no preparation. It must use shared pointers of std, Boost or Freehold.
    """
    from freehold_lab.owners import command

    command.run(command.Request(tuple(what), who, json, output, sysroot, at_exit, children, every, most), diff)


@app.command()
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


@app.command()
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


@app.command()
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
