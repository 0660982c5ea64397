"""Which item classes are settings: the audit log has their fields before and after each change by a caller."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAliasType, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

_PARTITIONS: Final = ("pk", "PK", "conversation_id")
_SORTS: Final = ("sk", "SK")
# The attributes of item classes with the patterns of these keys.
_PARTITION_PATTERNS: Final = ("pk_pattern", "pattern", "patterns", "partition")
_SORT_PATTERNS: Final = ("sk_pattern", "sort")


@dataclass(frozen=True, slots=True)
class Audited:
    """
    Settings of an item class. The keys of its items begin with *partition* and *sort*. *shows* are the fields whose
    texts the audit log has: words that a company chose for its own things, never of a customer.
    """

    model: type[BaseModel]
    partition: str
    sort: str | None  # None: its items have no sort key
    shows: frozenset[str]

    def has(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is one of these settings."""
        partition = next((item[name] for name in _PARTITIONS if name in item), "")
        sort = next((str(item[name]) for name in _SORTS if name in item), None)
        has_sort = sort is not None and self.sort is not None and sort.startswith(self.sort)
        return (has_sort or sort is self.sort is None) and str(partition).startswith(self.partition)


_known: list[Audited] = []


def audited[Model: type[BaseModel]](*shows: str) -> Callable[[Model], Model]:
    """Declare an item class as settings; the audit log has the texts of its fields *shows*."""

    def declare(model: Model) -> Model:
        partition, sort = _pattern(model, _PARTITION_PATTERNS), _pattern(model, _SORT_PATTERNS)
        _known.append(Audited(model, partition or "", sort, frozenset(shows)))
        return model

    return declare


def shown_of(item: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the fields whose texts may be shown of an item that is settings; None if it is not."""
    for one in _known:
        if one.has(item):
            return one.shows | _of_fixed_words(one.model)
    return None


def _pattern(model: type[BaseModel], names: tuple[str, ...]) -> str | None:
    """Return the fixed beginning of a class's key pattern; None if it has none."""
    found = next((pattern for name in names if (pattern := getattr(model, name, None))), None)
    first = found[0] if isinstance(found, tuple) else found
    return None if first is None else str(first).partition("{")[0]


@lru_cache
def _of_fixed_words(model: type[BaseModel]) -> frozenset[str]:
    """Return the stored names of the fields whose type has a fixed set of words."""
    fields = model.model_fields.items()
    return frozenset(field.alias or name for name, field in fields if _is_fixed(field.annotation))


def _is_fixed(annotation: Any) -> bool:  # noqa: ANN401 - a type of any form
    if isinstance(annotation, TypeAliasType):
        return _is_fixed(annotation.__value__)
    if get_origin(annotation) is Literal or (
        isinstance(annotation, type) and issubclass(annotation, Enum)
    ):
        return True
    return any(_is_fixed(part) for part in get_args(annotation) if not isinstance(part, str))


def snake(name: str) -> str:
    """Return the name of a field in snake_case."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
