"""One attempt of a delivery: what is sent, to which address, and what its answer means."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from console.api.bulk.steps import NAMES, ROUTES
from console.notifications.webhooks import signing_secrets
from shared.aws.sqs_fifo import to_json
from shared.inbox.references import key_of
from shared.providers import standard_webhooks
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from shared.runtime.settings import is_local_stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.opaque_ids import Seal
    from shared.inbox.items import Entry
    from shared.inbox.notifications.webhooks.items import Delivery, Webhook

WITHIN_MS: Final = 5 * clock.SECOND_MS
_TAKEN: Final = 2  # first digit of the status


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an attempt ended: the *status* of the answer, or the *problem* without one."""

    status: int | None = None
    problem: str | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver has the delivery."""
        return self.status is not None and self.status // 100 == _TAKEN

    @property
    def is_gone(self) -> bool:
        """Whether the receiver wants no more deliveries."""
        return self.status == HTTPStatus.GONE


def content_of(
    webhook: Webhook, delivery: Delivery, entry: Entry | None, seal: Callable[[], Seal]
) -> dict[str, Any]:
    """
    Return what is sent: ids, and states of the conversation as they are now. It has no name, number, address or text: a
    receiver reads them from `path`, with an API key.
    """
    event = {
        "id": delivery.event,
        "type": delivery.type,
        "at": clock.to_text(delivery.at_ms),
        "webhook": webhook.sk,
    }
    if entry is None:
        return event
    key = key_of(entry.context, entry.company_id, entry.reference, seal)
    conversation = {
        "context": entry.context,
        "key": key,
        "path": ROUTES[entry.context].format(**{NAMES[entry.context]: key}),
        "channel": entry.channel,
        "status": entry.state(clock.to_text(clock.now_ms())),
        "context_status": entry.context_status,
        "assignee": entry.assignee,
        "project_id": entry.project_id,
        "contact_id": entry.contact_id,
        "last_activity_at": entry.last_activity_at,
        "version": entry.version,
    }
    return event | {"conversation": conversation}


def post(webhook: Webhook, delivery: Delivery, content: dict[str, Any]) -> Attempt:
    """
    Send a delivery once: to a public https address, without redirect; the body of the answer is not read.

    Raises KeyUnknown and KeysUnreadable, before anything is sent.
    """
    from shared.providers import http  # noqa: PLC0415 - no answer of the API needs it

    body = to_json(content).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Parley",
        **standard_webhooks.signed(body, delivery.event, *signing_secrets.secrets(webhook)),
    }
    try:
        with http.open_untrusted(
            "POST",
            webhook.url,
            headers=headers,
            body=body,
            within_ms=WITHIN_MS,
            loopback=is_local_stage(),
        ) as answer:
            return Attempt(status=answer.status)
    except http.OriginRefused:
        return Attempt(problem="address_refused")
    except (NotSent, InDoubt) as failure:
        return Attempt(problem=failure.code)
