"""
Schedules the question how satisfied the customer of a conversation is, when the conversation is closed.

There is one such item per conversation. It stays when the conversation is opened again, and finds that when it is due.
"""

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from shared.aws.sqs_fifo import digest
from shared.runtime import clock


def schedule(resources: Resources, opened: OpenConversation) -> None:
    """Schedule the question, if the project asks the customer of this conversation. Idempotent."""
    settings = opened.company.satisfaction
    if settings is None or not is_sampled(opened.ref, settings.percent):
        return
    due.put(
        resources.log,
        opened.ref,
        DueKind.SATISFACTION,
        clock.now_ms() + settings.after_minutes * 60 * clock.SECOND_MS,
        company=opened.company.company_id,
    )


def is_sampled(ref: str, percent: int) -> bool:
    """Whether a conversation is one of so many of a hundred: the same ones whenever it is asked."""
    return int(digest("satisfaction", ref)[:8], 16) % 100 < percent
