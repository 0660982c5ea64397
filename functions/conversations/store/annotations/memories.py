"""The memories of conversations: read as one item, written if nothing else has changed them."""

from collections.abc import Collection

from conversations.store.items.base import PARTITION_KEY
from conversations.store.items.log import of
from conversations.store.items.parts.memory import Memory
from shared.aws.dynamodb import ConditionFailed, Table


def read(table: Table, ref: str) -> Memory | None:
    """Return the memory of a conversation, strongly consistent, or None."""
    item = table.get(of(ref, Memory.sk()))
    return Memory.read(item) if item else None


def read_many(table: Table, refs: Collection[str]) -> dict[str, Memory]:
    """Return the memories of conversations by `ref`, strongly consistent, without those that have none."""
    items = table.get_many([of(ref, Memory.sk()) for ref in refs]) if refs else []
    return {str(item[PARTITION_KEY]).partition("#")[2]: Memory.read(item) for item in items}


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
