"""
Notifications that a changed entry, a new note or draft, or an ended campaign causes. Pure.

    assigned   the assignee is another one than before, and did not make the change
    replied    the customer waits, and did not when the entry was written before; the assignee is the same
    at_risk    the alarm before a due time was given
    overdue    the due time has passed
    campaign   it ended or stopped by itself; to the person who created it and did not cancel it

Conversations that are assigned to no person and no team cause none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.api import principals
from shared.inbox.notifications.items import Notification, NotificationKind
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.inbox.items import Entry, Head
    from shared.inbox.notifications.items import EndedCampaign

MOST_MENTIONS: Final = 20  # of one note
STREAM_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS  # Streams keep records so long.
# A note has the ids of those it mentions, since names change.
_MENTION: Final = re.compile(r"<@((?:user|team):[A-Za-z0-9._@:+|-]{1,120})>")
_OF_DUE: Final = {"at_risk": NotificationKind.AT_RISK, "overdue": NotificationKind.OVERDUE}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNote:
    """A new internal note. *at* and *key*: of its item. *mentions*: people and teams."""

    reference: str
    key: str
    at: str
    by: str
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingDraft:
    """A new draft that waits for a person. *by*: its author."""

    reference: str
    key: str
    at: str
    by: str


type Added = WrittenNote | WaitingDraft


def mentions_in(text: str) -> tuple[str, ...]:
    """Return the people and teams that a note mentions, each once, in their order; the first MOST_MENTIONS."""
    found = dict.fromkeys(one for one in _MENTION.findall(text) if is_notified(one))
    return tuple(found)[:MOST_MENTIONS]


def is_notified(owner: str | None) -> bool:
    """Whether notifications of *owner* are read by someone: a person, or the people of a team."""
    if owner is None or not principals.is_assignable(owner):
        return False
    return principals.is_person(owner) or principals.is_team(owner)


def of_entry(stored: Entry | None, wanted: Entry, head: Head, now: str) -> list[Notification]:
    """Return the notifications that go with an entry's change from *stored*, which may not exist, to *wanted*."""
    owner = wanted.assignee
    if owner is None or not is_notified(owner):
        return []
    found: list[Notification] = []
    if stored is None or stored.assignee != owner:
        if head.assigned_by != owner:
            version = str(stored.version if stored else 0)
            found.append(
                Notification.of(
                    NotificationKind.ASSIGNED,
                    owner,
                    wanted,
                    now,
                    version,
                    owner,
                    by=head.assigned_by,
                )
            )
    elif _has_answered(stored, wanted):
        since = wanted.waiting_since or ""
        found.append(Notification.of(NotificationKind.REPLIED, owner, wanted, now, owner, since))
    if wanted.due_state and _due(wanted) != _due(stored):
        kind = _OF_DUE[wanted.due_state]
        found.append(Notification.of(kind, owner, wanted, now, owner, *_due(wanted)))
    return found


def of_addition(added: Added, entry: Entry) -> list[Notification]:
    """Return the notifications of a new note or draft of a conversation."""
    if isinstance(added, WrittenNote):
        return [
            Notification.of(
                NotificationKind.MENTIONED, one, entry, added.at, added.key, one, by=added.by
            )
            for one in added.mentions
            if one != added.by
        ]
    owner = entry.assignee
    if owner is None or owner == added.by or not is_notified(owner):
        return []
    return [Notification.of(NotificationKind.DRAFT, owner, entry, added.at, added.key, by=added.by)]


def of_campaign(ended: EndedCampaign, now_ms: int) -> Notification | None:
    """
    Return the notification of a campaign's end, until no stream has the record of it any more: later changes of the
    campaign cause none.
    """
    is_late = now_ms - clock.from_text(ended.at) > STREAM_MS
    if is_late or ended.owner == ended.by or not principals.is_person(ended.owner):
        return None
    return Notification.of_campaign(ended)


def _has_answered(stored: Entry, wanted: Entry) -> bool:
    """Whether the customer's wait began after *stored*. Its beginning may move while it lasts."""
    if wanted.waiting_since is None or wanted.unread_count == 0:
        return False
    return stored.waiting_since is None or wanted.waiting_since > stored.last_activity_at


def _due(entry: Entry | None) -> tuple[str, str, str]:
    if entry is None:
        return ("", "", "")
    return (entry.due_for or "", entry.due_at or "", entry.due_state or "")
