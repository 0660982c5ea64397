"""A request whose process is killed at any call ends the same, in all contexts, tables, buckets, queues and logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from console.privacy import person
from console.store import person_requests
from shared.contacts import lists
from shared.identity.contacts import notes, resolution
from shared.identity.contacts.history import Act
from tests.integration.console.people import (
    CANARY,
    COMPANY,
    GIVEN,
    OTHER,
    WORDS,
    People,
)
from tests.integration.console.privacy.requests import CONTEXTS, KIM, Desk, killed_at, texts_of

if TYPE_CHECKING:
    pass


@pytest.fixture
def desk(people: People) -> Desk:
    return Desk(people)


def describe(people: People, contact_id: str) -> None:
    """What people of the company keep about Ada: a note, and a place in a list."""
    contacts, act = people.deps.tables.contacts, Act("described", "user:kim")
    found = resolution.current(contacts, COMPANY, contact_id)
    assert found is not None
    notes.add(contacts, found, f"note of {CANARY}", act)
    regulars = lists.create(contacts, COMPANY, "Regulars", by="kim", cause="1")
    assert lists.add(contacts, COMPANY, regulars.sk, found)


def queued(people: People) -> str:
    """What waits in the queues of all contexts."""
    boxes = (people.harness.outbox, people.email_queue, people.bylines.queue)
    return str([entry for box in boxes for entry in box.entries])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["erase", "export"])
@pytest.mark.parametrize("after", [False, True])
def test_a_request_whose_process_dies_again_and_again_ends_the_same(
    desk: Desk,
    people: People,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    *,
    after: bool,
) -> None:
    ids, deaths, call = person.of_names(people.deps.sources, COMPANY, GIVEN)[1], 0, 1
    describe(people, ids[-1])
    answer = None
    while answer is None:
        with killed_at(call, after=after, desk=desk, patch=monkeypatch):
            answer = desk.request(key="one-request", kind=kind)
        call += 1
    assert call > 4
    request_id, call = answer.result["id"], 1
    desk.started.clear()
    while desk.shown(request_id)["stage"] == "running":
        with killed_at(call, after=after, desk=desk, patch=monkeypatch) as killed:
            desk.wake()
        desk.started.clear()
        deaths += len(killed)
        call += max(1, call // 8)
    people.show()

    assert deaths > 10
    shown = desk.shown(request_id)
    counts = {one["context"]: one["counts"] for one in shown["receipts"]}
    assert (shown["stage"], shown["names"]) == ("done", [])
    assert (counts["contacts"]["profiles"], counts["conversations"]["messages"]) == (2, 1)
    assert counts["newsletters"]["author_addresses"] == counts["richpanel"]["customers"] == 1
    spoken = queued(people) + str([vars(one) for one in caplog.records])
    assert not [word for word in WORDS if word in spoken]
    if kind == "erase":
        assert people.left(*WORDS, *ids) == []
    else:
        texts = texts_of(people, request_id)
        assert {name.partition("-")[0] for name in texts} == {
            *CONTEXTS.values(),
            "contacts",
            "index.html",
        }
        assert f"note of {CANARY}" in str(texts)
        assert OTHER not in str(texts)
    listed = people.inbox.get(KIM, "/privacy/requests").result["requests"]
    assert [one["id"] for one in listed] == [request_id]
    assert list(person_requests.due(people.deps.tables.contacts)) == []
