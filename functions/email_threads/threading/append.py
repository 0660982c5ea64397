"""
Appends a mail to its thread, once.

    0 objects         long body, HTML and files in the bucket        repeated
    1 transaction     head, mail number n, alias of the own id       killed: nothing, or done and found as a duplicate
    2 phantoms        aliases of the unknown ids that it names       repeated
    3 participants    the rows of its people in the lists            repeated
    4 returned mail   marked by a bounce or complaint about it       repeated
    5 links           between two threads that it names, and the     repeated
                      request of a stranger to join one
    6 expiry          the item that outlives the head                repeated

A redelivery finds its alias and repeats 2 to 6. n has no gaps: it is the head's count, under its sequence number.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.parsing.caps import HoldReason
from email_threads.parsing.kinds import REPORTS, Kind
from email_threads.parsing.trust import Trust
from email_threads.store import threads
from email_threads.store.items import AliasKind, Automation, Metadata, Status, Thread
from email_threads.store.items.parked import ParkReason
from email_threads.store.items.threads.thread import SPAM, ClientInfo, Direction
from email_threads.store.lists import participants
from email_threads.store.threads import Refusal
from email_threads.threading import ids, people, stored_mails
from email_threads.threading.evidence import subjects
from email_threads.threading.head import heads
from email_threads.threading.resolution import Resolution, resolve
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail
    from email_threads.store.items import Mail
    from email_threads.store.threads import Append
    from email_threads.threading.incoming_mail import Incoming
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

TRIES: Final = 8
_LEAST_WAIT_MS, _MOST_WAIT_MS = 20, 400
# A new thread that begins with one of these is archived at once: it needs no person.
_ARCHIVED: Final = frozenset({Kind.LIST, Kind.AUTO_REPLY, Kind.RECEIPT, Kind.CALENDAR_REPLY})


@dataclass(frozen=True, slots=True)
class Appended:
    """
    The thread of a mail, its number in it, and the automation that answers the thread: `none` if it has expired.

    *is_duplicate*: an earlier delivery has stored it; *is_erased*: and an erasure has removed it since. *merges* is a
    thread that turned out to be part of this one: `merge.merge` moves its mails. *counts*: the mail may be acted on
    (`Mail.counts`).
    """

    conversation_id: str
    n: int
    is_duplicate: bool
    automation: Automation
    merges: str | None = None
    is_erased: bool = False
    counts: bool = False


def append(table: Table, bucket: Bucket, incoming: Incoming) -> Appended:
    """
    Store a mail in its thread. Idempotent.

    Raises Permanent (`message_id_reused`) for another mail with a stored id and (`unknown_reference`) for a bounce or a
    complaint about a mail that is not stored, Transient after eight lost races.
    """
    taken: set[str] = set()
    objects_in: str | None = None  # the thread under whose id the mail's objects are stored
    for _ in range(TRIES):
        found = resolve(table, incoming, taken)
        if found.duplicate is not None:
            return _finish_duplicate(table, incoming, found)
        if found.thread is None and incoming.mail.kind in REPORTS:
            raise Permanent(ParkReason.UNKNOWN_REFERENCE)
        write = _append_of(incoming, found)
        if objects_in != found.conversation_id:
            stored_mails.put_objects(bucket, incoming, write.mail)
            objects_in = found.conversation_id
        refusal = threads.append(table, write)
        if refusal is None:
            _follow_up(table, incoming, write.after, write.mail, found)
            _schedule_expiry(table, write)
            return Appended(
                write.after.conversation_id,
                write.mail.n,
                is_duplicate=False,
                automation=write.after.automation,
                merges=found.merges,
                counts=write.mail.counts,
            )
        if write.before is None:
            taken.add(write.after.conversation_id)
        elif refusal is Refusal.THREAD_CHANGED:
            clock.sleep_ms(random.randint(_LEAST_WAIT_MS, _MOST_WAIT_MS))  # noqa: S311 - spreads retries
    raise Transient("thread_contended")


def _finish_duplicate(table: Table, incoming: Incoming, found: Resolution) -> Appended:
    alias = found.duplicate
    is_erased = alias is not None and alias.kind is AliasKind.ERASED
    if alias is None or (alias.n is None and not is_erased):
        raise Permanent(ParkReason.MESSAGE_ID_REUSED)
    # A copy of a sent mail, as SES delivers it to the company's mailbox, differs from the stored mail.
    is_ours = is_erased or alias.kind is AliasKind.SENT
    is_copy = is_ours and incoming.direction is Direction.OUTBOUND
    if not is_copy and alias.fingerprint != incoming.mail.fingerprint:
        raise Permanent(ParkReason.MESSAGE_ID_REUSED)
    if is_erased or alias.n is None:
        return Appended(
            alias.thread, 0, is_duplicate=True, automation=Automation.NONE, is_erased=True
        )
    thread = threads.get(table, alias.thread)
    # As it was stored: the findings of its first delivery, and later decisions of people.
    mail = next(iter(threads.mails(table, alias.thread, [alias.n])), None)
    if thread is not None and mail is not None and mail.email_id == alias.email_id:
        _follow_up(table, incoming, thread, mail, found)
    if thread is not None:
        threads.put_expiry(table, thread)
    return Appended(
        alias.thread,
        alias.n,
        is_duplicate=True,
        automation=thread.automation if thread is not None else Automation.NONE,
        merges=found.merges,
        counts=mail is not None and mail.counts,
    )


def _follow_up(
    table: Table, incoming: Incoming, thread: Thread, stored: Mail, found: Resolution
) -> None:
    # The first mail of a thread with a related one was refused there: no id that it names may lead to its own thread.
    was_refused = stored.n == 1 and thread.metadata.client_info.related is not None
    weak = people.weak_author(stored)
    if not was_refused and stored.evidence is None:
        threads.name_phantoms(table, thread.conversation_id, found.unknown)
    for address in people.added_by(stored, incoming.mailbox):
        participants.put(table, thread, address, ids.address_hash(address))
    if weak is not None:
        participants.list_weak_author(table, thread, weak, ids.address_hash(weak))
    if (related := thread.metadata.client_info.related) is not None and was_refused:
        _request_to_join(table, related, stored)
    if stored.n == 1 and (earlier := thread.metadata.client_info.continues) is not None:
        threads.note_continued(table, earlier, thread.conversation_id)
    for alias in found.returned:
        threads.mark_returned(table, alias, stored.kind)
    if found.linked is not None:
        threads.link(table, thread.conversation_id, found.linked)
        threads.link(table, found.linked, thread.conversation_id)


def _request_to_join(table: Table, related: str, stored: Mail) -> None:
    """Show in the thread that a mail names that its author wants to join, unless the author may be forged."""
    if stored.kind is not Kind.MAIL or stored.trust is Trust.FAILED or stored.sender is None:
        return
    # Two threads of one participant name each other, too.
    if not participants.is_participant(table, related, ids.address_hash(stored.sender)):
        threads.request_to_join(table, related, stored.thread)


def _schedule_expiry(table: Table, write: Append) -> None:
    if write.before is None or write.before.ttl_date != write.after.ttl_date:
        threads.put_expiry(table, write.after)


def _append_of(incoming: Incoming, found: Resolution) -> Append:
    """Build the head after the append and the mail's item."""
    before, mail = found.thread, incoming.mail
    stored = stored_mails.item_of(incoming, found, n=(before.email_count if before else 0) + 1)
    return heads.append_of(
        before,
        before or _new_thread(incoming, found, stored),
        stored,
        alias_kind=incoming.alias_kind,
        participants=people.added_by(stored, incoming.mailbox),
        references=[*reversed(_ids_of(mail)), mail.message_id],
        sent_draft=incoming.reply_id,
        asked=incoming.asked,
        targets=incoming.targets,
        close_days=incoming.close_days,
        ask_hours=incoming.ask_hours,
    )


def _new_thread(incoming: Incoming, found: Resolution, stored: Mail) -> Thread:
    mail = incoming.mail
    is_blocked = stored.hold_reason is HoldReason.BLOCKED_SENDER
    is_archived = stored.kind in _ARCHIVED or is_blocked
    root = ids.root(mail)
    is_of_root = found.conversation_id == ids.conversation_id(incoming.company_id, root)
    is_tagged = is_archived or stored.kind is Kind.HELD
    return Thread(
        conversation_id=found.conversation_id,
        company_id=incoming.company_id,
        mailbox=incoming.mailbox,
        created_at=stored.timestamp,
        updated_at=stored.received_at,
        status=Status.ARCHIVED if is_archived else Status.ACTIVE,
        original_message_id=f"<{root if is_of_root else mail.message_id}>",
        subject=subjects.cleaned(mail.subject),
        participant=next(iter(people.added_by(stored, incoming.mailbox)), None),
        participants={incoming.mailbox},
        automation=incoming.automation,
        data_retention_policy=f"{incoming.retention_days}d",
        last_seq=-1,  # the append makes it 0
        metadata=Metadata(
            client_info=ClientInfo(related=found.related, continues=found.continues),
            tags={SPAM if is_blocked else stored.kind.value} if is_tagged else set(),
        ),
    )


def _ids_of(mail: ParsedMail) -> list[str]:
    """Return the ids that a mail names, newest first, without its own."""
    named = dict.fromkeys([*reversed(mail.in_reply_to), *reversed(mail.references)])
    return [name for name in named if name != mail.message_id]
