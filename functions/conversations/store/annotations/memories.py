"""The memories of conversations: read as one item, written if nothing else has changed them."""

from conversations.store.items.log import of
from conversations.store.items.parts.memory import Memory
from shared.aws.dynamodb import ConditionFailed, Table


def read(table: Table, ref: str) -> Memory | None:
    """Return the memory of a conversation, strongly consistent, or None."""
    item = table.get(of(ref, Memory.sk()))
    return Memory.read(item) if item else None


def write(table: Table, ref: str, memory: Memory, *, seen: Memory | None) -> bool:
    """Store a memory; False if it has changed since *seen*. Safe to repeat."""
    revision = Memory.attr("revision")
    unchanged = revision.eq(seen.revision) if seen else revision.not_exists()
    stored = memory.attributes(of(ref, Memory.sk()))
    try:
        table.put(stored, when=unchanged)
    except ConditionFailed as refusal:
        return refusal.existing is not None and Memory.read(refusal.existing) == Memory.read(stored)
    return True
