"""Shows threads and mails as the API returns them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from email_threads.api import views
from email_threads.api.service_levels.views import of_thread
from shared.ai.spending import prices
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from email_threads.store.items import Mail, Mailbox, Thread
    from email_threads.store.items.threads.thread import AttachmentEntry

SNIPPET: Final = 200  # characters
# The sanitiser writes attributes in double quotes.
_IMAGE: Final = re.compile(r'src="cid:([^"]*)"')


def summary(thread: Thread) -> views.ThreadSummary:
    """Show a thread in a list."""
    newest = thread.email_history[-1] if thread.email_history else None
    facts = thread.metadata
    return views.ThreadSummary(
        conversation_id=thread.conversation_id,
        mailbox=thread.mailbox,
        subject=thread.subject,
        status=thread.status,
        automation=thread.automation,
        participant=thread.participant,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        last_seq=thread.seq,
        email_count=thread.email_count,
        snippet=newest.body[:SNIPPET] if newest else "",
        last_direction=newest.direction.value if newest else None,
        waiting_since=thread.waiting_since,
        service_level=of_thread(thread),
        snoozed_until=thread.snoozed_at(clock.to_text(clock.now_ms())),
        reminder=_reminder(thread),
        closes_at=thread.closes_at,
        assigned_to=facts.assigned_to,
        priority=facts.priority,
        tags=sorted(facts.tags),
        open_drafts=len(thread.open_drafts),
        analysis_reason=thread.ai_analysis.reason if thread.ai_analysis else None,
    )


def _reminder(thread: Thread) -> views.ReminderView | None:
    found = thread.reminder
    return (
        views.ReminderView(remind_at=found.remind_at, given_at=found.given_at)
        if found is not None
        else None
    )


def _satisfaction(thread: Thread) -> views.SatisfactionView | None:
    found = thread.satisfaction
    if found is None:
        return None
    return views.SatisfactionView(
        **found.model_dump(include=set(views.SatisfactionView.model_fields))
    )


def thread_view(thread: Thread, joining: Sequence[Thread] = ()) -> views.ThreadView:
    """Show a whole thread; *joining* are the threads of people who want to join it."""
    links = thread.metadata.client_info
    return views.ThreadView(
        **dict(summary(thread)),
        participants=sorted(thread.participants),
        original_message_id=thread.original_message_id,
        thread_references=thread.thread_references,
        links=views.RelatedThreads(
            related=links.related,
            continues=links.continues,
            continued_in=thread.continued_in,
            merged_from=sorted(thread.merged_from),
            split_from=thread.split_from,
        ),
        satisfaction=_satisfaction(thread),
        response_time_avg=thread.response_time_avg,
        resolution_time=thread.resolution_time,
        gdpr_consent=thread.gdpr_consent,
        data_retention_policy=thread.data_retention_policy,
        expires_at=thread.ttl,
        reply_mode=thread.reply_mode,
        requirements=plain(thread.requirements),
        requirements_version=thread.requirements_version,
        ai_analysis=_analysis(thread),
        ai_dollars=prices.shown(thread.ai_cost_micros),
        sentiment_scores=[
            views.SentimentView(n=one.n, label=one.label, score=one.score)
            for one in thread.sentiment_scores
        ],
        withheld_mails=thread.withheld_mails,
        join_requests=[_join_request(one) for one in joining],
        note_count=thread.note_count,
        change_count=thread.audit_count,
    )


def _join_request(thread: Thread) -> views.JoinRequest:
    shown = summary(thread)
    return views.JoinRequest(
        conversation_id=shown.conversation_id,
        participant=shown.participant,
        snippet=shown.snippet,
        updated_at=shown.updated_at,
    )


def mail(stored: Mail) -> views.MailView:
    """Show a mail as its item has it: a long body is cut."""
    same = stored.model_dump(
        include=set(views.MailView.model_fields)
        - {"attachments", "html", "flags", "may_be_admitted", "answers_to"}
    )
    return views.MailView(
        **same,
        may_be_admitted=stored.may_be_admitted,
        answers_to=stored.other_reply_to or stored.reply_to,
        flags=[flag.value for flag in stored.flags],
        attachments=[_attachment(i, one) for i, one in enumerate(stored.attachments)],
    )


def with_images(document: str, links: Mapping[str, str]) -> str:
    """Replace the images of a mail by links to its own files; an image without a file gets an empty address."""
    return _IMAGE.sub(lambda found: f'src="{_escaped(links.get(found[1], ""))}"', document)


def mailbox(stored: Mailbox) -> views.MailboxView:
    """Show a mailbox."""
    fields = set(views.MailboxView.model_fields) - {"blocked_senders"}
    shown = stored.model_dump(include=fields, exclude_none=True)
    blocked = sorted(stored.blocked_senders) or None
    return views.MailboxView(**plain(shown), blocked_senders=blocked)


def _analysis(thread: Thread) -> views.AnalysisView | None:
    found = thread.ai_analysis
    if found is None:
        return None
    shown = plain(found.model_dump(include=set(views.AnalysisView.model_fields) - {"pending_info"}))
    fields = set(views.QuestionView.model_fields)
    questions = [views.QuestionView(**one.model_dump(include=fields)) for one in found.pending_info]
    return views.AnalysisView(**shown, pending_info=questions)


def _attachment(index: int, entry: AttachmentEntry) -> views.AttachmentView:
    return views.AttachmentView(
        index=index,
        filename=entry.filename,
        content_type=entry.content_type,
        size=entry.size,
        inline=bool(entry.inline),
        type_mismatch=bool(entry.type_mismatch),
        available=entry.s3_key is not None and not entry.blocked,
    )


def _escaped(url: str) -> str:
    return url.replace("&", "&amp;")
