"""Parses the bodies of queue records with Powertools' Parser."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from aws_lambda_powertools.utilities.parser import parse
from pydantic import BaseModel, ConfigDict, create_model

from shared.aws.tables.dynamodb_json import storable
from shared.events.versions import require_readable
from shared.runtime.failures import Permanent
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MALFORMED = "malformed_event"


def parse_body[M](body: str, model: TypeAdapter[M], *, from_provider: bool = False) -> M:
    """
    Return a record's body as *model*. Raises Permanent (`malformed_event`, `unsupported_event_version`) and
    NewerVersion.

    *from_provider*: the body contains provider data, in which values that DynamoDB cannot store are replaced first.
    """
    event = load_event(body)
    adapter: Any = model  # `parse` accepts adapters; its annotations do not say so.
    try:
        parsed: M = parse(storable(event) if from_provider else event, adapter)
    except (ValueError, RecursionError):  # a validation error is a ValueError
        raise Permanent(MALFORMED) from None
    return parsed


def load_event(body: str) -> dict[str, Any]:
    """
    Return the fields of an event whose version this code reads.

    Raises Permanent (`malformed_event`, `unsupported_event_version`) and NewerVersion.
    """
    event = json_object(body)
    if event is None:
        raise Permanent(MALFORMED)
    require_readable(event)
    return event


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
