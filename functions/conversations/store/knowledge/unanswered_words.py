"""The words of questions that were not answered, and what people answered later: read from the conversations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from conversations.store import conversations, states
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import Role
from conversations.store.items.log import UNSPOKEN, Message, OfConversation, of
from shared.aws.dynamodb import ConditionFailed
from shared.inbox.reports.outcomes import RATED_DOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.store.items.parts.unanswered import Unanswered
    from shared.aws.dynamodb import Table

MOST_IN_A_ROW: Final = 4  # messages of the customer that are one question
MOST_LATER: Final = 8  # messages among which the reply of a person is looked for
_THREADS: Final = 8
_BY_PEOPLE: Final = "human:"


@dataclass(frozen=True, slots=True)
class Question:
    """A noted question with its words, and what is *known* of its customer, which is masked where it is shown."""

    noted: Unanswered
    text: str = field(repr=False)
    known: tuple[str | None, ...] = field(default=(), repr=False)
    reasons: tuple[str, ...] = ()  # of people who rated the answer as bad
    vector: str | None = field(default=None, repr=False)  # of its words, see `keep_vectors`


def questions_of(table: Table, log: Table, noted: Sequence[Unanswered]) -> list[Question]:
    """
    Return the questions that still have words, in their order: not of an erased conversation, nor those noted for a
    rating alone which people have taken back. *table* has the conversations.
    """
    alive = states.read_many(log, [one.ref for one in noted])
    rated = _ratings(log, noted)
    left = [one for one in noted if one.ref in alive and _counts(one, rated)]

    def read(one: Unanswered) -> Question | None:
        state = alive[one.ref]
        of_customer = conversations.read(table, state.primary_channel, state.conversation_id)
        text, vector = _text(log, one)
        if of_customer is None or not text:
            return None
        known = (
            of_customer.recipient_first_name,
            of_customer.recipient_last_name,
            of_customer.recipient_tel,
            of_customer.recipient_email,
            state.primary_channel,
        )
        return Question(one, text, known, rated.get(one.question_id, ()), vector)

    with ThreadPoolExecutor(_THREADS) as pool:
        return [one for one in pool.map(read, left) if one is not None]


def replies_of(log: Table, noted: Sequence[Unanswered]) -> list[str]:
    """Return what a person sent first after each question; empty if none is among the next messages."""
    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda one: _reply(log, one), noted))


def keep_vectors(log: Table, vectors: Sequence[tuple[Unanswered, str]]) -> None:
    """Keep the vectors of questions at their messages, which take them along when they are erased. Repeatable."""

    def keep(noted: Unanswered, vector: str) -> None:
        with suppress(ConditionFailed):  # erased meanwhile
            log.update(
                of(noted.ref, noted.up_to),
                put=Message.named(vector=vector),
                when=Message.attr("entry_id").exists(),
            )

    with ThreadPoolExecutor(_THREADS) as pool:
        for _ in pool.map(lambda one: keep(*one), vectors):
            pass


def _counts(one: Unanswered, rated: dict[str, tuple[str, ...]]) -> bool:
    return one.cause != RATED_DOWN or bool(rated.get(one.question_id))


def _ratings(log: Table, noted: Sequence[Unanswered]) -> dict[str, tuple[str, ...]]:
    """Return the reasons of the bad ratings that stand now, by question."""
    keys = {(one.ref, one.rated_sk): one.question_id for one in noted if one.rated_sk}
    found: dict[str, tuple[str, ...]] = {}
    for item in log.get_many([of(ref, sk) for ref, sk in keys]):
        given = Message.read(item).ratings.values()
        bad = sorted({one.partition(":")[2] for one in given if one.startswith(RATED_DOWN)})
        ref = str(item[PARTITION_KEY]).partition("#")[2]
        found[keys[ref, str(item[SORT_KEY])]] = tuple(bad)
    return found


def _text(log: Table, one: Unanswered) -> tuple[str, str | None]:
    """
    Return the customer's messages up to the question, back to the last message of another author; not those whose
    author is not proven, which the model does not read. Also the vector of these words, if it is kept.
    """
    of_log = Key(PARTITION_KEY).eq(OfConversation.partition(one.ref))
    until = of_log & Key(SORT_KEY).between(Message.first_sk, one.up_to)
    items, _ = log.query(None, until, limit=MOST_IN_A_ROW, newest_first=True)
    read = map(Message.read, items)
    theirs = list(takewhile(lambda message: message.role is Role.USER, read))
    words = (message.content for message in reversed(theirs) if message.counts)
    vector = theirs[0].vector if theirs and theirs[0].own_sk == one.up_to else None
    return "\n".join(filter(None, words)).strip(), vector


def _reply(log: Table, one: Unanswered) -> str:
    of_log = Key(PARTITION_KEY).eq(OfConversation.partition(one.ref))
    later = of_log & Key(SORT_KEY).between(f"{one.up_to}~", f"{Message.first_sk}~")
    items, _ = log.query(None, later, limit=MOST_LATER)
    replies = (
        message.whole_text.strip()
        for message in map(Message.read, items)
        if message.author.startswith(_BY_PEOPLE) and message.delivery_status not in UNSPOKEN
    )
    return next(filter(None, replies), "")
