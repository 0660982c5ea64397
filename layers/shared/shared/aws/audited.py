"""Which item classes are settings: the audit log has their fields before and after each change by a caller."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAliasType, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

_PARTITIONS: Final = ("pk", "PK", "conversation_id")
_SORTS: Final = ("sk", "SK")
# The attributes of item classes with the patterns of these keys.
_PARTITION_PATTERNS: Final = ("pk_pattern", "pattern", "patterns", "partition")
_SORT_PATTERNS: Final = ("sk_pattern", "sort")


@dataclass(frozen=True, slots=True)
class Shown:
    """
    What the audit log shows of settings. *texts* are fields whose texts it has: words that a company chose for its own
    things, never of a customer. *maps* are fields whose maps have names that are fixed by us, so the name of a value
    says what it is, in snake_case; of all other maps it has the number of entries. None: all maps.

    *is_of_person*: the values describe a person, so it has the names of changed fields only.
    """

    texts: frozenset[str] = frozenset()
    maps: frozenset[str] | None = frozenset()
    is_of_person: bool = False


@dataclass(frozen=True, slots=True)
class Audited:
    """Settings of an item class. The keys of its items begin with *partition* and *sort*."""

    model: type[BaseModel]
    partition: str
    sort: str | None  # None: its items have no sort key
    shown: Shown

    def has(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is one of these settings."""
        partition = next((item[name] for name in _PARTITIONS if name in item), "")
        sort = next((str(item[name]) for name in _SORTS if name in item), None)
        has_sort = sort is not None and self.sort is not None and sort.startswith(self.sort)
        return (has_sort or sort is self.sort is None) and str(partition).startswith(self.partition)


_known: dict[str, list[Audited]] = {}  # by the word before the first # of their partitions


def audited[Model: type[BaseModel]](
    *shows: str, maps: tuple[str, ...] = (), is_of_person: bool = False
) -> Callable[[Model], Model]:
    """Declare an item class as settings; *shows* are the texts, the others as in `Shown`. By default least is shown."""

    def declare(model: Model) -> Model:
        partition, sort = _pattern(model, _PARTITION_PATTERNS), _pattern(model, _SORT_PATTERNS)
        shown = Shown(frozenset(shows), frozenset(maps), is_of_person)
        one = Audited(model, partition or "", sort, shown)
        _known.setdefault(one.partition.partition("#")[0], []).append(one)
        return model

    return declare


def shown_of(item: Mapping[str, Any]) -> Shown | None:
    """Return what is shown of an item that is settings; None if it is not."""
    found = _class_of(item)
    return _with_fixed(found.model, found.shown) if found is not None else None


def is_setting(item: Mapping[str, Any]) -> bool:
    """Whether an item, or the one of a whole key, is settings. Cheap: calls may read many thousand items."""
    return _class_of(item) is not None


def classes() -> list[Audited]:
    """Return the declared classes."""
    return [one for found in _known.values() for one in found]


def _class_of(item: Mapping[str, Any]) -> Audited | None:
    partition = next((str(item[name]) for name in _PARTITIONS if name in item), "")
    candidates = _known.get(partition.partition("#")[0], ())
    return next((one for one in candidates if one.has(item)), None)


def _pattern(model: type[BaseModel], names: tuple[str, ...]) -> str | None:
    """Return the fixed beginning of a class's key pattern; None if it has none."""
    found = next((pattern for name in names if (pattern := getattr(model, name, None))), None)
    first = found[0] if isinstance(found, tuple) else found
    return None if first is None else str(first).partition("{")[0]


@lru_cache
def _with_fixed(model: type[BaseModel], shown: Shown) -> Shown:
    """Return what is shown with the fields, by stored names, whose type fixes their words or the names of their map."""
    fields = [(field.alias or name, field.annotation) for name, field in model.model_fields.items()]
    words = {name for name, annotation in fields if _is_fixed(annotation)}
    found = {snake(name): [*_fixed_maps(annotation)] for name, annotation in fields}
    maps = {name for name, fixed in found.items() if fixed and all(fixed)}
    return replace(shown, texts=shown.texts | words, maps=(shown.maps or frozenset()) | maps)


def _fixed_maps(annotation: Any) -> Iterator[bool]:  # noqa: ANN401 - a type of any form
    """Yield of each map that a type has whether its names are fixed, as those of a model are."""
    if isinstance(annotation, TypeAliasType):
        yield from _fixed_maps(annotation.__value__)
    elif annotation in {Any, dict} or get_origin(annotation) is dict:
        yield False
    elif hasattr(annotation, "model_fields"):
        yield annotation.model_config.get("extra") != "allow"
        for field in annotation.model_fields.values():
            yield from _fixed_maps(field.annotation)
    else:
        for part in get_args(annotation):
            if not isinstance(part, str):
                yield from _fixed_maps(part)


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
