"""Attempts of deliveries: what stands in their way, what runs that die leave, and changes while a run delivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from console.notifications.webhooks import posts
from console.notifications.webhooks.posts import Attempt
from console.notifications.webhooks.run import AGAIN_MS
from shared.inbox.items import Entry
from shared.inbox.lists import partitions
from tests.integration.console.notifications import webhooks
from tests.integration.console.notifications.test_digests import _Killed
from tests.integration.console.notifications.webhooks import ADMIN, ALL, HOUR

if TYPE_CHECKING:
    from shared.inbox.notifications.webhooks.items import Delivery, Webhook
    from tests.integration.console.notifications.webhooks import Hooked

hooked = webhooks.hooked
RECEIVED = ["message.received"]
WAITS: dict[str, Any] = {"waiting_since": "2026-01-01T12:00:00.000Z", "unread_count": 1}


def test_a_conversation_whose_events_are_refused_for_long_stops_no_other(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.create(types=RECEIVED)
    original, refused = posts.post, set[str]()

    def post(webhook: Webhook, delivery: Delivery, content: dict[str, Any]) -> Attempt:
        if not refused:
            refused.add(content["conversation"]["key"])
        if content["conversation"]["key"] in refused:
            return Attempt(status=422)
        return original(webhook, delivery, content)

    monkeypatch.setattr(posts, "post", post)
    for number in range(102):  # more than a page
        hooked.feed("refused", 1 + number % 50, received=f"m{number}", **WAITS)
    hooked.later(HOUR)
    hooked.feed("other", 55, received="m", **WAITS)

    assert hooked.receiver.types() == RECEIVED


def test_an_attempt_whose_run_dies_counts_and_a_delivery_ends(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hooked.create(types=RECEIVED)
    attempts: list[int] = []

    def post(_: Webhook, delivery: Delivery, __: dict[str, Any]) -> Attempt:
        attempts.append(delivery.attempts)
        raise _Killed

    monkeypatch.setattr(posts, "post", post)
    change = hooked.show("ada", 1, received="m", **WAITS)
    assert change is not None
    hooked.outbox.start([change], 3_000)
    for _ in range(40):
        for go_on in (hooked.run, lambda: hooked.later(HOUR)):
            try:
                go_on()
            except _Killed:
                continue

    assert attempts == list(range(len(AGAIN_MS) + 1))
    [ended] = hooked.deliveries(made["webhook"]["webhookId"])
    assert (ended["result"], ended["problem"]) == ("failed", "no_answer")


def test_a_webhook_that_is_removed_while_a_run_delivers_gets_nothing_more(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = hooked.create(types=RECEIVED)
    changes = [hooked.show(f"c{number}", 1, received="m", **WAITS) for number in range(3)]
    original = posts.post

    def post(webhook: Webhook, delivery: Delivery, content: dict[str, Any]) -> Attempt:
        hooked.post(f"{ALL}/{made['webhook']['webhookId']}/remove")
        return original(webhook, delivery, content)

    monkeypatch.setattr(posts, "post", post)
    hooked.outbox.start([one for one in changes if one is not None], 3_000)
    hooked.run()

    assert hooked.receiver.types() == RECEIVED


def test_of_two_changes_at_once_none_hides_a_webhook_from_the_feeds(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = hooked.create(types=RECEIVED, name="first")
    original = partitions.set_webhooks
    others: list[dict[str, Any]] = []

    def set_webhooks(*given: Any) -> None:
        if not others:
            others.append({})
            others.append(hooked.create(types=RECEIVED, name="second"))
        original(*given)

    monkeypatch.setattr(partitions, "set_webhooks", set_webhooks)
    hooked.post(f"{ALL}/{first['webhook']['webhookId']}", {"name": "renamed"})
    partitions.forget()

    known = partitions.webhooks(hooked.inbox.table, ADMIN.company)
    assert known.keys() == {one["webhookId"] for one in hooked.webhooks()}
    assert len(known) == 2


def test_an_event_of_an_erased_conversation_is_not_sent_again(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    path = f"{ALL}/{made['webhook']['webhookId']}"
    hooked.feed("ada", 1, received="m", **WAITS)
    [delivery] = hooked.deliveries(made["webhook"]["webhookId"])
    table = hooked.inbox.table
    for item in table._client.scan(TableName=table.name)["Items"]:
        if item["pk"]["S"].startswith(Entry.pk_pattern.partition("{")[0]):
            table.delete({"pk": item["pk"]["S"]})

    answer = hooked.post(f"{path}/deliveries/{delivery['deliveryId']}/resend")

    assert answer.status == 404


def test_a_failure_days_after_an_event_that_was_given_up_does_not_pause_the_webhook(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.create(types=RECEIVED)
    monkeypatch.setattr(posts, "post", lambda *_: Attempt(status=503))
    hooked.feed("ada", 1, received="m1", **WAITS)
    for wait_ms in AGAIN_MS:
        hooked.later(wait_ms)
    assert hooked.left() == []
    hooked.later(72 * HOUR)
    hooked.feed("ada", 2, received="m2", **WAITS)

    assert [one["state"] for one in hooked.webhooks()] == ["active"]
