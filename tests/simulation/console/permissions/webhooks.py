"""Webhooks: made, changed, tested, delivered to, paused and removed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest import mock

from console.notifications.webhooks.posts import Attempt
from tests.simulation.console.permissions.calls import PERSON, asked, last_run, watched
from tests.simulation.permissions.permissions import CallObserver

if TYPE_CHECKING:
    from types import ModuleType

EVERY = ["whatsapp", "conversations", "email_threads", "message.received", "conversation.assigned"]
ALL = "/inbox/webhooks"


def use_webhooks(system: Any, observer: CallObserver, api: ModuleType) -> None:
    """A webhook whose receiver accepts a delivery, then ends."""

    def call(method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> Any:
        event = asked(method, path, PERSON, body=body or {}, request_id=key or f"{method}-{path}")
        answer = watched(system, observer, "InboxApi", api, event)
        assert answer["statusCode"] == 200, answer
        return json.loads(answer["body"])["result"]

    def deliver(status: int, webhook: str) -> None:
        answered = Attempt(status=status)
        with mock.patch("console.notifications.webhooks.posts.post", return_value=answered):
            watched(system, observer, "InboxApi", api, last_run("webhook", webhook))

    given = {"name": "CRM", "url": "http://127.0.0.1:9/hook", "types": ["message.received"]}
    webhook = call("POST", ALL, given)["webhook"]["webhookId"]
    path = f"{ALL}/{webhook}"
    call("POST", path, {"name": "Shop"})
    call("POST", f"{path}/rotate")
    call("POST", f"{path}/test", key="the-second-test")
    deliver(200, webhook)
    (*_, delivery) = call("GET", f"{path}/deliveries")["deliveries"]
    call("POST", f"{path}/deliveries/{delivery['deliveryId']}/resend")
    deliver(410, webhook)
    (shown,) = call("GET", ALL)["webhooks"]
    assert shown["pausedFor"] == "gone"
    call("POST", f"{path}/remove")
