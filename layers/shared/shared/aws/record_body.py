"""Parses the bodies of queue records with Powertools' Parser."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from aws_lambda_powertools.utilities.parser import parse
from pydantic import BaseModel, ConfigDict, create_model

from shared.aws.dynamodb_json import storable
from shared.failures import Permanent

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MALFORMED = "malformed_event"


def parse_body[M](body: str, model: TypeAdapter[M], *, from_provider: bool = False) -> M:
    """
    Return a record's body as *model*. Raises Permanent (`malformed_event`).

    *from_provider*: the body contains provider data, in which values that DynamoDB cannot store are replaced first.
    """
    adapter: Any = model  # `parse` accepts adapters and texts; its annotations do not say so.
    try:
        event: Any = storable(json.loads(body)) if from_provider else body
        parsed: M = parse(event, adapter)
    except (ValueError, RecursionError):  # a validation error is a ValueError
        raise Permanent(MALFORMED) from None
    return parsed


def model_of(event: type) -> type[BaseModel]:
    """
    Return a strict model with the fields of a plain dataclass; it ignores unknown fields.

    The ingress functions import these dataclasses and must start fast, so only their consumers validate them.
    """
    types = get_type_hints(event)
    strict = ConfigDict(strict=True, extra="ignore", hide_input_in_errors=True)
    known: dict[str, Any] = {
        each.name: (types[each.name], ... if each.default is MISSING else each.default)
        for each in fields(event)
    }
    return create_model(event.__name__, __config__=strict, **known)


def parse_event[E](event: type[E], model: type[BaseModel], given: dict[str, Any]) -> E:
    """Return *given* as an instance of the dataclass *event*, validated by its model. Raises ValueError."""
    return event(**dict(parse(given, model)))
