"""
State rows of tickets, customers and the sweep. Every change is conditional on the version that it was made from.

Several workers may write one row: for another message, the sweep, an operator. A writer that loses reads the row again
and decides again; a change must therefore depend only on the state passed to it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from richpanel.store.items import ConversationState, CustomerState, StateRow, Sweep, key_of
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient

ROUNDS = 3


class Erased(Exception):
    """The conversation was erased, possibly just now: nothing more is written or done for it."""


@dataclass(frozen=True, slots=True)
class Change:
    """An update: `put` sets attributes (None changes nothing), `add` adds set members, `drop` removes attributes."""

    put: Attributes = field(default_factory=dict)
    add: Attributes = field(default_factory=dict)
    drop: tuple[str, ...] = ()


# Returns None if there is nothing to change.
type Decide[Row: StateRow] = Callable[[Row | None], Change | None]


def conversation(table: Table, conversation_id: str) -> ConversationState | None:
    """Read the state of a ticket, strongly consistent."""
    item = table.get(key_of(ConversationState, conversation_id))
    return ConversationState.read(item) if item else None


def conversations(table: Table, ids: list[str]) -> dict[str, ConversationState]:
    """Read the states of at most 100 tickets, by id."""
    items = table.get_many(
        [key_of(ConversationState, ticket_id) for ticket_id in dict.fromkeys(ids)]
    )
    rows = [ConversationState.read(item) for item in items]
    return {row.conversation_id: row for row in rows}


def customer(table: Table, hmac: str) -> CustomerState | None:
    """Read the state of a customer, strongly consistent."""
    item = table.get(key_of(CustomerState, CustomerState.key(hmac)))
    return CustomerState.read(item) if item else None


def sweep(table: Table) -> Sweep | None:
    """Read the progress of the sweep."""
    item = table.get(key_of(Sweep, Sweep.patterns[0]))
    return Sweep.read(item) if item else None


def change_conversation(
    table: Table, conversation_id: str, decide: Decide[ConversationState]
) -> ConversationState | None:
    """Change the state of a ticket, and return it. Raises Erased, and Transient after repeated write conflicts."""

    def unless_erased(state: ConversationState | None) -> Change | None:
        if state and state.erased_at:
            raise Erased
        return decide(state)

    return _change(table, ConversationState, conversation_id, unless_erased)


def change_customer(table: Table, hmac: str, decide: Decide[CustomerState]) -> CustomerState | None:
    """Change the state of a customer. Raises Transient after repeated write conflicts."""
    return _change(table, CustomerState, CustomerState.key(hmac), decide)


def note_sweep(table: Table, began_at: str) -> None:
    """Record that the sweep's pass begun at *began_at* is complete; an older pass changes nothing."""

    def complete(sweep: Sweep | None) -> Change | None:
        is_newer = sweep is None or (sweep.completed_at or "") < began_at
        fact = Sweep.named(completed_at=began_at)
        return Change(put=fact, drop=("began_at", "next_page")) if is_newer else None

    _change(table, Sweep, Sweep.patterns[0], complete)


def note_sweep_page(table: Table, began_at: str, next_page: int) -> None:
    """Record that the sweep's pass begun at *began_at* continues at this page. Safe to repeat."""
    facts = Sweep.named(began_at=began_at, next_page=next_page)
    _change(table, Sweep, Sweep.patterns[0], lambda _: Change(put=facts))


def replace_with_tombstone(
    table: Table, conversation_id: str, ttl_seconds: int, contact_id: str | None = None
) -> None:
    """Replace a ticket's state with a tombstone, kept for as long as a redelivery may arrive. Safe to repeat."""
    now = clock.to_text(clock.now_ms())
    tombstone = ConversationState(
        conversation_id=conversation_id,
        updated_at=now,
        contact_id=contact_id,
        erased_at=now,
        expires_at=clock.expires_in(ttl_seconds),
    )
    # No condition: any existing row is to be replaced, and a writer that read it before finds another version.
    table.put(tombstone.attributes())


def _change[Row: StateRow](
    table: Table, kind: type[Row], key: str, decide: Decide[Row]
) -> Row | None:
    for _ in range(ROUNDS):
        item = table.get(key_of(kind, key))
        seen = kind.read(item) if item else None
        change = decide(seen)
        if change is None:
            return seen
        try:
            return kind.read(_write(table, kind, key, seen, change))
        except ConditionFailed:
            continue  # Another writer was faster, or this write succeeded and its response was lost.
    raise Transient("state_contended")


def _write[Row: StateRow](
    table: Table, kind: type[Row], key: str, seen: Row | None, change: Change
) -> Attributes:
    version = kind.attr("version")
    facts = change.put | kind.named(
        updated_at=clock.to_text(clock.now_ms()),
        expires_at=kind.time_to_live(),
        version=seen.version + 1 if seen else 1,
    )
    if seen:
        return table.update(
            key_of(kind, key),
            put=facts,
            add=change.add,
            drop=change.drop,
            when=version.eq(seen.version),
        )
    # An expired row is not returned by reads but may still exist: replace it entirely.
    is_gone = kind.attr("expires_at").lte(clock.now_ms() // clock.SECOND_MS)
    row = {
        name: value
        for name, value in {**key_of(kind, key), **facts, **change.add}.items()
        if value is not None
    }
    table.put(row, when=version.not_exists() | is_gone)
    return row
