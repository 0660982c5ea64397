"""
Finds the thread of a mail. The first evidence that leads to a live thread wins:

    1 own id            known: a duplicate; only named by another mail so far: its thread
    2 reply token       in a recipient
    3 In-Reply-To       last to first
    4 References        newest to oldest; the newest twenty and the first
    5 root              the thread named by the mail's root
    6 unknown parents   a new thread named by the root
    7 subject           without reply headers, with a reply prefix: one recent thread of the sender
    8 nothing           a new thread named by the own id
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import REPORTS
from email_threads.parsing.trust import Trust
from email_threads.store import threads
from email_threads.store.items import AliasKind, Status
from email_threads.store.items.threads.mail import JoinedBy
from email_threads.store.lists import participants
from email_threads.threading import ids
from email_threads.threading.admission import Entry, entry, invites
from email_threads.threading.evidence import reply_tokens, subjects
from email_threads.threading.links.continuations import comes_too_late, continuation, live
from email_threads.threading.links.pairs import pair_of
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection

    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.items import Alias, Thread
    from email_threads.threading.incoming_mail import Incoming
    from shared.aws.dynamodb import Table

NEWEST_REFERENCES: Final = 20
_SUBJECT_DAYS: Final = 14
_PROVEN: Final = frozenset({Entry.JOIN, Entry.INVITED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """
    The thread of a mail, new or stored.

    *thread* is the live thread that it joins, None for a new one with the id *conversation_id*. *related* is a thread
    that its headers name and its sender may not join; *continues* one that has expired, or was closed for too long.
    *duplicate* is set if the mail is stored already. *unknown* are the mail ids that it names and that lead nowhere
    yet. If it names two threads of its sender, *merges* is the one that becomes part of the other, or *linked* the one
    that is only noted. *returned* are the stored mails that a bounce or a complaint is about. *joined_by* is the
    evidence that led to the *thread*.
    """

    conversation_id: str
    thread: Thread | None = None
    entry: Entry = Entry.JOIN
    joined_by: JoinedBy | None = None
    related: str | None = None
    continues: str | None = None
    duplicate: Alias | None = None
    unknown: tuple[str, ...] = ()
    returned: tuple[Alias, ...] = ()
    merges: str | None = None
    linked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """
    Threads that the ids of a mail name: *own* is the alias of its Message-ID, *hinted* are thread ids, strongest first,
    *live* the live threads among them and the *root*. *unknown* are mail ids without a thread.
    *names_erased*: some are of mails that were erased, and lead to no thread. *named* are the stored mails that
    In-Reply-To and References name.
    """

    own: Alias | None
    token: str | None
    hinted: list[str]
    root: str
    live: list[Thread]
    unknown: tuple[str, ...]
    returned: tuple[Alias, ...]
    names_erased: bool
    named: tuple[Alias, ...] = ()


def resolve(  # noqa: PLR0911 - one return for each rule
    table: Table, incoming: Incoming, taken: Collection[str] = ()
) -> Resolution:
    """
    Return the resolution of a mail, from consistent reads by key; only rule 7 reads an index.

    *taken* are ids that cannot name a new thread: an expired or a foreign one lies there.
    """
    mail, found = incoming.mail, _evidence(table, incoming)
    if found.own is not None and found.own.kind is AliasKind.ERASED:
        return Resolution(conversation_id=found.own.thread, duplicate=found.own)
    if mail.kind in REPORTS:
        return _of_report(found)
    pair = pair_of(incoming, found.live, lambda one: _entry(table, mail, one) is Entry.JOIN)
    if found.own is not None and found.own.kind is not AliasKind.PHANTOM:
        return Resolution(
            conversation_id=found.own.thread,
            duplicate=found.own,
            unknown=found.unknown,
            merges=pair.merges,
            linked=pair.linked,
        )
    named = pair.thread or _strongest(found)
    suspect = named or _by_subject(table, incoming)
    if suspect is None:
        return _new_thread(incoming, found, taken)
    has_token = suspect.conversation_id == found.token
    entered = _entry(table, mail, suspect, has_token=has_token)
    if entered is not Entry.JOIN and _is_invited(table, mail, suspect, found):
        entered = Entry.INVITED
    if entered is Entry.OWN_THREAD:
        return _refused(incoming, suspect, taken)
    if comes_too_late(incoming, suspect):
        return _continued(table, incoming, suspect, taken)
    return Resolution(
        conversation_id=suspect.conversation_id,
        thread=suspect,
        entry=entered,
        joined_by=_joined_by(has_token=has_token, is_named=named is not None),
        # A mail that no participant wrote must not lead later ones to the thread.
        unknown=found.unknown if entered in _PROVEN else (),
        merges=pair.merges,
        linked=pair.linked,
    )


def _refused(incoming: Incoming, suspect: Thread, taken: Collection[str]) -> Resolution:
    """Return a thread of its own for a mail whose sender may not join the one that it names."""
    return Resolution(
        conversation_id=_free(_own_ids(incoming), taken),
        entry=Entry.OWN_THREAD,
        related=suspect.conversation_id,
    )


def _continued(
    table: Table, incoming: Incoming, closed: Thread, taken: Collection[str]
) -> Resolution:
    """Return the thread that continues one which was closed for too long: an open one, or a new one."""
    thread = continuation(table, incoming, closed)
    if comes_too_late(incoming, thread):
        return Resolution(
            conversation_id=_free(_own_ids(incoming), taken), continues=thread.conversation_id
        )
    entered = _entry(table, incoming.mail, thread)
    if entered is Entry.OWN_THREAD:
        return _refused(incoming, thread, taken)
    return Resolution(
        conversation_id=thread.conversation_id,
        thread=thread,
        entry=entered,
        joined_by=JoinedBy.REFERENCE,
    )


def _strongest(found: _Evidence) -> Thread | None:
    """
    Return the first live thread. The reply address of a thread from which people have moved the mail that is answered
    is weaker than the id of that mail.
    """
    first = next(iter(found.live), None)
    if first is None or first.conversation_id != found.token or not found.named:
        return first
    answered = found.named[0].thread
    is_moved = answered in first.kept_apart
    return next((one for one in found.live if is_moved and one.conversation_id == answered), first)


def _of_report(found: _Evidence) -> Resolution:
    """
    Return the thread of the mail that came back. Any sender may report: a report only marks that mail.

    Without such a thread it is a new one, which the append refuses.
    """
    if found.own is not None and found.own.kind is not AliasKind.PHANTOM:
        return Resolution(
            conversation_id=found.own.thread, duplicate=found.own, returned=found.returned
        )
    thread = next(iter(found.live), None)
    return Resolution(
        conversation_id=thread.conversation_id if thread else found.root,
        thread=thread,
        returned=found.returned,
    )


def _evidence(table: Table, incoming: Incoming) -> _Evidence:
    company_id, mail = incoming.company_id, incoming.mail
    own = ids.email_id(company_id, mail.message_id)
    named = [ids.email_id(company_id, name) for name in (*_named(mail), *incoming.other_ids)]
    known = threads.aliases(table, [own, *named])
    token = reply_tokens.thread_of(
        [*mail.to, *mail.cc], incoming.mailbox, company_id, incoming.token_secrets
    )
    leading = {name: one.thread for name, one in known.items() if one.kind is not AliasKind.ERASED}
    by_own = [leading[own]] if own in leading else []
    by_token = [token] if token is not None else []
    by_names = [leading[name] for name in named if name in leading]
    by_draft = [incoming.own_thread] if incoming.own_thread is not None else []
    hinted = list(dict.fromkeys([*by_own, *by_draft, *by_token, *by_names]))
    root = ids.conversation_id(company_id, ids.root(mail))
    return _Evidence(
        own=known.get(own),
        token=token,
        hinted=hinted,
        root=root,
        live=live(table, [*hinted, root]),
        # A forged mail must not lead later mails of a matter to its own thread.
        unknown=()
        if mail.verdicts.trust is Trust.FAILED
        else tuple(name for name in named if name not in known),
        returned=tuple(
            alias
            for name in (mail.returned_ids if mail.kind in REPORTS else ())
            if (alias := known.get(ids.email_id(company_id, name))) is not None
        ),
        names_erased=len(leading) < len(known),
        named=tuple(known[name] for name in dict.fromkeys(named) if name in leading),
    )


def _new_thread(incoming: Incoming, found: _Evidence, taken: Collection[str]) -> Resolution:
    """Name a new thread by the root, or by the own id if that name was used before or the mail failed a check."""
    continues = next(iter(found.hinted), None)
    own_ids = _own_ids(incoming)
    is_failed = incoming.mail.verdicts.trust is Trust.FAILED
    is_used = continues or found.names_erased
    candidates = own_ids if is_used or is_failed else [found.root, *own_ids]
    return Resolution(
        conversation_id=_free(candidates, taken), continues=continues, unknown=found.unknown
    )


def _named(mail: ParsedMail) -> list[str]:
    """Return the ids that a mail names, the strongest evidence first, without its own."""
    references = list(mail.references)
    newest = references[-NEWEST_REFERENCES:]
    first = references[:1]
    returned = mail.returned_ids[:NEWEST_REFERENCES] if mail.kind in REPORTS else ()
    ordered = [*returned, *reversed(mail.in_reply_to), *reversed(newest), *first]
    return [name for name in dict.fromkeys(ordered) if name != mail.message_id]


def _by_subject(table: Table, incoming: Incoming) -> Thread | None:
    """Return the only recent open thread of the sender with this subject, for a reply without reply headers."""
    mail = incoming.mail
    if _named(mail) or not subjects.is_reply(mail.subject):
        return None
    subject = subjects.cleaned(mail.subject)
    if mail.sender is None or len(subject) < subjects.SHORTEST or subject == subjects.NONE:
        return None
    oldest = clock.to_text(clock.now_ms() - _SUBJECT_DAYS * clock.DAY_SECONDS * clock.SECOND_MS)
    fitting = [
        thread
        for thread in threads.of_participant(table, mail.sender, incoming.company_id)
        if thread.subject == subject
        and thread.mailbox == incoming.mailbox
        and thread.status in {Status.ACTIVE, Status.PENDING_INFO}
        and thread.updated_at >= oldest
        and thread.merged_into is None
    ]
    return fitting[0] if len(fitting) == 1 else None


def _entry(table: Table, mail: ParsedMail, thread: Thread, *, has_token: bool = False) -> Entry:
    known = set(thread.participants)
    sender = mail.sender
    if sender is not None and sender not in known:
        hashed = ids.address_hash(sender)
        if participants.is_participant(table, thread.conversation_id, hashed):
            known.add(sender)
    return entry(sender, mail.verdicts.trust, known, has_token=has_token)


def _is_invited(table: Table, mail: ParsedMail, thread: Thread, found: _Evidence) -> bool:
    """
    Whether the proven sender was named, in To or Cc, by a mail of a verified participant that this mail names.

    The reply address of the thread is not enough: a service at which the customer has registered with it knows it.
    """
    sender, numbers = (
        mail.sender,
        [one.n for one in found.named if one.thread == thread.conversation_id and one.n],
    )
    if sender is None or mail.verdicts.trust is not Trust.VERIFIED or not numbers:
        return False
    named = threads.mails(table, thread.conversation_id, sorted(set(numbers)))
    return any(invites(one, sender) for one in named) and not participants.is_being_erased(
        table, thread.conversation_id, ids.address_hash(sender)
    )


def _joined_by(*, has_token: bool, is_named: bool) -> JoinedBy:
    if has_token:
        return JoinedBy.TOKEN
    return JoinedBy.REFERENCE if is_named else JoinedBy.PARTICIPANT


def _own_ids(incoming: Incoming) -> list[str]:
    """Return the ids of a thread that only this mail names; the second for the case that the first is taken."""
    name = incoming.mail.message_id
    return [ids.conversation_id(incoming.company_id, one) for one in (name, f"{name}#2")]


def _free(candidates: list[str], taken: Collection[str]) -> str:
    """Return the first id that is not taken, the last if all are: its append is refused and the mail retried."""
    return next((one for one in candidates if one not in taken), candidates[-1])
