"""Exports who allocated as profiles that speedscope shows, and what reads its format: flame graphs by call.

The format: https://www.speedscope.app/file-format-schema.json.
"""

import json
from pathlib import Path
from typing import Any

from freehold_lab.advise.analysis.naming import Names
from freehold_lab.advise.analysis.summary import Place, Summary
from freehold_lab.owners.answers import saving

MARK = b'"exporter": "freehold advise"'
# The name of each profile, its unit, and the figure of a site that is its weight.
PROFILES = (
    ("bytes allocated", "bytes", "bytes"),
    ("blocks allocated", "none", "blocks"),
    ("bytes at the peak", "bytes", "at_peak"),
    ("bytes left at the end", "bytes", "left_bytes"),
)


def write(summary: Summary, path: Path) -> None:
    """Raises LabError if the file cannot be written."""
    numbers: dict[Place, int] = {}  # of frames
    samples = [[numbers.setdefault(each, len(numbers)) for each in reversed(site.callers)] for site in summary.sites]
    names = Names(summary.modules)
    frames = [{"name": names.function(place), "file": names.module(place)} for place in numbers]
    profiles = []
    for name, unit, figure in PROFILES:
        weights = [getattr(site, figure) for site in summary.sites]
        if sum(weights):
            ends = {"startValue": 0, "endValue": sum(weights)}
            profiles.append(
                {"type": "sampled", "name": name, "unit": unit, **ends, "samples": samples, "weights": weights}
            )
    content: dict[str, Any] = {
        "exporter": "freehold advise",
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": frames},
        "profiles": profiles,
    }
    saving.replace(path, json.dumps(content).encode(), MARK)
