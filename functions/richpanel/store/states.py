"""
What is remembered of tickets and customers. Every write is conditional on the version that it was made from.

Several workers may write one row: the sweep's, a person's, another message's. Whoever loses reads again and says anew
what to change; what a change says must therefore only depend on the state that it is given.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from richpanel.store.items import ConversationState, CustomerState, StateRow, Sweep, key_of
from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.failures import Transient

ROUNDS = 3


class Erased(Exception):
    """The conversation was erased, perhaps just now: nothing is written or done for it any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """What to write: `put` sets (None leaves as it is), `add` adds members of a set, `drop` removes."""

    put: Attributes = field(default_factory=dict)
    add: Attributes = field(default_factory=dict)
    drop: tuple[str, ...] = ()


# None: there is nothing to change.
type Decide[Row: StateRow] = Callable[[Row | None], Change | None]


def conversation(table: Table, conversation_id: str) -> ConversationState | None:
    """What is known of a ticket, strongly consistent."""
    item = table.get(key_of(ConversationState, conversation_id))
    return ConversationState.read(item) if item else None


def conversations(table: Table, ids: list[str]) -> dict[str, ConversationState]:
    """What is known of at most 100 tickets, by id."""
    found = table.get_many([key_of(ConversationState, one) for one in dict.fromkeys(ids)])
    rows = [ConversationState.read(item) for item in found]
    return {row.conversation_id: row for row in rows}


def customer(table: Table, hmac: str) -> CustomerState | None:
    """How often a customer was answered, strongly consistent."""
    item = table.get(key_of(CustomerState, CustomerState.key(hmac)))
    return CustomerState.read(item) if item else None


def sweep(table: Table) -> Sweep | None:
    """How far the sweep has come."""
    item = table.get(key_of(Sweep, Sweep.patterns[0]))
    return Sweep.read(item) if item else None


def change_conversation(
    table: Table, conversation_id: str, decide: Decide[ConversationState]
) -> ConversationState | None:
    """Change what is known of a ticket, and return it. Raises Erased, and Transient when others write all the time."""

    def unless_erased(state: ConversationState | None) -> Change | None:
        if state and state.erased_at:
            raise Erased
        return decide(state)

    return _change(table, ConversationState, conversation_id, unless_erased)


def change_customer(table: Table, hmac: str, decide: Decide[CustomerState]) -> CustomerState | None:
    """Change what is known of a customer. Raises Transient when others write it all the time."""
    return _change(table, CustomerState, CustomerState.key(hmac), decide)


def note_sweep(table: Table, began_at: str) -> None:
    """Note that the pass of the sweep that began then read all it had to; an older one changes nothing."""

    def complete(known: Sweep | None) -> Change | None:
        is_newer = known is None or (known.completed_at or "") < began_at
        fact = Sweep.named(completed_at=began_at)
        return Change(put=fact, drop=("began_at", "next_page")) if is_newer else None

    _change(table, Sweep, Sweep.patterns[0], complete)


def note_sweep_page(table: Table, began_at: str, next_page: int) -> None:
    """Note that the pass of the sweep that began then goes on at this page. Safe to repeat."""
    facts = Sweep.named(began_at=began_at, next_page=next_page)
    _change(table, Sweep, Sweep.patterns[0], lambda _: Change(put=facts))


def bury(table: Table, conversation_id: str, ttl_seconds: int) -> None:
    """Forget all of a ticket but that it was erased, for as long as a redelivery may come. Safe to repeat."""
    now = clock.to_text(clock.now_ms())
    tombstone = ConversationState(
        conversation_id=conversation_id,
        updated_at=now,
        erased_at=now,
        expires_at=clock.expires_in(ttl_seconds),
    )
    # No condition: whatever stands there is to go, and a writer who read it before finds another version.
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
            continue  # Somebody was faster; or our own write was, and its answer was lost: then nothing is left to do.
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
    # A row whose time is over is not shown, and may still be there: nothing of it may come back.
    is_gone = kind.attr("expires_at").lte(clock.now_ms() // clock.SECOND_MS)
    row = {
        name: value
        for name, value in {**key_of(kind, key), **facts, **change.add}.items()
        if value is not None
    }
    table.put(row, when=version.not_exists() | is_gone)
    return row
