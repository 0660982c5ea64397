"""Changes of many conversations go on without the person: each conversation once, over crashes, refusals and stops."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from console.api import inbox as reading
from console.api.bulk import run
from console.store.bulk import changes as bulk_changes
from shared.access import revocations
from shared.runtime import clock
from tests.integration.console.inbox.bulk import KIM, Bulk, killed_at
from tests.integration.console.system import GLOBEX, inbox_on_moto
from tests.integration.whatsapp.api.conftest import Api, api, module
from tests.integration.whatsapp.conftest import NOW, Harness
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.answers import Answer

__all__ = ["api", "module"]  # fixtures
ADA, BOB, CYD = "447700900101", "447700900102", "447700900103"
OPEN: dict[str, Any] = {"filters": {"status": "open"}}
AFTER_LEASES_MS = 600_000
FEWEST_CALLS, MOST_CALLS = 15, 60
LEE = replace(KIM, principal="user:lee")


@pytest.fixture
def bulk(harness: Harness, api: Api) -> Iterator[Bulk]:
    table = harness.resources.table
    with inbox_on_moto() as inbox:
        yield Bulk(inbox, api.module, harness, inbox.fed_by(WhatsAppHeads(table), table.name))


@pytest.fixture
def keys(bulk: Bulk) -> dict[str, str]:
    return bulk.conversations(ADA, BOB, CYD)


def chosen(*keys: str) -> dict[str, Any]:
    return {"conversations": [{"context": "whatsapp", "key": key} for key in keys]}


def audited(action: str = "change_conversation") -> list[str]:
    items = boto3.client("dynamodb").scan(TableName="audit-log-dev")["Items"]
    return [one["principal"]["S"] for one in items if one["change"]["S"] == action]


def error_of(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.body["error"]["code"]


@pytest.mark.usefixtures("keys")
def test_all_that_match_are_changed_without_the_person_and_in_the_persons_name(bulk: Bulk) -> None:
    bulk.rows()
    accepted = bulk.begin("assign", "user:kim", **OPEN)
    assert (accepted.status, accepted.result["stage"]) == (202, "listing")
    assert bulk.shown()["stage"] == "listing"

    bulk.drain()

    assert bulk.counts() == ("done", 3, 3, 0, 0)
    assert {row["assignee"] for row in bulk.rows().values()} == {"user:kim"}
    assert audited() == ["user:kim"] * 3
    assert bulk.shown(LEE) == {}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        (("label", "vip"), ("labels", ["vip"])),
        (("snooze", "2026-01-02T12:00:00Z"), ("status", "snoozed")),
        (("resolve",), ("status", "resolved")),
        (("archive",), ("status", "archived")),
        (("read",), ("unread", False)),
    ],
)
def test_only_chosen_conversations_are_changed(
    bulk: Bulk, keys: dict[str, str], asked: tuple[str, ...], shown: tuple[str, object]
) -> None:
    bulk.begin(*asked, **chosen(keys[ADA], keys[BOB], keys[ADA]))
    bulk.drain()

    rows, (field, expected) = bulk.rows(), shown
    assert bulk.counts() == ("done", 2, 2, 0, 0)
    assert [rows[one][field] == expected for one in (ADA, BOB, CYD)] == [True, True, False]


def test_a_label_is_added_to_those_that_colleagues_give_meanwhile(
    bulk: Bulk, keys: dict[str, str], api: Api
) -> None:
    api.change(keys[ADA], labels=["old"], revision=0)
    bulk.answers = {2: 409}  # the revision is another one by now

    bulk.begin("label", "vip", **chosen(keys[ADA]))
    bulk.drain()

    assert bulk.rows()[ADA]["labels"] == ["old", "vip"]
    assert bulk.counts() == ("done", 1, 1, 0, 0)


@pytest.mark.long
def test_a_process_that_dies_at_any_call_changes_each_conversation_once(
    bulk: Bulk, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [NOW]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    monkeypatch.setattr(bulk_changes, "PAGE", 2)
    monkeypatch.setattr(run, "SAVED_EVERY", 2)
    rounds = 0

    def survived(call: int, *, after: bool) -> bool:
        target, request = f"user:p{rounds}", f"request-{rounds}"
        with killed_at(call, after=after, bulk=bulk, patch=monkeypatch) as killed:
            bulk.begin("assign", target, key=request, **OPEN)
            bulk.drain()
        now[0] += AFTER_LEASES_MS
        bulk.begin("assign", target, key=request, **OPEN)  # as a client repeats what has no answer
        bulk.started.clear()
        bulk.wake()
        assert bulk.counts() == ("done", 3, 3, 0, 0), (call, after, killed)
        heads = bulk.heads()
        assert [heads[one]["assignee"] for one in keys] == [target] * 3, (call, after, killed)
        assert [heads[one]["revision"] for one in keys] == [rounds] * 3, (call, after, killed)
        return not killed

    for call in range(1, MOST_CALLS):
        for after in (False, True):
            rounds += 1
            if survived(call, after=after):
                assert call > FEWEST_CALLS
                return
    pytest.fail("a change makes more calls than this test counts")


def test_a_run_without_time_is_followed_by_another_one(
    bulk: Bulk, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_changes, "PAGE", 2)
    looks = count(1)
    bulk.left_ms = lambda: 29_000 if next(looks) % 3 else 1_000

    bulk.begin("assign", "user:kim", **OPEN)
    bulk.drain()

    assert bulk.counts() == ("done", 3, 3, 0, 0)
    assert len(audited()) == len(keys)


def test_runs_follow_each_other_up_to_a_bound_and_the_schedule_goes_on(
    bulk: Bulk, keys: dict[str, str]
) -> None:
    bulk.left_ms = lambda: 1_000  # no run has time for a conversation
    bulk.begin("assign", "user:kim", **chosen(keys[ADA]))
    bulk.drain()
    assert bulk.counts() == (None, 1, 0, 0, 0)

    bulk.left_ms = lambda: 29_000
    bulk.wake()
    assert bulk.counts() == ("done", 1, 1, 0, 0)


def test_a_refused_conversation_is_in_the_result_and_the_others_are_changed(
    bulk: Bulk, keys: dict[str, str], api: Api
) -> None:
    everything = [f"label-{number}" for number in range(20)]
    api.change(keys[BOB], labels=everything, revision=0)
    foreign = [
        {"context": "email_threads", "key": "unknown"},
        {"context": "whatsapp", "key": "?"},
    ]
    targets = chosen(keys[ADA], keys[BOB], keys[CYD])["conversations"] + foreign

    bulk.begin("label", "vip", conversations=targets)
    bulk.drain()

    assert bulk.counts() == ("done", 5, 2, 0, 3)
    refused = [
        (one.get("conversation", {}).get("handle"), one["code"]) for one in bulk.shown()["refusals"]
    ]
    assert refused == [(BOB, "invalid_input"), (None, "not_found"), (None, "not_found")]


def test_an_api_that_is_busy_is_asked_again_later_and_not_for_ever(
    bulk: Bulk, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []
    monkeypatch.setattr(clock, "sleep_ms", waits.append)
    bulk.answers = dict.fromkeys(range(2, 2 + run.MOST_TRIES), 503)

    bulk.begin("assign", "user:kim", **chosen(keys[ADA], keys[BOB], keys[CYD]))
    bulk.drain()

    assert bulk.counts() == ("done", 3, 2, 0, 1)
    assert [one["code"] for one in bulk.shown()["refusals"]] == [run.UNAVAILABLE]
    assert waits == [run.BUSY_MS * tries for tries in range(1, run.MOST_TRIES)]


def test_a_stopped_change_leaves_the_rest_and_its_person_may_begin_another(
    bulk: Bulk, keys: dict[str, str]
) -> None:
    accepted = bulk.begin("assign", "user:kim", **chosen(*keys.values()))
    assert error_of(bulk.begin("resolve", **OPEN)) == (409, "bulk_running")
    stopped = bulk.post("/inbox/bulk/stop", {"change_id": accepted.result["changeId"]})
    bulk.drain()

    assert stopped.status == 200
    assert bulk.counts() == ("stopped", 3, 0, 0, 0)
    assert bulk.begin("resolve", **chosen(keys[ADA])).status == 202
    bulk.drain()
    assert bulk.counts() == ("done", 1, 1, 0, 0)
    late = bulk.post("/inbox/bulk/stop", {"change_id": accepted.result["changeId"]})
    assert error_of(late) == (404, "not_found")


@pytest.mark.parametrize(
    ("outcome", "minutes", "signs_out"), [("revoked", 0, True), ("expired", 121, False)]
)
def test_a_change_ends_with_the_session_of_its_person_and_after_two_hours(
    bulk: Bulk,
    keys: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    outcome: str,
    minutes: int,
    signs_out: bool,
) -> None:
    bulk.begin("assign", "user:kim", **chosen(*keys.values()))
    if signs_out:
        revocations.end_sessions(bulk.inbox.module.keys, KIM.principal, KIM.issued_at)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + minutes * 60 * clock.SECOND_MS)
    bulk.drain()

    assert bulk.counts() == (outcome, 3, 0, 0, 0)
    assert audited() == []


def test_a_person_changes_no_conversation_without_the_rights_and_of_no_other_company(
    bulk: Bulk, keys: dict[str, str]
) -> None:
    only_mail = replace(KIM, scopes=KIM.scopes - {"whatsapp:write"} | {"email_threads:write"})
    bulk.begin("assign", "user:kim", caller=only_mail, **OPEN)
    bulk.drain()
    assert bulk.counts() == ("done", 3, 0, 0, 3)
    assert {one["code"] for one in bulk.shown()["refusals"]} == {"forbidden"}

    of_globex = replace(KIM, company=GLOBEX.company)
    for targets in (chosen(*keys.values()), OPEN):
        bulk.begin("assign", "user:kim", caller=of_globex, **targets)
        bulk.drain()
        assert bulk.shown(of_globex)["done"] == 0
    assert [head["revision"] for head in bulk.heads().values()] == [0] * 3


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("bound", [(run, "MOST", 2), (run, "MOST_LOOKS", 1)])
def test_more_conversations_than_a_change_may_have_are_left_out_and_it_says_so(
    bulk: Bulk, monkeypatch: pytest.MonkeyPatch, bound: tuple[Any, str, int]
) -> None:
    monkeypatch.setattr(bulk_changes, "PAGE", 2)
    monkeypatch.setattr(*bound)

    bulk.begin("resolve", **OPEN)
    bulk.drain()

    assert (bulk.counts(), bulk.shown()["isCut"]) == (("done", 2, 2, 0, 0), True)


def test_matches_that_are_far_apart_and_people_found_by_their_numbers_are_changed_once(
    bulk: Bulk, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = list(bulk.conversations(ADA, BOB, CYD, "447700900104", "447700900105").values())
    monkeypatch.setattr(bulk_changes, "PAGE", 2)
    monkeypatch.setattr(reading, "ENTRIES_PER_CALL", 2)
    bulk.begin("assign", "user:lee", **chosen(of[1], of[3]))
    bulk.drain()
    bulk.feed.take()

    bulk.begin("resolve", filters={"status": "open", "unassigned": "true"})
    bulk.drain()
    assert bulk.counts() == ("done", 3, 3, 0, 0)

    bulk.begin("label", "vip", filters={"q": "900101"})
    bulk.drain()
    assert bulk.counts() == ("done", 1, 1, 0, 0)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"action": "assign", "value": "api-key:1", **OPEN}, "value"),
        ({"action": "label", **OPEN}, "value"),
        ({"action": "snooze", "value": "2025-01-01T00:00:00Z", **OPEN}, "value"),
        ({"action": "resolve", "value": "now", **OPEN}, "value"),
        ({"action": "resolve"}, "body"),
        ({"action": "erase", **OPEN}, "action"),
    ],
)
def test_a_bad_change_is_refused_with_the_field(
    bulk: Bulk, body: dict[str, Any], field: str
) -> None:
    answer = bulk.post("/inbox/bulk", body)

    assert (answer.status, answer.body["error"]["details"][0]["field"]) == (400, field)


def test_software_begins_no_change_as_nothing_ends_its_session(bulk: Bulk) -> None:
    refused = bulk.begin("resolve", caller=replace(KIM, principal="api-key:1"), **OPEN)

    assert error_of(refused) == (403, "forbidden")
