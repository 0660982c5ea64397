"""
The state of a conversation: claims of turns, the fence, and the marks that only move forward.

Every change is conditional on what it was decided from, and safe to repeat.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.conditions import ConditionBase, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import Mode, Stage, State, Turn, state_key
from shared import clock
from shared.aws.dynamodb import ConditionFailed, Table


class Gone(Exception):
    """There is no such conversation, or none any more. *is_erased*: nothing of it may come back."""

    def __init__(self, *, is_erased: bool = False) -> None:
        super().__init__("gone")
        self.is_erased = is_erased


class Fenced(Exception):
    """The turn may not send: somebody took over, or it is another worker's by now. *state* is how things stand."""

    def __init__(self, state: State) -> None:
        super().__init__("fenced")
        self.state = state


@dataclass(frozen=True, slots=True)
class Claimed:
    """The state with the turn in it. *replaced* is a turn that was given up for it: its message is never sent."""

    state: State
    turn: Turn
    replaced: Turn | None = None


class Busy(Exception):
    """Another turn is under way. *turn* is that one."""

    def __init__(self, turn: Turn) -> None:
        super().__init__("busy")
        self.turn = turn


def read(table: Table, ref: str) -> State | None:
    """The state, strongly consistent; None where there is none, or the conversation was erased."""
    item = table.get(state_key(ref))
    return None if item is None or State.is_erased(item) else State.read(item)


def read_many(table: Table, refs: list[str]) -> dict[str, State]:
    """The states of conversations, by `ref`."""
    found = table.get_many([state_key(ref) for ref in dict.fromkeys(refs)])
    alive = [item for item in found if not State.is_erased(item)]
    return {str(item["pk"]).partition("#")[2]: State.read(item) for item in alive}


def ref_in_use(table: Table, refs: Sequence[str]) -> str:
    """
    The first of a conversation's possible *refs* that has a state or a tombstone; without any, the first of all.

    No read for a single ref.
    """
    candidates = list(dict.fromkeys(refs))
    if len(candidates) == 1:
        return candidates[0]
    return next((ref for ref in candidates if _exists(table, ref)), candidates[0])


def _exists(table: Table, ref: str) -> bool:
    where = state_key(ref)
    # A query: the router may not get items.
    condition = Key(PARTITION_KEY).eq(where[PARTITION_KEY]) & Key(SORT_KEY).eq(where[SORT_KEY])
    return bool(table.query(None, condition)[0])


def is_erased(table: Table, ref: str) -> bool:
    """Whether a conversation was erased: nothing may write to it any more, whatever still knows of it."""
    return State.is_erased(table.get(state_key(ref)))


def create(table: Table, ref: str, state: State) -> State:
    """Write a conversation's state unless it has one; the state as it then is. Raises Gone for an erased one."""
    absent = State.attr("conversation_id").not_exists() & State.attr("erased_at").not_exists()
    try:
        table.put(state.attributes(state_key(ref)), when=absent)
    except ConditionFailed as refusal:
        return _state_of(refusal)
    return state


def claim(table: Table, ref: str, seen: State, turn: Turn) -> Claimed:
    """
    Claim the conversation for a turn, if nobody alive has it: T1.

    A turn whose worker may be alive, and any turn whose message may be on its way, is not replaced: Busy.
    """
    found = seen.turn
    is_same = found is not None and found.turn_id == turn.turn_id
    if found and is_same and found.owner == turn.owner and found.generation == turn.generation:
        return Claimed(seen, found)
    if found and not _may_replace(found, turn):
        raise Busy(found)
    if found and is_same:
        # What was drafted before is what is sent: it is found under its key.
        turn = turn.model_copy(update={"message_sk": found.message_sk})
    unchanged = _same_turn(found) & State.attr("generation").eq(seen.generation)
    try:
        item = table.update(state_key(ref), put=_turn(turn), when=unchanged)
    except ConditionFailed as refusal:
        return _found_instead(refusal, turn)
    return Claimed(State.read(item), turn, None if is_same else found)


def pass_fence(table: Table, ref: str, turn: Turn) -> tuple[State, Turn]:
    """
    The fence: from here on the message of the turn may be on its way (T4). Raises Fenced and Gone.

    It holds if nobody raised the generation since the turn was claimed and the turn is still this worker's.
    """
    sending = turn.model_copy(update={"stage": Stage.SENDING})
    mine = State.attr("turn.turn_id").eq(turn.turn_id) & State.attr("turn.owner").eq(turn.owner)
    unchanged = State.attr("generation").eq(turn.generation)
    try:
        item = table.update(state_key(ref), put=_turn(sending), when=mine & unchanged)
    except ConditionFailed as refusal:
        state = _state_of(refusal)
        if state.turn == sending:  # Our own write, whose answer was lost.
            return state, sending
        raise Fenced(state) from None
    return State.read(item), sending


def take_sending(table: Table, ref: str, seen: Turn, owner: str, lease_until: int) -> Turn | None:
    """Go on with a turn whose worker died while its message was on the way; None where somebody else does."""
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
    told: Collection[str] = (),
    **facts: Any,  # noqa: ANN401 - values of any field
) -> State | None:
    """
    End a turn and write its marks (T8); None where it was ended before. Safe to repeat.

    With *seen* the marks are decided from that generation; None too where people have raised it since. Marks that say
    who may speak from now on, or what people decide about, come with *raises_fence*. *told* leaves `to_tell`.
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
            take_from_set=_members(to_tell=told),
            when=same,
        )
    except ConditionFailed:
        return None
    return State.read(item)


def take_inbound(table: Table, ref: str, at: str, *, window_until: str | None) -> State:
    """Note a customer's message: the marks move forward only, and one of them never waits for another. Raises Gone."""
    exists = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    inbound = State.named(last_inbound_at=at, window_until=window_until)
    is_newest = _before("last_message_at", at) & _before("last_inbound_at", at)
    try:
        facts = {**inbound, **State.named(last_message_at=at)}
        return State.read(table.update(state_key(ref), put=facts, when=exists & is_newest))
    except ConditionFailed as refusal:
        state = _state_of(refusal)
    if (state.last_inbound_at or "") >= at:
        return state
    # A message of ours, sent meanwhile, is newer; the customer was heard all the same.
    try:
        is_newer = exists & _before("last_inbound_at", at)
        return State.read(table.update(state_key(ref), put=inbound, when=is_newer))
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
    Raise the fence and say who may speak: no turn that was claimed before may send from now on.

    *into* and *out_of* name what comes into sets and leaves them. None where the state is not as it was *seen*. A turn
    stays in it: its stage says whether a message was faster.
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
    """Write facts that depend on nothing. Raises Gone."""
    exists = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    try:
        return State.read(
            table.update(state_key(ref), put=State.named(**facts), drop=drop, when=exists)
        )
    except ConditionFailed as refusal:
        raise Gone(is_erased=State.is_erased(refusal.existing)) from None


def note_done(table: Table, ref: str, sk: str) -> State:
    """Note that a released function was carried out, and is to be told to the model. Raises Gone. Safe to repeat."""
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


def _may_replace(found: Turn, turn: Turn) -> bool:
    if found.stage is Stage.SENDING:
        return False
    is_older = found.generation < turn.generation
    return found.is_over or is_older or found.owner == turn.owner


def _same_turn(seen: Turn | None) -> ConditionBase:
    is_alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    if seen is None:
        return State.attr("turn").not_exists() & is_alive
    same = State.attr("turn.turn_id").eq(seen.turn_id) & State.attr("turn.owner").eq(seen.owner)
    at = State.attr("turn.lease_until").eq(seen.lease_until)
    return same & at & State.attr("turn.stage").eq(seen.stage) & is_alive


def _found_instead(refusal: ConditionFailed, turn: Turn) -> Claimed:
    state = _state_of(refusal)
    if state.turn == turn:  # Our own write, whose answer was lost.
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
    """Members of sets as they are stored; DynamoDB knows no empty ones."""
    return State.named(**{name: set(members) for name, members in sets.items() if members})


def _turn(turn: Turn) -> dict[str, Any]:
    return State.named(turn=turn.model_dump(mode="json", exclude_none=True))


def lease_for(remaining_ms: int) -> int:
    """Until when a worker with so much time left may be alive; the rest covers clocks that differ."""
    return clock.now_ms() + remaining_ms + 5 * clock.SECOND_MS
