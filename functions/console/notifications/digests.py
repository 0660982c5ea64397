"""
Mails to people who are absent: how many notifications are unread, by kind, with a link. No text and no name.

    1 due         the states whose time has come, oldest first
    2 person      the user pool; without a role or a proven address the mails end, and the settings say so
    3 absent      a person with an open page gets none, nor one without a new notification
    4 claim       the next time, under the condition that nothing has changed: one run goes on
    5 mail        one attempt

A run that is killed after the claim leaves a period without a mail: none is ever sent twice. A mail that was certainly
not sent is made up for in the next period.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import BotoCoreError, ClientError

from console.notifications import lists
from console.notifications.digest_texts import body_of, subject_of
from console.notifications.recipients import is_present
from console.store import notification_states
from shared.aws.sqs_fifo import digest
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from console.api.inbox import InboxDependencies
    from console.notifications.recipients import Recipient, Recipients
    from console.store.notification_states import NotificationState
    from shared.inbox.notifications.items import Notification
    from shared.providers.email.ses import Ses

MOST_IN_A_RUN: Final = 50
LEFT_MS: Final = 10_000  # The next run goes on.


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestDependencies:
    """*sender*: the address of the mails, without one none are sent. *ses* is loaded with the first mail."""

    inbox: InboxDependencies
    recipients: Recipients
    ses: Callable[[], Ses]
    sender: str

    @property
    def is_offered(self) -> bool:
        """Whether this deployment can send mails."""
        return bool(self.sender)


def send_due(deps: DigestDependencies, context: LambdaContext) -> None:
    """Send the mails whose time has come. Safe to repeat, and beside itself; a failure leaves one for the next run."""
    if not deps.is_offered:
        return
    now = clock.to_text(clock.now_ms())
    for state in notification_states.due(deps.inbox.table, now, MOST_IN_A_RUN):
        if context.get_remaining_time_in_millis() < LEFT_MS:
            return
        try:
            _handle(deps, state, now)
        except (ClientError, BotoCoreError, Transient) as failure:
            logger.warning("digest postponed", extra=describe(failure))


def next_after(state: NotificationState, now: str) -> str:
    """Return the first time after *now* that is a whole number of intervals after the present one."""
    step = (state.digest_hours or 1) * clock.HOUR_MS
    first, at_ms = clock.from_text(state.activity or now), clock.from_text(now)
    return clock.to_text(first + ((at_ms - first) // step + 1) * step)


def _handle(deps: DigestDependencies, state: NotificationState, now: str) -> None:
    table = deps.inbox.table
    if not deps.recipients.logins.value().console_url:
        return  # of an earlier release: mails would have no link
    recipient = deps.recipients.find(state.company_id, state.principal)
    if recipient is None or recipient.address is None:
        ended = notification_states.without_digest
        if recipient is not None:
            ended = notification_states.without_address
        notification_states.change(table, state.company_id, state.principal, ended)
        return
    unread = _unread(deps, recipient)
    is_new = any(one.at > state.digest_since for one in unread)
    is_wanted = is_new and not is_present(deps.inbox.live, state.company_id, state.principal)
    since = now if is_wanted else state.digest_since
    claimed = notification_states.claim(table, state, next_after(state, now), since)
    if claimed is not None and is_wanted:
        _send(deps, state, claimed, recipient.address, Counter(one.kind for one in unread))


def _unread(deps: DigestDependencies, recipient: Recipient) -> list[Notification]:
    caller = recipient.caller
    state = notification_states.get(deps.inbox.table, caller.company, caller.principal)
    found = lists.of_caller(deps.inbox, caller, state, recipient.teams)
    return [one for one in found if not state.has_read(one.sk)]


def _send(
    deps: DigestDependencies,
    state: NotificationState,
    claimed: NotificationState,
    address: str,
    counts: Counter[str],
) -> None:
    from shared.providers.email.ses import Mail  # noqa: PLC0415 - of the schedule

    mail = Mail(
        sender=deps.sender,
        sender_name="Parley",
        to=address,
        subject=subject_of(state.language, counts.total()),
        body=body_of(state.language, counts, deps.recipients.logins.value().console_url),
        auto_submitted="auto-generated",
        suppress_auto_replies=True,
        action_id=digest("digest", state.pk, str(state.activity))[:32],
    )
    try:
        deps.ses().send(mail)
    except (Refused, NotSent) as refusal:
        logger.warning("digest not sent", extra=describe(refusal))
        notification_states.give_back(deps.inbox.table, claimed, state.digest_since)
    except InDoubt as doubt:
        logger.warning("digest in doubt", extra=describe(doubt))
    else:
        metrics.add_metric("DigestsSent", MetricUnit.Count, 1)
