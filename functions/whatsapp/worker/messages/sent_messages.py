"""
Messages that Parley sends: from the intent, written before the provider call, to the message with the provider's id.

A status webhook can arrive before the response to the send, or be the only evidence when the sender died. In that case
the message is created from the status.
"""

from typing import Any

from shared.aws.sqs_fifo import digest
from shared.providers.action_ledger import Action, State
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound.content import Content
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store import ordering
from whatsapp.store.items import Alias, Edit, Intent, Message, Phone, pk
from whatsapp.worker import contacts, ownership
from whatsapp.worker.contacts import Lookup
from whatsapp.worker.forwarding import forwarder
from whatsapp.worker.messages import intake
from whatsapp.worker.messages.contents import authors, versions

DIRECTION = intake.OUTBOUND
# As long as the ledgers of all contexts keep an action, and statuses wait. Stored messages stay correct afterwards.
ACTION_SECONDS = 35 * clock.DAY_SECONDS
FAILED_RANK = 9  # as in `statuses.RANKS`


def accepted() -> dict[str, Any]:
    """Return the delivery state of an outbound message that the provider accepted and has not reported on: rank 0."""
    return Message.named(delivery_status="sent", status_rank=0)


def store_shown(
    resources: Resources,
    event: Event,
    phone: Phone,
    lookup: Lookup,
    described: Content,
    **fields: Any,  # noqa: ANN401 - values of any field of a message
) -> tuple[Message, Outcome]:
    """
    Store and show a message sent from a number, unless stored; erased ones are not shown. Safe to repeat.

    Raises Permanent (`conflict`).
    """
    message = intake.compose(
        resources,
        event,
        phone,
        described,
        direction=DIRECTION,
        from_=phone.display_phone,
        from_pk=phone.display_phone,
        to=lookup.conversation,
        conversation_pk=intake.conversation_pk(phone, lookup.conversation),
        group_id=lookup.group_id,
        **fields,
        **accepted(),
    )
    original = message.model_copy(update={"sent_at": message.received_at})
    link = lookup.customer.link
    message = intake.with_early_changes(resources, original, lookup.edit, phone, link)
    message, outcome = intake.put_once(resources, message)
    if not message.erased:
        intake.store_full_content(resources, event, phone, message, described)
        versions.keep_original(resources, lookup.edit, original, phone, link)
        intake.show(resources, message, phone)
        contacts.remember(resources, event, lookup.customer, phone)
    return message, outcome


def confirm(resources: Resources, action_id: str, message: Message, *, failed: bool) -> None:
    """Record in the ledger that the provider reported on an action; unknown actions are not ours to settle."""
    company = str(message.company)
    resources.ledger.confirm(action_id, failed=failed, message_pk=message.pk, company=company)


def check_action(resources: Resources, action_id: str, phone: Phone) -> None:
    """Raise Permanent (`tenant_mismatch`) if the ledger knows the action for another number."""
    action = resources.ledger.action(action_id)
    if action is not None:
        ownership.check_action(action, phone)


def message_of_action(
    resources: Resources, action_id: str, message_id: str, phone: Phone, *, failed: bool
) -> Message | None:
    """
    Return the message sent by one of our actions, for a status with the action's id. None: no such action.

    Raises Permanent (`tenant_mismatch`) for an action of another company or number.

    *message_id* is the status's id; it may differ from the one returned by the send, and then becomes an alias.
    """
    action = resources.ledger.action(action_id)
    if action is None:
        return None
    ownership.check_action(action, phone)
    if action.message_pk is None:
        action = resources.ledger.confirm(
            action_id,
            failed=failed,
            message_pk=Message.key(message_id),
            company=phone.company,
        )
        if action is None or action.message_pk is None:
            return None
    if action.message_pk != Message.key(message_id):
        store.messages.add_alias(
            resources.table,
            Alias.of_message(phone.phone, message_id),
            action.message_pk,
            phone.company,
        )
    return from_intent(resources, action, phone) or ownership.message_of(
        resources, action.message_pk, phone
    )


def key_of_action(resources: Resources, action_id: str, message_id: str, phone: Phone) -> str:
    """
    Return the key of the message that another context's action sent from *phone*.

    The context's announcement and the statuses may arrive in either order and with different ids: the first id becomes
    the message's, any other its alias. Safe to repeat.
    """
    own = Message.key(message_id)
    alias = Alias.of_action(phone.phone, action_id)
    ttl = clock.expires_in(ACTION_SECONDS)
    target = store.messages.claim_alias(resources.table, alias, own, phone.company, ttl=ttl)
    if target != own:
        store.messages.add_alias(
            resources.table, Alias.of_message(phone.phone, message_id), target, phone.company
        )
    return target


def is_intended(resources: Resources, action_id: str) -> bool:
    """Whether the action's intent still exists: its message was not created, or not completely."""
    return resources.table.get(pk(Intent.key(action_id))) is not None


def forget_intent(resources: SendingResources, action_id: str) -> None:
    """Remove the intent, as the last step: after an earlier crash processing restarts from the intent."""
    store.intents.remove(resources.table, action_id)


def from_intent(
    resources: SendingResources, action: Action, phone: Phone, intent: Intent | None = None
) -> Message | None:
    """
    Create the message of an action that has a message key, and show it; None if it has no intent. *intent*: as in
    `settlement.settle`. Safe to repeat.

    A message of an agent is forwarded too, unless the provider refused it. The caller removes the intent.
    """
    is_late = intent is None
    intent = intent or store.intents.get(resources.table, action.action_id)
    if intent is None or action.message_pk is None:
        return None
    now_ms = clock.now_ms()
    sent_at = ordering.received_at(now_ms // clock.SECOND_MS, now_ms, 0)
    is_confirmed = action.state is State.CONFIRMED or action.message_pk != own_key(action)
    message = Message.read(
        {
            **Message.named(received_at=sent_at, sent_at=sent_at),
            **Message.named(
                payload_hash=digest(action.action_id),
                action_id=action.action_id,
                company=phone.company,
            ),
            **intent.message,
            **(accepted() if is_confirmed else _without_id(action)),
            "pk": action.message_pk,
        }
    )
    if is_late:
        message = _with_early_reactions(resources, message, phone)
    message, _ = intake.put_once(resources, message)
    if message.erased:
        return message
    is_reply = message.sent_by is not None and action.state is not State.FAILED
    if is_reply:
        _mark_as_read(resources, message, intent.seen_key)
    intake.show(resources, message, phone)
    if is_reply:
        forwarder.agents_reply(resources, phone, message)
    return message


def _with_early_reactions(resources: SendingResources, message: Message, phone: Phone) -> Message:
    """Apply the customer's reactions to a message that is stored later than by the call that sent it."""
    key = Edit.key(phone.phone, message.message_id)
    record = store.message_reports.get_edit(resources.table, key)
    if record is None or record.company != message.company:
        return message
    theirs = authors.of_early(resources, record, message, phone)
    return message.model_copy(update={"reactions": theirs.reactions})


def _mark_as_read(resources: SendingResources, message: Message, seen_key: str | None) -> None:
    """Mark as read what the agent could have read before the answer."""
    head = store.heads.get(resources.table, message.conversation_pk)
    if head is not None and seen_key is not None:
        by, at = str(message.sent_by), clock.to_text(clock.now_ms())
        store.read_marks.mark_read(resources.table, head, up_to=seen_key, by=by, at=at)


def own_key(action: Action) -> str:
    """Return the key of an action's message that has no provider id: refused, or of unknown outcome."""
    return Message.key(action.action_id)


def _without_id(action: Action) -> dict[str, Any]:
    """Return the delivery state of a message that the provider refused, or for which it returned no id."""
    if action.state is not State.FAILED:
        return Message.named(send_state="unknown")
    at = clock.to_text(int(action.reserved_at))
    code = action.reason or "refused"
    return Message.named(
        delivery_status="failed",
        status_rank=FAILED_RANK,
        status_at=at,
        status_error={"code": code},
        delivery_status_history=[{"status": "failed", "at": at, "code": code}],
    )
