"""
Lists the notifications of a person and of teams, with the rights that the caller has now.

Every person of the company may read a team's notifications, as they may read its saved views and conversations. What
a caller did is not reported to the caller. Two items of one event are one notification: the earlier one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.api.inbox import row_of
from console.notifications.views import (
    Notifications,
    NotificationSettings,
    NotificationView,
    NotifiedConversation,
)
from console.reading_rights import is_readable, readable
from console.store import notification_states
from shared.api import principals
from shared.inbox.items import Entry, pk
from shared.inbox.notifications import records
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from console.api.inbox import InboxDependencies
    from console.notifications.inputs import NotificationsQuery
    from console.store.notification_states import NotificationState
    from shared.api.auth import Caller
    from shared.inbox.notifications.items import Notification


def listed(
    deps: InboxDependencies, caller: Caller, query: NotificationsQuery, *, has_digests: bool
) -> Notifications:
    """Return the newest notifications, newest first, and how many are unread."""
    state = notification_states.get(deps.table, caller.company, caller.principal)
    found = of_caller(deps, caller, state, query.names)
    unread = sum(not state.has_read(one.sk) for one in found)
    wanted = [one for one in found if query.kind in {None, one.kind}][: query.limit]
    return Notifications(
        notifications=_views(deps, caller, state, wanted),
        unread=unread,
        settings=settings_view(state, has_digests=has_digests),
    )


def of_caller(
    deps: InboxDependencies, caller: Caller, state: NotificationState, teams: Sequence[str]
) -> list[Notification]:
    """Return the notifications that the caller may read and wants, newest first, each event once."""
    owners = [caller.principal, *map(principals.of_team, teams)]
    contexts = readable(caller)
    first: dict[tuple[str, str], Notification] = {}
    stored = (one for owner in owners for one in records.newest(deps.live, caller.company, owner))
    for one in sorted(stored, key=lambda each: each.sk):
        has_project = one.project_id is not None
        if has_project and not caller.may_use(one.company, one.project_id or ""):
            continue
        if one.context in contexts and one.kind not in state.muted and one.by != caller.principal:
            first.setdefault((one.owner, one.event), one)
    return sorted(first.values(), key=lambda each: each.sk, reverse=True)


def settings_view(state: NotificationState, *, has_digests: bool) -> NotificationSettings:
    """Return the view of a person's settings. *has_digests*: whether mails are offered."""
    return NotificationSettings(
        muted=sorted(state.muted),
        quiet_until=state.quiet_until,
        quiet_from=state.quiet_from,
        quiet_to=state.quiet_to,
        zone=state.zone,
        digest_hours=state.digest_hours,
        is_digest_offered=has_digests,
        lacks_address=state.lacks_address,
    )


def _views(
    deps: InboxDependencies,
    caller: Caller,
    state: NotificationState,
    found: Sequence[Notification],
) -> list[NotificationView]:
    entries = _entries(deps, caller, found)
    return [
        NotificationView(
            id=one.sk,
            kind=one.kind,
            at=one.at,
            owner=one.owner,
            by=one.by,
            is_read=state.has_read(one.sk),
            conversation=_conversation(deps, entries.get(one.entry or "")),
            campaign=one.campaign,
            issue=one.issue,
            webhook=one.webhook,
        )
        for one in found
    ]


def _entries(
    deps: InboxDependencies, caller: Caller, found: Sequence[Notification]
) -> dict[str, Entry]:
    """Return the entries of the conversations by their keys: those that the caller may read now."""
    keys = dict.fromkeys(one.entry for one in found if one.entry is not None)
    items = deps.table.get_many([pk(key) for key in keys], is_consistent=False)
    contexts = readable(caller)
    stored = (Entry.read(item) for item in items)
    return {
        entry.pk: entry
        for entry in stored
        if is_readable(caller, contexts, entry) and not clock.is_over(entry.ttl)
    }


def _conversation(deps: InboxDependencies, entry: Entry | None) -> NotifiedConversation | None:
    if entry is None:
        return None
    row = row_of(deps.seal, entry, clock.to_text(clock.now_ms()))
    return NotifiedConversation(**row.model_dump(include=set(NotifiedConversation.model_fields)))
