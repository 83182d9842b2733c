#!/usr/bin/env python3
"""Writes the lists of programs that the probes are compiled with, from workloads.toml. Standard library only: CMake
runs it.

    programs.py WORKLOADS_TOML FOLDER
"""

import sys
import tomllib
from pathlib import Path

PROBES = Path(__file__).resolve().parent
NOTE = "Generated from workloads.toml."


def main(registry: Path, folder: Path) -> None:
    found = tomllib.loads(registry.read_text())
    programs = {name: entry for name, entry in found["workloads"].items() if entry["kind"] == "program"}
    extents = {
        name: [(x, found["scales"][scale]) for scale, sizes in entry["sizes"].items() for x in sizes]
        for name, entry in programs.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "extents.hpp": extents_in_cpp(extents),
        "ocaml.hpp": list_in_cpp({name: f"peers/ocaml/{snake(name)}.hpp" for name in programs}),
        "Extents.java": extents_in_java(extents),
        "Programs.java": list_in_java(list(programs)),
        "programs.rs": list_in_rust(extents),
    }
    for form in ("owned", "traced", "uncounted"):
        files[f"{form}.hpp"] = list_in_cpp({name: f"workloads/pointers/{snake(name)}/{form}.hpp" for name in programs})
    for name, text in files.items():
        write(folder / name, text)


def write(file: Path, text: str) -> None:
    """Leaves a file as it is that would not change, so that nothing is compiled anew."""
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def snake(name: str) -> str:
    return name.replace("-", "_")


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def extents_in_cpp(extents: dict[str, list[tuple[int, int]]]) -> str:
    lines = [
        f"namespace lab::{snake(name)} {{ inline constexpr extent extents[] = {{{pairs('{', '}', each)}}}; }}"
        for name, each in extents.items()
    ]
    return "\n".join([f"#pragma once\n// {NOTE}\n", '#include "workloads/program.hpp"\n', *lines, ""])


def list_in_cpp(headers: dict[str, str]) -> str:
    """A program takes part with a strategy where its `of<Strategy>` can be named."""
    there = {name: header for name, header in headers.items() if (PROBES / header).exists()}
    includes = [f'#include "{header}"' for header in there.values()]
    adds = [
        f"""\
    if constexpr (requires {{ typename {snake(name)}::of<Strategy>; }}) {{
        found.push_back({{"{name}", {snake(name)}::of<Strategy>::plot, {snake(name)}::of<Strategy>::checksum}});
    }}"""
        for name in there
    ]
    return "\n".join(
        [
            f"#pragma once\n// {NOTE}\n\n#include <vector>\n",
            *includes,
            "\nnamespace lab {\n\ntemplate <class Strategy>\nstd::vector<workload> programs() {",
            "    std::vector<workload> found;",
            *adds,
            "    return found;\n}\n\n}  // namespace lab\n",
        ]
    )


def extents_in_java(extents: dict[str, list[tuple[int, int]]]) -> str:
    lines = [
        f"    static final List<Workload.Extent> {snake(name).upper()} = "
        f"List.of({pairs('new Workload.Extent(', ')', each)});"
        for name, each in extents.items()
    ]
    return "\n".join(
        [f"import java.util.List;\n\n/** {NOTE} */\nfinal class Extents {{", *lines, "\n    private Extents() {}\n}\n"]
    )


def list_in_java(programs: list[str]) -> str:
    there = [name for name in programs if (PROBES / "peers" / "java" / f"{camel(name)}.java").exists()]
    workloads = ", ".join(f"{camel(name)}.WORKLOAD" for name in there)
    return f"""\
import java.util.List;

/** {NOTE} */
final class Programs {{
    static final List<Workload> ALL = List.of({workloads});

    private Programs() {{}}
}}
"""


def list_in_rust(extents: dict[str, list[tuple[int, int]]]) -> str:
    modules, entries, constants = [], [], []
    for name, each in extents.items():
        file = PROBES / "peers" / "rust" / f"{snake(name)}.rs"
        file = file if file.exists() else file.with_suffix("") / "mod.rs"
        if file.exists():
            modules.append(f'#[path = "{file}"]\nmod {snake(name)};')
            entries.append(f"    {snake(name)}::WORKLOAD,")
            sizes = ", ".join(str(x) for x, _ in each)
            scales = ", ".join(f"{x} => {scale}" for x, scale in each)
            constants.append(
                f"""\
    pub mod {snake(name)} {{
        pub const SIZES: &[usize] = &[{sizes}];
        pub fn fits(x: usize, scale: i32) -> bool {{
            let least_scale = match x {{ {scales}, _ => i32::MAX }};
            least_scale <= scale
        }}
    }}"""
            )
    return "\n".join(
        [
            f"// {NOTE}",
            *modules,
            "/// The sizes of each program, and the scale from which on each is measured.",
            "pub mod extents {",
            *constants,
            "}",
            "const PROGRAMS: &[Workload] = &[",
            *entries,
            "];\n",
        ]
    )


def pairs(opening: str, closing: str, extents: list[tuple[int, int]]) -> str:
    return ", ".join(f"{opening}{x}, {scale}{closing}" for x, scale in extents)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
