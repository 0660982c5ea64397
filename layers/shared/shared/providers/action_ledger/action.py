"""The item of the action ledger."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from shared.runtime import clock

TTL_SECONDS = 35 * clock.DAY_SECONDS


class State(StrEnum):
    """The state of an action. Of the last three, only `unknown` changes again: to `confirmed` or `failed`."""

    RESERVED = "reserved"
    SENT = "sent"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class OnDoubt(StrEnum):
    """The policy for an attempt with an unknown outcome and no evidence of delivery."""

    AT_MOST_ONCE = "at_most_once"
    RESEND = "resend"


class Action(BaseModel):
    """
    Ledger item: the action, its attempt, its owner and its outcome. It never holds a message body or a customer's
    address.

    The context chooses the key; the item is stored in the context's own table. `body_hash` and `recipient_hash` are
    SHA-256; times are milliseconds since 1970. `account` and `business_address` name the sender of the attempt: a
    provider's callback must come from the same account and address (`shared.identity.business_accounts`).
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", defer_build=True
    )
    item_type: ClassVar[str] = "ACTION"
    ttl_seconds: ClassVar[int] = TTL_SECONDS

    action_id: str
    company: str | None = None  # None in deployments that serve a single company
    channel: str
    provider: str
    account: str | None = None
    business_address: str | None = None
    on_doubt: OnDoubt
    state: State = State.RESERVED
    attempt: int = 1
    owner: str = ""
    reserved_at: int = 0
    deadline: int = 0
    recipient_hash: str | None = None
    body_hash: str | None = None
    provider_id: str | None = None
    reason: str | None = None
    # `ErrorDetails.without_texts` of a refusal
    error_subcode: str | None = None
    error_trace_id: str | None = None
    is_error_transient: bool | None = None
    evidence: str | None = None
    message_pk: str | None = None
    sent_by: str | None = None  # the authenticated principal, if an API call requested the action
    ttl: int | None = None

    @classmethod
    def attr(cls, field: str) -> Attr:
        """Return a field's attribute, for use in conditions."""
        return Attr(cls.named(field))

    @classmethod
    def named(cls, field: str) -> str:
        """Return a field's attribute name as stored."""
        return str(cls.model_fields[field].alias or field)

    @property
    def may_have_been_sent(self) -> bool:
        """Whether the provider may have received it; False if all attempts so far certainly sent nothing."""
        return self.state is not State.RESERVED or self.deadline != 0
