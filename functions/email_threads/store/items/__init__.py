"""
Items of the table, one string key each.

    {cid}                            Thread        the head: the contract's attributes, with bounded windows
    {cid}#mail#{n}                   Mail          a mail, whole lists; n = 1, 2, ... in order of arrival
    {cid}#participant#{address}      Participant   another person of the thread, for the index of participants
    mid#{id}                         Alias         a Message-ID and the thread that it belongs to

Only heads have `status`, so that only heads are in StatusIndex.
"""

from email_threads.store.items.alias import Alias, AliasKind
from email_threads.store.items.mail import Mail
from email_threads.store.items.participant import Participant
from email_threads.store.items.thread import HistoryEntry, Metadata, Status, Thread

CHILDREN = (Mail, Participant, Alias)

__all__ = [
    "CHILDREN", "Alias", "AliasKind", "HistoryEntry", "Mail", "Metadata", "Participant", "Status", "Thread",
]  # fmt: skip
