"""The charts of the page: each .json file here is one in Vega-Lite, without figures; page/charts.js fills these in, in
the data sets that a chart names and in its parameters. Colors are names of the page's style, which knows of light and
dark."""

import json
from pathlib import Path
from typing import Any


def templates() -> dict[str, Any]:
    """The charts by name, each with the look that all share."""
    found = {file.stem: json.loads(file.read_text()) for file in sorted(Path(__file__).parent.glob("*.json"))}
    look = found.pop("look")
    return {name: {**chart, "config": look} for name, chart in found.items()}
