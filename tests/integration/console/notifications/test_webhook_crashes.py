"""Runs and feeds of webhooks that are killed, or meet: every event is delivered, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.providers import http
from tests.integration.console.notifications import webhooks
from tests.integration.console.notifications.test_digests import _Killed, kill
from tests.integration.console.notifications.webhooks import MINUTE, RECEIVED, SCHEDULE, WAITS

if TYPE_CHECKING:
    from tests.integration.console.notifications.webhooks import Hooked

hooked = webhooks.hooked


def test_a_run_waits_for_the_entry_that_its_feed_has_not_written_yet(hooked: Hooked) -> None:
    hooked.create(types=["conversation.assigned"])
    hooked.feed("ada", 1)
    entry = hooked.inbox.rows()[0]
    with pytest.MonkeyPatch.context() as patch:
        made = kill(patch, 0, after=False)
        hooked.show("ada", 1, assignee="user:lee")
        writes = made.index("PutItem") + 2  # the delivery, what is due; then the entry
    hooked.feed("ada", 1)
    hooked.receiver.taken()
    with pytest.MonkeyPatch.context() as patch:
        kill(patch, writes + 1, after=False)
        with pytest.raises(_Killed):
            hooked.show("ada", 1, assignee="user:lee")

    hooked.later(SCHEDULE)
    assert hooked.receiver.taken() == []
    hooked.refresh("ada")  # Lambda repeats the batch
    hooked.later(MINUTE)

    got = hooked.receiver.taken()
    assert {one["conversation"]["assignee"] for one in got} == {"user:lee"}
    assert len({one["id"] for one in got}) == 1
    assert got[0]["conversation"]["key"] == entry["key"]


def test_a_feed_that_is_killed_at_any_call_loses_no_event(hooked: Hooked) -> None:
    hooked.create(types=RECEIVED)
    number = 0
    while True:
        number += 1
        customer = f"customer {number}"
        ended = True
        with pytest.MonkeyPatch.context() as patch:
            made = kill(patch, (number + 1) // 2, after=number % 2 == 0)
            try:
                hooked.show(customer, 1, received="m1", **WAITS)
            except _Killed:
                ended = False
        hooked.refresh(customer)  # Lambda repeats the batch; the start of the run is lost
        hooked.later(SCHEDULE)
        ids = {one["id"] for one in hooked.receiver.taken()}
        assert len(ids) == 1, (number, made)
        if ended:
            break

    assert number > 8
    assert hooked.left() == []


def test_a_run_that_is_killed_at_any_call_delivers_every_event_in_order_and_leaves_nothing(
    hooked: Hooked,
) -> None:
    made = hooked.create(types=RECEIVED)
    number = 0
    while True:
        number += 1
        for place in (1, 2):
            hooked.show("ada", 2 * number + place, received=f"{number}.{place}", **WAITS)
            hooked.now[0] += 1
        hooked.receiver.statuses = [503]
        ended = True
        with pytest.MonkeyPatch.context() as patch:
            calls = kill(patch, (number + 1) // 2, after=number % 2 == 0)
            try:
                hooked.later(SCHEDULE)
            except _Killed:
                ended = False
        hooked.runs.started.clear()  # starts are lost, too
        hooked.receiver.statuses = []
        for _ in range(3):
            hooked.later(SCHEDULE)
        ids = [one["id"] for one in hooked.receiver.taken()]
        in_order = list(dict.fromkeys(ids))
        assert len(in_order) == 2, (number, calls)
        assert ids == sorted(ids, key=in_order.index), "a later event came before an earlier one"
        assert hooked.left() == [], (number, calls)
        if ended:
            break

    assert number > 20
    log = hooked.deliveries(made["webhook"]["webhookId"])
    assert {one["result"] for one in log} == {"delivered"}


def test_two_runs_of_a_webhook_deliver_each_event_once(hooked: Hooked) -> None:
    made = hooked.create(types=RECEIVED)
    for customer in ("ada", "ben"):
        hooked.show(customer, 1, received="m1", **WAITS)
    engine = hooked.inbox.module.engine
    run = {
        "job": {"kind": "webhook", "company": "acme", "name": made["webhook"]["webhookId"]},
        "number": 12,
    }
    original = http.open_untrusted
    with pytest.MonkeyPatch.context() as patch:

        def beside(*args: Any, **options: Any) -> Any:
            patch.setattr(http, "open_untrusted", original)
            engine.go_on(run, lambda: 29_000)  # finds the webhook held
            return original(*args, **options)

        patch.setattr(http, "open_untrusted", beside)
        engine.go_on(run, lambda: 29_000)

    assert len(hooked.receiver.taken()) == 2
    assert hooked.left() == []


def test_an_event_that_comes_while_a_run_ends_is_delivered_by_it_or_by_the_next_one(
    hooked: Hooked,
) -> None:
    """The feed stores it before each call of the run's end; its own run finds the webhook held."""
    made = hooked.create(types=RECEIVED)
    number = 0
    while True:
        number += 1
        write_ms = hooked.now[0]
        hooked.show("ada", number, received=f"a{number}", **WAITS)
        with pytest.MonkeyPatch.context() as patch:
            comes = _before_call(patch, hooked, number)
            hooked.later(0)
        assert len(hooked.receiver.taken()) == (2 if comes["made"] else 1), number
        assert hooked.left() == []
        assert hooked.now[0] - write_ms < MINUTE, "it waited for the schedule"
        if not comes["made"]:
            break

    assert number > 8
    assert made["webhook"]["state"] == "active"


def _before_call(patch: pytest.MonkeyPatch, hooked: Hooked, number: int) -> dict[str, bool]:
    """Store and start another event before a call of the run; return whether that call was made."""
    client = type(hooked.inbox.module.live_table._client)
    call, calls, comes = client._make_api_call, [0], {"made": False}

    def made(self: Any, operation: str, parameters: Any) -> Any:
        calls[0] += 1
        if calls[0] == number:
            comes["made"] = True
            patch.setattr(client, "_make_api_call", call)
            change = hooked.show(f"other {number}", 1, received="m1", **WAITS)
            assert change is not None
            hooked.outbox.start([change], 3_000)
            hooked.run()
            patch.setattr(client, "_make_api_call", made)
        return call(self, operation, parameters)

    patch.setattr(client, "_make_api_call", made)
    return comes
