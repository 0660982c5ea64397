"""Builds the provider's conversion events. Pure."""

from __future__ import annotations

from typing import Any

from whatsapp.actions.commerce.catalogs import prices


def event_of(
    *,
    name: str,
    event_id: str,
    seconds: int,
    waba: str,
    click: str,
    value: int | None = None,
    currency: str | None = None,
) -> dict[str, Any]:
    """
    Return the body of a request with one event. *seconds*: since 1970; *value*: in minor units of *currency*.

    Not confirmed by traffic of ours: the structure, which is of Meta's Conversions API for business messaging, and that
    AWS takes the same JSON.
    """
    event: dict[str, Any] = {
        "event_name": name,
        "event_time": seconds,
        "event_id": event_id,
        "action_source": "business_messaging",
        "messaging_channel": "whatsapp",
        "user_data": {"whatsapp_business_account_id": waba, "ctwa_clid": click},
    }
    if value is not None and currency is not None:
        amount = prices.text_of(value, currency).partition(" ")[0]
        event["custom_data"] = {"value": float(amount), "currency": currency}
    return {"data": [event]}
