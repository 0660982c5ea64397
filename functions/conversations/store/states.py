"""
The state of a conversation: turn claims, the fence, and timestamps that only move forward.

Every change is conditional on the state it was decided from, and idempotent.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.conditions import ConditionBase, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import Mode
from conversations.store.items.parts.state import Satisfaction, State, state_key
from conversations.store.items.turn import Stage, Turn
from shared.aws.dynamodb import ConditionFailed, Table

_SNOOZE = ("snoozed_until",)


class Gone(Exception):
    """The conversation does not exist or was deleted. *is_erased*: it was erased and must not be recreated."""

    def __init__(self, *, is_erased: bool = False) -> None:
        super().__init__("gone")
        self.is_erased = is_erased


class Fenced(Exception):
    """The turn may not send: the fence was raised, or another worker owns the turn. *state* is the current state."""

    def __init__(self, state: State) -> None:
        super().__init__("fenced")
        self.state = state


class Overtaken(Exception):
    """The customer has written since the time that the turn has read until. *state* is the current state."""

    def __init__(self, state: State) -> None:
        super().__init__("overtaken")
        self.state = state


@dataclass(frozen=True, slots=True)
class Claimed:
    """The state with the claimed turn. *replaced* is the abandoned previous turn, whose message is never sent."""

    state: State
    turn: Turn
    replaced: Turn | None = None


class Busy(Exception):
    """Another turn, *turn*, is under way."""

    def __init__(self, turn: Turn) -> None:
        super().__init__("busy")
        self.turn = turn


def read(table: Table, ref: str) -> State | None:
    """Return the state, strongly consistent; None if there is none or the conversation was erased."""
    item = table.get(state_key(ref))
    return None if item is None or State.is_erased(item) else State.read(item)


def read_many(table: Table, refs: list[str]) -> dict[str, State]:
    """Return the states of conversations by `ref`, without erased ones."""
    items = table.get_many([state_key(ref) for ref in dict.fromkeys(refs)])
    alive = [item for item in items if not State.is_erased(item)]
    return {str(item["pk"]).partition("#")[2]: State.read(item) for item in alive}


def ref_in_use(table: Table, refs: Sequence[str]) -> str:
    """
    Return the first of a conversation's possible *refs* that has a state or a tombstone, or else the first one.

    No read for a single ref.
    """
    candidates = list(dict.fromkeys(refs))
    if len(candidates) == 1:
        return candidates[0]
    return next((ref for ref in candidates if _exists(table, ref)), candidates[0])


def _exists(table: Table, ref: str) -> bool:
    where = state_key(ref)
    # A query, since the router's role does not allow GetItem.
    condition = Key(PARTITION_KEY).eq(where[PARTITION_KEY]) & Key(SORT_KEY).eq(where[SORT_KEY])
    return bool(table.query(None, condition)[0])


def is_erased(table: Table, ref: str) -> bool:
    """Whether a conversation was erased and must not be written to."""
    return State.is_erased(table.get(state_key(ref)))


def create(table: Table, ref: str, state: State) -> State:
    """Write a conversation's state unless it exists and return the stored one. Raises Gone if it was erased."""
    absent = State.attr("conversation_id").not_exists() & State.attr("erased_at").not_exists()
    try:
        table.put(state.attributes(state_key(ref)), when=absent)
    except ConditionFailed as refusal:
        return _state_of(refusal)
    return state


def claim(table: Table, ref: str, seen: State, turn: Turn) -> Claimed:
    """
    Claim the conversation for a turn (T1). Raises Busy, Fenced and Gone.

    Busy: the current turn's worker may be alive, or its message may have been sent; such a turn is not replaced.
    """
    current = seen.turn
    is_same = current is not None and current.turn_id == turn.turn_id
    if (
        current
        and is_same
        and current.owner == turn.owner
        and current.generation == turn.generation
    ):
        return Claimed(seen, current)
    if current and not _may_replace(current, turn):
        raise Busy(current)
    if current and is_same:
        # Keeps the key of the message drafted before, which is the one that is sent.
        turn = turn.model_copy(update={"message_sk": current.message_sk})
    unchanged = _same_turn(current) & State.attr("generation").eq(seen.generation)
    try:
        item = table.update(state_key(ref), put=_turn(turn), when=unchanged)
    except ConditionFailed as refusal:
        return _claim_after_conflict(refusal, turn)
    return Claimed(State.read(item), turn, None if is_same else current)


def pass_fence(
    table: Table, ref: str, turn: Turn, *, read_until: str | None = None
) -> tuple[State, Turn]:
    """
    Pass the fence (T4): from here on the message of the turn may have been sent. Raises Fenced, Overtaken and Gone.

    Succeeds if the generation is unchanged since the turn was claimed, this worker still owns the turn and, with
    *read_until*, the customer has not written after that time.
    """
    sending = turn.model_copy(update={"stage": Stage.SENDING})
    mine = State.attr("turn.turn_id").eq(turn.turn_id) & State.attr("turn.owner").eq(turn.owner)
    may: Any = mine & State.attr("generation").eq(turn.generation)
    if read_until is not None:
        inbound = State.attr("last_inbound_at")
        may &= inbound.not_exists() | inbound.lte(read_until)
    try:
        item = table.update(state_key(ref), put=_turn(sending), when=may)
    except ConditionFailed as refusal:
        state = _state_of(refusal)
        if state.turn == sending:  # This worker's own write, whose response was lost.
            return state, sending
        if state.turn == turn and state.generation == turn.generation:
            raise Overtaken(state) from None
        raise Fenced(state) from None
    return State.read(item), sending


def take_sending(table: Table, ref: str, seen: Turn, owner: str, lease_until: int) -> Turn | None:
    """Take over a `sending` turn whose worker died; None if another worker has taken it over."""
    mine = seen.model_copy(update={"owner": owner, "lease_until": lease_until})
    try:
        table.update(state_key(ref), put=_turn(mine), when=_same_turn(seen))
    except ConditionFailed as refusal:
        return mine if _state_of(refusal).turn == mine else None
    return mine


def release(
    table: Table,
    ref: str,
    turn: Turn,
    *,
    seen: int | None = None,
    raises_fence: bool = False,
    drop: tuple[str, ...] = (),
    reported: Collection[str] = (),
    **facts: Any,  # noqa: ANN401 - values of any field
) -> State | None:
    """
    End a turn and write its final *facts* (T8); None if it was ended before. Idempotent.

    *seen*: the generation from which the facts were decided; also None if the generation is higher by now.
    *raises_fence* is required for facts that change the mode or a pending approval. *reported*: function results that
    the model has received, removed from `to_tell`.
    """
    same: Any = State.attr("turn.turn_id").eq(turn.turn_id)
    same &= State.attr("turn.owner").eq(turn.owner)
    fence = State.named(generation=1) if raises_fence else {}
    if seen is not None:
        same &= State.attr("generation").eq(seen)
    try:
        item = table.update(
            state_key(ref),
            put=State.named(**facts),
            add=fence,
            drop=["turn", *drop],
            take_from_set=_members(to_tell=reported),
            when=same,
        )
    except ConditionFailed:
        return None
    return State.read(item)


def note_withdrawal(table: Table, ref: str, at: str) -> None:
    """Record that another person had the customer's number at a time; it only moves forward. Idempotent."""
    alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    with suppress(ConditionFailed):
        table.update(
            state_key(ref),
            put=State.named(number_withdrawn_at=at),
            when=alive & _before("number_withdrawn_at", at),
        )


def note_number_change(table: Table, ref: str, at: str) -> None:
    """Record that a change of the owner of a conversation's number was noted, which may be of any time. Idempotent."""
    alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    with suppress(ConditionFailed):
        table.update(state_key(ref), put=State.named(number_changed_at=at), when=alive)


def note_satisfaction(table: Table, ref: str, given: Satisfaction) -> bool:
    """Record how satisfied the customer is; False if there is another answer with this number, or no conversation."""
    alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    before = State.attr("satisfaction.answers")
    is_next = before.eq(given.answers - 1) if given.answers > 1 else before.not_exists()
    try:
        table.update(
            state_key(ref),
            put=State.named(satisfaction=given.model_dump(exclude_none=True)),
            when=alive & is_next,
        )
    except ConditionFailed:
        return False
    return True


def take_inbound(
    table: Table,
    ref: str,
    at: str,
    *,
    window_until: str | None,
    proof: Mapping[str, str | None] | None = None,
) -> State:
    """
    Record the time of a customer's message, which ends a snooze. Each timestamp moves forward only, on its own.

    *proof*: the fields of the state that show whose address it is, if the message came from it. Raises Gone.
    """
    exists = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    inbound = State.named(last_inbound_at=at, window_until=window_until, **(proof or {}))
    is_newest = _before("last_message_at", at) & _before("last_inbound_at", at)
    try:
        facts = {**inbound, **State.named(last_message_at=at)}
        return State.read(
            table.update(state_key(ref), put=facts, drop=_SNOOZE, when=exists & is_newest)
        )
    except ConditionFailed as refusal:
        state = _state_of(refusal)
    if (state.last_inbound_at or "") >= at:
        return state
    # A message sent meanwhile is newer: only the inbound timestamps are updated.
    try:
        is_newer = exists & _before("last_inbound_at", at)
        return State.read(table.update(state_key(ref), put=inbound, drop=_SNOOZE, when=is_newer))
    except ConditionFailed as refusal:
        return _state_of(refusal)


def set_mode(
    table: Table,
    ref: str,
    mode: Mode,
    *,
    seen: State,
    drop: tuple[str, ...] = (),
    into: Mapping[str, Collection[str]] | None = None,
    out_of: Mapping[str, Collection[str]] | None = None,
    **facts: Any,  # noqa: ANN401 - values of any field
) -> State | None:
    """
    Raise the fence and set the mode: a turn that was claimed before can no longer pass the fence.

    *into* and *out_of* are set members to add and remove. Returns None if the generation has changed since *seen*. The
    current turn stays in the state: its stage shows whether its message had passed the fence.
    """
    raised = State.named(generation=seen.generation + 1, mode=mode, **facts)
    unchanged = State.attr("generation").eq(seen.generation)
    try:
        item = table.update(
            state_key(ref),
            put=raised,
            add=_members(**(into or {})),
            drop=drop,
            take_from_set=_members(**(out_of or {})),
            when=unchanged,
        )
    except ConditionFailed as refusal:
        state = _state_of(refusal)
        is_ours = state.generation == seen.generation + 1 and state.mode is mode
        same = all(getattr(state, name) == value for name, value in facts.items())
        same &= all(getattr(state, name) >= {*members} for name, members in (into or {}).items())
        return state if is_ours and same else None
    return State.read(item)


def note(
    table: Table,
    ref: str,
    *,
    drop: tuple[str, ...] = (),
    **facts: Any,  # noqa: ANN401 - values of any field
) -> State:
    """Write fields without a condition on their previous values. Raises Gone."""
    exists = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    try:
        return State.read(
            table.update(state_key(ref), put=State.named(**facts), drop=drop, when=exists)
        )
    except ConditionFailed as refusal:
        raise Gone(is_erased=State.is_erased(refusal.existing)) from None


def note_done(table: Table, ref: str, sk: str) -> State:
    """Move an executed function call from `being_done` to `to_tell`. Raises Gone. Idempotent."""
    is_being_done = State.attr("being_done").contains(sk)
    try:
        return State.read(
            table.update(
                state_key(ref),
                add=_members(to_tell=[sk]),
                take_from_set=_members(being_done=[sk]),
                when=is_being_done & State.attr("erased_at").not_exists(),
            )
        )
    except ConditionFailed as refusal:
        return _state_of(refusal)


def _may_replace(current: Turn, turn: Turn) -> bool:
    if current.stage is Stage.SENDING:
        return False
    is_older = current.generation < turn.generation
    return current.is_over or is_older or current.owner == turn.owner


def _same_turn(seen: Turn | None) -> ConditionBase:
    is_alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    if seen is None:
        return State.attr("turn").not_exists() & is_alive
    same = State.attr("turn.turn_id").eq(seen.turn_id) & State.attr("turn.owner").eq(seen.owner)
    at = State.attr("turn.lease_until").eq(seen.lease_until)
    return same & at & State.attr("turn.stage").eq(seen.stage) & is_alive


def _claim_after_conflict(refusal: ConditionFailed, turn: Turn) -> Claimed:
    state = _state_of(refusal)
    if state.turn == turn:  # This worker's own write, whose response was lost.
        return Claimed(state, turn)
    if state.turn is not None:
        raise Busy(state.turn)
    raise Fenced(state)


def _state_of(refusal: ConditionFailed) -> State:
    if refusal.existing is None or State.is_erased(refusal.existing):
        raise Gone(is_erased=refusal.existing is not None) from None
    return State.read(refusal.existing)


def _before(mark: str, at: str) -> ConditionBase:
    return State.attr(mark).not_exists() | State.attr(mark).lt(at)


def _members(**sets: Collection[str]) -> dict[str, set[str]]:
    """Return the non-empty sets as stored attributes; DynamoDB does not support empty sets."""
    return State.named(**{name: set(members) for name, members in sets.items() if members})


def _turn(turn: Turn) -> dict[str, Any]:
    return State.named(turn=turn.model_dump(mode="json", exclude_none=True))
