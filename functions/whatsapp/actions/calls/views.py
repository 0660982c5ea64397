"""Responses that several packages of actions share."""

from typing import Literal

from whatsapp.actions.calls.provider_objects import MessageJson
from whatsapp.sending.views import View


class SentMessage(View):
    """
    The outcome of a send.

    sent: the provider accepted the message. in_doubt: its answer was lost; the message is not sent again, and a status
    or a later check settles it. unknown: no evidence arrived; people decide. dry_run: nothing was sent or stored, and
    *payload* is the provider's JSON. *note* has a decision of the action, such as which of two messages it sent.
    """

    action_id: str
    state: Literal["sent", "in_doubt", "unknown", "dry_run"]
    message_pk: str | None = None
    message_id: str | None = None
    conversation_pk: str
    payload: MessageJson | None = None
    note: str | None = None


class Done(View):
    """A change that needs no further description."""

    done: Literal[True] = True
