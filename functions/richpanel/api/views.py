"""Presenters of the admin API: rows in the contract's field names."""

import json
from typing import Any

from richpanel.store.items import AuditAction, ConversationState


def action_view(action: AuditAction) -> dict[str, Any]:
    """Present an audit row: its time and id are parts of the key, its facts are JSON."""
    at, _, action_id = action.ts_action_id.partition("#")
    return {
        "at": at,
        "action": action_id,
        "action_type": action.action_type,
        "result": action.result,
        "facts": _facts(action.action_payload_redacted),
    }


def state_view(state: ConversationState) -> dict[str, Any]:
    """Present a conversation's state without the fields that only writers need."""
    shown = state.model_dump(mode="json", exclude_none=True, exclude={"version", "reserved_reply"})
    if "risk_flags" in shown:
        shown["risk_flags"] = sorted(shown["risk_flags"])
    return shown


def _facts(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the facts, as text if redaction made the JSON invalid."""
    try:
        return json.loads(text)
    except ValueError:
        return text
