"""Commands for programs that exist."""

from pathlib import Path
from typing import Annotated

import typer

commands = typer.Typer()


@commands.command()
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


@commands.command()
def advise(
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM ARGUMENTS", show_default=False, help="What is run and recorded.")
    ] = [],
    rerun: Annotated[
        bool,
        typer.Option("--rerun", help="The program may be run twice more, with the same input: then it is predicted."),
    ] = False,
    time: Annotated[
        bool,
        typer.Option("--time", help="With --rerun: it may be run 15 times more with each allocator, and is timed."),
    ] = False,
    sample: Annotated[
        str, typer.Option(metavar="SIZE", help="Record one block in so many bytes, such as 512K: all are estimates.")
    ] = "",
    output: Annotated[Path | None, typer.Option(metavar="PAGE", help="Also write a page, with all sites.")] = None,
    speedscope: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write who allocated as profiles that speedscope shows.")
    ] = None,
    pprof: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write who allocated as a profile that pprof shows.")
    ] = None,
    heaptrack: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write every call for heaptrack_gui; FILE.gz compressed.")
    ] = None,
    copies: Annotated[
        bool,
        typer.Option(
            "--copies",
            help="Count the copies of std::shared_ptr instead, by one run: under valgrind, or rebuilt as --shim says.",
        ),
    ] = False,
    shim: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write a header to rebuild the program with: --copies says which are needless."
        ),
    ] = None,
    compiler: Annotated[str, typer.Option(metavar="NAME", help="With --shim: the program's compiler.")] = "g++",
    confirm: Annotated[
        str, typer.Option(metavar="CHANGED", help="Compare this changed program, or library to preload, instead.")
    ] = "",
    promised: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="With --confirm: the change of the instructions that was predicted.")
    ] = "",
) -> None:
    """Record what an unmodified program allocates, and say whether another allocator or an arena would pay.

    It ends with the exit code of the program, if that was run; with --confirm, with 1 if a promise was broken.
    """
    from freehold_lab.advise import command as advising
    from freehold_lab.advise import work

    request = work.Request(tuple(command), rerun, time, sample, output, speedscope, pprof, heaptrack)
    if copies or shim or confirm or promised:
        advising.expect_alone(request, "--confirm" if confirm or promised else "--shim" if shim else "--copies")
    if copies or shim:
        from freehold_lab.advise.copies import command as copying

        if shim:
            copying.make_shim(shim, compiler)
            return
        raise typer.Exit(copying.run(tuple(command)))
    if confirm or promised:
        from freehold_lab.advise import confirming

        raise typer.Exit(confirming.run(confirming.Confirmation(confirm, tuple(command), promised)))
    raise typer.Exit(advising.run(request))


@commands.command()
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
