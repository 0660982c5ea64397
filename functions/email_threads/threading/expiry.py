"""
Removes a thread whose retention is over: files, mails and notes first, its head last.

Mails are removed a hundred at a time, each step in a separate event. A step that dies is repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.inbound.events import EmailErase, entry
from email_threads.store import merges, objects, threads
from email_threads.store.lists import participants
from email_threads.store.privacy import retention
from email_threads.threading import ids, people

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.store.items import Thread

STEP: Final = 100  # numbers of mails in a step
_MOST_MERGES: Final = 10  # one after the other


def remove(resources: Resources, event: EmailErase) -> bool:
    """Remove a step of an expired thread, and queue the next one. Idempotent. False if the thread lives (again)."""
    table, thread_id = resources.table, event.conversation_id
    head = retention.head(table, thread_id)
    if head is not None and not retention.is_expired(head):
        return False
    mails = threads.places(table, thread_id, range(event.count + 1, event.count + STEP + 1))
    if mails:
        # First: a step that dies after its last removal finds no mail when it is repeated, and ends the walk.
        following = EmailErase(conversation_id=thread_id, count=event.count + STEP)
        resources.queue.send([entry(following)])
        for address in sorted({one for mail in mails for one in people.listed_by(mail, "")}):
            participants.remove(table, thread_id, ids.address_hash(address))
        for mail in mails:
            merges.remove_mail(table, mail)
        return True
    if head is not None and head.merged_into and _is_part_of_another(resources, head):
        retention.remove_remainder(table, thread_id, head)  # Its files belong to moved mails.
        return True
    objects.remove_of_thread(resources.bucket, thread_id)
    for merged in sorted(head.merged_from) if head is not None else ():
        objects.remove_of_thread(resources.bucket, merged)
    retention.remove_remainder(table, thread_id, head)
    return True


def _is_part_of_another(resources: Resources, thread: Thread) -> bool:
    """Whether a thread was merged into one that lives, which removes the files of both at its own end."""
    for _ in range(_MOST_MERGES):
        if thread.merged_into is None:
            return True
        winner = threads.get(resources.table, thread.merged_into)
        if winner is None:
            return False
        thread = winner
    return True
