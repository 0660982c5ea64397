"""Derives the status of a conversation that returns to the model from its message log."""

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.store import messages
from conversations.store.items.conversation import Role
from conversations.store.items.identifiers import EXTERNAL
from conversations.store.items.log import Delivery

LOOKED_AT = 50  # number of newest messages
REACHED = frozenset(
    {Delivery.ACCEPTED, Delivery.QUEUED, Delivery.SENT, Delivery.DELIVERED, Delivery.READ}
)


def status_of_model(resources: Resources, opened: OpenConversation) -> Status:
    """Return `reply_sent` if the customer answered a sent message, `initial_message_sent` or `processing`."""
    newest = messages.newest(resources.log, opened.ref, LOOKED_AT)
    has_inbound = has_outbound = False
    for message in newest:
        if message.role is Role.USER:
            has_inbound = True
        elif message.delivery_status in REACHED or message.author == EXTERNAL:
            has_outbound = True
            if has_inbound:
                return Status.REPLY_SENT
    if has_outbound or opened.conversation.task_complete:
        return Status.INITIAL_MESSAGE_SENT
    return Status.PROCESSING
