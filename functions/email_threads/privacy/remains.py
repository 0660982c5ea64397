"""Mails and threads without the data of an erased person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.store.items import HistoryEntry, Mail
from email_threads.threading.evidence import subjects
from email_threads.threading.head import heads, windows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from email_threads.privacy.person import Person
    from email_threads.store.items import Thread
    from email_threads.store.items.threads.satisfaction import Satisfaction
    from email_threads.store.items.threads.thread import EmailFields

DOMAIN: Final = "erased.invalid"  # of the Message-IDs that replace the ids of erased mails
_FACTS_OF_AN_ENTRY: Final = frozenset({"email_id", "n", "timestamp", "direction"})
_FACTS_OF_A_MAIL: Final = _FACTS_OF_AN_ENTRY | {
    "conversation_id", "company_id", "kind", "trust", "received_at", "fingerprint", "needs_review", "hold_reason",
    "returned_as", "joined_by", "evidence", "evidence_reason",
}  # fmt: skip


def blank(mail: Mail, person: Person, *, keeps_subject: bool) -> Mail:
    """Return a mail of the person without its content: its place in the thread and the other people stay."""
    return Mail(
        **mail.model_dump(include=set(_FACTS_OF_A_MAIL)),
        **_of_others(mail, person),
        message_id=_message_id(mail),
        subject=mail.subject if keeps_subject else "",
        erased=True,
    )


def stripped(mail: Mail, person: Person) -> Mail:
    """Return a mail of another sender without the person among its recipients and as its Reply-To."""
    to, cc = (_without(values, person) for values in (mail.to, mail.cc))
    other = mail.other_reply_to if mail.other_reply_to != person.address else None
    return mail.model_copy(update={"to": to, "cc": cc, "other_reply_to": other})


def head_without(
    thread: Thread,
    person: Person,
    *,
    mails: Mapping[int, Mail],
    erased_ids: Collection[str],
    keeps_subject: bool,
    stays: bool,
) -> Thread:
    """
    Return a head without the person.

    *mails* are the present mails of its window, *erased_ids* Message-IDs of erased mails. *stays*: a mail after the
    request made the person a participant again.
    """
    history = [_entry(entry, person, mails.get(entry.n)) for entry in thread.email_history]
    subject = thread.subject if keeps_subject else subjects.NONE
    newest = next((one for one in reversed(history) if one.body), None)
    after = _as_since(thread, person, mails) if stays else without_participant(thread, person)
    last = mails.get(thread.last_inbound_n or 0)
    root = thread.original_message_id.strip("<>")
    return after.model_copy(
        update={
            "subject": subject,
            "email_history": history,
            "satisfaction": _score_without_words(thread, person),
            "thread_references": [one for one in thread.thread_references if one not in erased_ids],
            "original_message_id": f"<{thread.conversation_id}@{DOMAIN}>"
            if root in erased_ids
            else thread.original_message_id,
            "waiting_since": None if last is not None and last.erased else thread.waiting_since,
            "full_text_search": heads.search_text(
                subject, after.participants, newest.body if newest is not None else ""
            ),
        }
    )


def without_participant(thread: Thread, person: Person) -> Thread:
    """Return a head that does not list the person."""
    others = person.others_in(thread)
    is_primary = thread.participant == person.address
    return thread.model_copy(
        update={
            "participants": thread.participants - {person.address},
            "participant": min(others, default=None) if is_primary else thread.participant,
            # A merged thread has no participant any more; earlier releases left the name.
            "participant_name": thread.participant_name
            if thread.participant not in {None, person.address}
            else None,
            "participant_proof": None if is_primary else thread.participant_proof,
        }
    )


def _as_since(thread: Thread, person: Person, mails: Mapping[int, Mail]) -> Thread:
    """Return the head of a person who has written again: with the name that mails after the request have."""
    if thread.participant != person.address:
        return thread
    names = (
        heads.name_of(thread.participant, thread.participant_proof, mail)
        for _, mail in sorted(mails.items(), reverse=True)
        if mail.received_at > person.until
    )
    return thread.model_copy(update={"participant_name": next(filter(None, names), None)})


def _entry(entry: HistoryEntry, person: Person, mail: Mail | None) -> HistoryEntry:
    """Return an entry of the window; *mail* is its item, None in a thread whose mails were moved."""
    if mail is not None and mail.received_at > person.until:
        return entry
    if mail is not None:
        return windows.entry_of(mail) if mail.erased else _stripped_entry(entry, person)
    if not person.wrote(entry):
        return _stripped_entry(entry, person)
    return HistoryEntry(
        **entry.model_dump(include=set(_FACTS_OF_AN_ENTRY)),
        **_of_others(entry, person),
        message_id=_message_id(entry),
    )


def _stripped_entry(entry: HistoryEntry, person: Person) -> HistoryEntry:
    to, cc = (_without(values, person) for values in (entry.to, entry.cc))
    return entry.model_copy(update={"to": to, "cc": cc})


def _of_others(mail: EmailFields, person: Person) -> dict[str, Any]:
    return {
        "sender": mail.sender if mail.sender in person.own else None,
        "to": _without(mail.to, person),
        "cc": _without(mail.cc, person),
    }


def _without(addresses: list[str], person: Person) -> list[str]:
    return [one for one in addresses if one != person.address]


def _message_id(mail: EmailFields) -> str:
    return f"{mail.email_id}@{DOMAIN}"


def _score_without_words(thread: Thread, person: Person) -> Satisfaction | None:
    """Return the answer of a thread, without the words of the person who was asked."""
    found = thread.satisfaction
    if found is None or thread.participant not in {None, person.address}:
        return found
    return found.model_copy(update={"comment": None})
