"""Reads the sizes of handles and of what they own."""

from pathlib import Path

from freehold_lab.measure import probe
from freehold_lab.model import Data, Record


class Sizes(Record):
    """What `probe data-size` prints."""

    handle: int
    control: float
    altogether: float


def read(executable: Path, compiler: str, strategy: str) -> Data:
    sizes = probe.ask(Sizes, executable, "data-size")
    return Data(compiler=compiler, strategy=strategy, **sizes.model_dump())
