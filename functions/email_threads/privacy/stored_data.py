"""The stored data of a company in which a person is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.store.privacy import retention

if TYPE_CHECKING:
    from email_threads.privacy.person import Person
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

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
