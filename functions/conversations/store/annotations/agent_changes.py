"""Values of a conversation that agents set: labels and the end of a snooze. Messages do not change the revision."""

from dataclasses import dataclass, field
from typing import Any

from conversations.store.items.parts.state import State, state_key
from conversations.store.states import Gone
from shared.aws.dynamodb import ConditionFailed, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    *fields*: new values by field of State, None or empty for an absent one.

    *cause* identifies the call, also when it is repeated; *by* is the principal of its caller.
    """

    fields: dict[str, Any] = field(repr=False)
    cause: str
    by: str


def change(table: Table, ref: str, seen: State, made: Change) -> State | None:
    """
    Write a change of the state as it was read; without effect if it changes nothing.

    Returns None if agents have changed it meanwhile, or its mode is another one: it may be closed. Raises Gone.
    """
    changed = {name: v for name, v in made.fields.items() if getattr(seen, name) != v}
    if not changed:
        return seen
    revision = State.attr("revision")
    is_same = revision.not_exists() if seen.revision is None else revision.eq(seen.revision)
    is_alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    facts = State.named(
        **{name: value or None for name, value in changed.items()},
        revision=(seen.revision or 0) + 1,
        revised_by=made.by,
        revised_for=made.cause,
    )
    try:
        item = table.update(
            state_key(ref),
            put=facts,
            drop=[name for name, value in changed.items() if not value],
            when=is_same & State.attr("mode").eq(seen.mode) & is_alive,
        )
    except ConditionFailed as refusal:
        if refusal.existing is None or State.is_erased(refusal.existing):
            raise Gone(is_erased=refusal.existing is not None) from None
        return None
    return State.read(item)
