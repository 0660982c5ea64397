"""
The head of a thread after mails were moved out of it or back into it. Pure.

What follows from its mails is derived again, settings of people stay. Findings of the model about moved mails are left
out; the model reads the thread again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.parsing.trust import Trust
from email_threads.store.items.threads.thread import Direction
from email_threads.threading import people
from email_threads.threading.head import heads, service_level, windows
from shared.identity.contacts.claims import Proof

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from email_threads.store.items import HistoryEntry, Mail, Thread
    from email_threads.store.items.threads.service_level import ServiceLevel

_SHOWN: Final = 3 * windows.MOST_MAILS  # newest mails from which the window is built again


def head_of(thread: Thread, mails: Sequence[Mail]) -> dict[str, Any]:
    """Return the attributes that follow from the mails of a thread. *mails* are all of them, in their order."""
    if not mails:
        return {
            "email_history": [],
            "waiting_since": None,
            "last_inbound_n": None,
        }
    persons = _participants(thread, mails)
    waiting, participant = _waiting_since(mails), _participant(thread, mails, persons)
    is_same = participant == thread.participant
    proof = thread.participant_proof if is_same else _proof(participant, mails)
    return {
        "created_at": min(mail.timestamp for mail in mails),
        "participants": persons,
        "participant": participant,
        "participant_name": _name(participant, proof, mails),
        "participant_proof": proof,
        "thread_references": _references(mails),
        "email_history": _history(mails),
        "waiting_since": waiting,
        "last_inbound_n": max((mail.n for mail in mails if _is_news(mail)), default=None),
        "withheld_mails": [mail.n for mail in mails if mail.is_withheld][-heads.MOST_WITHHELD :],
        "full_text_search": heads.search_text(thread.subject, persons, mails[-1].new_text),
        "service_level": _level(thread, mails, waiting),
    }


def without_findings(thread: Thread, moved: Iterable[int]) -> dict[str, Any]:
    """Return the changes of a head whose analysis has read a mail that was moved; none if it has read none."""
    first, analysis = min(moved, default=None), thread.ai_analysis
    if first is None or analysis is None or (analysis.analysed_n or 0) < first:
        return {}
    return {
        "requirements": {},
        "requirements_version": (thread.requirements_version or 0) + 1,
        "ai_analysis": None,
        "analysis_seq": (thread.analysis_seq or 0) + 1,
        "sentiment_scores": [one for one in thread.sentiment_scores if one.n < first],
        "evidence_seq": (thread.evidence_seq or 0) + 1,
    }


def _is_news(mail: Mail) -> bool:
    return mail.counts and mail.direction is Direction.INBOUND


def _participants(thread: Thread, mails: Sequence[Mail]) -> set[str]:
    persons = {thread.mailbox}
    for mail in mails:
        persons = windows.participants_with(persons, people.added_by(mail, thread.mailbox))
    return persons


def _participant(thread: Thread, mails: Sequence[Mail], persons: Collection[str]) -> str | None:
    """Return the primary correspondent: the present one, if a mail is left that adds them."""
    if thread.participant in persons:
        return thread.participant
    added = (address for mail in mails for address in people.added_by(mail, thread.mailbox))
    return next(added, None)


def _name(participant: str | None, proof: Proof | None, mails: Sequence[Mail]) -> str | None:
    names = (heads.name_of(participant, proof, mail) for mail in reversed(mails))
    return next(filter(None, names), None)


def _proof(participant: str | None, mails: Sequence[Mail]) -> Proof | None:
    """Return how the mails prove the address of the participant."""
    is_proven = any(
        mail.sender == participant and mail.trust is Trust.VERIFIED
        for mail in mails
        if mail.direction is Direction.INBOUND
    )
    return Proof.PROVIDER if is_proven else None


def _references(mails: Sequence[Mail]) -> list[str]:
    named: list[str] = []
    for mail in mails:
        parents = [one for one in mail.references if one != mail.in_reply_to]
        if mail.in_reply_to is not None:
            parents.append(mail.in_reply_to)
        named = windows.first_and_newest([*named, *parents, mail.message_id])
    return named


def _history(mails: Sequence[Mail]) -> list[HistoryEntry]:
    history: list[HistoryEntry] = []
    for mail in mails[-_SHOWN:]:
        history, _ = windows.history_with(history, windows.entry_of(mail))
    return history


def _waiting_since(mails: Sequence[Mail]) -> str | None:
    """Return the time of the first mail of the customer that has no answer."""
    since: str | None = None
    for mail in mails:
        if mail.counts:
            since = (since or mail.received_at) if mail.direction is Direction.INBOUND else None
    return since


def _level(thread: Thread, mails: Sequence[Mail], waiting: str | None) -> ServiceLevel | None:
    """Return the due times: without a customer who waits, no first response is due."""
    level = thread.service_level
    if not any(_is_news(mail) for mail in mails):
        return service_level.without(thread)
    response = level.first_response if level is not None else None
    if level is not None and waiting is None and response is not None and response.is_unreached:
        return level.model_copy(update={"first_response": None})
    return level
