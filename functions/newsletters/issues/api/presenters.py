"""Converts issues, their counters and their recipients to the views of the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from newsletters.issues import content
from newsletters.issues.api import views
from newsletters.issues.pace import days, warm_up
from newsletters.store.delivery.warm_ups import EVENTS
from newsletters.store.items.item import timestamp
from newsletters.store.items.recipients import (
    MAILBOX_PROVIDERS,
    PROVIDER_COUNTS,
    VARIANT_COUNTS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsletters.issues.checklist import Findings
    from newsletters.store.items import (
        Issue,
        IssueStats,
        PublicList,
        Recipient,
        VariantStats,
        WarmUp,
    )
    from newsletters.store.items.issues import Variant
    from newsletters.store.items.recipients import MailboxProvider


_COMPUTED: Final = frozenset(
    {"waiting", "variants", "mailbox_providers", "warm_up"}
)  # of the counters


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
    paths = {"subscribe_path", "archive_path", "feed_path", "welcome"}
    names = views.PublicListView.model_fields.keys() - paths
    return views.PublicListView(
        **{name: getattr(of, name) for name in names},
        welcome=views.WelcomeView(subject=of.welcome.subject, text=of.welcome.text)
        if of.welcome
        else None,
        subscribe_path=f"{base}/subscribe" if of.is_open else None,
        archive_path=f"{base}/archive" if of.has_archive else None,
        feed_path=f"{base}/feed.xml" if of.has_archive else None,
    )


def stats_view(
    issue: Issue,
    stats: IssueStats,
    variants: Mapping[Variant, VariantStats],
    found: WarmUp | None,
) -> views.StatsView:
    """Return the counters of an issue, with the recipients that have no end yet."""
    names = views.StatsView.model_fields.keys() - _COMPUTED
    ended = stats.sent + stats.skipped + stats.failed + stats.unknown
    return views.StatsView(
        **{name: getattr(stats, name) for name in names},
        waiting=stats.audience - ended,
        variants=[
            views.VariantStatsView(
                variant=name,
                subject=issue.subjects[name],
                newsletter_code=issue.contents.get(name),
                **{field: getattr(one, field) for field in VARIANT_COUNTS},
            )
            for name, one in variants.items()
        ],
        mailbox_providers=[_provider_view(stats, one) for one in MAILBOX_PROVIDERS],
        warm_up=_issue_warm_up(stats, found) if found is not None else None,
    )


def warm_up_view(found: WarmUp) -> views.WarmUpView:
    """Return the warm-up of a domain on this day."""
    day = days.day_of(found)
    step = days.step_on(found, day)
    is_limited = not days.is_warm(found, day)
    names = views.WarmUpView.model_fields.keys() - {
        "day_number",
        "limit",
        "sent_today",
        "reason",
        *EVENTS,
    }
    return views.WarmUpView(
        **{name: getattr(found, name) for name in names},
        day_number=max(step, 0) + 1 if is_limited else None,
        limit=days.limit_on(found, step) if is_limited else None,
        sent_today=days.sent_on(found, day),
        reason=days.reason_on(found, day) if is_limited else None,
        **{name: getattr(found, name) if found.day == day else 0 for name in EVENTS},
    )


def _issue_warm_up(stats: IssueStats, found: WarmUp) -> views.IssueWarmUpView | None:
    """Return the limit that an issue waits for; None if the domain is warm."""
    day = days.day_of(found)
    if days.is_warm(found, day):
        return None
    waiting = {one: getattr(stats, stats.counted(one, "waiting")) for one in MAILBOX_PROVIDERS}
    return views.IssueWarmUpView(
        domain=found.domain,
        limit=days.limit_on(found, days.step_on(found, day)),
        sent_today=days.sent_on(found, day),
        ends_on=warm_up.end_of(found, day, waiting),
        reason=days.reason_on(found, day),
    )


def _provider_view(stats: IssueStats, provider: MailboxProvider) -> views.ProviderStatsView:
    counts = {name: getattr(stats, stats.counted(provider, name)) for name in PROVIDER_COUNTS}
    waiting = getattr(stats, stats.counted(provider, "waiting"))
    return views.ProviderStatsView(mailbox_provider=provider, waiting=waiting, **counts)


def recipient_view(recipient: Recipient) -> views.RecipientView:
    """Return a recipient."""
    names = views.RecipientView.model_fields
    return views.RecipientView(**{name: getattr(recipient, name) for name in names})


def content_id_of(findings: Findings) -> str | None:
    """Return the id of the content that the findings are about; None without one."""
    return content.id_of(findings.parts, findings.variants) if findings.parts is not None else None


def checklist_view(findings: Findings) -> views.Checklist:
    """Return the findings before the start."""
    return views.Checklist(
        may_be_sent=not findings.blocking,
        bytes=len(findings.parts.html.encode()) if findings.parts is not None else None,
        content_id=content_id_of(findings),
        checks=[views.CheckView(**asdict(one)) for one in findings.checks],
        warm_up=views.OutlookView(**asdict(findings.outlook)) if findings.outlook else None,
    )
