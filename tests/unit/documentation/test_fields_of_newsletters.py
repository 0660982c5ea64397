"""The guide of newsletters names every field that its routes accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from tests import template
from tests.integration.isolation import surfaces

if TYPE_CHECKING:
    from collections.abc import Iterator

GUIDE = template.ROOT / "docs/connect/newsletters.md"
# Described in docs/api.md for all contexts.
OF_ALL_CONTEXTS = ("/parked", "/dead-letters")


def _fields(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield name
        for part in _models_in(field.annotation):
            yield from _fields(part)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def test_every_field_that_a_route_of_newsletters_accepts_stands_in_the_guide() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    accepted = {
        name
        for operation in surfaces.declared("NewslettersApi").operations
        if operation.method != "GET" and not any(one in operation.path for one in OF_ALL_CONTEXTS)
        for name in _fields(operation.input_model)
    }

    missing = {name for name in accepted if not re.search(rf"\b{name}\b", guide)}

    assert missing == set()
