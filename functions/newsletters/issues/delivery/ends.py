"""
Ends the work on an issue, or pauses it by a rule, and notifies the person who made it, in one transaction. Open pages
and browsers hear of it afterwards; a worker that dies in between leaves it to their next look.

People who pause or cancel an issue are not notified of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.store import issues
from shared.api import principals
from shared.inbox.items import Context
from shared.inbox.notifications.items import Notification
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import Issue, IssueState
    from shared.aws.dynamodb import Attributes


def end(resources: SendingResources, issue: Issue, state: IssueState, **facts: Any) -> Issue:  # noqa: ANN401 - fields of the issue
    """End the work of the worker that holds the lease: sent, failed, paused or missed. Raises LeaseLost."""
    notified = _notification(resources, issue)
    ended = issues.end(resources.store.table, issue, state, *notified, **facts)
    _announce(resources, issue)
    return ended


def pause(resources: SendingResources, issue: Issue, reason: str) -> None:
    """Pause an issue that is being sent, unless it is not any more."""
    notified = _notification(resources, issue)
    if issues.pause(resources.store.table, issue, reason, *notified) is not None:
        _announce(resources, issue)


def _notification(resources: SendingResources, issue: Issue) -> list[Attributes]:
    if not principals.is_person(issue.created_by):
        return []
    notification = Notification.of_issue(
        issue.company_id,
        issue.created_by,
        issue.issue_id,
        clock.to_text(clock.now_ms()),
        issue.version + 1,
    )
    return [resources.live.to_put(notification.attributes())]


def _announce(resources: SendingResources, issue: Issue) -> None:
    if principals.is_person(issue.created_by):
        from shared.inbox.live.announcements import Announced  # noqa: PLC0415 - of the few events that end an issue

        resources.announcements.send(
            Announced(
                company=issue.company_id,
                context=Context.EMAIL_THREADS,
                notified=(issue.created_by,),
            )
        )
