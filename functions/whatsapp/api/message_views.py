"""Response models of messages and files; presigned links instead of object keys."""

from typing import Any, Literal

from pydantic import Field

from shared.aws.s3 import Bucket
from shared.aws.stored_objects import Folder, ObjectUnusable, media_of, record
from shared.runtime import clock
from whatsapp.api.call_views import CallView
from whatsapp.api.json_view import Json, Moment, View
from whatsapp.api.provider_objects import ErrorView, ReachedStatus, Referral, ReferredProduct
from whatsapp.api.views import ChangeView, ConversationView, NoteView
from whatsapp.configuration.folders import content_of
from whatsapp.inbound import provider_errors
from whatsapp.inbound.event import correlation_id_of
from whatsapp.store.items import Media, Message

LINK_SECONDS = 15 * 60


class Link(View):
    """An expiring download link that needs no credentials."""

    link: str
    expires_in_seconds: int = LINK_SECONDS


class MediaView(View):
    """
    A message's file; with a link if `status` is STORED.

    PENDING: being downloaded. FAILED: differs from the announcement. EXPIRED: no longer at the provider. REVOKED:
    deleted by its sender. UNAVAILABLE: there is no file, and the record with the reason has expired.
    """

    mime_type: str | None
    filename: str | None
    status: str
    link: str | None = None
    expires_in_seconds: int | None = None


class TranscriptView(View):
    """
    The words of a recording, written by a machine.

    DONE: `text`, which may be empty. PENDING: requested. FAILED: `reason`; a person may ask again. OFFERED: a person
    may ask for it.
    """

    status: Literal["DONE", "PENDING", "FAILED", "OFFERED"]
    text: str | None = None
    reason: str | None = None


class ReactionView(View):
    """A reaction to a message; *name*: the customer's, at that time."""

    actor: str
    emoji: str
    name: str | None = None


class VersionView(View):
    """
    The content of a message before or after an edit. The first version is the original.

    After many edits the older ones have only their time, and a link to the rest.
    """

    at: str
    text: str | None = None
    caption: str | None = None
    whole_content: Link | None = None  # to JSON
    media: MediaView | None = None


class MessageView(View):
    """
    A message. Fields with the same name as in `Message` have the same meaning.

    For an erased message only the first group is present: the fact and the times.
    """

    id: str
    correlation_id: str  # the id used in logs
    direction: str
    type: str
    received_at: Moment
    sent_at: Moment | None = None
    erased: bool | None = None

    subtype: str | None = None
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None
    sender_name: str | None = None
    sender_phone: str | None = None
    sender_user_id: str | None = None
    parent_user_id: str | None = None
    username: str | None = None
    identity_hash: str | None = None
    group_id: str | None = None
    origin: str | None = None
    preview: str | None = None
    text: str | None = None  # the beginning of a very long text; `wholeContent` links to all of it
    caption: str | None = None
    content: Json = None
    whole_content: Link | None = None  # to JSON: {textBody, content, otherFields ...}
    media: MediaView | None = None
    voice: bool | None = None
    animated: bool | None = None
    transcript: TranscriptView | None = None
    reply_to: str | None = None  # the `id` of another message
    forwarded: bool | None = None
    forwarded_many_times: bool | None = None
    referral: Referral | None = None
    referred_product: ReferredProduct | None = None
    reactions: list[ReactionView] | None = None
    edited_at: str | None = None
    versions: list[VersionView] | None = (
        None  # of an edited message, oldest first, including the shown one
    )
    revoked_at: str | None = None
    errors: list[ErrorView] | None = None
    sent_by: str | None = None  # the API key or person that sent it from the inbox
    action_id: str | None = None  # of the send, as its answer had it; in the inbox only
    send_state: str | None = (
        None  # unknown: perhaps sent, never sent again; absent once a status arrives
    )
    other_fields: Json = None  # fields of the provider without a field here, in its own structure
    delivery_status: str | None = None
    status_history: list[ReachedStatus] | None = None
    status_error: ErrorView | None = None
    played_at: str | None = None
    price_category: str | None = None


class Messages(View):
    """A page of messages."""

    messages: list[MessageView]


class ConversationMessages(Messages):
    """Messages of a conversation, newest first."""

    calls: list[CallView] | None = None  # between these messages; for callers with `whatsapp:calls`


class MessagesPart(ConversationMessages):
    """The newest messages of a conversation; `cursor` continues in its list of messages."""

    cursor: str | None


class ConsentView(View):
    """
    The customer's consent to WhatsApp messages: `opted_in`, `opted_out`, `unknown` if none is recorded, `unavailable`
    if it could not be read. *said_by*: the channel of the customer's words.
    """

    state: Literal["opted_in", "opted_out", "unknown", "unavailable"]
    at: str | None = None
    source: str | None = None
    evidence: str | None = None
    said_by: str | None = None
    recorded_by: str | None = None
    principal: str | None = None


class OpenedConversation(ConversationView):
    """
    A conversation with the newest of what was asked for; absent if it was not. `consent` is absent in groups too, and
    for callers without `consent:read`.
    """

    messages: MessagesPart | None = None
    notes: list[NoteView] | None = None
    changes: list[ChangeView] | None = None
    consent: ConsentView | None = None


_OF_A_STUB = {"direction", "type", "received_at", "sent_at", "erased"}


_TAKEN_OVER = (MessageView.model_fields.keys() & Message.model_fields.keys()) - {
    "reactions",
    "versions",
    "status_error",
    "action_id",
    "transcript",
}


def message_view(
    bucket: Bucket,
    message: Message,
    file: Media | None,
    versions: list[VersionView] | None = None,
    *,
    is_offered: bool = False,
) -> MessageView:
    """
    Return the view of a message; *file* is the record of an announced file that is not stored yet. *is_offered*: its
    number has a transcriber.
    """
    if message.erased:
        return MessageView(**_ids(message), **message.model_dump(include=_OF_A_STUB))
    reactions = [
        ReactionView(actor=actor, emoji=reaction["emoji"], name=reaction.get("name"))
        for actor, reaction in (message.reactions or {}).items()
        if reaction.get("emoji")  # Without an emoji the reaction was removed.
    ]
    settled = {"send_state"} if message.delivery_status else set()
    return MessageView(
        **_ids(message),
        text=message.text_body,
        whole_content=link_to_content(bucket, message),
        media=media_view(bucket, message, file),
        versions=versions,
        reactions=reactions or None,
        status_history=history_of(message),
        status_error=_with_advice(message.status_error),
        transcript=transcript_view(message, is_offered=is_offered),
        **message.model_dump(include=_TAKEN_OVER - settled),
    )


def transcript_view(message: Message, *, is_offered: bool) -> TranscriptView | None:
    """Return the view of a message's transcript; None if there is none and none is offered."""
    if message.transcript is not None:
        return TranscriptView(status="DONE", text=message.transcript)
    if (message.transcribing_until or "") > clock.to_text(clock.now_ms()):
        return TranscriptView(status="PENDING")
    if message.no_transcript is not None:
        return TranscriptView(status="FAILED", reason=message.no_transcript)
    return TranscriptView(status="OFFERED") if is_offered and message.is_recording else None


def history_of(message: Message) -> list[dict[str, Any]] | None:
    """Return the status history without our hashes of the reports."""
    entries = message.delivery_status_history
    if entries is None:
        return None
    return [{name: value for name, value in e.items() if name != "report"} for e in entries]


def _with_advice(error: dict[str, Any] | None) -> dict[str, Any] | None:
    advice = provider_errors.advice(error.get("code")) if error else None
    return {**error, "advice": advice} if error and advice else error


def _ids(message: Message) -> dict[str, str]:
    return {"id": message.message_id, "correlation_id": correlation_id_of(message.message_id)}


def link_to_content(bucket: Bucket, message: Message) -> Link | None:
    """Return a link to the content of a message that is too long for its item; None if it is complete there."""
    return _link(content_of(bucket, message.company), message.content_s3_key)


def media_view(bucket: Bucket, message: Message, file: Media | None) -> MediaView | None:
    """Return the view of a message's file; None if it has none. *file*: its record."""
    if message.media_id is None:
        return None
    announced = {"mime_type": message.mime_type, "filename": message.filename}
    is_stored = file is not None and file.media_status == "STORED"
    key = message.s3_key or (file.s3_key if file and is_stored else None)
    if key is not None:
        link = _link(media_of(bucket, message.company), key)
        if link is None:
            return MediaView(status="UNAVAILABLE", **announced)
        return MediaView(status="STORED", **link.model_dump(), **announced)
    status = file.media_status if file else "UNAVAILABLE"
    # Stored for another message with the same file, and soon for this one.
    return MediaView(status="PENDING" if status == "STORED" else status, **announced)


def _link(folder: Folder, key: str | None) -> Link | None:
    """Return a link to an object of the folder; None for any other key, which is recorded as a fault."""
    if key is None:
        return None
    try:
        return Link(link=folder.link_to(key, seconds=LINK_SECONDS))
    except ObjectUnusable as fault:
        record(fault, "message")
        return None
