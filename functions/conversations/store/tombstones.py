"""The state of a conversation during its erasure: fenced first, replaced by a tombstone at the end."""

from conversations.store.items.log import State, state_key
from shared.aws.dynamodb import ConditionFailed, Table


def read_state(table: Table, ref: str) -> State | None:
    """Return the state, also of a conversation being erased; None if there is none or only a tombstone."""
    item = table.get(state_key(ref))
    return State.read(item) if item and "conversation_id" in item else None


def fence_erased(table: Table, ref: str, at: str) -> bool:
    """
    Fence a conversation against new writers by setting `erased_at`; False if it was fenced before.

    The attributes by which its data is found stay until all other data is deleted. Idempotent.
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


def replace_state(table: Table, ref: str, at: str, ttl: int) -> None:
    """Replace the state of an erased conversation by a tombstone. Idempotent."""
    facts = {"item_type": State.item_type, **State.named(erased_at=at, ttl=ttl)}
    table.put({**state_key(ref), **facts})
