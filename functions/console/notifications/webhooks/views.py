"""Response models of webhooks. Only the answer to the change that made a secret has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from shared.api.models import views
from shared.inbox.items import Context  # noqa: TC001 - field of a model
from shared.inbox.notifications.webhooks.items import (
    EventType,
    Pause,
    Result,
    State,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.inbox.notifications.webhooks.items import Logged, Webhook

_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)
_LOST = "the secret was shown once, in the first answer; if it is lost, rotate it"


class WebhookView(views.View):
    """
    A webhook. `url` is without its query, which may hold a key of the receiver. `failingSince`: the first failure since
    the last accepted delivery. `oldSecretUntil`: until when the secret before signs, too.
    """

    model_config = _IN_CAMEL

    webhook_id: str
    name: str
    url: str
    has_query: bool
    types: list[EventType]
    contexts: list[Context]
    state: State
    paused_for: Pause | None
    created_at: str
    created_by: str
    failing_since: str | None
    old_secret_until: str | None

    @classmethod
    def of(cls, webhook: Webhook) -> Self:
        """Return the view of a webhook."""
        parts = urlsplit(webhook.url)
        older = [one.until for one in webhook.signing[1:] if not clock.is_over(one.until)]
        return cls(
            webhook_id=webhook.sk,
            name=webhook.name,
            url=parts._replace(query="").geturl(),
            has_query=bool(parts.query),
            types=[one for one in EventType if one in webhook.types],
            contexts=sorted(webhook.contexts),
            state=webhook.state,
            paused_for=webhook.paused_for,
            created_at=webhook.created_at,
            created_by=webhook.created_by,
            failing_since=_text(webhook.failing_since),
            old_secret_until=_text((older[0] or 0) * clock.SECOND_MS) if older else None,
        )


class Webhooks(views.View):
    """The webhooks of the company."""

    webhooks: list[WebhookView]


class WebhookSecret(views.View):
    """
    A webhook and its new secret. *secret* is in the answer of the first call only; *notice* says so in that of a
    repeat.
    """

    model_config = _IN_CAMEL

    webhook: WebhookView
    secret: str | None = Field(repr=False)
    notice: str | None

    def as_stored(self) -> Self:
        """Return the answer without the secret."""
        return self.model_copy(update={"secret": None, "notice": _LOST})


class WebhookRemoved(views.View):
    """A webhook that gets no more deliveries."""

    model_config = _IN_CAMEL

    webhook_id: str


class DeliveryView(views.View):
    """
    A delivery as its last attempt left it. `waiting`: it is tried again, at `nextAt` or later. `status`: of the answer;
    `problem`: why there is none.
    """

    model_config = _IN_CAMEL

    delivery_id: str
    event_id: str
    type: EventType
    at: str
    result: Result
    attempts: int
    status: int | None
    problem: str | None
    tried_at: str
    next_at: str | None

    @classmethod
    def of(cls, logged: Logged) -> Self:
        """Return the view of a delivery in the log."""
        return cls(
            delivery_id=logged.sk,
            event_id=logged.event,
            type=logged.type,
            at=clock.to_text(logged.at_ms),
            result=logged.result,
            attempts=logged.attempts,
            status=logged.status,
            problem=logged.problem,
            tried_at=logged.tried_at,
            next_at=_text(logged.next_at),
        )


class Deliveries(views.View):
    """Deliveries of a webhook that were tried, newest event first."""

    deliveries: list[DeliveryView]


class DeliveryQueued(views.View):
    """A delivery that is sent now: its event has this id."""

    model_config = _IN_CAMEL

    event_id: str


def _text(at_ms: int | None) -> str | None:
    return clock.to_text(at_ms) if at_ms else None
