"""Changes of a company's webhooks, and deliveries that people ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from console.notifications.webhooks import run, signing_secrets
from console.notifications.webhooks.views import DeliveryQueued, WebhookRemoved, WebhookSecret
from console.notifications.webhooks.views import WebhookView as View
from console.store import webhooks as stored
from shared.aws.sqs_fifo import digest
from shared.inbox.items import pk
from shared.inbox.live.items import SORT_KEY
from shared.inbox.notifications.webhooks.items import Due, EventType, Waiting, Webhook
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.inbox import InboxDependencies
    from console.jobs.runs import Runs
    from console.notifications.webhooks.inputs import WebhookChange, WebhookInput
    from shared.api.auth import Caller

_ID_CHARACTERS: Final = 16
_EVENT_CHARACTERS: Final = 24
_HOUR_SECONDS: Final = 3_600


class WebhookNotFound(Exception):
    """There is no such webhook, or no such delivery of it, in the company."""


class TooManyWebhooks(Exception):
    """The company has as many webhooks as it may have."""


class NotActive(Exception):
    """The webhook is paused."""


def of_company(deps: InboxDependencies, company: str, webhook_id: str) -> Webhook:
    """Return a webhook of a company. Raises WebhookNotFound."""
    found = stored.get(deps.live, company, webhook_id) if webhook_id else None
    if found is None:
        raise WebhookNotFound
    return found


def create(
    deps: InboxDependencies, caller: Caller, given: WebhookInput, cause: str
) -> Callable[[], WebhookSecret]:
    """
    Return the change that makes a webhook. Its id follows from *cause*: a repeat of a change that was cut off completes
    it, and gets the same secret. Raises TooManyWebhooks.
    """
    webhook_id = digest("webhook", cause)[:_ID_CHARACTERS]
    others = [one for one in stored.of_company(deps.live, caller.company) if one.sk != webhook_id]
    if len(others) >= stored.MOST:
        raise TooManyWebhooks(f"a company has at most {stored.MOST} webhooks")

    def change() -> WebhookSecret:
        new = Webhook(
            pk=Webhook.partition(caller.company),
            sk=str(Webhook.key(caller.company, webhook_id)[SORT_KEY]),
            company=caller.company,
            name=given.name,
            url=given.url,
            types={EventType(one) for one in given.types},
            contexts=set(given.contexts),
            created_at=clock.to_text(clock.now_ms()),
            created_by=caller.principal,
            signing=[signing_secrets.first(digest(cause))],
        )
        made = stored.create(deps.live, new)
        stored.publish(deps.table, deps.live, caller.company)
        return _with_secret(made)

    return change


def alter(
    deps: InboxDependencies, runs: Runs, webhook: Webhook, given: WebhookChange
) -> Callable[[], View]:
    """
    Return the change of a webhook. One that becomes active again gets what waits. The change is safe to repeat; it
    raises WebhookNotFound if the webhook was removed meanwhile.
    """

    def change() -> View:
        put = {
            "name": given.name,
            "url": given.url,
            "types": {EventType(one) for one in given.types} if given.types else None,
            "contexts": set(given.contexts) if given.contexts else None,
            "state": given.state,
        }
        drop: tuple[str, ...] = ()
        if given.state == "paused":
            put["paused_for"] = "person"
        elif given.state == "active" or given.url is not None:
            drop = ("failing_since", "failed_runs", "hold_until")
            drop += ("paused_for",) if given.state == "active" else ()
        changed = stored.change(deps.live, webhook, put=put, drop=drop)
        if changed is None:
            raise WebhookNotFound
        stored.publish(deps.table, deps.live, webhook.company)
        if changed.state == "active":
            _start(deps, runs, changed)
        return View.of(changed)

    return change


def rotate(
    deps: InboxDependencies, webhook: Webhook, keep_hours: int, cause: str
) -> Callable[[], WebhookSecret]:
    """Return the change that gives a webhook a new secret; the present one signs beside it for *keep_hours* more."""

    def change() -> WebhookSecret:
        keys = signing_secrets.rotated(webhook, digest(cause), keep_hours * _HOUR_SECONDS)
        put = {"signing": [one.model_dump(exclude_none=True) for one in keys]}
        changed = stored.change(deps.live, webhook, put=put)
        if changed is None:
            raise WebhookNotFound
        return _with_secret(changed)

    return change


def remove(deps: InboxDependencies, webhook: Webhook) -> Callable[[], WebhookRemoved]:
    """Return the change that removes a webhook. Safe to repeat."""

    def change() -> WebhookRemoved:
        stored.remove(deps.live, webhook)
        stored.publish(deps.table, deps.live, webhook.company)
        return WebhookRemoved(webhook_id=webhook.sk)

    return change


def test(
    deps: InboxDependencies, runs: Runs, webhook: Webhook, cause: str
) -> Callable[[], DeliveryQueued]:
    """Return the change that sends a test to a webhook. Raises NotActive."""
    _require_active(webhook)
    event = digest("webhook test", cause)[:_EVENT_CHARACTERS]

    def change() -> DeliveryQueued:
        return _queued(
            deps,
            runs,
            webhook,
            Waiting.of(
                webhook.company,
                webhook.sk,
                at_ms=clock.now_ms(),
                event=event,
                type_=EventType.TEST,
            ),
        )

    return change


def resend(
    deps: InboxDependencies, runs: Runs, webhook: Webhook, delivery_id: str
) -> Callable[[], DeliveryQueued]:
    """
    Return the change that sends an event of the log again, with its id and the conversation's present states. Raises
    WebhookNotFound, also if the conversation was erased, and NotActive.
    """
    _require_active(webhook)
    found = stored.logged(deps.live, webhook.company, webhook.sk, delivery_id)
    if found is None or (found.entry is not None and deps.table.get(pk(found.entry)) is None):
        raise WebhookNotFound

    def change() -> DeliveryQueued:
        return _queued(
            deps,
            runs,
            webhook,
            Waiting.of(
                webhook.company,
                webhook.sk,
                at_ms=clock.now_ms(),
                event=found.event,
                type_=found.type,
                entry=found.entry,
                after_version=found.after_version,
            ),
        )

    return change


def _queued(
    deps: InboxDependencies, runs: Runs, webhook: Webhook, waiting: Waiting
) -> DeliveryQueued:
    # A person waits for it, so it is tried at once.
    stored.change(deps.live, webhook, drop=("hold_until", "failed_runs"))
    deps.live.put(waiting.attributes())
    _start(deps, runs, webhook)
    return DeliveryQueued(event_id=waiting.event)


def _start(deps: InboxDependencies, runs: Runs, webhook: Webhook) -> None:
    deps.live.put(Due.of(webhook.company, webhook.sk).attributes())
    runs.start(run.job_of(webhook.company, webhook.sk))


def _require_active(webhook: Webhook) -> None:
    if webhook.state != "active":
        raise NotActive("the webhook is paused; make it active first")


def _with_secret(webhook: Webhook) -> WebhookSecret:
    return WebhookSecret(
        webhook=View.of(webhook), secret=signing_secrets.newest_secret(webhook), notice=None
    )
