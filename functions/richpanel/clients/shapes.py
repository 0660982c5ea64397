"""
Parsing of provider JSON into models, tolerant of spelling, wrapping and single values; unknown fields are kept.

The help desk uses both `isOperator` and `is_operator`, `appClientId` and `appclient_id`, `{"ticket": {...}}` and
`{...}`, and lists under `tickets` or `ticket`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from richpanel.clients.calls import BadAnswer
from shared.runtime import clock

# Larger numbers are milliseconds: read as seconds they would be after the year 5000.
_LARGEST_SECONDS = 100_000_000_000


class ProviderModel(BaseModel):
    """
    Base model of provider objects. Fields match in any spelling, lists also by their singular name; null counts as
    absent.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _with_our_field_names(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        field_names = {_folded(name.removesuffix("s")): name for name in cls.model_fields}
        field_names |= {_folded(name): name for name in cls.model_fields}
        fields: dict[str, Any] = {}
        # A key in our spelling takes precedence over its variants.
        for key in sorted(value, key=lambda key: key in cls.model_fields):
            if value[key] is not None:
                fields[field_names.get(_folded(str(key)), str(key))] = value[key]
        return fields


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _text(value: object) -> object:
    """Convert ids that are sent as numbers to text."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _moment(value: object) -> int | None:
    """Return milliseconds since 1970 for ISO 8601, epoch seconds or epoch milliseconds; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type] # other values raise, and are then read as a date
    except (TypeError, ValueError):
        return _moment_of_text(str(value))
    if not 0 <= number < _LARGEST_SECONDS * clock.SECOND_MS:
        return None
    return int(number if number >= _LARGEST_SECONDS else number * clock.SECOND_MS)


def _moment_of_text(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.strip())
        # A time without a zone is UTC for all providers.
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        milliseconds = round(zoned.timestamp() * clock.SECOND_MS)
    except (ValueError, OverflowError):
        return None
    return milliseconds if milliseconds >= 0 else None


def _flag(value: object) -> bool | None:
    """Return the boolean for its usual forms; None, meaning unknown, for anything else."""
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    return words.get(str(value).strip().lower())


def _as_list(value: object) -> object:
    """Return a list unchanged, a single value as a list, and None as an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _first(value: object) -> object:
    """Return the first object of a list or a single object; None for anything else."""
    first = next(iter(value), None) if isinstance(value, list) else value
    return first if isinstance(first, dict) else None


type Id = Annotated[str, BeforeValidator(_text)]
type Moment = Annotated[int | None, BeforeValidator(_moment)]
type Flag = Annotated[bool | None, BeforeValidator(_flag)]
type First[Thing] = Annotated[Thing | None, BeforeValidator(_first)]
type Some[Thing] = Annotated[list[Thing], BeforeValidator(_as_list)]


def parse_object[Model: ProviderModel](model: type[Model], payload: object, wrapper: str) -> Model:
    """Parse the object in *payload*, bare or under *wrapper*. Raises BadAnswer."""
    inner = payload.get(wrapper) if isinstance(payload, dict) else None
    try:
        return model.model_validate(inner if isinstance(inner, dict) else payload)
    except ValidationError:
        raise BadAnswer from None


def parse_list[Model: ProviderModel](
    model: type[Model], payload: object, *wrappers: str
) -> list[Model]:
    """Parse the objects of a list, bare or under one of *wrappers*. Raises BadAnswer if there is no list."""
    entries = payload
    if isinstance(payload, dict):
        entries = next((payload[name] for name in wrappers if name in payload), None)
    if not isinstance(entries, list):
        raise BadAnswer
    try:
        return [model.model_validate(entry) for entry in entries]
    except ValidationError:
        raise BadAnswer from None
