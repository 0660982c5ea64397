"""How far a conversation had come, told by its log: where it goes when it is the model's again."""

from conversations.conversation import Opened
from conversations.lifecycle import Status
from conversations.resources import Resources
from conversations.store import messages
from conversations.store.items.conversation import Role
from conversations.store.items.identifiers import EXTERNAL
from conversations.store.items.log import Delivery

LOOKED_AT = 50  # of the newest messages
REACHED = frozenset(
    {Delivery.ACCEPTED, Delivery.QUEUED, Delivery.SENT, Delivery.DELIVERED, Delivery.READ}
)


def status_of_model(here: Resources, opened: Opened) -> Status:
    """How far the conversation had come: answered, begun, or neither."""
    newest = messages.newest(here.log, opened.ref, LOOKED_AT)
    was_heard = was_sent = False
    for message in newest:
        if message.role is Role.USER:
            was_heard = True
        elif message.delivery_status in REACHED or message.author == EXTERNAL:
            was_sent = True
            if was_heard:
                return Status.REPLY_SENT
    if was_sent or opened.conversation.task_complete:
        return Status.INITIAL_MESSAGE_SENT
    return Status.PROCESSING
