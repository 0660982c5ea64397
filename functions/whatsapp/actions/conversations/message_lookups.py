"""Returns one message, and the state of its delivery."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from pydantic import Field

from shared.api.auth import Scope
from shared.providers.action_ledger import Action
from whatsapp import store
from whatsapp.actions.calls import references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, MessageRef
from whatsapp.actions.conversations import views
from whatsapp.actions.conversations.message_lists import SEARCH
from whatsapp.actions.conversations.views import ShownMessage, ShownStatus
from whatsapp.api.json_view import View
from whatsapp.api.message_views import history_of
from whatsapp.api.provider_objects import ReachedStatus
from whatsapp.store.conversations.lists import merged_entries
from whatsapp.store.items import Message, Status
from whatsapp.store.items.conversations.groups import Group


class GetMessage(Input):
    """A message: its WhatsApp id, the id of AWS, the id of our action, or its key."""

    message_id: MessageRef


class GetByWaId(Input):
    """A message by its WhatsApp id."""

    wa_message_id: MessageRef


class OneMessage(View):
    """A message with all its statuses, oldest first."""

    message: ShownMessage
    statuses: list[ShownStatus]


class Delivery(View):
    """
    The state of a delivery. *state* is the ledger's, for a message that an action sent: reserved, sent, confirmed,
    failed or unknown; until the message exists, there is no other status.
    """

    message_pk: str | None = None
    action_id: str | None = None
    state: str | None = None
    delivery_status: str | None = None
    delivery_status_history: list[ReachedStatus] | None = None
    statuses: list[ShownStatus] = Field(default_factory=list)


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_message(call: Call[GetMessage]) -> OneMessage:
    """
    Return one message with all its statuses, and a link to its stored file that is valid for 15 minutes.

    A message that was hidden is returned too, with `deletedAt`.
    """
    return _one(call, call.input.message_id)


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_message_by_wa_id(call: Call[GetByWaId]) -> OneMessage:
    """Return one message by its WhatsApp id, as `get_message` does."""
    return _one(call, call.input.wa_message_id)


@SEARCH.reads("local", Scope.WHATSAPP_READ)
def get_delivery_status(call: Call[GetMessage]) -> Delivery:
    """
    Return the delivery status of a message, its history, and all reported statuses with times, prices and errors.

    By the id of an action it also answers while the send has no outcome and there is no message yet.
    """
    reference = call.input.message_id
    action = call.resources.ledger.action(reference)
    if action is not None and action.company == call.company and action.message_pk is None:
        return Delivery(action_id=action.action_id, state=action.state)
    message = references.message_of(call, reference)
    return Delivery(
        message_pk=message.pk,
        action_id=message.action_id,
        state=_state(call, message, action),
        delivery_status=message.delivery_status,
        delivery_status_history=history_of(message),
        statuses=_statuses(call, message, reference),
    )


def _one(call: Call[Any], reference: str) -> OneMessage:
    message = references.message_of(call, reference)
    (shown,) = views.message_views(call, [message])
    return OneMessage(message=shown, statuses=_statuses(call, message, reference))


def _state(call: Call[Any], message: Message, action: Action | None) -> str | None:
    if action is None and message.action_id:
        action = call.resources.ledger.action(message.action_id)
    return action.state if action is not None and action.company == call.company else None


def _statuses(call: Call[Any], message: Message, reference: str) -> list[ShownStatus]:
    """
    Return all statuses of a message, oldest first; in a group the statuses of each participant.

    A status has the id that the provider reported it with: the message's id, or the one in *reference*. A customer's
    message has none. Each key costs a read unit, also if there is no status.
    """
    if message.direction != "OUTBOUND":
        return []
    ids, given = [message.message_id], Message.id_of(reference)
    if given not in {message.message_id, message.action_id}:  # no provider reports our action's id
        ids.append(given)
    keys = [
        {"pk": Status.of(message.phone, message_id, word, participant)}
        for message_id, word, participant in product(
            ids, message.status_words, _participants(call, message)
        )
    ]
    found = [Status.read(item) for item in merged_entries.items_of(call.table, keys)]
    own = [status for status in found if status.company == call.company]
    return [views.status_view(status) for status in sorted(own, key=lambda one: one.status_at)]


def _participants(call: Call[Any], message: Message) -> Iterable[str]:
    """Return the participants whose statuses are separate; an empty text for the customer of a conversation."""
    if not message.group_id:
        return [""]
    group = store.groups.get(call.table, Group.key(message.group_id))
    return ["", *(group.participants if group and group.company == call.company else ())]
