"""Changes of a thread when a person admits a mail that did not count, or withholds it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.parsing.answer_rules import Refusal
from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store.items import Status
from email_threads.store.items.threads.mail import Evidence
from email_threads.store.items.threads.thread import Direction
from email_threads.threading.head import heads, service_level, windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.store.items import Mail, Thread
    from email_threads.threading.head.service_level import Targets


def admitted(mail: Mail, thread: Thread, *, by: str, at: str) -> Mail:
    """Return a mail after its admission. An answer without a person is refused for all other reasons as before."""
    refusal = mail.automatic_refusal
    is_new = mail.sender is not None and mail.sender not in thread.participants
    return mail.model_copy(
        update={
            "kind": Kind.MAIL if mail.kind is Kind.HELD else mail.kind,
            "evidence": Evidence.ADMITTED,
            "admitted_by": by,
            "admitted_at": at,
            "admits_author": True if is_new and mail.trust is not Trust.FAILED else None,
            "automatic_refusal": None if refusal == Refusal.NEW_PARTICIPANT else refusal,
        }
    )


def withheld(mail: Mail) -> Mail:
    """Return a mail whose admission is undone. *admits_author* stays: a repeated call completes what it changes."""
    is_weak = mail.evidence_reason is not None
    refusal = Refusal.NEW_PARTICIPANT.value if is_weak else None
    return mail.model_copy(
        update={
            "kind": Kind.HELD if mail.hold_reason is not None else mail.kind,
            "evidence": Evidence.WEAK if is_weak else None,
            "admitted_by": None,
            "admitted_at": None,
            "automatic_refusal": mail.automatic_refusal or refusal,
        }
    )


def head_with(thread: Thread, mail: Mail, targets: Targets | None) -> dict[str, Any]:
    """
    Return the attributes of a head that an admitted mail changes: from now on it counts as any other.

    *targets*: of its mailbox.
    """
    people = [mail.sender] if mail.admits_author and mail.sender is not None else []
    fields: dict[str, Any] = {
        "withheld_mails": heads.withheld_with(thread, mail),
        "participants": windows.participants_with(thread.participants, people),
        "evidence_seq": (thread.evidence_seq or 0) + 1,
    }
    if not mail.counts or mail.direction is not Direction.INBOUND:
        return fields
    return fields | {
        **heads.with_status(thread, Status.ACTIVE),
        "reminder": None,
        "service_level": service_level.after_mail(thread, mail, targets),
        "resolution_time": None,
        "last_inbound_n": max(mail.n, thread.last_inbound_n or 0),
        "waiting_since": thread.waiting_since or mail.received_at,
    }


def head_without(
    thread: Thread, mail: Mail, others: Sequence[Mail], *, author: str | None
) -> dict[str, Any]:
    """
    Return the attributes of a head that change when a mail is withheld again. *others* are the mails before it,
    *author* is the person whom its admission made a participant. Status and requirements stay: people decide.
    """
    newest = thread.last_inbound_n
    if newest == mail.n:
        counting = (one.n for one in others if one.counts and one.direction is Direction.INBOUND)
        newest = max(counting, default=None)
    return {
        "withheld_mails": heads.withheld_with(thread, mail),
        "participants": thread.participants - ({author} if author is not None else set()),
        "evidence_seq": (thread.evidence_seq or 0) + 1,
        "last_inbound_n": newest,
        "sentiment_scores": [one for one in thread.sentiment_scores if one.n != mail.n],
        "ai_analysis": thread.ai_analysis if newest is not None else None,
        "waiting_since": thread.waiting_since if newest is not None else None,
        "service_level": thread.service_level
        if newest is not None
        else service_level.without(thread),
    }
