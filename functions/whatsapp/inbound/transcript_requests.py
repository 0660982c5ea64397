"""
Requests the text of recordings, on the queue of jobs: of each voice note if the number says so, or for a person.

A request names a message and checks nothing: the worker does, and a second request of a text causes no second call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp.inbound.event import TRANSCRIPTION, Event

if TYPE_CHECKING:
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items import Phone

MESSAGE: Final = "messagePk"  # in the event's payload


def of_stored_file(queue: StandardQueue, phone: Phone, message_pk: str, kind: str) -> None:
    """Request the text of a voice note whose file has just been stored, if the number wants it. Safe to repeat."""
    if kind == "audio" and phone.transcribes_all:
        request(queue, phone, message_pk)


def request(queue: StandardQueue, phone: Phone, message_pk: str) -> None:
    """Request the text of a message's recording. Safe to repeat."""
    now_ms = clock.now_ms()
    event = Event(
        kind=TRANSCRIPTION, id=digest(message_pk), source="parley", app="", accepted_at=now_ms,
        waba=phone.waba_meta_id, phone=phone.phone, display_phone=phone.display_phone,
        field=TRANSCRIPTION, at=now_ms // clock.SECOND_MS, index=0, contact=None,
        payload={MESSAGE: message_pk}, hash=digest(TRANSCRIPTION, message_pk),
    )  # fmt: skip
    queue.send(
        [event.entry(group=(TRANSCRIPTION, message_pk), deduplication=(message_pk, str(now_ms)))]
    )
