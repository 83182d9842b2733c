"""Commands for who changes Freehold, and for who puts it into a program."""

from pathlib import Path
from typing import Annotated

import typer

from freehold_lab import folders

commands = typer.Typer()


@commands.command()
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


@commands.command()
def watch(
    renew: Annotated[bool, typer.Option("--renew", help="Record them; what differs is then in the diff.")] = False,
) -> None:
    """Print the figures that ./freehold test compares with those on record: instructions, headers, sizes, memory."""
    folders.expect_source_tree("watch")
    from freehold_lab import watch as watching
    from freehold_lab.setup import install

    install.install("watch")
    raise typer.Exit(watching.show(renew))


@commands.command()
def check() -> None:
    """Check format, spelling, links, types, layers and what else needs no build."""
    folders.expect_source_tree("check")
    from freehold_lab import checking

    raise typer.Exit(0 if checking.check() else 1)


@commands.command()
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


@commands.command()
def doctor() -> None:
    """Say what is found and what is missing, a line each."""
    from freehold_lab.setup import doctor

    print(*doctor.lines(), sep="\n")


@commands.command()
def amalgamate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER")] = folders.BUILD / "single",
) -> None:
    """Write each product as a single header into FOLDER, which includes nothing else of Freehold's."""
    from freehold_lab import amalgamating

    print(*amalgamating.write(folder), sep="\n")


@commands.command()
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


@commands.command()
def debugger(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the programs are.")] = Path(),
    lldb: Annotated[bool, typer.Option("--lldb", help="For lldb, which needs no folder.")] = False,
) -> None:
    """Print the line for ~/.config/gdb/gdbinit with which gdb shows Freehold's pointers, or that for ~/.lldbinit."""
    from freehold_lab import debuggers

    print(debuggers.LLDB if lldb else debuggers.gdb(folder))
