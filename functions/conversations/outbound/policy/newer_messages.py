"""
Decides whether a draft of the model is outdated: the customer has written since its turn was planned.

An outdated draft is discarded. The reply trigger of the newer message starts the next turn, which answers all of them.
At most two drafts in a row are discarded, so that a customer who keeps writing is answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.ai.config import SEARCH_DOCUMENTS, BuiltIn
from conversations.store import messages
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from conversations.store.items.parts.state import State
    from shared.aws.dynamodb import Table

NEWER_MESSAGE = "newer_message"  # the error code of an outdated draft
MOST_DISCARDED = 2  # in a row
_WITHOUT_EFFECT = frozenset({*BuiltIn, SEARCH_DOCUMENTS})


@dataclass(frozen=True, slots=True)
class Unanswered:
    """
    The customer's messages since the last answer that need one, oldest first.

    *read_until*: see the function. Equal calls of functions are executed once in all turns with the same
    *calls_once_in*; without it once in the turn.
    """

    asking: list[Message]
    read_until: str | None
    calls_once_in: str | None = None

    @property
    def up_to(self) -> str | None:
        """The sort key of the newest message; None if there is none."""
        return self.asking[-1].own_sk if self.asking else None


def read_until(opened: OpenConversation, unanswered: Sequence[Message]) -> str | None:
    """
    Return the time of the newest customer message that a turn knows; None if newer ones do not outdate it.

    *unanswered* are all messages since the last answer, outdated drafts included; they were read after the state.
    """
    drafts = [message for message in unanswered if message.follow_up is None]
    if sum(map(is_outdated, drafts)) >= MOST_DISCARDED:
        return None
    times = [message.message_timestamp for message in unanswered if message.role is Role.USER]
    return max([opened.state.last_inbound_at or "", *times])


def is_outdated(message: Message) -> bool:
    """Return whether a message is a draft that was discarded for a newer message."""
    return (message.delivery_status, message.error_code) == (Delivery.DISCARDED, NEWER_MESSAGE)


def may_be_discarded(message: Message) -> bool:
    """Return whether a draft may be discarded: not if functions were executed, which only this draft reports."""
    return _WITHOUT_EFFECT.issuperset(message.functions)


def are_waiting(
    log: Table, ref: str, state: State, *, until: str | None, up_to: str | None
) -> bool:
    """
    Return whether messages wait for an answer that the customer wrote after the time *until*.

    *state* is the current one; *up_to* is the sort key of the newest message that the turn answers, None if it answers
    none. Reads the log only if the customer has written.
    """
    if until is None or (state.last_inbound_at or "") <= until:
        return False
    after = messages.after(log, ref, up_to or state.answered_up_to)
    return any(message.needs_answer for message in after)
