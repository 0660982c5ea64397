"""
The states of a conversation and the allowed transitions.

    (request) -> processing --> initial_message_sent --> reply_sent <---------+
                   |  |  |              |    |              |  ^              |
                   |  |  +-> failed     |    |              v  |              |
                   |  |        |        |    +-------> handoff_pending --> handoff_active
                   |  |        |        |                   ^                  |
                   |  +-> blocked       +--> failed         |   (take-over, from any open one)
                   |        |                               |
                   +-> deferred    a release or redrive leads back to processing
                          |
                          +-> processing, when due

    deferred, blocked, failed -> reply_sent, handoff_pending, if the customer writes first
    any open one -> closed, opted_out;  closed, opted_out -> the one before

A pending reply is not a status: it is the turn in the conversation's state. `initiated` occurs only in the Context
Object. Reasons are short codes, stored in the state and in the change log.
"""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Values of `conversation_status`."""

    PROCESSING = "processing"
    DEFERRED = "deferred"
    BLOCKED = "blocked"
    INITIAL_MESSAGE_SENT = "initial_message_sent"
    REPLY_SENT = "reply_sent"
    HANDOFF_PENDING = "handoff_pending"
    HANDOFF_ACTIVE = "handoff_active"
    OPTED_OUT = "opted_out"
    CLOSED = "closed"
    FAILED = "failed"


_S = Status
_OVER = frozenset({_S.CLOSED, _S.OPTED_OUT})
OVER = _OVER
WITH_PEOPLE = frozenset({_S.HANDOFF_PENDING, _S.HANDOFF_ACTIVE})
_LEADS_TO: Mapping[Status, set[Status]] = {
    _S.PROCESSING: {
        _S.INITIAL_MESSAGE_SENT,
        _S.REPLY_SENT,
        _S.DEFERRED,
        _S.BLOCKED,
        _S.FAILED,
        _S.HANDOFF_PENDING,
        *_OVER,
    },
    # The customer may write before the first message is sent: then they are answered, or handed off.
    _S.DEFERRED: {_S.PROCESSING, _S.BLOCKED, _S.REPLY_SENT, _S.HANDOFF_PENDING, *_OVER},
    _S.BLOCKED: {_S.PROCESSING, _S.REPLY_SENT, _S.HANDOFF_PENDING, *_OVER},
    _S.INITIAL_MESSAGE_SENT: {_S.REPLY_SENT, _S.HANDOFF_PENDING, _S.FAILED, *_OVER},
    _S.REPLY_SENT: {_S.HANDOFF_PENDING, *_OVER},
    # `failed`: a first message of unknown outcome was certainly not delivered.
    _S.HANDOFF_PENDING: {_S.REPLY_SENT, _S.INITIAL_MESSAGE_SENT, _S.PROCESSING, _S.FAILED, *_OVER},
    _S.HANDOFF_ACTIVE: {_S.REPLY_SENT, _S.INITIAL_MESSAGE_SENT, _S.PROCESSING, *_OVER},
    _S.FAILED: {_S.PROCESSING, _S.REPLY_SENT, _S.HANDOFF_PENDING, *_OVER},
    # Final unless the conversation is reopened: a late event must not reopen it.
    _S.OPTED_OUT: set(),
    _S.CLOSED: {_S.OPTED_OUT},
}
# A human agent may take over any conversation that is not over.
OPEN = frozenset(Status) - _OVER
# Shown in a project's list of open conversations; no activity is expected in the others.
LISTED = frozenset(OPEN - {_S.FAILED, _S.BLOCKED})
# The customer has our last message, and the model leads the conversation.
AWAITS_ANSWER = frozenset({_S.INITIAL_MESSAGE_SENT, _S.REPLY_SENT})
NEVER_SENT = frozenset({_S.PROCESSING, _S.DEFERRED, _S.BLOCKED, _S.FAILED})


def may_become(now: Status, then: Status, *, is_return: bool = False) -> bool:
    """
    Return whether a conversation may change from one status to another; keeping the status is always allowed.

    With *is_return* a closed or opted-out conversation returns to its earlier status, including a hand-off.
    """
    if then is now:
        return True
    if is_return:
        return now in _OVER
    if then is Status.HANDOFF_ACTIVE:
        return now in OPEN
    return then in _LEADS_TO[now]


def turn_may_change(now: Status, then: Status) -> bool:
    """Return whether a sent message may change the status. Decisions of agents and customers take precedence."""
    if now in NEVER_SENT and then is Status.INITIAL_MESSAGE_SENT:
        return True  # Its turn was given up, but the message was sent.
    return now not in _OVER | WITH_PEOPLE and may_become(now, then)
