"""
The transcript of a message's recording: requested, taken by one worker at a time, and stored once.

    (nothing)  --request--> requested --claim--> running --settle--> text, or the reason why there is none
                                ^                   |
                                +-- the lease ends -+

A request holds its place for a time, so that a person who asks twice causes one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock
from whatsapp.store.inbox.messages import TRANSCRIPT_FIELDS
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Table

_of = Message.attr


def _is_open(message: Message) -> ConditionBase:
    """The message still shows this recording, and nothing is known of its words."""
    alive = (
        Attr(PARTITION_KEY).exists() & _of("revoked_at").not_exists() & _of("erased").not_exists()
    )
    return alive & _of("media_id").eq(message.media_id) & _of("transcript").not_exists()


def _is_free() -> ConditionBase:
    now = clock.to_text(clock.now_ms())
    return _of("transcribing_until").not_exists() | _of("transcribing_until").lt(now)


def request(table: Table, message: Message, until: str) -> bool:
    """Note a request until a time; False if there is a text, or another request or worker. Safe to repeat."""
    try:
        table.update(
            pk(message.pk),
            put=Message.named(transcribing_until=until, transcribing="requested"),
            drop=[Message.name_of("no_transcript")],
            when=_is_open(message) & _is_free(),
        )
    except ConditionFailed:
        return False
    return True


def claim(table: Table, message: Message, until: str) -> bool:
    """Take a recording for a worker until a time; False if there is a text, or another worker has it."""
    is_waiting = _is_free() | _of("transcribing").eq("requested")
    try:
        table.update(
            pk(message.pk),
            put=Message.named(transcribing_until=until, transcribing="running"),
            when=_is_open(message) & is_waiting,
        )
    except ConditionFailed:
        return False
    return True


def release(table: Table, message: Message) -> None:
    """Give a recording back for the next attempt. Safe to repeat."""
    names = [Message.name_of(field) for field in ("transcribing_until", "transcribing")]
    try:
        table.update(pk(message.pk), drop=names, when=_is_open(message))
    except ConditionFailed:
        return


def settle(table: Table, message: Message, *, text: str | None, reason: str | None) -> None:
    """Store a text, or the reason why there is none; the first text is kept. Safe to repeat."""
    facts = Message.named(transcript=text, no_transcript=reason)
    known = {name: value for name, value in facts.items() if value is not None}
    names = [Message.name_of(field) for field in TRANSCRIPT_FIELDS]
    try:
        table.update(
            pk(message.pk),
            put=known,
            drop=[name for name in names if name not in known],
            when=_is_open(message),
        )
    except ConditionFailed:
        return
