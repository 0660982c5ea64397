"""
The action ledger: each side effect at a provider has one item, written before the wire, and at most one live attempt.

    (nothing) --reserve--> reserved --accepted--> sent --callback--> confirmed | failed
                              |-- refused for good ----------------> failed
                              |-- certainly not sent --------------> reserved, free at once for the next attempt
                              |-- deadline over, evidence ---------> confirmed
                              |-- deadline over, ON_DOUBT resend --> reserved (attempt + 1)
                              `-- deadline over, at most once -----> unknown --late callback--> confirmed | failed

A redelivery that finds `reserved` is in doubt: the worker before it may have died before, during or after its call. The
deadline is later than that worker can live, so past it nobody else acts on the same reservation.

Where a caller writes a row of its own before the wire anyway, the reservation may stand in that (`perform_reserved`).
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from aws_lambda_powertools.metrics import MetricUnit
from boto3.dynamodb.conditions import Attr
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.failures import Transient
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

TTL_SECONDS = 35 * clock.DAY_SECONDS
# A killed worker is dead at its timeout; the minute covers clocks that differ and a request still on its way.
GRACE_MS = 60 * clock.SECOND_MS


class State(StrEnum):
    """Where an action stands; the last three only change from `unknown` to one of the other two."""

    RESERVED = "reserved"
    SENT = "sent"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class OnDoubt(StrEnum):
    """What to do with an attempt whose outcome nobody knows and no evidence shows."""

    AT_MOST_ONCE = "at_most_once"
    RESEND = "resend"


class Action(BaseModel):
    """
    Ledger item: who tries what, since when, and what came of it. It never holds a body or an address of a customer.

    Its key is the context's to choose; it lives in the context's own table. `body_hash` and `recipient_hash` are
    SHA-256; times are milliseconds since 1970. `account` and `business_address` say from where the attempt sends: a
    provider's callback must come from there (`shared.tenancy.business_accounts`).
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", defer_build=True
    )
    item_type: ClassVar[str] = "ACTION"
    ttl_seconds: ClassVar[int] = TTL_SECONDS

    action_id: str
    company: str | None = None  # None where a deployment serves one only
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
    evidence: str | None = None
    message_pk: str | None = None
    ttl: int | None = None

    @classmethod
    def attr(cls, field: str) -> Attr:
        """The attribute of a field, for conditions."""
        return Attr(cls.named(field))

    @classmethod
    def named(cls, field: str) -> str:
        """The attribute name of a field, as it is stored."""
        return str(cls.model_fields[field].alias or field)

    @property
    def may_have_left(self) -> bool:
        """Whether anybody may have it; not where all attempts so far certainly did nothing."""
        return self.state is not State.RESERVED or self.deadline != 0


def _none(_: Action) -> str | None:
    """No evidence."""
    return None


class Ledger[A: Action]:
    """
    The ledger of one context: its items in *table*, under the keys that *key_of* makes of action ids.

    *kind* says how the context's contract names the attributes.
    """

    def __init__(self, table: Table, key_of: Callable[[str], Attributes], kind: type[A]) -> None:
        self._table = table
        self._key_of = key_of
        self._kind = kind

    def action(self, action_id: str) -> A | None:
        """The action with this id; None when it was never reserved or its time is over."""
        item = self._table.get(self._key_of(action_id))
        return self._kind.model_validate(item) if item else None

    def perform(
        self,
        intended: A,
        *,
        owner: str,
        remaining_ms: int,
        send: Callable[[], str | None],
        evidence: Callable[[A], str | None] = _none,
    ) -> State:
        """
        Do *send* at most once per attempt, and say how the action stands after it.

        *owner* names this invocation, *remaining_ms* is how long it can still live. *send* makes one wire attempt,
        carries the action id where the provider gives it back, and returns the provider's id. *evidence* looks at the
        provider for an attempt that nobody knows the outcome of; what it returns proves that it arrived. Raises
        Transient where a later delivery of the same event has to decide: another attempt may be alive, or the outcome
        is in doubt.
        """
        action = self._reserve(self._mine(intended, owner, remaining_ms), evidence)
        if action.state is not State.RESERVED:
            return action.state
        return self._attempt(action, send, self._settle)

    def perform_reserved(
        self,
        intended: A,
        *,
        owner: str,
        remaining_ms: int,
        reserve: Callable[[A], None],
        send: Callable[[], str | None],
    ) -> State:
        """
        As `perform`, for the first attempt of an action whose reservation is part of a row that the caller writes
        anyway: its item here is written once, with the outcome.

        *reserve* writes that row, conditionally, with the owner, times and hashes of the action that it is given, and
        raises where another attempt may be alive. Whoever finds a reservation there, and no item here, hands it to
        `enter` before all else. What was not sent, or is in doubt, goes on in the item alone.
        """
        action = self._mine(intended, owner, remaining_ms)
        reserve(action)
        return self._attempt(action, send, self._conclude)

    def enter(self, reserved: A) -> A:
        """Write the item of a reservation that stands elsewhere, and return what stands here. Safe to repeat."""
        try:
            self._table.put(self._item(reserved), when=self._kind.attr("action_id").not_exists())
        except ConditionFailed as refusal:
            return self._kind.model_validate(refusal.existing)
        return reserved

    def confirm(self, action_id: str, *, failed: bool, message_pk: str, company: str) -> A | None:
        """
        Take a provider's callback as evidence; the action as it then stands, None when *company* has none.

        The first callback decides: `confirmed` and `failed` are final. The message's key is kept if none is known yet.
        """
        state = State.FAILED if failed else State.CONFIRMED
        open_states = self._kind.attr("state").is_in([State.RESERVED, State.SENT, State.UNKNOWN])
        try:
            changed = self._table.update(
                self._key_of(action_id),
                put={self._kind.named("state"): state},
                put_once={self._kind.named("message_pk"): message_pk},
                when=open_states & self._kind.attr("company").eq(company),
            )
        except ConditionFailed as refusal:
            changed = refusal.existing or {}
        else:
            # Only what changed the state counts: callbacks repeat, and later ones decide nothing.
            metrics.add_metric("SendFailed" if failed else "SendConfirmed", MetricUnit.Count, 1)
        action = self._kind.model_validate(changed) if changed else None
        return action if action and action.company == company else None

    def forget(self, action_id: str) -> None:
        """
        Forget whom an action was for and what it said, and the provider's id, which may name them. Safe to repeat.

        That it was done stays, so that nobody does it again.
        """
        named = ("recipient_hash", "body_hash", "provider_id", "evidence")
        with suppress(ConditionFailed):
            self._table.update(
                self._key_of(action_id),
                drop=[self._kind.named(field) for field in named],
                when=self._kind.attr("action_id").exists(),
            )

    def _mine(self, intended: A, owner: str, remaining_ms: int) -> A:
        """The action as this invocation reserves it."""
        now = clock.now_ms()
        return intended.model_copy(
            update={
                # One of a kind: what we find written under it is our own write, whose answer was lost.
                "owner": f"{owner}/{secrets.token_hex(8)}",
                "reserved_at": now,
                "deadline": now + remaining_ms + GRACE_MS,
                "ttl": clock.expires_in(self._kind.ttl_seconds),
            }
        )

    def _attempt(
        self,
        action: A,
        send: Callable[[], str | None],
        settle: Callable[[A, State, dict[str, Any]], None],
    ) -> State:
        """Make the one attempt on the wire; *settle* writes what came of it. Raises Transient."""
        metrics.add_metric("SendAttempted", MetricUnit.Count, 1)
        try:
            provider_id = send()
        except Refused as refusal:
            metrics.add_metric("SendFailed", MetricUnit.Count, 1)
            settle(action, State.FAILED, {"reason": refusal.code})
            return State.FAILED
        except NotSent as failure:
            settle(action, State.RESERVED, {"deadline": 0, "reason": failure.code})
            raise Transient("not_sent", failure.wait_ms) from None
        except InDoubt:
            metrics.add_metric("SendInDoubt", MetricUnit.Count, 1)
            raise Transient("send_in_doubt") from None
        settle(action, State.SENT, {"provider_id": provider_id})
        return State.SENT

    def _reserve(self, action: A, evidence: Callable[[A], str | None] = _none) -> A:
        """*action*, reserved by this invocation, or as it stands when there is nothing to do. Raises Transient."""
        try:
            self._table.put(self._item(action), when=self._kind.attr("action_id").not_exists())
        except ConditionFailed as refusal:
            existing = self._kind.model_validate(refusal.existing)
            if existing.owner == action.owner or existing.state is not State.RESERVED:
                return existing
            if existing.deadline > clock.now_ms():
                raise Transient("send_in_progress") from None
            found = evidence(existing) if existing.deadline else None
            if found is not None:
                self._settle(existing, State.CONFIRMED, {"evidence": found})
                return existing.model_copy(update={"state": State.CONFIRMED})
            return self._take_over(existing, action)
        return action

    def _take_over(self, dead: A, mine: A) -> A:
        """Reserve the next attempt, or settle as unknown. Raises Transient when somebody else was faster."""
        # deadline 0: the attempt before certainly did not arrive, so the next one doubles nothing whatever the policy.
        may_send = dead.deadline == 0 or dead.on_doubt is OnDoubt.RESEND
        if not may_send:
            metrics.add_metric("SendUnknown", MetricUnit.Count, 1)
            self._settle(dead, State.UNKNOWN, {"reason": "no_evidence"})
            return dead.model_copy(update={"state": State.UNKNOWN})
        # What is sent now may be worded otherwise than what the attempt before meant to send.
        again = mine.model_copy(update={"attempt": dead.attempt + 1})
        key = self._key_of(dead.action_id)
        facts = {name: value for name, value in self._item(again).items() if name not in key}
        try:
            taken = self._table.update(key, put=facts, when=self._still(dead))
        except ConditionFailed as refusal:
            found = self._kind.model_validate(refusal.existing) if refusal.existing else dead
            if found.owner == mine.owner:
                return found
            raise Transient("send_in_progress") from None
        return self._kind.model_validate(taken)

    def _settle(self, action: A, state: State, facts: dict[str, Any]) -> None:
        """Write what came of this attempt, unless somebody took it over or a callback was faster."""
        stored = {self._kind.named(field): value for field, value in facts.items()}
        try:
            self._table.update(
                self._key_of(action.action_id),
                put={self._kind.named("state"): state, **stored},
                when=self._still(action),
            )
        except ConditionFailed as refusal:
            found = self._kind.model_validate(refusal.existing) if refusal.existing else None
            # Our own write whose answer was lost, and callbacks, leave the attempt's number as it was.
            if found is None or found.attempt != action.attempt:
                metrics.add_metric("SendDoubled", MetricUnit.Count, 1)
                self._leave_evidence(action, facts)

    def _conclude(self, action: A, state: State, facts: dict[str, Any]) -> None:
        """Write the item of an attempt that was reserved elsewhere, unless somebody entered it meanwhile."""
        concluded = action.model_copy(update={"state": state, **facts})
        try:
            self._table.put(self._item(concluded), when=self._kind.attr("action_id").not_exists())
        except ConditionFailed:
            # Or our own write, whose answer was lost: then there is nothing left to settle.
            self._settle(action, state, facts)

    def _leave_evidence(self, action: A, facts: dict[str, Any]) -> None:
        """Keep what an attempt that was taken over came to: somebody will want to know."""
        evidence = f"attempt {action.attempt}: {facts.get('provider_id') or facts.get('reason')}"
        exists = self._kind.attr("action_id").exists()
        with suppress(ConditionFailed):
            self._table.update(
                self._key_of(action.action_id),
                put={self._kind.named("evidence"): evidence},
                when=exists,
            )

    def _still(self, action: A) -> Any:  # noqa: ANN401 - boto3's conditions have no public common type
        reserved = self._kind.attr("state").eq(State.RESERVED)
        return reserved & self._kind.attr("attempt").eq(action.attempt)

    def _item(self, action: A) -> Attributes:
        stored = action.model_dump(by_alias=True, exclude_none=True, mode="json")
        return {**self._key_of(action.action_id), "itemType": self._kind.item_type, **stored}
