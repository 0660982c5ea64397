"""
Slots of the reply turns that a project runs at the same time: one item per project, a set with a member per turn.

    take       one conditional write adds a member, while the set is smaller than the limit
    release    removes it
    (killed)   the lease in the member ends; the next turn that finds no slot removes the member
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store.items.base import key
from conversations.store.items.records import TurnSlots
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

_REMOVALS = 3  # other turns may take the slots of expired members first


def take(table: Table, project: tuple[str, str], most: int, turn: str, *, is_older: bool) -> bool:
    """
    Take one of *most* slots of a project (company and project id) for a *turn*, see `turn_of`; False if none is free.

    While a turn that *is_older* is about to be tried again, only such turns take a slot. Idempotent for the same turn.
    """
    slots, now = _slots_key(*project), clock.now_ms()
    facts = {"item_type": TurnSlots.item_type, **TurnSlots.named(ttl=TurnSlots.time_to_live())}
    for _ in range(_REMOVALS):
        try:
            table.update(
                slots,
                add=TurnSlots.named(turns={turn}),
                put=facts,
                when=_has_room(most, now, is_older=is_older),
            )
        except ConditionFailed as refusal:
            turns = TurnSlots.read(refusal.existing or {}).turns
        else:
            return True
        if turn in turns:  # This worker's own write, whose response was lost.
            return True
        expired = {taken for taken in turns if _lease_end(taken) <= now}
        if not expired:
            return False
        # A member contains the end of its lease, so that a renewed lease is another member.
        table.update(slots, take_from_set=TurnSlots.named(turns=expired))
    return False


def release(table: Table, project: tuple[str, str], turn: str) -> None:
    """Free the slot of a turn. Idempotent."""
    table.update(_slots_key(*project), take_from_set=TurnSlots.named(turns={turn}))


def prefer_older(table: Table, project: tuple[str, str], until_ms: int) -> None:
    """Keep free slots for turns that have waited for long, until one of them is tried again."""
    table.update(_slots_key(*project), put=TurnSlots.named(older_until=until_ms))


def turn_of(owner: str, lease_until: int) -> str:
    """Return the member of a worker's turn; the lease must end after the worker's own deadline."""
    return f"{lease_until}#{owner}"


def _has_room(most: int, now: int, *, is_older: bool) -> ConditionBase:
    turns, older = TurnSlots.attr("turns"), TurnSlots.attr("older_until")
    # DynamoDB removes a set with its last member.
    has_room = turns.not_exists() | turns.size().lt(most)
    return has_room if is_older else has_room & (older.not_exists() | older.lte(now))


def _lease_end(turn: str) -> int:
    return int(turn.partition("#")[0])


def _slots_key(company_id: str, project_id: str) -> Attributes:
    return key(TurnSlots.partition(company_id, project_id))
