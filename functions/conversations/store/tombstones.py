"""The end of a conversation's state: fenced off while all else is erased, then a tombstone."""

from conversations.store.items.log import State, state_key
from shared.aws.dynamodb import ConditionFailed, Table


def until_buried(table: Table, ref: str) -> State | None:
    """The state, of a conversation that is being erased too, as long as more than a tombstone is left of it."""
    item = table.get(state_key(ref))
    return State.read(item) if item and "conversation_id" in item else None


def fence_erased(table: Table, ref: str, at: str) -> bool:
    """
    Let nobody write to a conversation from now on who has not begun to; False where that was so.

    What it is found by stays until all else is erased. Safe to repeat.
    """
    try:
        table.update(
            state_key(ref),
            put={"item_type": State.item_type, **State.named(erased_at=at)},
            add=State.named(generation=1),
            when=State.attr("erased_at").not_exists(),
        )
    except ConditionFailed:
        return False
    return True


def bury(table: Table, ref: str, at: str, ttl: int) -> None:
    """Leave of an erased conversation's state that it was erased, and nothing else. Safe to repeat."""
    facts = {"item_type": State.item_type, **State.named(erased_at=at, ttl=ttl)}
    table.put({**state_key(ref), **facts})
