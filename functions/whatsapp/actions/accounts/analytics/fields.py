"""Builds the field expressions of the provider's analytics. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whatsapp.actions.accounts.analytics.periods import Period

type Field = Literal["analytics", "conversation_analytics", "pricing_analytics", "call_analytics"]


def expression(
    field: Field,
    period: Period,
    granularity: str,
    *,
    phone_numbers: Sequence[str] = (),
    dimensions: Sequence[str] = (),
) -> str:
    """
    Return the value of Graph's parameter `fields`, such as `analytics.start(0).end(86400).granularity(DAY)`.

    *phone_numbers*: digits. Lists are JSON; an empty one is left out, and then the provider does not filter or split.
    Not confirmed by traffic of ours: that `call_analytics` takes the same parameters as the others.
    """
    filters: dict[str, str] = {
        "start": str(period.start),
        "end": str(period.end),
        "granularity": granularity,
    }
    for name, values in (("phone_numbers", phone_numbers), ("dimensions", dimensions)):
        if values:
            filters[name] = json.dumps(list(values), separators=(",", ":"))
    return field + "".join(f".{name}({value})" for name, value in filters.items())
