"""The needs that a report decides: lab/needs.toml, read once."""

import tomllib
from typing import Literal

from pydantic import BaseModel, ConfigDict

from freehold_lab import folders


class Need(BaseModel):
    """An entry of needs.toml, which says what the fields mean."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    workload: str
    series: str
    x: int = 0
    replaces: str
    memory: Literal["object", "peak"]
    candidates: dict[str, list[str]]


class Use(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    write: str
    page: str = ""


_registry = tomllib.loads(folders.NEEDS.read_text())
ALL = [Need(name=name, **entry) for name, entry in _registry["needs"].items()]
USES = {name: Use(**entry) for name, entry in _registry["uses"].items()}
