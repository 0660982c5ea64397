"""The pause of a webhook whose deliveries fail: the person who made it is notified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from console.store import webhooks as stored
from shared.api import principals
from shared.inbox.notifications import records
from shared.inbox.notifications.items import Notification
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.inbox.notifications.webhooks.items import Pause, Webhook


def pause(table: Table, inbox: Table, webhook: Webhook, reason: Pause) -> Webhook:
    """
    Pause a webhook that a run holds, and return it; the feeds then store no more deliveries. Raises LeaseLost.

    The notification comes first: a run that is killed after it notifies again of the same event.
    """
    if principals.is_person(webhook.created_by):
        now = clock.to_text(clock.now_ms())
        since = str(webhook.failing_since)
        notification = Notification.of_webhook(
            webhook.company, webhook.created_by, webhook.sk, now, since
        )
        records.put(table, [notification])
    paused = stored.note(table, webhook, put={"state": "paused", "paused_for": reason})
    stored.publish(inbox, table, webhook.company)
    metrics.add_metric("WebhooksPaused", MetricUnit.Count, 1)
    about = {"webhook": webhook.sk, "company": webhook.company, "reason": reason}
    logger.warning("webhook paused", extra=about)
    return paused
