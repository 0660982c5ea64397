"""Converts issues, their counters and their recipients to the views of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.issues.api import views
from newsletters.store.items.item import timestamp
from newsletters.store.items.recipients import (
    MAILBOX_PROVIDERS,
    PROVIDER_COUNTS,
    VARIANT_COUNTS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.issues.checklist import Findings
    from newsletters.store.items import Issue, IssueStats, PublicList, Recipient, VariantStats
    from newsletters.store.items.issues import Variant
    from newsletters.store.items.recipients import MailboxProvider


def issue_view(issue: Issue) -> views.IssueView:
    """Return an issue."""
    times = {
        "scheduled_for": issue.scheduled_for,
        "not_after": issue.not_after,
        "decide_at": issue.decide_at,
    }
    shown = {name: None if at is None else timestamp(at) for name, at in times.items()}
    names = views.IssueView.model_fields.keys() - times.keys() - {"subject_test"}
    test = issue.subject_test
    return views.IssueView(
        **{name: getattr(issue, name) for name in names},
        **shown,
        subject_test=views.SubjectTestView(**test.model_dump()) if test else None,
    )


def public_list_view(of: PublicList) -> views.PublicListView:
    """Return a public list with its addresses."""
    base = f"/n/{of.company_id}/{of.list_id}"
    paths = {"subscribe_path", "archive_path", "feed_path"}
    names = views.PublicListView.model_fields.keys() - paths
    return views.PublicListView(
        **{name: getattr(of, name) for name in names},
        subscribe_path=f"{base}/subscribe" if of.is_open else None,
        archive_path=f"{base}/archive" if of.has_archive else None,
        feed_path=f"{base}/feed.xml" if of.has_archive else None,
    )


def stats_view(
    issue: Issue, stats: IssueStats, variants: Mapping[Variant, VariantStats]
) -> views.StatsView:
    """Return the counters of an issue, with the recipients that have no end yet."""
    names = views.StatsView.model_fields.keys() - {"waiting", "variants", "mailbox_providers"}
    ended = stats.sent + stats.skipped + stats.failed + stats.unknown
    return views.StatsView(
        **{name: getattr(stats, name) for name in names},
        waiting=stats.audience - ended,
        variants=[
            views.VariantStatsView(
                variant=name,
                subject=issue.subjects[name],
                **{field: getattr(one, field) for field in VARIANT_COUNTS},
            )
            for name, one in variants.items()
        ],
        mailbox_providers=[_provider_view(stats, one) for one in MAILBOX_PROVIDERS],
    )


def _provider_view(stats: IssueStats, provider: MailboxProvider) -> views.ProviderStatsView:
    counts = {name: getattr(stats, stats.counted(provider, name)) for name in PROVIDER_COUNTS}
    return views.ProviderStatsView(mailbox_provider=provider, **counts)


def recipient_view(recipient: Recipient) -> views.RecipientView:
    """Return a recipient."""
    names = views.RecipientView.model_fields
    return views.RecipientView(**{name: getattr(recipient, name) for name in names})


def checklist_view(findings: Findings) -> views.Checklist:
    """Return the findings before the start."""
    return views.Checklist(
        may_be_sent=not findings.blocking,
        bytes=len(findings.parts.html.encode()) if findings.parts is not None else None,
        checks=[
            views.CheckView(code=one.code, level=one.level, problem=one.problem)
            for one in findings.checks
        ],
    )
