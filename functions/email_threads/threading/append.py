"""
Appends a mail to its thread, once.

    1 transaction     head, mail number n, alias of the own id       killed: nothing, or done and found as a duplicate
    2 phantoms        aliases of the unknown ids that it names       repeated
    3 participant     the index row of another outside sender        repeated
    4 links           between two threads that it names              repeated

A redelivery finds its alias and repeats 2 to 4. n has no gaps: it is the head's count, under its sequence number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import Kind
from email_threads.parsing.trust import Trust
from email_threads.store import threads
from email_threads.store.items import Mail, Metadata, Status, Thread
from email_threads.store.items.thread import (
    AttachmentEntry,
    ClientInfo,
    Direction,
    MailMetadata,
)
from email_threads.store.threads import Refusal
from email_threads.threading import heads, ids, subjects
from email_threads.threading.admission import Entry
from email_threads.threading.resolution import Incoming, Resolution, resolve
from shared.failures import Permanent, Transient
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.threads import Append
    from shared.aws.dynamodb import Table

TRIES: Final = 8
MOST_BODY: Final = 4_096  # characters of a body that is stored whole in the mail's item
CUT_BODY: Final = 2_000
MOST_REFERENCES: Final = 100
MESSAGE_ID_REUSED: Final = "message_id_reused"

_EARLIEST_MS: Final = 7 * clock.DAY_SECONDS * clock.SECOND_MS
_LATEST_MS: Final = clock.HOUR_MS
_LEAST_WAIT_MS, _MOST_WAIT_MS = 20, 400
_MOST_USER_AGENT: Final = 200
# A new thread that begins with one of these is archived at once: it needs no person.
_ARCHIVED: Final = frozenset({Kind.LIST, Kind.AUTO_REPLY, Kind.RECEIPT, Kind.CALENDAR_REPLY})


@dataclass(frozen=True, slots=True)
class Appended:
    """
    The thread and the number of a mail in it.

    *is_duplicate*: an earlier delivery has stored it. *merges* is a thread that turned out to be part of this one:
    `merge.merge` moves its mails.
    """

    conversation_id: str
    n: int
    is_duplicate: bool
    merges: str | None = None


def append(table: Table, incoming: Incoming) -> Appended:
    """
    Store a mail in its thread. Idempotent.

    Raises Permanent (`message_id_reused`) for another mail with a stored id, Transient after eight lost races.
    """
    taken: set[str] = set()
    for _ in range(TRIES):
        found = resolve(table, incoming, taken)
        if found.duplicate is not None:
            return _finish_duplicate(table, incoming, found)
        write = _append_of(incoming, found)
        refusal = threads.append(table, write)
        if refusal is None:
            _follow_up(table, incoming, write.after, write.mail.n, found)
            return Appended(
                write.after.conversation_id, write.mail.n, is_duplicate=False, merges=found.merges
            )
        if write.before is None:
            taken.add(write.after.conversation_id)
        elif refusal is Refusal.THREAD_CHANGED:
            clock.sleep_ms(random.randint(_LEAST_WAIT_MS, _MOST_WAIT_MS))  # noqa: S311 - spreads retries
    raise Transient("thread_contended")


def _finish_duplicate(table: Table, incoming: Incoming, found: Resolution) -> Appended:
    alias = found.duplicate
    if alias is None or alias.n is None or alias.fingerprint != incoming.mail.fingerprint:
        raise Permanent(MESSAGE_ID_REUSED)
    thread = threads.get(table, alias.thread)
    if thread is not None:
        _follow_up(table, incoming, thread, alias.n, found)
    return Appended(alias.thread, alias.n, is_duplicate=True, merges=found.merges)


def _follow_up(table: Table, incoming: Incoming, thread: Thread, n: int, found: Resolution) -> None:
    # The first mail of a thread with a related one was refused there: no id that it names may lead to its own thread.
    was_refused = n == 1 and thread.metadata.client_info.related is not None
    if not was_refused:
        threads.name_phantoms(table, thread.conversation_id, found.unknown)
    sender = incoming.mail.sender
    if sender is not None and sender not in {thread.participant, incoming.mailbox}:
        threads.put_participant(table, thread, sender, ids.address_hash(sender))
    if found.linked is not None:
        threads.link(table, thread.conversation_id, found.linked)
        threads.link(table, found.linked, thread.conversation_id)


def _append_of(incoming: Incoming, found: Resolution) -> Append:
    """Build the head after the append and the mail's item."""
    before, mail = found.thread, incoming.mail
    stored = _mail_item(incoming, found, n=(before.email_count if before else 0) + 1)
    return heads.append_of(
        before,
        before or _new_thread(incoming, found, stored),
        stored,
        participants=[mail.sender] if mail.sender is not None else [],
        references=[*reversed(_ids_of(mail)), mail.message_id],
    )


def _new_thread(incoming: Incoming, found: Resolution, stored: Mail) -> Thread:
    mail = incoming.mail
    is_archived = stored.kind in _ARCHIVED
    return Thread(
        conversation_id=found.conversation_id,
        company_id=incoming.company_id,
        mailbox=incoming.mailbox,
        created_at=stored.timestamp,
        updated_at=stored.received_at,
        status=Status.ARCHIVED if is_archived else Status.ACTIVE,
        original_message_id=f"<{ids.root(mail) if found.related is None else mail.message_id}>",
        subject=subjects.cleaned(mail.subject),
        participant=mail.sender,
        participants={incoming.mailbox},
        last_seq=-1,  # the append makes it 0
        metadata=Metadata(
            client_info=ClientInfo(related=found.related, continues=found.continues),
            tags={stored.kind.value} if is_archived else set(),
        ),
    )


def _mail_item(incoming: Incoming, found: Resolution, n: int) -> Mail:
    mail = incoming.mail
    verdicts = mail.verdicts
    kind = Kind.HELD if verdicts.trust is Trust.FAILED else mail.kind
    email_id = ids.email_id(incoming.company_id, mail.message_id)
    prefix = f"attachments/{found.conversation_id}/{email_id}"
    return Mail(
        conversation_id=Mail.number(found.conversation_id, n)["conversation_id"],
        n=n,
        company_id=incoming.company_id,
        email_id=email_id,
        message_id=mail.message_id,
        in_reply_to=mail.in_reply_to[-1] if mail.in_reply_to else None,
        references=[*mail.references[:1], *mail.references[1:][-MOST_REFERENCES + 1 :]],
        sender=mail.sender,
        to=list(mail.to[:MOST_REFERENCES]),
        cc=list(mail.cc[:MOST_REFERENCES]),
        subject=mail.subject,
        body=mail.text if len(mail.text) <= MOST_BODY else mail.text[:CUT_BODY],
        new_text=mail.new_text[:MOST_BODY],
        timestamp=_timestamp(incoming),
        direction=Direction.INBOUND,
        attachments=[
            AttachmentEntry(
                filename=file.filename,
                content_type=file.content_type,
                size=file.size,
                s3_key=None if verdicts.has_virus else f"{prefix}/{file.filename}",
            )
            for file in mail.attachments
        ],
        metadata=MailMetadata(
            client_ip=verdicts.client_ip,
            user_agent=(mail.headers.first("user-agent") or mail.headers.first("x-mailer") or "")[
                :_MOST_USER_AGENT
            ]
            or None,
            spam_score=verdicts.spam_score,
        ),
        kind=kind,
        trust=verdicts.trust,
        received_at=clock.to_text(incoming.received_ms),
        fingerprint=mail.fingerprint,
        needs_review=found.entry is Entry.REVIEW,
        hold_reason=mail.hold_reason,
        flags=sorted(mail.flags),
    )


def _ids_of(mail: ParsedMail) -> list[str]:
    """Return the ids that a mail names, newest first, without its own."""
    named = dict.fromkeys([*reversed(mail.in_reply_to), *reversed(mail.references)])
    return [name for name in named if name != mail.message_id]


def _timestamp(incoming: Incoming) -> str:
    """Return the time of the Date field if it is plausible, else that of receipt."""
    date = incoming.mail.date
    received = incoming.received_ms
    if date is not None:
        written = int(date.timestamp() * clock.SECOND_MS)
        if received - _EARLIEST_MS <= written <= received + _LATEST_MS:
            return clock.to_text(written)
    return clock.to_text(received)
