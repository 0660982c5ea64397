"""
The states of a conversation, and which leads to which.

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

    any open one -> closed, opted_out;  closed, opted_out -> the one before

What a customer is waiting for is no status: it is the turn in the conversation's state. `initiated` is only ever in
the Context Object. Reasons are short codes, in the state and in the log of changes.
"""

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """`conversation_status`."""

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
    _S.DEFERRED: {_S.PROCESSING, _S.BLOCKED, *_OVER},
    _S.BLOCKED: {_S.PROCESSING, *_OVER},
    _S.INITIAL_MESSAGE_SENT: {_S.REPLY_SENT, _S.HANDOFF_PENDING, _S.FAILED, *_OVER},
    _S.REPLY_SENT: {_S.HANDOFF_PENDING, *_OVER},
    _S.HANDOFF_PENDING: {_S.REPLY_SENT, _S.INITIAL_MESSAGE_SENT, _S.PROCESSING, *_OVER},
    _S.HANDOFF_ACTIVE: {_S.REPLY_SENT, _S.INITIAL_MESSAGE_SENT, _S.PROCESSING, *_OVER},
    _S.FAILED: {_S.PROCESSING, _S.HANDOFF_PENDING, *_OVER},
    # What is over stays so, unless it returns: whatever comes late must not bring it back.
    _S.OPTED_OUT: set(),
    _S.CLOSED: {_S.OPTED_OUT},
}
# A person may take over whatever is not over.
OPEN = frozenset(Status) - _OVER
# What a project's list of open conversations shows; of the others nobody expects anything.
LISTED = frozenset(OPEN - {_S.FAILED, _S.BLOCKED})
NEVER_SENT = frozenset({_S.PROCESSING, _S.DEFERRED, _S.BLOCKED, _S.FAILED})


def may_become(now: Status, then: Status, *, is_return: bool = False) -> bool:
    """
    Whether a conversation may go from one status to another; to the same one it always may.

    With *is_return* it goes back to where it was before it was over: to a person who had it, too.
    """
    if then is now:
        return True
    if is_return:
        return now in _OVER
    if then is Status.HANDOFF_ACTIVE:
        return now in OPEN
    return then in _LEADS_TO[now]


def turn_may_change(now: Status, then: Status) -> bool:
    """Whether a message that was sent may change the status: not what a person or the customer decided meanwhile."""
    if now in NEVER_SENT and then is Status.INITIAL_MESSAGE_SENT:
        return True  # Given up too early: it left all the same.
    return now not in _OVER | WITH_PEOPLE and may_become(now, then)
