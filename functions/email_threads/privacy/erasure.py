"""
Removes the findings of an inventory, or the person's part of them. Each step is safe to repeat.

The ids of removed mails become tombstones under their keys, which a redelivery finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy import fence, remains
from email_threads.privacy import findings as kinds
from email_threads.privacy.findings import subject_hash
from email_threads.store import drafts, merges, parked, threads
from email_threads.store.items import AliasKind, Draft, Mail, Thread
from email_threads.store.items.privacy.privacy import MAIL, PART, THREAD
from email_threads.store.lists import participants
from email_threads.store.privacy import erasure as store
from email_threads.store.privacy import retention
from email_threads.threading import ids, people
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Collection

    from email_threads.privacy.findings import StoredData
    from shared.privacy.inventory import Found

TRIES: Final = 8


def remove(stored: StoredData, found: Found) -> None:
    """Remove a finding. Raises Transient."""
    table, key = stored.table, found.key
    is_part = found.act.startswith(PART)
    shared_subjects = found.act.split()[1:]
    if found.kind == kinds.PARKED_EVENT:
        parked.events_of(table).remove(key)
    elif found.kind == MAIL:
        for item in store.items(table, [key]):
            _remove_mail(stored, Mail.read(item), shared_subjects, is_part=is_part)
    elif found.kind == THREAD and is_part:
        _rewrite(stored, key, shared_subjects)
    elif found.kind == THREAD:
        store.delete_thread(table, key)
    elif found.kind == kinds.PARTICIPANT and is_part:
        _remove_row(stored, key)
    elif found.kind == kinds.DRAFT:
        _remove_draft(stored, key)
    else:
        store.delete(table, key)


def _remove_draft(stored: StoredData, key: str) -> None:
    for item in store.items(stored.table, [key]):
        drafts.unlist_in_thread(stored.table, Draft.read(item))
        store.delete(stored.table, key)


def _remove_mail(
    stored: StoredData, mail: Mail, shared_subjects: Collection[str], *, is_part: bool
) -> None:
    if is_part:
        _erase_from(stored, mail, shared_subjects)
        return
    store.write_tombstone(stored.table, mail)
    for address in people.listed_by(mail, ""):
        # The row of the person lists the thread until its end.
        if address != stored.person.address:
            participants.remove(stored.table, mail.thread, ids.address_hash(address))
    merges.remove_mail(stored.table, mail)


def _erase_from(stored: StoredData, mail: Mail, shared_subjects: Collection[str]) -> None:
    person = stored.person
    if mail.erased:
        return
    if not person.wrote(mail):
        store.put_recipients(stored.table, remains.stripped(mail, person))
        return
    store.write_tombstone(stored.table, mail)
    keeps = subject_hash(mail.subject) in shared_subjects
    store.put_erased(stored.table, remains.blank(mail, person, keeps_subject=keeps))


def _rewrite(stored: StoredData, thread_id: str, shared_subjects: Collection[str]) -> None:
    """Remove the person from a head. Raises Transient after eight lost races."""
    table = stored.table
    for _ in range(TRIES):
        head = retention.head(table, thread_id)
        if head is None or retention.is_expired(head):
            return
        after = _head_without(stored, head, shared_subjects)
        if store.rewrite(table, head, after, without=store.DERIVED):
            if after.subject != head.subject:
                _rename_rows(stored, thread_id)
            return
    raise Transient("thread_contended")


def _head_without(stored: StoredData, head: Thread, shared_subjects: Collection[str]) -> Thread:
    table, person = stored.table, stored.person
    numbers = {entry.n for entry in head.email_history} | {head.last_inbound_n or 0}
    mails = threads.mails(table, head.conversation_id, sorted(numbers - {0}))
    after = remains.head_without(
        head,
        person,
        mails={mail.n: mail for mail in mails},
        erased_ids=_erased_ids(stored, head),
        keeps_subject=subject_hash(head.subject) in shared_subjects,
        stays=fence.stays(table, person, head),
    )
    listed = store.draft_keys(head)
    if not listed:
        return after
    left = {str(item["conversation_id"]) for item in store.items(table, listed)}
    kept = {key.rpartition("#")[2] for key in listed if key in left}
    return after.model_copy(update={"open_drafts": kept})


def _erased_ids(stored: StoredData, head: Thread) -> set[str]:
    """Return the Message-IDs of a head that lead to erased mails."""
    named = [*head.thread_references, head.original_message_id.strip("<>")]
    by_id = {ids.email_id(head.company_id, one): one for one in named}
    found = threads.aliases(stored.table, list(by_id))
    return {by_id[key] for key, alias in found.items() if alias.kind is AliasKind.ERASED}


def _rename_rows(stored: StoredData, thread_id: str) -> None:
    """Give the rows of the participants the new subject."""
    head = threads.get(stored.table, thread_id)
    if head is None or head.merged_into is not None:
        return
    for address in sorted(head.participants - stored.person.own - {head.mailbox}):
        participants.put(stored.table, head, address, ids.address_hash(address))


def _remove_row(stored: StoredData, key: str) -> None:
    head = threads.get(stored.table, key.partition("#")[0])
    if head is None:
        store.delete(stored.table, key)
    elif not fence.keeps_row(stored.table, stored.person, head):
        store.remove_row(stored.table, head, stored.person.address_hash)
