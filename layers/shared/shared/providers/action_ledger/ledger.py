"""The ledger of one context: reserves, performs and settles actions."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.tables import leases
from shared.providers.action_ledger.action import Action, OnDoubt, State
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock, tracing
from shared.runtime.failures import Transient
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Callable

# Lambda kills a worker at its timeout. The extra minute covers clock differences and requests still in transit.
GRACE_MS = 60 * clock.SECOND_MS


def _none(_: Action) -> str | None:
    """Return no evidence."""
    return None


class Ledger[A: Action]:
    """
    The ledger of one context: its items in *table*, under the keys that *key_of* builds from action ids.

    *kind* is the context's item class; it defines the attribute names.
    """

    def __init__(self, table: Table, key_of: Callable[[str], Attributes], kind: type[A]) -> None:
        self._table = table
        self._key_of = key_of
        self._kind = kind
        names = (kind.named(field) for field in ("owner", "deadline", "attempt"))
        self._leases = leases.Leases(table, leases.LeaseAttributes(*names))

    def action(self, action_id: str) -> A | None:
        """Return the action with this id; None if it was never reserved or has expired."""
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
        Call *send* at most once per attempt and return the action's resulting state.

        *owner* names this invocation, *remaining_ms* is the time left before its timeout. *send* makes one provider
        call, includes the action id if the provider echoes it, and returns the provider's id. *evidence* queries the
        provider about an attempt with an unknown outcome; a non-None result proves delivery. It raises InDoubt if the
        provider cannot tell: such an attempt is never repeated. Raises Transient if a later delivery of the same event
        must decide: another attempt may be alive, or the outcome is in doubt.
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
        anyway. The ledger item is written only once, with the outcome.

        *reserve* writes that row conditionally, with the owner, times and hashes of the action passed to it, and raises
        if another attempt may be alive. A caller that finds a reservation in its row and no ledger item must call
        `enter` first. Actions that were not sent, or are in doubt, continue in the ledger item alone.
        """
        action = self._mine(intended, owner, remaining_ms)
        reserve(action)
        return self._attempt(action, send, self._conclude)

    def enter(self, reserved: A) -> A:
        """Write the ledger item of a reservation stored elsewhere and return the item now stored. Idempotent."""
        stored = self._leases.claim(self._key_of(reserved.action_id), self._item(reserved))
        return self._kind.model_validate(stored)

    def confirm(self, action_id: str, *, failed: bool, message_pk: str, company: str) -> A | None:
        """
        Apply a provider's callback as evidence. Returns the resulting action; None if *company* has no such action.

        The first callback decides: `confirmed` and `failed` are final. Stores *message_pk* if no message key is known
        yet.
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
            # Count only state changes: callbacks repeat, and later ones have no effect.
            metrics.add_metric("SendFailed" if failed else "SendConfirmed", MetricUnit.Count, 1)
        action = self._kind.model_validate(changed) if changed else None
        return action if action and action.company == company else None

    def link(self, action_id: str, message_pk: str) -> A | None:
        """Store *message_pk* if no message key is known yet; return the action, None if there is none. Idempotent."""
        try:
            linked = self._table.update(
                self._key_of(action_id),
                put_once={self._kind.named("message_pk"): message_pk},
                when=self._kind.attr("action_id").exists(),
            )
        except ConditionFailed:
            return None
        return self._kind.model_validate(linked)

    def give_up(self, action_id: str) -> A | None:
        """
        Mark an attempt as unknown if its deadline has passed without an outcome. Returns the action; None if there is
        none.

        For actions at most once, whose only evidence is a callback. Raises Transient while the attempt may be alive.
        """
        item = self._table.get(self._key_of(action_id))
        action = self._kind.model_validate(item) if item else None
        if item is None or action is None or not self._is_in_doubt(action):
            return action
        if self._leases.is_held(item):
            raise Transient("send_in_progress", max(0, action.deadline - clock.now_ms()))
        metrics.add_metric("SendUnknown", MetricUnit.Count, 1)
        self._settle(action, State.UNKNOWN, {"reason": "no_evidence"})
        return self.action(action_id)  # A callback may have been faster.

    def forget(self, action_id: str) -> None:
        """
        Remove the hashes of recipient and body, and the provider's id, which may contain the recipient. Idempotent.

        The item itself stays, so that the action is not performed again.
        """
        named = ("recipient_hash", "body_hash", "provider_id", "evidence")
        with suppress(ConditionFailed):
            self._table.update(
                self._key_of(action_id),
                drop=[self._kind.named(field) for field in named],
                when=self._kind.attr("action_id").exists(),
            )

    @staticmethod
    def _is_in_doubt(action: A) -> bool:
        """Whether an attempt was made, or is being made, and has no outcome."""
        return action.state is State.RESERVED and action.deadline != 0

    def _mine(self, intended: A, owner: str, remaining_ms: int) -> A:
        """Return *intended* as reserved by this invocation."""
        return intended.model_copy(
            update={
                # Unique per reservation: an existing item with this owner is our own write whose response was lost.
                "owner": f"{owner}/{secrets.token_hex(8)}",
                "reserved_at": clock.now_ms(),
                "deadline": leases.expiry(remaining_ms, GRACE_MS),
                "ttl": clock.expires_in(self._kind.ttl_seconds),
            }
        )

    def _attempt(
        self,
        action: A,
        send: Callable[[], str | None],
        settle: Callable[[A, State, dict[str, Any]], None],
    ) -> State:
        """Make one provider call and record its outcome with *settle*. Raises Transient."""
        metrics.add_metric("SendAttempted", MetricUnit.Count, 1)
        try:
            with tracing.step("send", provider=action.provider, channel=action.channel):
                provider_id = send()
                tracing.annotate(outcome=State.SENT)
        except Refused as refusal:
            metrics.add_metric("SendFailed", MetricUnit.Count, 1)
            details = refusal.details.without_texts() if refusal.details else {}
            settle(action, State.FAILED, {"reason": refusal.code, **details})
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
        """Reserve *action*; return it, or the existing action if there is nothing to do. Raises Transient."""
        item = self._item(action)
        stored = self._leases.claim(self._key_of(action.action_id), item)
        existing = self._kind.model_validate(stored)
        if existing.owner == action.owner or existing.state is not State.RESERVED:
            return existing
        if self._leases.is_held(stored):
            raise Transient("send_in_progress")
        may_resend = existing.on_doubt is OnDoubt.RESEND
        try:
            found = evidence(existing) if existing.deadline else None
        except InDoubt:
            found, may_resend = None, False
        if found is not None:
            self._settle(existing, State.CONFIRMED, {"evidence": found})
            return existing.model_copy(update={"state": State.CONFIRMED})
        # deadline 0: the previous attempt certainly sent nothing, so resending is safe under either policy.
        if existing.deadline and not may_resend:
            metrics.add_metric("SendUnknown", MetricUnit.Count, 1)
            self._settle(existing, State.UNKNOWN, {"reason": "no_evidence"})
            return existing.model_copy(update={"state": State.UNKNOWN})
        return self._take_over(existing, stored, item)

    def _take_over(self, dead: A, stored: Attributes, item: Attributes) -> A:
        """Reserve the next attempt. Raises Transient if another worker was faster."""
        key = self._key_of(dead.action_id)
        # The new attempt may have a different text than the previous one.
        facts = {name: value for name, value in item.items() if name not in key}
        try:
            taken = self._leases.take_over(key, stored, item, put=facts, when=self._still(dead))
        except leases.Held:
            raise Transient("send_in_progress") from None
        return self._kind.model_validate(taken)

    def _settle(self, action: A, state: State, facts: dict[str, Any]) -> None:
        """Write the outcome of this attempt, unless another worker has taken over or a callback was faster."""
        stored = {self._kind.named(field): value for field, value in facts.items()}
        try:
            self._table.update(
                self._key_of(action.action_id),
                put={self._kind.named("state"): state, **stored},
                when=self._still(action),
            )
        except ConditionFailed as refusal:
            existing = self._kind.model_validate(refusal.existing) if refusal.existing else None
            # Our own write whose response was lost, and callbacks, leave the attempt number unchanged.
            if existing is None or existing.attempt != action.attempt:
                metrics.add_metric("SendDoubled", MetricUnit.Count, 1)
                self._leave_evidence(action, facts)

    def _conclude(self, action: A, state: State, facts: dict[str, Any]) -> None:
        """Write the item of an attempt that was reserved elsewhere, unless `enter` has written it meanwhile."""
        concluded = action.model_copy(update={"state": state, **facts})
        try:
            self._table.put(self._item(concluded), when=self._kind.attr("action_id").not_exists())
        except ConditionFailed:
            # The item may also be our own write whose response was lost; `_settle` then changes nothing.
            self._settle(action, state, facts)

    def _leave_evidence(self, action: A, facts: dict[str, Any]) -> None:
        """Record the outcome of an attempt that another worker took over, for later diagnosis."""
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
