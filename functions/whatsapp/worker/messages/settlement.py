"""
Settles messages that an agent sent: from the ledger's outcome to the message in the inbox.

    sent, confirmed      the message under the provider's id, accepted
    failed               the message under the action's id, failed: shown to agents
    unknown              the message under the action's id, `sendState` unknown: shown to agents and listed; only a
                         person's decision sends it again

Runs after the send, when the request is repeated, and when a send was left unfinished; a status callback may have done
the same before. The intent is removed last, so each of them completes what an earlier one left.
"""

from shared.providers.action_ledger import Action, State
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound import provider_errors
from whatsapp.inbound.event import Event, Outcome
from whatsapp.store.items import Alias, Intent, Message, Phone
from whatsapp.worker import ownership
from whatsapp.worker.messages import sent_messages, statuses

_HAS_OUTCOME = frozenset({State.SENT, State.CONFIRMED, State.FAILED, State.UNKNOWN})


def settle(
    resources: SendingResources, action: Action, phone: Phone, intent: Intent | None = None
) -> Action:
    """
    Store and show the message of an action that has an outcome; return the action with its message key. *intent*: as
    the caller has just written it; it is read otherwise.

    A status that was faster may have given the message another id than the send returned, which stays; the returned one
    becomes an alias. Safe to repeat.
    """
    returned_id = action.provider_id
    key = Message.key(returned_id) if returned_id else sent_messages.own_key(action)
    linked = resources.ledger.link(action.action_id, action.message_pk or key) or action
    if returned_id and linked.message_pk not in {None, key}:
        store.messages.add_alias(
            resources.table,
            Alias.of_message(phone.phone, returned_id),
            str(linked.message_pk),
            phone.company,
        )
    if linked.state is State.UNKNOWN:
        from whatsapp.store.sending import unknown_sends  # noqa: PLC0415 - rare

        unknown_sends.add(resources.table, linked)
    message = sent_messages.from_intent(resources, linked, phone, intent)
    if message is not None:
        if not message.erased:
            if linked.state is State.FAILED:
                at = clock.to_text(int(linked.reserved_at))
                provider_errors.apply(resources.table, message, linked.reason, at)
            for message_id in dict.fromkeys((message.message_id, returned_id or "")):
                if message_id:
                    statuses.fold_waiting(resources, message_id, message)
        sent_messages.forget_intent(resources, action.action_id)
    return linked


def has_outcome(action: Action) -> bool:
    """Whether the action's message can be settled."""
    return action.state in _HAS_OUTCOME


def finish(resources: Resources, event: Event, phone: Phone) -> Outcome:
    """
    Finish a send that its worker left: settle its outcome, or mark it as unknown.

    Raises Transient while the attempt may be alive, Permanent (`tenant_mismatch`).
    """
    action = resources.ledger.action(event.id)
    if action is not None:
        ownership.check_action(action, phone)
        action = resources.ledger.give_up(event.id)
    if action is None or not has_outcome(action):
        # Certainly not sent. A repetition of the request writes a later intent, which stays.
        written_at = (event.payload or {}).get("writtenAt")
        store.intents.remove(resources.table, event.id, written_at=str(written_at or ""))
        return Outcome.DUPLICATE
    settle(resources, action, phone)
    return Outcome.PERSISTED
