"""A change of many conversations is undone: each one that was not changed since, once, over crashes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.api.bulk import run
from console.store.bulk import changes as bulk_changes
from shared.runtime import clock
from tests.integration.console.inbox.bulk import KIM, SCHEDULED, Bulk, killed_at
from tests.integration.console.inbox.test_bulk_changes import (
    ADA,
    AFTER_LEASES_MS,
    BOB,
    CYD,
    LEE,
    MOST_CALLS,
    api,
    bulk,
    chosen,
    error_of,
    keys,
    module,
)
from tests.integration.whatsapp.conftest import NOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.api.auth import Caller
    from tests.integration.answers import Answer
    from tests.integration.whatsapp.api.conftest import Api

__all__ = ["api", "bulk", "keys", "module"]  # fixtures
FEWEST_CALLS = 10


def undo(bulk: Bulk, caller: Caller = KIM, of: str = "", key: str = "") -> Answer:
    change_id = of or bulk.shown(caller).get("changeId", "0" * 32)
    return bulk.post("/inbox/bulk/undo", {"change_id": change_id}, caller, key)


def states(bulk: Bulk) -> dict[str, dict[str, Any]]:
    """What agents set of each conversation."""
    return states_of(bulk.heads())


def states_of(heads: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    names = ("assignee", "labels", "status", "snoozedUntil", "archived")
    return {contact: {name: head.get(name) for name in names} for contact, head in heads.items()}


def result(bulk: Bulk) -> tuple[Any, ...]:
    shown = bulk.shown()
    return tuple(shown[name] for name in ("outcome", "done", "stale", "skipped", "refused"))


@pytest.mark.parametrize(
    "asked",
    [
        ("assign", "user:kim"),
        ("label", "vip"),
        ("snooze", "2026-01-02T12:00:00Z"),
        ("resolve",),
        ("archive",),
    ],
)
def test_conversations_are_put_back_except_those_that_were_changed_since(
    bulk: Bulk, keys: dict[str, str], api: Api, asked: tuple[str, ...]
) -> None:
    api.change(keys[ADA], labels=["old"], revision=0, assignee="user:lee")
    before = states(bulk)
    bulk.begin(*asked, **chosen(*keys.values()))
    bulk.drain()
    first = bulk.shown()
    api.change(keys[BOB], assignee="user:colleague")
    bulk.feed.take()
    of_bob = states(bulk)[BOB]

    accepted = undo(bulk)
    bulk.drain()

    assert (first["mayBeUndone"], accepted.status) == (True, 202)
    assert result(bulk) == ("done", 2, 1, 0, 0)
    assert bulk.shown()["undoes"] == first["changeId"]
    assert states(bulk) == before | {BOB: of_bob}
    assert bulk.shown()["mayBeUndone"] is False
    assert error_of(undo(bulk)) == (409, "state_conflict")  # of an undo


def test_what_a_change_did_not_change_is_not_undone(
    bulk: Bulk, keys: dict[str, str], api: Api
) -> None:
    everything = [f"label-{number}" for number in range(20)]
    api.change(keys[BOB], labels=everything, revision=0)
    api.change(keys[CYD], labels=["vip"], revision=0)
    bulk.begin("label", "vip", **chosen(*keys.values()))
    bulk.drain()
    assert bulk.counts() == ("done", 3, 2, 0, 1)

    undo(bulk)
    bulk.drain()

    assert result(bulk) == ("done", 1, 0, 2, 0)
    heads = bulk.heads()
    assert [heads[one]["labels"] for one in (ADA, BOB, CYD)] == [[], sorted(everything), ["vip"]]


def test_only_its_person_undoes_a_change_once_it_has_ended_and_with_the_rights_of_now(
    bulk: Bulk, keys: dict[str, str]
) -> None:
    bulk.begin("assign", "user:kim", **chosen(*keys.values()))
    change_id = bulk.shown()["changeId"]
    assert error_of(undo(bulk)) == (409, "state_conflict")
    bulk.drain()

    for caller in (LEE, replace(KIM, company="globex")):
        assert error_of(undo(bulk, caller, of=change_id)) == (404, "not_found")
    reader = replace(KIM, scopes=KIM.scopes - {"whatsapp:write"})
    assert undo(bulk, reader, of=change_id).status == 403
    only_mail = replace(reader, scopes=reader.scopes | {"email_threads:write"})
    assert undo(bulk, only_mail, of=change_id).status == 202
    bulk.drain()
    assert result(bulk) == ("done", 0, 0, 0, 3)
    assert {head["assignee"] for head in bulk.heads().values()} == {"user:kim"}

    bulk.begin("read", **chosen(*keys.values()))
    bulk.drain()
    assert bulk.shown()["mayBeUndone"] is False  # a read mark never goes back


def test_a_part_of_a_stopped_change_is_undone(
    bulk: Bulk, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SAVED_EVERY", 1)
    bulk.answers = dict.fromkeys(range(5, 30), 503)
    monkeypatch.setattr(clock, "sleep_ms", lambda _: None)
    monkeypatch.setattr(run, "MOST_TRIES", 99)
    bulk.begin("resolve", **chosen(*keys.values()))
    bulk.inbox.module.handler(bulk.started.pop(0), SCHEDULED)
    bulk.post("/inbox/bulk/stop", {"change_id": bulk.shown()["changeId"]})
    bulk.answers = {}
    bulk.drain()
    assert bulk.shown()["outcome"] == "stopped"
    done = bulk.shown()["done"]
    assert done == 2

    undo(bulk)
    bulk.drain()

    assert result(bulk) == ("done", done, 0, 0, 0)
    assert {one["status"] for one in states(bulk).values()} == {"open"}


@pytest.mark.long
def test_a_change_and_an_undo_that_die_at_any_call_leave_each_conversation_as_it_was(
    bulk: Bulk, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [NOW]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(bulk_changes, "PAGE", 1)
    monkeypatch.setattr(run, "SAVED_EVERY", 1)
    targets, before, rounds = chosen(keys[ADA], keys[BOB]), states(bulk), 0

    def killed(ask: Callable[[], Answer], call: int, *, after: bool) -> list[str]:
        with killed_at(call, after=after, bulk=bulk, patch=monkeypatch) as died:
            ask()
            bulk.drain()
        now[0] += AFTER_LEASES_MS
        assert ask().status == 202, (call, after, died)  # as a client repeats what has no answer
        bulk.started.clear()
        bulk.wake()
        return died

    def survived(call: int, *asked: str, after: bool) -> bool:
        change, undone = f"request-change-{rounds}", f"request-undo-{rounds}"
        first = killed(lambda: bulk.begin(*asked, key=change, **targets), call, after=after)
        change_id = bulk.shown()["changeId"]
        second = killed(lambda: undo(bulk, of=change_id, key=undone), call, after=after)
        assert result(bulk) == ("done", 2, 0, 0, 0), (call, after, first, second)
        heads = bulk.heads()
        assert states_of(heads) == before, (call, after, first, second)
        assert [heads[one]["revision"] for one in (ADA, BOB, CYD)] == [2 * rounds, 2 * rounds, 0]
        return not first and not second

    for call in range(1, MOST_CALLS):
        for after in (False, True):
            rounds += 1
            asked = ("assign", "user:kim") if rounds % 4 < 2 else ("label", "vip")
            if survived(call, *asked, after=after):
                assert call > FEWEST_CALLS
                return
    pytest.fail("an undo makes more calls than this test counts")
