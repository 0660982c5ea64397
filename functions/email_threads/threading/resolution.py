"""
Finds the thread of a mail. The first evidence that leads to a live thread wins:

    1 own id            known: a duplicate; only named by another mail so far: its thread
    3 In-Reply-To       last to first
    4 References        newest to oldest; the newest twenty and the first
    5 root              the thread named by the mail's root
    6 unknown parents   a new thread named by the root
    7 subject           without reply headers, with a reply prefix: one recent thread of the sender
    8 nothing           a new thread named by the own id

Rule 2, the token in a recipient, needs the mailbox's secret and is not built yet. Source: spec, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.store import threads
from email_threads.store.items import AliasKind, Status
from email_threads.threading import ids, subjects
from email_threads.threading.joining import Entry, entry
from email_threads.threading.merge import MOST_MAILS, winner_of
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection

    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.items import Alias, Thread
    from shared.aws.dynamodb import Table

NEWEST_REFERENCES: Final = 20
_HOPS: Final = 3  # of merged threads
_TWO: Final = 2
_SUBJECT_DAYS: Final = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """
    Where a mail belongs.

    *thread* is the live thread that it joins, None for a new one with the id *conversation_id*. *related* is a thread
    that its headers name and its sender may not join; *continues* one that has expired. *duplicate* is set if the mail
    is stored already. *unknown* are the mail ids that it names and that lead nowhere yet. If it names two threads of
    its sender, *merges* is the one that becomes part of the other, or *linked* the one that is only noted.
    """

    conversation_id: str
    thread: Thread | None = None
    entry: Entry = Entry.JOIN
    related: str | None = None
    continues: str | None = None
    duplicate: Alias | None = None
    unknown: tuple[str, ...] = ()
    merges: str | None = None
    linked: str | None = None


def resolve(
    table: Table, company_id: str, mailbox: str, mail: ParsedMail, taken: Collection[str] = ()
) -> Resolution:
    """
    Return where a mail belongs, from consistent reads by key; only rule 7 reads an index.

    *taken* are ids that cannot name a new thread: an expired or a foreign one lies there.
    """
    own = ids.email_id(company_id, mail.message_id)
    named = [ids.email_id(company_id, name) for name in _named(mail)]
    known = threads.aliases(table, [own, *named])
    own_alias = known.get(own)
    unknown = tuple(name for name in named if name not in known)
    root = ids.conversation_id(company_id, ids.root(mail))
    hinted = list(dict.fromkeys(known[name].thread for name in [own, *named] if name in known))
    live = _live(table, [*hinted, root])
    pair = _pair(table, mail, live)
    if own_alias is not None and own_alias.kind is not AliasKind.PHANTOM:
        return Resolution(
            conversation_id=own_alias.thread,
            duplicate=own_alias,
            unknown=unknown,
            merges=pair.merges,
            linked=pair.linked,
        )
    suspect = live[0] if live else None
    if suspect is None and not named and subjects.is_reply(mail.subject):
        suspect = _by_subject(table, company_id, mailbox, mail)
    if suspect is None:
        continues = next(iter(hinted), None)
        candidates = (
            _own_ids(company_id, mail) if continues else [root, *_own_ids(company_id, mail)]
        )
        return Resolution(
            conversation_id=_free(candidates, taken), continues=continues, unknown=unknown
        )
    suspect = pair.thread or suspect
    entered = _entry(table, mail, suspect)
    if entered is Entry.OWN_THREAD:
        return Resolution(
            conversation_id=_free(_own_ids(company_id, mail), taken),
            entry=entered,
            related=suspect.conversation_id,
        )
    return Resolution(
        conversation_id=suspect.conversation_id,
        thread=suspect,
        entry=entered,
        unknown=unknown,
        merges=pair.merges,
        linked=pair.linked,
    )


def _named(mail: ParsedMail) -> list[str]:
    """Return the ids that a mail names, the strongest evidence first, without its own."""
    references = list(mail.references)
    newest = references[-NEWEST_REFERENCES:]
    first = references[:1]
    ordered = [*reversed(mail.in_reply_to), *reversed(newest), *first]
    return [name for name in dict.fromkeys(ordered) if name != mail.message_id]


def _live(table: Table, candidates: list[str]) -> list[Thread]:
    """Return the live threads of the candidates in their order, each once; merged ones lead to their winner."""
    read = threads.get_many(table, candidates)
    found: dict[str, Thread] = {}
    for candidate in candidates:
        thread = read.get(candidate)
        for _ in range(_HOPS):
            if thread is None or thread.merged_into is None:
                break
            thread = threads.get(table, thread.merged_into)
        if thread is not None and thread.merged_into is None:
            found.setdefault(thread.conversation_id, thread)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two threads that are one: the older, and the id of the other, which is merged or only linked."""

    thread: Thread | None = None
    merges: str | None = None
    linked: str | None = None


def _pair(table: Table, mail: ParsedMail, live: list[Thread]) -> _Pair:
    """Decide about the first two threads that a mail names, if its sender is a verified participant of both."""
    if len(live) < _TWO or any(_entry(table, mail, one) is not Entry.JOIN for one in live[:_TWO]):
        return _Pair()
    winner, loser = winner_of(*live[:_TWO])
    name = loser.conversation_id
    return (
        _Pair(winner, name, None) if loser.email_count <= MOST_MAILS else _Pair(winner, None, name)
    )


def _by_subject(table: Table, company_id: str, mailbox: str, mail: ParsedMail) -> Thread | None:
    """Return the only recent open thread of the sender with this subject."""
    subject = subjects.cleaned(mail.subject)
    if mail.sender is None or len(subject) < subjects.SHORTEST or subject == subjects.NONE:
        return None
    oldest = clock.to_text(clock.now_ms() - _SUBJECT_DAYS * clock.DAY_SECONDS * clock.SECOND_MS)
    fitting = [
        thread
        for thread in threads.of_participant(table, mail.sender, company_id)
        if thread.subject == subject
        and thread.mailbox == mailbox
        and thread.status in {Status.ACTIVE, Status.PENDING_INFO}
        and thread.updated_at >= oldest
        and thread.merged_into is None
    ]
    return fitting[0] if len(fitting) == 1 else None


def _entry(table: Table, mail: ParsedMail, thread: Thread) -> Entry:
    known = set(thread.participants)
    sender = mail.sender
    if sender is not None and sender not in known:
        hashed = ids.address_hash(sender)
        if threads.is_participant(table, thread.conversation_id, hashed):
            known.add(sender)
    return entry(sender, mail.verdicts.trust, known)


def _own_ids(company_id: str, mail: ParsedMail) -> list[str]:
    """Return the ids of a thread that only this mail names; the second for the case that the first is taken."""
    names = (mail.message_id, f"{mail.message_id}#2")
    return [ids.conversation_id(company_id, name) for name in names]


def _free(candidates: list[str], taken: Collection[str]) -> str:
    """Return the first id that is not taken, the last if all are: its append is refused and the mail retried."""
    return next((one for one in candidates if one not in taken), candidates[-1])
