"""Deliveries to webhooks whose receivers fail, are slow to come back, or are no public addresses; and killed runs."""

from __future__ import annotations

import json
import socket
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from console.notifications.webhooks.run import AGAIN_MS
from shared.inbox.notifications.webhooks.items import EventType, Waiting
from shared.runtime import clock
from tests.cases import each
from tests.integration.console.notifications import webhooks
from tests.integration.console.notifications.webhooks import (
    ALL,
    DAY,
    HOUR,
    RECEIVED,
    SCHEDULE,
    WAITS,
    sent_to,
    write,
)

if TYPE_CHECKING:
    from tests.integration.console.notifications.webhooks import Hooked

hooked = webhooks.hooked


def test_a_delivery_that_is_not_accepted_comes_again_under_its_id_and_before_later_events_of_its_conversation(
    hooked: Hooked,
) -> None:
    made = hooked.create(types=RECEIVED)
    hooked.receiver.statuses = [503]
    hooked.show("ada", 1, received="m1", **WAITS)
    hooked.now[0] += 1
    hooked.show("ada", 2, received="m2", **WAITS)
    hooked.now[0] += 1
    change = hooked.show("ben", 1, received="m1", **WAITS)
    assert change is not None

    hooked.outbox.start([change], 3_000)
    hooked.run()

    ada, ben, ada_again, ada_next = sent_to(hooked)
    assert ada == ada_again
    assert ben[0] != ada[0] == ada_next[0]
    assert ada_next[1] != ada[1]
    log = hooked.deliveries(made["webhook"]["webhookId"])
    assert [(one["result"], one["attempts"], one["status"]) for one in log] == [
        ("delivered", 2, 200),
        ("delivered", 1, 200),
        ("delivered", 1, 200),
    ]
    assert hooked.left() == []


def test_repeats_take_about_a_day_and_then_the_delivery_is_given_up(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    hooked.receiver.refuses = "message.received"
    write(hooked, "ada", 1)
    path = f"{ALL}/{made['webhook']['webhookId']}"
    for _ in range(26 * 3):
        hooked.later(SCHEDULE)
        hooked.post(f"{path}/test")  # which is accepted, so that the webhook is not paused
        hooked.runs.drain()

    attempts = [one for one in hooked.receiver.taken() if one["type"] == "message.received"]
    assert len(attempts) == len(AGAIN_MS) + 1
    assert len({one["id"] for one in attempts}) == 1
    first = hooked.deliveries(made["webhook"]["webhookId"])[0]
    assert (first["result"], first["status"], first["attempts"]) == ("failed", 500, len(attempts))
    assert 20 * HOUR < clock.from_text(first["triedAt"]) - clock.from_text(first["at"]) < 28 * HOUR
    assert hooked.left() == []


def test_a_receiver_that_is_down_for_a_day_is_asked_seldom_then_the_webhook_is_paused_and_its_maker_notified(
    hooked: Hooked,
) -> None:
    made = hooked.create(types=RECEIVED)
    hooked.receiver.statuses = [500] * 10_000
    for number in range(25 * 3):
        write(hooked, f"customer {number}", 1)
        hooked.later(SCHEDULE)

    (shown,) = hooked.webhooks()
    assert (shown["state"], shown["pausedFor"]) == ("paused", "failures")
    assert shown["failingSince"] < "2026-01-01T12:01:00.000Z"
    asked = len(hooked.receiver.taken())
    assert 25 < asked < 25 * 3 * 3
    (notice,) = hooked.inbox.get(webhooks.ADMIN, "/inbox/notifications").result["notifications"]
    assert (notice["kind"], notice["webhook"]) == ("webhook", made["webhook"]["webhookId"])
    waiting = hooked.left()
    write(hooked, "late", 1)
    assert hooked.receiver.taken() == []
    assert hooked.left() == waiting

    hooked.receiver.statuses = []
    path = f"{ALL}/{made['webhook']['webhookId']}"
    assert hooked.post(f"{path}/test").status == 409
    resumed = hooked.post(path, {"state": "active"}).result
    for _ in range(9):  # those that were tried often wait for hours
        hooked.later(HOUR)

    assert resumed["state"] == "active"
    assert "failingSince" not in resumed
    got = Counter(one["id"] for one in hooked.receiver.taken())
    assert len(got) > 50
    assert set(got.values()) == {1}
    assert hooked.left() == []


def test_a_receiver_that_answers_410_gets_no_further_delivery(hooked: Hooked) -> None:
    hooked.create(types=RECEIVED)
    hooked.receiver.statuses = [410]

    write(hooked, "ada", 1)
    write(hooked, "ben", 1)

    assert len(hooked.receiver.taken()) == 1
    (shown,) = hooked.webhooks()
    assert (shown["state"], shown["pausedFor"]) == ("paused", "gone")


def test_a_person_pauses_a_webhook_and_gets_what_waited_when_it_is_active_again(
    hooked: Hooked,
) -> None:
    made = hooked.create(types=RECEIVED)
    path = f"{ALL}/{made['webhook']['webhookId']}"
    hooked.show("ada", 1, received="m1", **WAITS)

    assert hooked.post(path, {"state": "paused"}).result["pausedFor"] == "person"
    hooked.later(SCHEDULE)
    assert hooked.receiver.taken() == []
    assert hooked.left() == ["WEBHOOK_WAITING"]
    assert "pausedFor" not in hooked.post(path, {"state": "active"}).result
    hooked.runs.drain()

    assert hooked.receiver.types() == RECEIVED
    assert hooked.left() == []


def test_what_waited_for_more_than_a_week_is_dropped(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    path = f"{ALL}/{made['webhook']['webhookId']}"
    hooked.show("ada", 1, received="m1", **WAITS)
    hooked.post(path, {"state": "paused"})
    hooked.now[0] += 8 * DAY

    hooked.post(path, {"state": "active"})
    hooked.runs.drain()

    assert hooked.receiver.taken() == []
    (row,) = hooked.deliveries(made["webhook"]["webhookId"])
    assert (row["result"], row["problem"]) == ("dropped", "expired")
    assert hooked.left() == []


def test_a_redirect_is_not_followed(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    with webhooks.receiving() as other:
        hooked.receiver.redirects_to = other.url
        hooked.receiver.statuses = [307] * 3
        write(hooked, "ada", 1)

        assert other.got == []
    log = hooked.deliveries(made["webhook"]["webhookId"])
    assert log[0]["status"] == 307


@each(
    "host,found",
    [
        ("127.0.0.1.nip.acme.com", ["127.0.0.1"]),
        ("metadata.acme.com", ["169.254.169.254"]),
        ("private.acme.com", ["10.1.2.3"]),
        ("both.acme.com", ["93.184.216.34", "10.1.2.3"]),
    ],
)
def test_a_name_that_resolves_to_a_private_address_is_refused_when_it_is_called(
    hooked: Hooked, host: str, found: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAGE", "prod")
        made = hooked.create(url=f"https://{host}/hook", types=RECEIVED, name=host)
        patch.setattr(
            socket, "getaddrinfo", lambda *_: [(0, 0, 0, "", (one, 443)) for one in found]
        )
        hooked.post(f"{ALL}/{made['webhook']['webhookId']}/test")
        hooked.runs.drain()

    (row,) = hooked.deliveries(made["webhook"]["webhookId"])
    assert (row["result"], row["problem"]) == ("waiting", "address_refused")


def test_a_delivery_is_sent_again_under_its_id_with_the_states_of_now(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    write(hooked, "ada", 1)
    (first,) = hooked.receiver.taken()
    hooked.feed("ada", 1, received="m1", assignee="user:lee", **WAITS)
    (row,) = hooked.deliveries(made["webhook"]["webhookId"])
    path = f"{ALL}/{made['webhook']['webhookId']}/deliveries"

    answer = hooked.post(f"{path}/{row['deliveryId']}/resend")
    hooked.runs.drain()

    (again,) = hooked.receiver.taken()
    assert again["id"] == first["id"] == answer.result["eventId"]
    assert again["conversation"]["assignee"] == "user:lee"
    assert len(hooked.deliveries(made["webhook"]["webhookId"])) == 2
    assert hooked.post(f"{path}/0000000000000_none/resend").status == 404


def test_the_log_is_read_in_pages(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    for number in range(5):
        write(hooked, "ada", number + 1)
    path = f"{ALL}/{made['webhook']['webhookId']}/deliveries"

    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        page = hooked.inbox.get(webhooks.ADMIN, path, limit=2, **cursor)
        found += [one["at"] for one in page.result["deliveries"]]
        if "cursor" not in page.body:
            break
        cursor = {"cursor": page.body["cursor"]}

    assert len(found) == 5
    assert found == sorted(found, reverse=True)


def test_a_delivery_of_a_conversation_that_was_erased_is_dropped(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    hooked.show("ada", 1, received="m1", **WAITS)
    hooked.listed.remove("ada")

    hooked.later(2 * HOUR)

    assert hooked.receiver.taken() == []
    (row,) = hooked.deliveries(made["webhook"]["webhookId"])
    assert (row["result"], row["problem"]) == ("dropped", "conversation_gone")
    assert hooked.left() == []


def test_no_log_line_has_an_address_of_a_receiver_or_a_body(
    hooked: Hooked, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    hooked.create(types=RECEIVED, url=f"{hooked.receiver.url}?code=key-of-the-receiver")
    hooked.receiver.statuses = [500, 410]
    write(hooked, "CONV#1#447700900101", 1)

    written = capsys.readouterr().out + json.dumps(
        [one.__dict__ for one in caplog.records], default=str
    )
    assert "webhook paused" in written
    for text in ("key-of-the-receiver", "/hook", "447700900101", "message.received"):
        assert text not in written


def test_the_oldest_event_of_a_hundred_waiting_ones_is_tried_first(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)["webhook"]["webhookId"]
    for number in range(150):
        waiting = Waiting.of(
            "acme",
            made,
            at_ms=webhooks.NOON - 1_000 + number,
            event=f"{number:024d}",
            type_=EventType.TEST,
        )
        hooked.inbox.module.live_table.put(waiting.attributes())

    hooked.post(f"{ALL}/{made}/test")
    hooked.runs.drain()

    ids = [one["id"] for one in hooked.receiver.taken()]
    assert ids[:150] == [f"{number:024d}" for number in range(150)]
    assert len(ids) == 151
