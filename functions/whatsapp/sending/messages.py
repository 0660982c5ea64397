"""
The send use case: one message to the customer of a conversation, at most once per request.

    check     template, policy, rates            refused: recorded in the ledger, nothing is sent
    intent    the message to be                  killed from here on: the schedule finishes the send
    reserve   the ledger
    address   the number may be another person's now: then once more from the check, to the customer's user id
    wire      one attempt                        answer lost: in doubt, until a status callback or the schedule
    settle    the message in the inbox           safe to repeat
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shared.api.errors import KeyReused, StillRunning
from shared.aws.sqs_fifo import digest
from shared.identity.keyed_hashes import keyed_hash, keyed_hashes
from shared.providers.action_ledger import Action, OnDoubt, State
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import store, transmission
from whatsapp.api import queries
from whatsapp.sending import files, long_content, recipients
from whatsapp.sending.failures import (
    ADDRESS_WITHDRAWN,
    AnsweredMeanwhile,
    NotConfigured,
    PolicyRefused,
    of_failed,
    of_not_sent,
)
from whatsapp.sending.gate import CHANNEL, MARKETING, Gate, Subject
from whatsapp.sending.templates import approval
from whatsapp.sending.views import SentView
from whatsapp.store import ordering
from whatsapp.store.items import Intent, Message
from whatsapp.worker.messages import intake, sent_messages, settlement

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.drafts import Draft
    from whatsapp.store.items import Conversation, Phone
    from whatsapp.transmission import Post

IN_DOUBT = "in_doubt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """
    A message to be sent for an API call. *action_id* is the same for every retry of the call, *request* its body as
    JSON, *principal* the authenticated caller. *named_at*: when the recipient's number was chosen, if that was earlier.
    *written_at*: the position of the conversation that the writer has seen, if that matters.
    """

    action_id: str
    request: str = field(repr=False)
    principal: str
    phone: Phone
    conversation: Conversation
    draft: Draft
    named_at: str | None = None
    written_at: str | None = None

    @property
    def fingerprint(self) -> tuple[str, ...]:
        """The request and its conversation, for hashes. The draft of a canned reply changes with its text."""
        return ("sent message", self.conversation.pk, self.request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The current call: its id, and its remaining time."""

    owner: str
    remaining_ms: Callable[[], int]


@dataclass(slots=True)
class _Attempt:
    """The result of one attempt: the provider's id, or its refusal, or the reason why it certainly was not sent."""

    provider_id: str | None = None
    not_sent: NotSent | None = None
    refused: Refused | None = None


def earlier(resources: SendingResources, order: Order) -> SentView | None:
    """
    Return the outcome of an earlier call with this action id, None if there is none yet; completes what it left.

    Raises KeyReused for another message, and ProviderRejected.
    """
    action = resources.ledger.action(order.action_id)
    if action is None or not action.may_have_been_sent:
        return None
    if action.body_hash not in keyed_hashes(*order.fingerprint):
        raise KeyReused("the Idempotency-Key was used for another message")
    if not settlement.has_outcome(action):
        return None
    return _settled(resources, order, action)


def rehearse(resources: SendingResources, gate: Gate, order: Order) -> dict[str, Any]:
    """
    Check a message as `send` does and return the provider's JSON of it. Sends and stores nothing, and takes no place in
    the rates. A file has no id or link yet.

    Raises PolicyRefused, TemplateNotSendable and the provider's failures while a template is looked up.
    """
    proven = recipients.proven(
        gate, order.phone, order.conversation, named_at=order.named_at, is_last=True
    )
    order = replace(order, conversation=proven)
    template = order.draft.template
    category = approval.check(resources, gate, order.phone, template) if template else None
    gate.rehearse(_subject(order, category))
    return _payload(order)


def send(resources: SendingResources, gate: Gate, order: Order, run: Run) -> SentView:
    """
    Send a message unless an earlier call did, and return the outcome.

    Raises InvalidInput, KeyReused, StillRunning while an earlier call may be sending, and the exceptions of
    `whatsapp.sending.failures`.
    """
    _require_seen(resources, order)
    template = order.draft.template
    category = approval.check(resources, gate, order.phone, template) if template else None
    _ask(resources, gate, order, category)
    try:
        post = transmission.post_of(resources, order.phone, is_marketing=category == MARKETING)
    except Permanent as fault:
        raise NotConfigured(f"phone: {fault.reason}") from None
    draft = files.placed(resources, order.phone, order.action_id, order.draft)
    order = replace(order, draft=draft)
    try:
        return _attempted(resources, gate, order, run, post)
    except PolicyRefused as refusal:
        if refusal.reason != ADDRESS_WITHDRAWN or not order.conversation.sender_user_id:
            raise
    order = _ask_by_user_id(resources, gate, order, category)
    return _attempted(resources, gate, order, run, post)


def _attempted(
    resources: SendingResources, gate: Gate, order: Order, run: Run, post: Post
) -> SentView:
    """
    Send a permitted message once, and return the outcome. Raises PolicyRefused (`address_withdrawn`) if the number is
    another person's, and as `send`.
    """
    draft = long_content.placed(
        resources, phone=order.phone, action_id=order.action_id, draft=order.draft
    )
    order = replace(order, draft=draft)
    intent = _intent(resources, order)
    store.intents.put(resources.table, intent)
    attempt = _Attempt()
    try:
        resources.ledger.perform(
            _intended(order),
            owner=run.owner,
            remaining_ms=run.remaining_ms(),
            send=lambda: _posted(gate, post, order, attempt),
        )
    except Transient as failure:
        return _unsettled(resources, order, intent, attempt, failure)
    if attempt.provider_id is not None:
        made = {"state": State.SENT, "provider_id": attempt.provider_id}
        # This call made the attempt: the settlement reads what has become of it.
        return _settled(resources, order, _intended(order).model_copy(update=made), intent)
    action = resources.ledger.action(order.action_id)
    if action is None:
        raise Transient("action_vanished")
    if action.body_hash not in keyed_hashes(*order.fingerprint):
        raise KeyReused("another message was sent under this action id meanwhile")
    return _settled(resources, order, action, refusal=attempt.refused)


def _require_seen(resources: SendingResources, order: Order) -> None:
    """Raise AnsweredMeanwhile if another author answered after the position that the writer has seen."""
    if order.written_at is None:
        return
    newer = queries.answer_after(
        resources.table, order.conversation, order.written_at, besides=order.principal
    )
    if newer is not None:
        raise AnsweredMeanwhile(newer)


def _ask(resources: SendingResources, gate: Gate, order: Order, category: str | None) -> None:
    """Ask the policy. Records a refusal, which leaves the action open. Raises PolicyRefused and TooFast."""
    try:
        gate.check(_subject(order, category))
    except PolicyRefused as refusal:
        _record_refusal(resources, order, refusal)
        raise


def _ask_by_user_id(
    resources: SendingResources, gate: Gate, order: Order, category: str | None
) -> Order:
    """
    Ask the policy again, and return the message to the user id of the customer: the number turned out to be another
    person's. The message has its place in the rates. Raises PolicyRefused.
    """
    try:
        order = replace(order, conversation=recipients.by_user_id(order.conversation))
        gate.rehearse(_subject(order, category))
    except PolicyRefused as refusal:
        _record_refusal(resources, order, refusal)
        raise
    return order


def _record_refusal(resources: SendingResources, order: Order, refusal: PolicyRefused) -> None:
    """Record a refusal of the policy in the ledger, which leaves the action open."""
    # Deadline 0: certainly not sent. A later call with the same key may send it.
    resources.ledger.enter(
        _intended(order).model_copy(
            update={
                "owner": "policy",
                "reason": refusal.reason,
                "reserved_at": clock.now_ms(),
                "ttl": clock.expires_in(Action.ttl_seconds),
            }
        )
    )


def _subject(order: Order, category: str | None) -> Subject:
    return Subject(
        phone=order.phone,
        conversation=order.conversation,
        is_template=order.draft.template is not None,
        category=category,
    )


def _payload(order: Order) -> dict[str, Any]:
    """Return the provider's JSON of a message."""
    draft = order.draft
    message: dict[str, Any] = {
        "messaging_product": "whatsapp",
        **transmission.recipient_of(order.conversation).fields(),
        "type": draft.type,
        draft.type: draft.body,
        "biz_opaque_callback_data": order.action_id,
    }
    if draft.reply_to:
        message["context"] = {"message_id": draft.reply_to}
    return message


def _posted(gate: Gate, post: Post, order: Order, attempt: _Attempt) -> str:
    """Make the one call to the provider, if the address is still the customer's. Raises Refused, NotSent or InDoubt."""
    try:
        recipients.require(gate, order.phone, order.conversation, named_at=order.named_at)
        provider_id = post(_payload(order))
    except NotSent as failure:
        attempt.not_sent = failure
        raise
    except Refused as refusal:
        attempt.refused = refusal
        raise
    if provider_id is None:
        raise InDoubt("no_message_id")
    attempt.provider_id = provider_id
    return provider_id


def _unsettled(
    resources: SendingResources,
    order: Order,
    intent: Intent,
    attempt: _Attempt,
    failure: Transient,
) -> SentView:
    """Return the result of an attempt that was not sent, or whose outcome is open."""
    if failure.reason == "send_in_doubt":
        return SentView(action_id=order.action_id, state=IN_DOUBT)
    if attempt.not_sent is None:
        raise StillRunning("the same call is still in progress") from None
    store.intents.remove(resources.table, order.action_id, written_at=intent.received_at)
    long_content.remove(resources, order.draft)
    raise of_not_sent(attempt.not_sent) from None


def _settled(
    resources: SendingResources,
    order: Order,
    action: Action,
    intent: Intent | None = None,
    refusal: Refused | None = None,
) -> SentView:
    """
    Show the message of an action with an outcome and return that outcome. *refusal*: of this call's attempt. Raises
    ProviderRejected.
    """
    action = settlement.settle(resources, action, order.phone, intent)
    if action.state is State.FAILED:
        raise of_failed(action, refusal)
    return SentView(
        action_id=order.action_id,
        state="unknown" if action.state is State.UNKNOWN else "sent",
        message_id=Message.id_of(str(action.message_pk)),
    )


def _intended(order: Order) -> Action:
    phone = order.phone
    return Action(
        action_id=order.action_id,
        company=phone.company,
        channel=CHANNEL,
        provider=phone.provider,
        account=phone.waba_meta_id,
        business_address=phone.phone,
        on_doubt=OnDoubt.AT_MOST_ONCE,
        recipient_hash=keyed_hash("recipient", order.conversation.from_ or ""),
        body_hash=keyed_hash(*order.fingerprint),
        sent_by=order.principal,
    )


def _intent(resources: SendingResources, order: Order) -> Intent:
    """Return the message that will be stored. Its time is the time of the attempt."""
    phone, now_ms = order.phone, clock.now_ms()
    at = ordering.received_at(now_ms // clock.SECOND_MS, now_ms, 0)
    days = phone.message_ttl_days or resources.message_ttl_days
    recipient = transmission.recipient_of(order.conversation)
    message = Message(
        pk="-",
        company=phone.company,
        ttl=clock.expires_in(days * clock.DAY_SECONDS) if days else None,
        group_id=recipient.group_id,
        sender_phone=recipient.phone,
        sender_user_id=recipient.user_id,
        direction=intake.OUTBOUND,
        received_at=at,
        sent_at=at,
        from_=phone.display_phone,
        from_pk=phone.display_phone,
        to=order.conversation.from_,
        conversation_pk=order.conversation.pk,
        subtype=order.draft.type,
        inbox_pk=phone.phone_arn,
        phone=phone.phone,
        payload_hash=digest(order.action_id),
        reply_to=order.draft.reply_to,
        action_id=order.action_id,
        sent_by=order.principal,
        **order.draft.shown,
    )
    attributes = message.attributes()
    return Intent(
        pk=Intent.key(order.action_id),
        company=phone.company,
        ttl=clock.expires_in(sent_messages.ACTION_SECONDS),
        webhook_event_type=Intent.list_of(order.action_id),
        received_at=clock.to_text(now_ms),
        phone=phone.phone,
        seen_key=order.conversation.last_key,
        message={name: value for name, value in attributes.items() if name != "pk"},
    )
