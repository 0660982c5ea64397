"""Read access to the issues of a company, their counters and their recipients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.issues.api import presenters, views
from newsletters.issues.pace import warm_up
from newsletters.store import issues
from newsletters.store.delivery import warm_ups
from newsletters.store.items import IssueState
from newsletters.store.items.issues import SHARDS
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.readers import public_lists, recipients, templates
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput
from shared.contacts import audience
from shared.contacts.audience import Audience
from shared.contacts.lists import ListNotFound
from shared.contacts.segments import SegmentNotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.issues.api import inputs
    from newsletters.issues.dependencies import IssueDependencies
    from newsletters.store.items import Issue, WarmUp
    from shared.api.auth import Caller


def check_audience(
    deps: IssueDependencies, caller: Caller, list_ids: Sequence[str], segment_ids: Sequence[str]
) -> None:
    """Raise InvalidInput unless all lists and segments are the company's."""
    named = [(f"list_ids.{n}", Audience(kind="list", id=one)) for n, one in enumerate(list_ids)]
    named += [
        (f"segment_ids.{n}", Audience(kind="segment", id=one)) for n, one in enumerate(segment_ids)
    ]
    for field, one in named:
        try:
            audience.check(deps.people, caller.company, one)
        except (ListNotFound, SegmentNotFound):
            problem = {"field": field, "problem": f"must be a {one.kind} of contacts"}
            raise InvalidInput([problem]) from None


def check_template(deps: IssueDependencies, caller: Caller, template_id: str | None) -> None:
    """Raise InvalidInput unless the template is the company's."""
    if template_id is None:
        return
    if templates.get(deps.store.table, caller.company, template_id) is None:
        raise InvalidInput([{"field": "template_id", "problem": "must be a template"}])


def check_topics(
    deps: IssueDependencies, caller: Caller, list_ids: Sequence[str], topics: Sequence[str]
) -> None:
    """Raise InvalidInput unless all topics are of the lists."""
    if not topics:
        return
    published = [public_lists.get(deps.store.table, caller.company, one) for one in list_ids]
    known = {topic for one in published if one is not None for topic in one.topics}
    problems = [
        {"field": f"topics.{number}", "problem": "must be a topic of the issue's lists"}
        for number, topic in enumerate(topics)
        if topic not in known
    ]
    if problems:
        raise InvalidInput(problems)


def list_issues(
    deps: IssueDependencies, caller: Caller, query: inputs.IssuesQuery
) -> Page[views.Issues]:
    """Return a page of the company's issues. Raises InvalidCursor."""
    listing = Listing(caller.company, "issues", ("issues",))
    start = listing.position(deps.seal, query.cursor) if query.cursor is not None else None
    found, last = issues.of_company(
        deps.store.table, caller.company, limit=query.limit, start=start
    )
    page = views.Issues(issues=[presenters.issue_view(one) for one in found])
    if last is None:
        return Page(page)
    position = {name: last[name] for name in (PARTITION_KEY, SORT_KEY)}
    return Page(page, listing.cursor(deps.seal, position))


def stats(deps: IssueDependencies, issue: Issue) -> views.StatsView:
    """Return the counters of an issue."""
    table = deps.store.table
    variants = recipients.variant_stats(table, issue) if issue.subject_test else {}
    found: WarmUp | None = None
    if issue.state in {IssueState.SENDING, IssueState.PAUSED}:
        found = warm_ups.get(table, issue.company_id, warm_up.domain_of(issue.sender))
    return presenters.stats_view(issue, recipients.stats(table, issue.issue_id), variants, found)


def list_recipients(
    deps: IssueDependencies, issue: Issue, query: inputs.RecipientsQuery
) -> Page[views.Recipients]:
    """Return a page of the ledger, shard by shard. Raises InvalidCursor."""
    listing = Listing(issue.company_id, "recipients", (issue.issue_id, str(query.state)))
    start = listing.position(deps.seal, query.cursor) if query.cursor is not None else {}
    shard, after = int(start.get("shard", 0)), start.get("after")
    shown: list[views.RecipientView] = []
    left = query.limit
    while shard < SHARDS and left > 0:
        found, after = recipients.page(
            deps.store.table, issue.issue_id, shard, limit=left, after=after
        )
        left -= len(found)
        is_wanted = (one for one in found if query.state is None or one.state is query.state)
        shown += [presenters.recipient_view(one) for one in is_wanted]
        if after is None:
            shard += 1
    page = views.Recipients(recipients=shown)
    if shard >= SHARDS:
        return Page(page)
    position = {"shard": str(shard)} | ({"after": after} if after is not None else {})
    return Page(page, listing.cursor(deps.seal, position))
