"""Sizes and times as they are written on a command line."""

import re

from freehold_lab.errors import LabError

BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 20 * 86400  # poll() counts milliseconds in 32 bits


def byte_count(text: str) -> int:
    """Returns the bytes of `text`, such as 500M. Raises LabError."""
    found = re.fullmatch(r"([1-9][0-9]{0,14})([KMGT]?)(?:i?B)?", text, re.IGNORECASE | re.ASCII)
    if not found:
        raise LabError(f"{text or 'nothing'} is no size; one is 500M or 8G")
    return int(found[1]) * BYTES[found[2].upper()]


def duration(text: str) -> int:
    """Returns the seconds of `text`, such as 10m. Raises LabError."""
    found = re.fullmatch(r"([1-9][0-9]{0,7})([smhd])", text, re.ASCII)
    seconds = int(found[1]) * SECONDS[found[2]] if found else 0
    if not 0 < seconds <= LONGEST:
        raise LabError(f"{text} is no time to wait; one is 30s, 10m or 2h")
    return seconds
