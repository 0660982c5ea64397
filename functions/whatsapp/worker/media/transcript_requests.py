"""Requests the text of recordings: for each voice note if the number's setting says so, or for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp.inbound.event import TRANSCRIPTION, Event
from whatsapp.store.inbox import transcripts
from whatsapp.worker import ownership

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.configuration.resources import Resources
    from whatsapp.store.items import Message, Phone

REQUESTED_MS: Final = 300 * clock.SECOND_MS  # the queue may be long
MESSAGE: Final = "messagePk"  # in the event's payload


def is_automatic(phone: Phone) -> bool:
    """Whether the number's voice notes become text by themselves. In an AI conversation its project decides that."""
    wanted = bool(phone.transcription and phone.transcription.get("automatic"))
    return wanted and not phone.is_automated


def of_stored_file(resources: Resources, phone: Phone, message_pk: str, kind: str) -> None:
    """Request the text of a voice note whose file has just been stored, if the number wants it. Safe to repeat."""
    if kind != "audio" or not is_automatic(phone):
        return
    message = ownership.message_of(resources, message_pk, phone)
    if message is not None and message.is_recording and message.no_transcript is None:
        request(resources.table, resources.files, phone, message)


def request(table: Table, queue: StandardQueue, phone: Phone, message: Message) -> bool:
    """
    Request the text of a message's recording; False if there is one, or a worker has it. Safe to repeat.

    The note of a request goes before its event; the next delivery sends the event of a note that was left without one.
    """
    now_ms = clock.now_ms()
    until = clock.to_text(now_ms + REQUESTED_MS)
    if not transcripts.request(table, message, until) and message.transcribing != "requested":
        return False
    event = Event(
        kind=TRANSCRIPTION, id=message.message_id, source="parley", app="", accepted_at=now_ms,
        waba=phone.waba_meta_id, phone=phone.phone, display_phone=phone.display_phone,
        field=TRANSCRIPTION, at=now_ms // clock.SECOND_MS, index=0, contact=None,
        payload={MESSAGE: message.pk}, hash=digest(TRANSCRIPTION, message.pk),
    )  # fmt: skip
    queue.send(
        [event.entry(group=(TRANSCRIPTION, message.pk), deduplication=(message.pk, str(now_ms)))]
    )
    return True
