"""The model of a result once more, for msgspec, which checks a file in a fifth of pydantic's time.

It is made from the model, so there is only one to keep. Records that it reads have the model's attributes.
"""

import types
from functools import cache, partial
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from pydantic import BaseModel

from freehold_lab.model import MOST_LETTERS, Result

MOST = 2**63 - 1  # what a column of integers holds


@cache
def _record(model: type[BaseModel]) -> type[msgspec.Struct]:
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for name, field in model.model_fields.items():
        kind = _bounded(_kind(field.annotation), field.metadata)
        if field.is_required():
            fields.append((name, kind))
        else:
            default = partial(field.get_default, call_default_factory=True, validated_data={})
            fields.append((name, kind, msgspec.field(default_factory=default)))
    return msgspec.defstruct(model.__name__, fields, forbid_unknown_fields=True, frozen=True, kw_only=True, gc=False)


def _kind(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _record(annotation)
    origin = get_origin(annotation)
    if origin in (list, dict):
        return origin[tuple(map(_kind, get_args(annotation)))]
    if origin in (Union, types.UnionType):
        return Union[tuple(map(_kind, get_args(annotation)))]  # noqa: UP007
    if origin is Annotated:
        return _bounded(*_split(annotation))
    if annotation is str:
        return Annotated[str, msgspec.Meta(max_length=MOST_LETTERS)]
    if annotation is int:
        return Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
    return annotation


def _split(annotation: Any) -> tuple[Any, list[Any]]:
    """Returns the kind of an annotated one, and what it is annotated with."""
    kind, *notes = get_args(annotation)
    return kind, [each for note in notes for each in getattr(note, "metadata", [note])]


def _bounded(kind: Any, notes: list[Any]) -> Any:
    """Returns `kind` with the bounds that the model gives it."""
    names = ("gt", "ge", "lt", "le", "min_length", "max_length")
    bounds = {name: getattr(note, name) for note in notes for name in names if hasattr(note, name)}
    return (
        Annotated[get_args(kind)[0] if get_origin(kind) is Annotated else kind, msgspec.Meta(**bounds)]
        if bounds
        else kind
    )


DECODER = msgspec.json.Decoder(_record(Result))
