"""Data inside a page: JSON turned into columns, compressed, and written in letters.

A list of records that have the same fields becomes a record of columns, {"#": [fields], "c": [columns]}; a column of
lists becomes their lengths and one list of all they hold, {"@": [lengths], "c": column}; a column of few different
texts becomes these texts and their numbers, {"$": [texts], "c": [numbers]}. A record whose own names are among these
signs becomes {"=": [[name, value]]}. page/data.js reads it.
"""

import base64
import gzip
import itertools
import json
import math
import re
import sys
import zlib
from typing import Any

from freehold_lab.errors import LabError

SIGNS = {"#", "@", "$", "="}
FEWEST_TEXTS = 8  # shorter columns are left as they are


def pack(value: Any) -> str:
    """Returns `value`, which is made of what JSON has, in letters that mean nothing in HTML."""
    text = json.dumps(columns(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return compressed(text)


def compressed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def unpack(packed: str, most_bytes: int = sys.maxsize) -> Any:
    """Returns what was packed. Raises ValueError if it is damaged, or larger than `most_bytes`."""
    unpacking = zlib.decompressobj(wbits=31)
    text = unpacking.decompress(base64.b64decode(packed), most_bytes)
    if not unpacking.eof:
        raise ValueError("truncated, or too large")
    return records(json.loads(text))


def result_in(page: str, most_bytes: int = sys.maxsize) -> str:
    """Returns the JSON of the result that a page was drawn from. Raises LabError if there is none, or one larger than
    `most_bytes`."""
    found = re.search(r'<script type="text/plain" id="result">([^<]*)</script>', page)
    if not found:
        raise LabError("there is no result in this page: it was not written by ./freehold, or before version 0.2")
    try:
        return json.dumps(unpack(found[1], most_bytes))
    except (zlib.error, ValueError, LookupError, TypeError, RuntimeError, MemoryError) as error:
        raise LabError(f"the result in this page is damaged: {str(error)[:100]}") from error


def columns(value: Any) -> Any:
    if isinstance(value, dict):
        found = {name: columns(each) for name, each in value.items()}
        return {"=": list(found.items())} if found.keys() & SIGNS else found
    if isinstance(value, float):
        return value if math.isfinite(value) else None  # JSON has no word for it
    if not isinstance(value, list) or len(value) < 2:
        return [columns(each) for each in value] if isinstance(value, list) else value
    if all(isinstance(each, dict) for each in value):
        fields = list(value[0])
        if fields and all(list(each) == fields for each in value):
            return {"#": fields, "c": [columns([each[name] for each in value]) for name in fields]}
    if all(isinstance(each, list) for each in value):
        return {"@": [len(each) for each in value], "c": columns([inner for each in value for inner in each])}
    if len(value) >= FEWEST_TEXTS and all(isinstance(each, str) for each in value):
        numbers = {text: number for number, text in enumerate(dict.fromkeys(value))}
        if 2 * len(numbers) < len(value):
            return {"$": list(numbers), "c": [numbers[each] for each in value]}
    return [columns(each) for each in value]


def records(value: Any) -> Any:
    """The opposite of `columns`."""
    if isinstance(value, list):
        return [records(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "#" in value:
        found = [records(column) for column in value["c"]]
        return [dict(zip(value["#"], row, strict=True)) for row in zip(*found, strict=True)]
    if "@" in value:
        rest = iter(records(value["c"]))
        return [list(itertools.islice(rest, length)) for length in value["@"]]
    if "$" in value:
        return [value["$"][number] for number in value["c"]]
    return {name: records(each) for name, each in (value["="] if "=" in value else value.items())}
