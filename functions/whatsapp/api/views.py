"""Response models of conversations, numbers, notes, changes and analytics."""

from typing import Literal

from shared.identity.addresses import displayed
from shared.runtime import clock
from whatsapp.api.json_view import Json, Moment, View
from whatsapp.store.items import Conversation, Phone


class ConversationView(View):
    """
    A conversation. `key` is its address in URLs: stable, and valid for this company only.

    `position` is the position of its newest entry, as the read mark `readUpTo` counts. `revision` counts the changes by
    agents.

    Lists leave out `windowUntil`, when free-form messages end, `marketingOptOutAt`, when the customer refused marketing
    in WhatsApp, and `savedName`, the name in the address book of the business's app.
    """

    key: str
    phone: str  # Meta's id of the business number
    customer: str | None  # digits, a business-scoped user id, or a group's id
    customer_text: str | None  # the number as people write it, `+44 7700 900101`, or the customer
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
    window_until: str | None = None
    marketing_opt_out_at: str | None = None
    saved_name: str | None = None


class StateView(View):
    """The agents' state of a conversation after a change. Without labels: they are texts, and answers are stored."""

    revision: int
    archived: bool
    status: Literal["open", "resolved", "snoozed"]
    snoozed_until: str | None
    assignee: str | None
    unread_count: int
    read_up_to: str | None


class NumberView(View):
    """
    A number of the company. Fields with the same name as in `Phone` have the same meaning. `display_text`: the number
    as people of its country write it.
    """

    phone: str
    display_phone: str
    display_text: str
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
    transcription: Literal["automatic", "on_request"] | None  # of voice notes


class Numbers(View):
    """All numbers of the company, oldest first."""

    numbers: list[NumberView]


class NoteView(View):
    """An internal note. `by`: the person or the API key that wrote it."""

    id: str
    at: str
    by: str
    text: str


class Notes(View):
    """A page of notes."""

    notes: list[NoteView]


class WrittenNote(View):
    """A note that was written."""

    id: str
    at: str


class ChangeView(View):
    """A change. `by`: the person or the API key; `changed`: the new values, of labels their number."""

    revision: int
    at: str
    by: str
    changed: Json


class Changes(View):
    """Changes of a conversation, newest first."""

    changes: list[ChangeView]


class Conversations(View):
    """A page of conversations."""

    conversations: list[ConversationView]


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


def conversation_view(head: Conversation, *, key: str, now: str) -> ConversationView:
    """Return the view of a conversation at the time *now*."""
    return ConversationView(
        key=key,
        phone=head.phone or "",
        customer=head.from_,
        customer_text=_displayed(head),
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


def _displayed(head: Conversation) -> str | None:
    address = head.sender_phone or head.from_
    return displayed(address) if address else None


def whole_conversation_view(head: Conversation, *, key: str, now: str) -> ConversationView:
    """Return the view of a conversation from its whole item, which entries of lists are not."""
    whole = {
        "window_until": head.window_until,
        "marketing_opt_out_at": head.marketing_opt_out_at if head.marketing_opt_out else None,
        "saved_name": head.saved_name,
    }
    return conversation_view(head, key=key, now=now).model_copy(update=whole)


def state_view(head: Conversation, now: str) -> StateView:
    """Return the state of a conversation that agents set, at the time *now*."""
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
    given = phone.transcription
    transcribes = ("automatic" if given.get("automatic") else "on_request") if given else None
    return NumberView(
        **{
            **fields,
            "display_text": displayed(phone.display_phone),
            "waba": phone.waba_meta_id,
            "sending_blocked": blocked,
            "transcription": transcribes,
        }
    )
