"""Response models of the API: camelCase, JSON numbers, presigned links instead of object keys."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from shared.api import views
from shared.aws.s3 import Bucket
from shared.aws.stored_objects import Folder, ObjectUnusable, media_of, record
from shared.runtime import clock
from whatsapp.configuration.folders import content_of
from whatsapp.inbound.event import correlation_id_of
from whatsapp.store import ordering
from whatsapp.store.items import Conversation, Media, Message, Phone

LINK_SECONDS = 15 * 60


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return *value* with JSON numbers: DynamoDB's decimals would be rendered as text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list) else value


def _cut(value: Any) -> Any:  # noqa: ANN401 - a time, or None
    """Return a time of an item as `YYYY-MM-DDTHH:MM:SS.mmmZ`; further digits are the order within its second."""
    return ordering.moment_of(value) if isinstance(value, str) else value


type Moment = Annotated[str, BeforeValidator(_cut)]
type Json = Annotated[Any, BeforeValidator(plain)]


class View(views.View):
    """Part of a response, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ConversationView(View):
    """
    A conversation. `key` is its address in URLs: stable, and valid for this company only.

    `position` is that of its newest entry, as the read mark `readUpTo` counts. `revision` counts the changes by agents.
    """

    key: str
    phone: str  # Meta's id of the business number
    customer: str | None  # digits, a business-scoped user id, or a group's id
    sender_name: str | None
    sender_phone: str | None = None  # the number and user id that answers go to
    sender_user_id: str | None = None
    username: str | None = None
    linked_conversations: list[str] | None = (
        None  # customers of earlier conversations with the same person
    )
    group_name: str | None
    unread_count: int
    last_type: str | None  # of a message; or `call`, `group`
    last_preview: str | None
    last_message_at: Moment | None
    position: str | None
    read_up_to: str | None
    archived: bool
    status: Literal["open", "resolved", "snoozed"]
    snoozed_until: str | None
    assignee: str | None
    labels: list[str]
    revision: int


class StateView(View):
    """What agents set of a conversation, after a change. Without labels: they are texts, and answers are stored."""

    revision: int
    archived: bool
    status: Literal["open", "resolved", "snoozed"]
    snoozed_until: str | None
    assignee: str | None
    unread_count: int
    read_up_to: str | None


class NumberView(View):
    """A number of the company. Fields with the same name as in `Phone` have the same meaning."""

    phone: str
    display_phone: str
    waba: str
    provider: str
    enabled: bool
    automation: str
    business_account_name: str | None
    verified_name: str | None
    messaging_limit: str | None
    sending_blocked: bool
    sending_blocked_reason: str | None
    sending_blocked_until: str | None


class Numbers(View):
    """All numbers of the company, oldest first."""

    numbers: list[NumberView]


class NoteView(View):
    """An internal note. `by`: the API key that wrote it; `agent`: the agent that the call named."""

    id: str
    at: str
    by: str
    agent: str | None
    text: str


class Notes(View):
    """A page of notes."""

    notes: list[NoteView]


class WrittenNote(View):
    """A note that was written."""

    id: str
    at: str


class ChangeView(View):
    """A change by an agent. `changed`: the new values; of labels their number."""

    revision: int
    at: str
    by: str
    agent: str | None
    changed: Json


class Changes(View):
    """Changes of a conversation, newest first."""

    changes: list[ChangeView]


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


class ReactionView(View):
    """A reaction to a message."""

    actor: str
    emoji: str


class VersionView(View):
    """
    What a message said before an edit, or after one. The first is the original.

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
    reply_to: str | None = None  # the `id` of another message
    forwarded: bool | None = None
    forwarded_many_times: bool | None = None
    referral: Json = None
    referred_product: Json = None
    reactions: list[ReactionView] | None = None
    edited_at: str | None = None
    versions: list[VersionView] | None = (
        None  # of an edited message, oldest first, including the shown one
    )
    revoked_at: str | None = None
    errors: Json = None
    sent_by: str | None = None  # the API key or person that sent it from the inbox
    send_state: str | None = (
        None  # unknown: perhaps sent, never sent again; absent once a status arrives
    )
    other_fields: Json = None  # fields of the provider without a field here, in its own structure
    delivery_status: str | None = None
    status_history: Json = None  # [{status, at, code}], one for each status reached
    status_error: Json = None
    played_at: str | None = None
    price_category: str | None = None


class Conversations(View):
    """A page of conversations."""

    conversations: list[ConversationView]


class Messages(View):
    """A page of messages."""

    messages: list[MessageView]


class AnalyticsDay(View):
    """A day of an account. Fields with the same name as in `Analytics` have the same meaning."""

    date: str
    messages_sent: int
    messages_delivered: int
    messages_read: int
    messages_failed: int
    messages_received: int
    messages_replied: int
    templates_used: dict[str, int]
    billable: dict[str, int]
    ad_sources: dict[str, int]
    replies: dict[str, int]
    phones: dict[str, int]
    counted_at: str | None


class AnalyticsDays(View):
    """Days, oldest first."""

    analytics: list[AnalyticsDay]


_OF_A_STUB = {"direction", "type", "received_at", "sent_at", "erased"}
_TAKEN_OVER = (MessageView.model_fields.keys() & Message.model_fields.keys()) - {
    "reactions",
    "versions",
}


def conversation_view(head: Conversation, *, key: str, now: str) -> ConversationView:
    """Return the view of a conversation at the time *now*."""
    return ConversationView(
        key=key,
        phone=head.phone or "",
        customer=head.from_,
        sender_name=head.sender_name,
        sender_phone=head.sender_phone,
        sender_user_id=head.sender_user_id,
        username=head.username,
        linked_conversations=sorted(map(Conversation.contact_of, head.linked_conversations))
        or None,
        group_name=head.group_name,
        last_type=head.last_type,
        last_preview=head.last_preview,
        last_message_at=head.received_at,
        position=head.last_key,
        labels=sorted(head.labels or ()),
        **state_view(head, now).model_dump(),
    )


def state_view(head: Conversation, now: str) -> StateView:
    """Return what agents set of a conversation, at the time *now*."""
    status = head.state(now)
    return StateView(
        revision=head.revision,
        archived=bool(head.archived),
        status=status,
        snoozed_until=head.snoozed_until if status == "snoozed" else None,
        assignee=head.assignee,
        unread_count=head.unread_count,
        read_up_to=head.read_up_to,
    )


def number_view(phone: Phone) -> NumberView:
    """Return the view of a number; a block whose end has passed is none."""
    fields = phone.model_dump(include=set(NumberView.model_fields))
    is_over = (phone.sending_blocked_until or "~") <= clock.to_text(clock.now_ms())
    blocked = bool(phone.sending_blocked) and not is_over
    return NumberView(**{**fields, "waba": phone.waba_meta_id, "sending_blocked": blocked})


def message_view(
    bucket: Bucket,
    message: Message,
    file: Media | None,
    versions: list[VersionView] | None = None,
) -> MessageView:
    """Return the view of a message; *file* is the record of an announced file that is not stored yet."""
    if message.erased:
        return MessageView(**_ids(message), **message.model_dump(include=_OF_A_STUB))
    reactions = [
        ReactionView(actor=actor, emoji=reaction["emoji"])
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
        status_history=message.delivery_status_history,
        **message.model_dump(include=_TAKEN_OVER - settled),
    )


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
