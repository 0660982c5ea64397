"""
Schedules the next follow-up of a conversation: the time at which the customer's silence is long enough.

    a message of the model is sent   --> step 0, `after_hours` after it
    a follow-up is sent              --> the next step, `after_hours` after that one
    anything else is sent            --> none; what is scheduled for an earlier message finds a newer one

There is one such item per conversation. It stays when the customer answers, and finds the answer when it is due.
"""

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import AWAITS_ANSWER, Status
from conversations.store.items.log import Message
from conversations.store.items.parts.due import DueKind
from conversations.store.items.turn import TurnKind
from conversations.store.recovery import due
from shared.runtime import clock

_FOLLOWED = frozenset({TurnKind.INITIAL, TurnKind.REPLY, TurnKind.REENGAGEMENT, TurnKind.FOLLOW_UP})


def schedule(
    resources: Resources, opened: OpenConversation, message: Message, status: Status
) -> None:
    """Schedule the follow-up of a sent message, if the project has one; *status* is the one after it. Idempotent."""
    steps = opened.company.follow_ups
    step = 0 if message.follow_up is None else message.follow_up + 1
    is_followed = message.turn_kind in _FOLLOWED and status in AWAITS_ANSWER
    if not is_followed or step >= len(steps):
        return
    silence_ms = steps[step].after_hours * clock.HOUR_MS
    due.put(
        resources.log,
        opened.ref,
        DueKind.FOLLOW_UP,
        clock.from_text(message.message_timestamp) + silence_ms,
        company=opened.company.company_id,
        message_sk=message.own_sk,
        step=step,
    )
