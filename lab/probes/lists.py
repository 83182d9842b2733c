#!/usr/bin/env python3
"""Writes the lists of workloads that the probes are compiled with, from workloads.toml. Standard library only: CMake
runs it.

    lists.py WORKLOADS_TOML FOLDER
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

PROBES = Path(__file__).resolve().parent
NOTE = "Generated from workloads.toml."
# What a strategy needs of a workload, with the kinds that exist in that form alone; a program can exist in several.
FORMS = {"owned": ["pointer"], "traced": [], "uncounted": [], "memory": ["memory", "listing"]}


def main(registry: Path, folder: Path) -> None:
    found = tomllib.loads(registry.read_text())
    workloads: dict[str, dict[str, Any]] = found["workloads"]
    extents = {
        name: [(x, found["scales"][scale]) for scale, sizes in entry["sizes"].items() for x in sizes]
        for name, entry in workloads.items()
        if entry["kind"] == "program"
    }
    quick = {name: entry for name, entry in workloads.items() if entry.get("quick", True)}
    only_whole = {name: entry for name, entry in workloads.items() if name not in quick}
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "extents.hpp": extents_in_cpp(extents),
        "ocaml.hpp": list_in_cpp("workloads", existing({name: f"peers/ocaml/{snake(name)}.hpp" for name in extents})),
        "Extents.java": extents_in_java(extents),
        "Programs.java": list_in_java(list(extents)),
        "workloads.rs": list_in_rust(list(workloads), extents),
    }
    for form, kinds in FORMS.items():
        # A probe of programs alone is a single file.
        files[f"{form}.hpp"] = list_in_cpp("workloads", headers(form, quick if kinds else workloads))
        if kinds:
            files[f"{form}_only_whole.hpp"] = list_in_cpp("only_whole_workloads", headers(form, only_whole))
    for name, text in files.items():
        write(folder / name, text)


def headers(form: str, workloads: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Returns the header of each of `workloads` that exists in `form`."""
    folder = "workloads/memory" if form == "memory" else "workloads/pointers"
    only = {name: f"{folder}/{snake(name)}.hpp" for name, entry in workloads.items() if entry["kind"] in FORMS[form]}
    return only | existing({name: f"{folder}/{snake(name)}/{form}.hpp" for name in workloads})


def existing(headers: dict[str, str]) -> dict[str, str]:
    return {name: header for name, header in headers.items() if (PROBES / header).exists()}


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


def list_in_cpp(function: str, headers: dict[str, str]) -> str:
    """A workload takes part with a strategy where its `of<Strategy>` can be named."""
    includes = [f'#include "{header}"' for header in headers.values()]
    adds = [
        f"""\
    if constexpr (requires {{ typename {snake(name)}::of<Strategy>; }}) {{
        found.push_back({{"{name}", {snake(name)}::of<Strategy>::plot, {snake(name)}::of<Strategy>::checksum}});
    }}"""
        for name in headers
    ]
    return "\n".join(
        [
            f'#pragma once\n// {NOTE}\n\n#include <vector>\n\n#include "harness/workload.hpp"',
            *includes,
            f"\nnamespace lab {{\n\ntemplate <class Strategy>\nstd::vector<workload> {function}() {{",
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


def list_in_rust(workloads: list[str], extents: dict[str, list[tuple[int, int]]]) -> str:
    modules, entries, constants = [], [], []
    for name in workloads:
        file = PROBES / "peers" / "rust" / f"{snake(name)}.rs"
        file = file if file.exists() else file.with_suffix("") / "mod.rs"
        if file.exists():
            modules.append(f'#[path = "{file}"]\nmod {snake(name)};')
            entries.append(f"    {snake(name)}::WORKLOAD,")
            constants += [sizes_in_rust(name, extents[name])] if name in extents else []
    return "\n".join(
        [
            f"// {NOTE}",
            *modules,
            "/// The sizes of each program, and the scale from which on each is measured.",
            "pub mod extents {",
            *constants,
            "}",
            "const WORKLOADS: &[Workload] = &[",
            *entries,
            "];\n",
        ]
    )


def sizes_in_rust(name: str, extents: list[tuple[int, int]]) -> str:
    sizes = ", ".join(str(x) for x, _ in extents)
    scales = ", ".join(f"{x} => {scale}" for x, scale in extents)
    return f"""\
    pub mod {snake(name)} {{
        pub const SIZES: &[usize] = &[{sizes}];
        pub fn fits(x: usize, scale: i32) -> bool {{
            let least_scale = match x {{ {scales}, _ => i32::MAX }};
            least_scale <= scale
        }}
    }}"""


def pairs(opening: str, closing: str, extents: list[tuple[int, int]]) -> str:
    return ", ".join(f"{opening}{x}, {scale}{closing}" for x, scale in extents)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
