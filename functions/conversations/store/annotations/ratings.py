"""
Ratings of the model's messages by people: one of each person at a message, and how often each was given in the state.

Both are written in one transaction, so the counts in the state, which the inbox feed compares with what it has counted
for reports, are the messages' own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from conversations.store.items.log import Message, of
from conversations.store.items.parts.state import State, state_key
from conversations.store.states import Gone
from shared.aws.dynamodb import TransactionRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

MOST_OF_MESSAGE: Final = 20  # people who rate one message


def change(
    table: Table,
    ref: str,
    seen: State,
    message: Message,
    *,
    by: str,
    rating: str | None,
    notes: Sequence[Attributes] = (),
) -> bool:
    """
    Give a message, as it was read, the rating of the person *by*, or take it back; without effect if it has it.

    *rating* is its kind, with a reason after a colon: `rated_down:wrong`. *notes* are written with it. False if message
    or state have changed meanwhile. Raises Gone.
    """
    before = message.ratings.get(by)
    if before == rating:
        return True
    others = {one: given for one, given in message.ratings.items() if one != by}
    of_message = {**others, by: rating} if rating is not None else others
    counts = Counter(seen.ratings)
    for given, times in ((before, -1), (rating, 1)):
        if given is not None:
            counts[f"{given}|{message.ai_version or 0}"] += times
    of_state = {name: times for name, times in counts.items() if times > 0}
    is_alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    try:
        table.transact(
            table.to_update(
                of(ref, message.own_sk),
                put=Message.named(ratings=of_message),
                when=Message.attr("entry_id").exists() & _is_same(Message, message.ratings),
            ),
            table.to_update(
                state_key(ref),
                put=State.named(ratings=of_state),
                when=is_alive & _is_same(State, seen.ratings),
            ),
            *notes,
        )
    except TransactionRefused:
        present = table.get(state_key(ref))
        if present is None or State.is_erased(present):
            raise Gone(is_erased=present is not None) from None
        return False
    return True


def _is_same(
    item: type[Message | State], ratings: dict[str, str] | dict[str, int]
) -> ConditionBase:
    stored = item.attr("ratings")
    if ratings:
        return stored.eq(ratings)
    return stored.not_exists() | stored.eq({})
