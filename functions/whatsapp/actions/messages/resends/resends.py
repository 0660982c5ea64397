"""Sends stored messages again: one, or messages that failed for a reason that passes."""

from datetime import datetime, timedelta
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import RateLimited, Scope
from shared.api.errors import InvalidInput, KeyReused, StillRunning
from shared.aws.sqs_fifo import to_json
from shared.providers.action_ledger import State
from shared.runtime import clock
from whatsapp import store, transmission
from whatsapp.actions.calls import delivery, participants, references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import (
    Flag,
    Input,
    MessageRef,
    Moment,
    PhoneOrUserId,
    SenderInput,
)
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.dispatch.envelope import ProviderRefusal, provider_of
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.actions.messages.resends import stored_drafts
from whatsapp.api.queries import NotFound
from whatsapp.sending import failures, messages
from whatsapp.sending.drafts import Draft
from whatsapp.sending.views import View
from whatsapp.store import ordering
from whatsapp.store.items import Conversation, Message, Phone

LEGACY = Group("legacy")
# The ledger, which prevents a second repetition, keeps actions for 35 days.
_LONGEST_AGO = timedelta(days=30)
_USUALLY_AGO = timedelta(days=1)
# The provider may take ten seconds, and the answer is written afterwards.
_NEEDED_MS = 14 * clock.SECOND_MS
_MOST_READ = 1_000
_MOST_LISTED = 100
# Rate limits, and internal errors that the provider reported in a status: the message did not arrive.
_PASSING_CODES = frozenset({4, 429, 80007, 130429, 131056, 131000, 131016})
_SKIPPED = (
    InvalidInput,
    KeyReused,
    NotFound,
    RateLimited,
    StateConflict,
    StillRunning,
    failures.NotConfigured,
    failures.NotSupported,
    failures.PolicyRefused,
    failures.ProviderUnavailable,
    failures.TemplateNotSendable,
)


class ResendMessage(Input):
    """A sent message, and another customer of the same number if it is to go there."""

    message_id: MessageRef
    to: PhoneOrUserId | None = None
    dry_run: Flag = False


class RetryFailed(SenderInput):
    """
    Failed messages of a number, the newest first: sent after *since* (a day ago if absent, at most 30 days ago).

    *onlyRetryable* false: also messages whose error is usually final.
    """

    limit: Annotated[int, Field(strict=True, ge=1, le=100)] = 10
    since: Moment | None = None
    only_retryable: Flag = True


class Retried(View):
    """
    The outcome for a failed message. *newMessagePk* is the message that repeats it. in_doubt, unknown: as for any send,
    also of an earlier call; the message is not sent once more.
    """

    message_pk: str
    outcome: Literal["sent", "in_doubt", "unknown", "rejected", "skipped"]
    reason: str | None = None
    provider_error: ProviderRefusal | None = None
    new_message_pk: str | None = None


class RetriedMessages(View):
    """
    The failed messages that were read, and how many of them were sent or skipped; at most 100 skipped ones are listed.
    *isComplete*: there are no older ones; otherwise the call can be made again. *state* is in_doubt or unknown if that
    is the outcome of a message.
    """

    messages: list[Retried]
    sent: int
    skipped: int
    is_complete: bool
    state: Literal["done", "in_doubt", "unknown"]


@LEGACY.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def resend_message(call: Call[ResendMessage]) -> SentMessage:
    """
    Send a stored message again as a new one, which has `resentFrom`. It may be a text, a file, a location, contacts, a
    template or an interactive message.

    Answers 409 `state_conflict` while the outcome of the first one is open or unknown, and for requests for payment.
    """
    message = references.message_of(call, call.input.message_id)
    phone = _phone(call, message)
    draft = _draft(call, phone, message)
    if call.input.to is None:
        conversation = _conversation(call, message)
    else:
        conversation = participants.conversation_with(call, phone, call.input.to, "to")
    return delivery.send(call, phone, conversation, draft)


@LEGACY.changes("remote_eum", Scope.WHATSAPP_SEND, idempotent=False)
def retry_failed_messages(call: Call[RetryFailed]) -> RetriedMessages:
    """
    Send at most `limit` failed messages of a number again, each once: a message that was sent again by an earlier call
    is skipped, also under another idempotency key. Messages of campaigns are left to their campaign.

    The send policy is asked for each of them.
    """
    phone = participants.sender_of(call)
    since = clock.to_text(_since_ms(call.input.since))
    tried: list[Retried] = []
    skipped: list[Retried] = []
    is_complete = True
    found = store.failed_messages.newest(call.table, call.company, phone.phone, since)
    for message in islice(found, _MOST_READ):
        if len(tried) == call.input.limit or call.remaining_ms() < _NEEDED_MS:
            is_complete = False
            break
        one = _retried(call, phone, message)
        (skipped if one.outcome == "skipped" else tried).append(one)
    return RetriedMessages(
        messages=tried + skipped[:_MOST_LISTED],
        sent=sum(one.outcome == "sent" for one in tried),
        skipped=len(skipped),
        is_complete=is_complete,
        state=_state(tried),
    )


def _state(tried: list[Retried]) -> Literal["done", "in_doubt", "unknown"]:
    outcomes = {one.outcome for one in tried}
    if "in_doubt" in outcomes:
        return "in_doubt"
    return "unknown" if "unknown" in outcomes else "done"


def _since_ms(asked: datetime | None) -> int:
    """Return the time since which failed messages are read. Raises InvalidInput."""
    now = clock.now_ms()
    if asked is None:
        return now - _milliseconds(_USUALLY_AGO)
    since = int(asked.timestamp() * clock.SECOND_MS)
    if since < now - _milliseconds(_LONGEST_AGO):
        problem = f"must be at most {_LONGEST_AGO.days} days ago"
        raise InvalidInput([{"field": "since", "problem": problem}])
    return since


def _milliseconds(duration: timedelta) -> int:
    return int(duration.total_seconds()) * clock.SECOND_MS


def is_passing(code: object) -> bool:
    """Whether the reason of a failure passes: a rate limit, or an internal error of the provider."""
    text = str(code)
    digits = text.removeprefix("graph_")
    is_number = digits.isascii() and digits.isdecimal()
    return "hrottl" in text or (is_number and int(digits) in _PASSING_CODES)


def _retried(call: Call[RetryFailed], phone: Phone, message: Message) -> Retried:
    reason = _reason_to_skip(call, message)
    if reason is not None:
        return Retried(message_pk=message.pk, outcome="skipped", reason=reason)
    if (earlier := _earlier(call, message)) is not None:
        return earlier
    try:
        sent = delivery.send_order(call, _order(call, phone, message))
    except failures.ProviderRejected as refusal:
        return Retried(
            message_pk=message.pk,
            outcome="rejected",
            reason=refusal.code,
            provider_error=provider_of(refusal),
        )
    except _SKIPPED as refusal:
        reason = getattr(refusal, "reason", None) or _NAMES.get(type(refusal), "not_sendable")
        return Retried(
            message_pk=message.pk,
            outcome="skipped",
            reason=str(reason),
            provider_error=provider_of(refusal),
        )
    return Retried(
        message_pk=message.pk,
        outcome="unknown" if sent.state == "dry_run" else sent.state,
        new_message_pk=sent.message_pk,
    )


_NAMES: dict[type[Exception], str] = {
    failures.TooFast: "rate_limited",
    failures.ProviderUnavailable: "provider_unavailable",
    failures.NotConfigured: "not_configured",
    StillRunning: "in_progress",
    StateConflict: "cannot_be_sent_again",
    NotFound: "file_missing",
}


def _reason_to_skip(call: Call[RetryFailed], message: Message) -> str | None:
    if message.campaign_id:
        return "of_campaign"
    if message.erased:
        return "erased"
    code = (message.status_error or {}).get("code")
    if call.input.only_retryable and not is_passing(code):
        return "error_is_final"
    return None


def _earlier(call: Call[RetryFailed], message: Message) -> Retried | None:
    """Return the outcome of the repetition by an earlier call; None if there was none, or it was certainly not sent."""
    known = call.resources.ledger.action(_action_id(call, message))
    if known is None or not known.may_have_been_sent:
        return None
    if known.state in {State.RESERVED, State.UNKNOWN}:
        outcome: Literal["in_doubt", "unknown"] = (
            "in_doubt" if known.state is State.RESERVED else "unknown"
        )
        return Retried(message_pk=message.pk, outcome=outcome, new_message_pk=known.message_pk)
    return Retried(
        message_pk=message.pk,
        outcome="skipped",
        reason="sent_again_before",
        new_message_pk=known.message_pk,
    )


def _order(call: Call[RetryFailed], phone: Phone, message: Message) -> messages.Order:
    return messages.Order(
        action_id=_action_id(call, message),
        request=to_json([call.action, message.pk]),
        principal=call.caller.principal,
        phone=phone,
        conversation=_conversation(call, message),
        draft=_draft(call, phone, message),
    )


def _draft(call: Call[Any], phone: Phone, message: Message) -> Draft:
    """Return a stored message as a draft, whose files are checked again. Raises as `draft_of` and `check_files`."""
    draft = stored_drafts.draft_of(call, message)
    if draft.media is None:  # A file of its own is checked when it is sent.
        check_files(call, draft.content, "messageId", phone)
    return draft


def _action_id(call: Call[Any], message: Message) -> str:
    """Return the id of the repetition of a failed message, the same for all calls."""
    return transmission.action_id(call.resources, "retry", call.company, message.pk)


def _phone(call: Call[Any], message: Message) -> Phone:
    phone = participants.phone_by_id(call, message.phone)
    if not phone.in_use:
        raise NotFound("messageId: the number of the message is not in use")
    return phone


def _conversation(call: Call[Any], message: Message) -> Conversation:
    """Return the conversation of a sent message; it is sent again to the id that the message was sent to."""
    head = store.heads.get(call.table, message.conversation_pk)
    if head is not None and head.linked_to:
        head = store.heads.get(call.table, head.linked_to) or head
    if head is None:
        head = Conversation(
            pk=message.conversation_pk,
            company=message.company,
            phone=message.phone,
            from_=Conversation.contact_of(message.conversation_pk),
        )
    named_at = ordering.moment_of(message.received_at)
    return head.addressed(message.sender_phone, message.sender_user_id, named_at=named_at)
