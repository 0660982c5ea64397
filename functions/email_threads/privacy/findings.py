"""The stored data in which a person is looked for; kinds of findings, and their keys and acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.store import objects
from email_threads.store.items import Participant
from email_threads.store.items.privacy.privacy import PART
from email_threads.store.privacy import retention
from email_threads.threading import ids
from email_threads.threading.evidence import subjects
from shared.privacy.inventory import Found

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from email_threads.privacy.person import Person
    from email_threads.store.items import Draft, Mail, Thread
    from email_threads.store.items.privacy.privacy import Place
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

FILE, RAW, NOTE, CHANGE, DRAFT = "file", "raw_mail", "note", "change", "draft"
PARTICIPANT, ANSWER_COUNT = "participant", "answer_count"
PARKED_EVENT, PARKED_MAIL = "parked_event", "parked_mail"
OBJECTS: Final = frozenset({FILE, RAW, PARKED_MAIL})


_MOST_MERGED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """
    The stored data of a company about a person. *owners*: the table with the owners of domains. *for_export*: nothing
    is removed while the pages are read.
    """

    table: Table
    owners: Table
    bucket: Bucket
    person: Person
    for_export: bool

    def is_whole(self, head: Thread) -> bool:
        """Whether all of a thread is about the person."""
        return not self.person.others_in(head) if self.for_export else retention.is_expired(head)

    def merged_into(self, head: Thread) -> list[Thread]:
        """Return the heads that became part of a thread, also by way of others, the farthest first."""
        found: dict[str, Thread] = {}
        waiting = sorted(head.merged_from)
        while waiting and len(found) < _MOST_MERGED:
            one = retention.head(self.table, waiting.pop())
            if one is None or one.conversation_id in found or one.merged_into is None:
                continue
            if one.company_id == self.person.company_id:
                found[one.conversation_id] = one
                waiting += sorted(one.merged_from)
        return list(reversed(found.values()))


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """The findings of a page of a thread, and the place of the next one; None after the last page of a source."""

    found: list[Found]
    following: Place | None = None


def part_of(subject: str, of_others: Collection[str]) -> str:
    """Return the act on the person's part of a mail or thread, whose subject stays if others use it."""
    hashed = subject_hash(subject)
    return f"{PART} {hashed}" if hashed in of_others else PART


def subject_hash(subject: str) -> str:
    """Return the form in which a job remembers a subject."""
    return ids.address_hash(subjects.cleaned(subject).casefold())


def row_key(thread_id: str, address: str) -> str:
    """Return the key of a person's row of a thread."""
    return str(Participant.key(thread_id, ids.address_hash(address))["conversation_id"])


def raw_of(mail: Mail) -> Iterator[Found]:
    """Yield the raw form of a mail."""
    if mail.raw_key is not None and mail.raw_key.startswith(objects.RAW):
        yield Found(RAW, mail.raw_key)


def files_of(mail: Mail) -> Iterator[Found]:
    """Yield the long body, the HTML and the files of a mail, from the thread in which it was stored."""
    for key in (mail.body_key, mail.html_key, *(file.s3_key for file in mail.attachments)):
        if key is not None and objects.is_of_mail(key):
            yield Found(FILE, key)


def uploads_of(draft: Draft) -> Iterator[Found]:
    """Yield the files that were uploaded for a draft; files of a mail are found with the mail."""
    for file in draft.attachments:
        if file.sha256 is not None and objects.is_of_mail(file.s3_key):
            yield Found(FILE, file.s3_key)
