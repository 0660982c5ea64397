"""Reads the declarations of item classes: types, literal values, bounds and comments of fields."""

import inspect
import io
import tokenize
from collections.abc import Iterator
from enum import Enum
from types import UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from whatsapp.store.items import AtMost

BODY = 4  # the column at which the fields of a class begin


def allowed(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - any type expression
    """Yield the types and literal values of an annotation, without None."""
    if isinstance(annotation, TypeAliasType):
        yield from allowed(annotation.__value__)
    elif get_origin(annotation) in (Union, UnionType):
        for part in get_args(annotation):
            yield from allowed(part)
    elif get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif hasattr(annotation, "__metadata__"):
        yield from allowed(annotation.__origin__)
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(member.value) for member in annotation)
    elif annotation is not type(None):
        yield get_origin(annotation) or annotation


def bounds_of(field: FieldInfo) -> list[AtMost]:
    """Return the bounds that a field declares."""
    return [entry for entry in metadata_of(field) if isinstance(entry, AtMost)]


def metadata_of(field: FieldInfo) -> list[object]:
    """Return the annotations of a field, also from inside its type."""
    found = [*field.metadata]
    for part in get_args(field.annotation):
        found += getattr(part, "__metadata__", ())
    return found


def notes_of(item: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield the comment of each field in the class's source: the trailing one, or the one above it."""
    above = field = ""
    for token in tokenize.generate_tokens(io.StringIO(inspect.getsource(item)).readline):
        is_of_class = token.start[1] == BODY
        if token.type == tokenize.COMMENT:
            text = token.string.removeprefix("#").strip()
            if text.startswith("noqa:"):
                continue
            if is_of_class:
                above = f"{above} {text}".strip()
            elif field and not token.line.startswith(" " * (BODY + 1)):
                yield field, text
        elif token.type == tokenize.NAME and is_of_class:
            field = token.string
            if above:
                yield field, above
            above = ""
