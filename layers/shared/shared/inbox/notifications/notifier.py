"""
Stores the notifications of a feed before it writes the entry that they are about.

So a feed that is killed between the two writes does both again, and the event of each notification is the same then:
readers show it once. Nothing is written for changes that concern no person and no team.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shared.inbox import entries
from shared.inbox.entries import OF_NO_CONVERSATION, Change
from shared.inbox.items import Context, Entry
from shared.inbox.notifications import causes, records
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.inbox.entries import ReadableHeads
    from shared.inbox.items import Head
    from shared.inbox.notifications.causes import Added
    from shared.inbox.notifications.items import EndedCampaign, Notification


class Additions(Protocol):
    """The notes and drafts of a context's conversations."""

    def added(self, key: Attributes) -> Added | None:
        """Return the note with mentions or the waiting draft that was stored under this key; None for other items."""
        ...


class Campaigns(Protocol):
    """The campaigns of a context."""

    def is_key(self, key: Attributes) -> bool:
        """Whether an item with this key is a campaign."""
        ...

    def ended(self, key: Attributes) -> EndedCampaign | None:
        """Return the campaign with this key if it has ended, or stopped by itself."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifier:
    """Writes to the live table. *additions* and *campaigns*: of the context; None if it has none that notify anyone."""

    table: Table
    additions: Additions | None = None
    campaigns: Campaigns | None = None

    def is_campaign(self, key: Attributes) -> bool:
        """Whether each change of the item with this key is for `of_campaign`."""
        return self.campaigns is not None and self.campaigns.is_key(key)

    def of_campaign(self, key: Attributes) -> Change | None:
        """
        Notify of a campaign that has ended, and return what to announce: nothing if that is stored, as most changes of
        a campaign come after its end. Safe to repeat.
        """
        ended = self.campaigns.ended(key) if self.campaigns is not None else None
        found = causes.of_campaign(ended, clock.now_ms()) if ended is not None else None
        if ended is None or found is None or not records.add(self.table, found):
            return None
        return Change(
            company_id=ended.company,
            context=Context.WHATSAPP,
            reference=OF_NO_CONVERSATION,
            project_id=None,
            version=0,
            is_removed=False,
            notified=(ended.owner,),
        )

    def of_entry(self, stored: Entry | None, wanted: Entry, head: Head) -> tuple[str, ...]:
        """Notify of an entry that is about to be written, and return who is notified. Safe to repeat."""
        now = clock.to_text(clock.now_ms())
        return self._notify(causes.of_entry(stored, wanted, head, now))

    def of_addition(self, inbox: Table, heads: ReadableHeads, key: Attributes) -> Change | None:
        """
        Notify of the new item with this key, and return a change to announce. Safe to repeat.

        None if no person or team is notified.
        """
        added = self.additions.added(key) if self.additions is not None else None
        if added is None:
            return None
        entry = entries.get(inbox, Entry.key(heads.context, added.reference))
        if entry is None:  # the record of the head comes later
            head = heads.read(added.reference)
            if head is None:
                return None
            entry = Entry.of(head)
        notified = self._notify(causes.of_addition(added, entry))
        if not notified:
            return None
        return Change(
            company_id=entry.company_id,
            context=entry.context,
            reference=added.reference,
            project_id=entry.project_id,
            version=entry.version,
            is_removed=False,
            notified=notified,
        )

    def _notify(self, found: Sequence[Notification]) -> tuple[str, ...]:
        records.put(self.table, found)
        return tuple(dict.fromkeys(one.owner for one in found))
