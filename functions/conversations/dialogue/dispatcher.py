"""Dispatches each record of a channel queue to its use case."""

from conversations import conversation
from conversations.commands import (
    FetchFiles,
    HumanMessage,
    Lengthen,
    Notice,
    Record,
    Release,
    Resolve,
    Resume,
)
from conversations.dialogue import (
    agent_message,
    first_message,
    function_approval,
    reconciliation,
    release,
)
from conversations.dialogue.context import Desk
from conversations.inbound import attachments
from conversations.initiation.context_object import ContextObject
from conversations.lifecycle import NEVER_SENT, Status
from conversations.outbound.turns.engine import Ended, Outcome
from conversations.privacy import retention
from conversations.resources import Run
from conversations.store import due, messages
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import DueKind, Mode
from shared.failures import Permanent


def work(desk: Desk, record: Record, channel: ChannelMethod, run: Run) -> Outcome | None:
    """Handle one record. Raises Permanent if it can never succeed, Transient if it is to be retried."""
    if isinstance(record, ContextObject):
        return first_message.begin(desk, record, channel, run)
    opened = conversation.load(desk.here, record.ref)
    if opened.conversation.channel_method is not channel:
        raise Permanent("wrong_queue")
    outcome: Outcome | None = None
    match record:
        case Resume():
            outcome = _resume(desk, record, run)
        case Resolve():
            outcome = _resolve(desk, record, run)
        case HumanMessage():
            outcome = agent_message.say(desk, record, run)
        case Release():
            outcome = release.release(desk, record, run)
        case Notice():
            outcome = agent_message.give_notice(desk, record, run)
        case FetchFiles():
            _fetch(desk, record)
        case Lengthen():
            retention.lengthen(desk.here, record, channel, run)
    return outcome


def _resolve(desk: Desk, record: Resolve, run: Run) -> Outcome | None:
    """Resolve an unknown send, then give the model results of functions released while it was unresolved."""
    outcome = reconciliation.settle(desk, record, run)
    if outcome is not None and outcome.ended is Ended.LATER:
        return outcome
    return function_approval.tell(desk, conversation.load(desk.here, record.ref), run) or outcome


def _resume(desk: Desk, record: Resume, run: Run) -> Outcome | None:
    """Retry a deferred first message or answer. Removes its due marker first; another deferral writes a new one."""
    opened = conversation.load(desk.here, record.ref)
    outcome = None
    status = Status(opened.conversation.conversation_status)
    due.done(
        desk.here.log, record.ref, DueKind.RESUME
    )  # Deleted first: another deferral writes it again.
    if status in NEVER_SENT and opened.state.mode is Mode.AI:
        outcome = first_message.go_on(desk, opened, run)
    else:
        outcome = function_approval.tell(desk, opened, run)
        if outcome is None:
            agent_message.go_on_answering(desk, record)
    return outcome


def _fetch(desk: Desk, record: FetchFiles) -> None:
    opened = conversation.load(desk.here, record.ref)
    waiting = due.get(desk.here.log, record.ref, DueKind.MEDIA)
    message = messages.get(desk.here.log, record.ref, record.message_sk)
    if message is None or waiting is None:
        return
    if attachments.keep(desk.media, opened, message, attempts=waiting.attempts):
        due.done(desk.here.log, record.ref, DueKind.MEDIA)
