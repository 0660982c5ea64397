"""
Answers of a model that classifies messages of the help desk: an intent by words of the message.

It has the quality of a keyword search, and exists so that a local stack with a model routes messages.
"""

from __future__ import annotations

import json
from typing import Any

_INTENTS = {
    "where": "order_status_tracking",
    "track": "order_status_tracking",
    "return": "return_request",
    "refund": "refund_request",
    "cancel": "cancel_order",
    "broken": "damaged_item",
}


def answer(schema_name: str, request: str) -> dict[str, Any] | None:
    """Return the answer in a schema of the help desk to *request*, the last message; None for any other schema."""
    if schema_name == "rp_verifier_v1":
        return {
            "schema_version": schema_name,
            "allow_tier2": True,
            "confidence": 0.9,
            "downgrade_to": None,
            "reason_code": "OK",
        }
    if schema_name != "rp_decision_v1":
        return None
    text = str(json.loads(request).get("text", "")).lower()
    intent = next((name for word, name in _INTENTS.items() if word in text), "unknown_other")
    return {
        "schema_version": schema_name,
        "language": "unknown",
        "intents": [{"intent": intent, "confidence": 0.9}],
        "risk_flags": [],
        "wants_human": False,
    }
