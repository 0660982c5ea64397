"""The message from the router to a channel's processor: the request as posted and a snapshot of the project."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from conversations.store.items import identifiers
from shared.events.versions import VERSION


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", hide_input_in_errors=True, defer_build=True)


class ConversationData(_Part):
    """The conversation to create; *conversation_ref* is the one returned to the API caller; *fallback*: see `State`."""

    conversation_id: str = Field(repr=False)
    conversation_ref: str | None = None
    fallback: int | None = None
    conversation_status: Literal["initiated"] = "initiated"


class Metadata(_Part):
    """Router version, time of queueing and correlation id."""

    router_version: str
    queued_at: str
    correlation_id: str


class ContextObject(_Part):
    """Body of a first message on a channel's queue."""

    type: Literal["context"] = "context"
    v: int = VERSION
    frontend_payload: dict[str, Any] = Field(repr=False)
    company_data_payload: dict[str, Any] = Field(repr=False)
    conversation_data: ConversationData
    metadata: Metadata


def context_hash(payload: dict[str, Any]) -> str:
    """Hash a request without its timestamp, to tell a repeated request from a different one with the same id."""
    request = payload.get("request_data")
    if isinstance(request, dict):
        rest = {name: part for name, part in request.items() if name != "initial_request_timestamp"}
        payload = {**payload, "request_data": rest}
    return identifiers.fingerprint(payload)


def as_json(value: Any) -> Any:  # noqa: ANN401 - any attribute type of DynamoDB
    """Convert a DynamoDB attribute to JSON types: decimals become numbers, sets become sorted lists."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    if isinstance(value, set | frozenset):
        return sorted(as_json(part) for part in value)
    return value
