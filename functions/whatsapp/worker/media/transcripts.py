"""
Turns the recordings of messages into text, which is stored at the message: on the queue of jobs, one at a time.

    1 claim    one worker at a time, until its lease ends
    2 words    read, checked, paid for, and asked of the number's transcriber
    3 settle   the text, or the reason why there is none
    4 report   a text of a number with AI conversations, to them

A worker that dies between 2 and 3 has paid for nothing: the next one asks again after the lease. One that dies between
3 and 4 leaves the report to the next delivery. A failure is shown, and a person may ask again. The text belongs to the
message: it is revoked, erased and exported with it, and no log has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from shared.ai.files import spoken_words
from shared.ai.files.spoken_words import Words
from shared.ai.spending.budget import Cause
from shared.ai.spending.senders import sender_hash
from shared.aws.stored_objects import media_of
from shared.aws.tables import leases
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp.api.json_view import plain
from whatsapp.configuration.voice_notes import VoiceNotes
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account, origin_of
from whatsapp.inbound.transcript_requests import MESSAGE
from whatsapp.store.inbox import transcripts
from whatsapp.worker import ownership
from whatsapp.worker.forwarding import forwarder

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.ai.files.spoken_words import Transcribers
    from whatsapp.configuration.resources import Resources
    from whatsapp.store.items import Message, Phone

UNREADABLE: Final = "settings_unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The current delivery of an event. *is_last*: the queue does not bring it again."""

    attempt: int
    is_last: bool
    remaining_ms: Callable[[], int]


def handle(
    resources: Resources, transcribers: Transcribers, event: Event, delivery: Delivery
) -> Outcome:
    """Transcribe the recording of an event's message. Raises Permanent and Transient."""
    phone = origin_of(resources, event)
    if isinstance(phone, Account):
        raise Permanent("unknown_phone")
    message_pk = str((event.payload or {}).get(MESSAGE) or "")
    message = ownership.message_of(resources, message_pk, phone)
    if message is None or not message.is_recording:
        return Outcome.DUPLICATE
    if message.transcript is not None:
        _report(resources, phone, message)
        return Outcome.DUPLICATE
    until = clock.to_text(leases.expiry(delivery.remaining_ms()))
    if not transcripts.claim(resources.table, message, until):
        return _taken(resources, message_pk, phone)
    try:
        words = _words(resources, transcribers, phone, message)
    except spoken_words.Passing as failure:
        if not delivery.is_last:
            transcripts.release(resources.table, message)
            wait_ms = spoken_words.AGAIN_MS * 2 ** (delivery.attempt - 1)
            raise Transient(failure.code, wait_ms) from None
        words = Words(None, failure.code)
    transcripts.settle(resources.table, message, text=words.text, reason=words.reason)
    if phone.is_automated and words.text is not None:
        settled = ownership.message_of(resources, message_pk, phone)
        if settled is not None:
            _report(resources, phone, settled)
    return Outcome.PERSISTED


def _report(resources: Resources, phone: Phone, message: Message) -> None:
    """Report the text of a recording to the context that answers at the number. Safe to repeat."""
    media_id, key, text = message.media_id, message.s3_key, message.transcript
    if media_id is not None and key is not None and text is not None:
        url = f"s3://{resources.bucket.name}/{key}"
        forwarder.file(resources, phone, message, media_id, url, transcript=text)


def _taken(resources: Resources, message_pk: str, phone: Phone) -> Outcome:
    """Return the outcome of an event whose recording another one has. Raises Transient while it is at work."""
    message = ownership.message_of(resources, message_pk, phone)
    now_ms = clock.now_ms()
    until = message.transcribing_until if message and message.transcript is None else None
    if until is not None and clock.from_text(until) > now_ms:
        raise Transient("transcribing", clock.from_text(until) - now_ms)
    return Outcome.DUPLICATE


def _words(
    resources: Resources, transcribers: Transcribers, phone: Phone, message: Message
) -> Words:
    """Return the words of a recording. Raises spoken_words.Passing."""
    try:
        settings = VoiceNotes.model_validate(plain(phone.transcription))
    except ValidationError:  # removed since the request, or of another release
        return Words(None, UNREADABLE)
    bucket, key = resources.bucket, message.s3_key or ""

    def read(most_bytes: int) -> bytes | None:
        is_ours = media_of(bucket, str(phone.company)).holds(key)
        return bucket.bounded(key, most_bytes) if is_ours else None

    digits = message.sender_phone
    cause = Cause(
        company=str(phone.company),
        address=phone.phone,
        sender=sender_hash(str(phone.company), f"+{digits}" if digits else message.from_pk),
        event=f"{message.pk}:text",
        is_proven=True,
    )
    return spoken_words.of_recording(transcribers, settings, message.mime_type or "", read, cause)
