"""Live updates: tickets open connections once, and hints reach the connections that may read them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.inbox.entries import Change
from shared.inbox.items import Context
from shared.inbox.live import connections
from shared.inbox.live.announcements import ANNOUNCED, Announced, Announcements
from shared.inbox.live.items import CONNECTION_SECONDS, TICKET_SECONDS
from shared.inbox.live.posts import MOST_AT_ONCE, SETTLED_MS
from shared.runtime import clock
from tests.integration.console.live.live import LiveSystem, live_beside
from tests.integration.console.system import ACME, GLOBEX, Invocation, inbox_on_moto

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z
TYPING = {"typing": {"context": "whatsapp", "key": "sealed-1"}}
OF_KIM = replace(ACME, principal="user:kim")
OF_LEE = replace(ACME, principal="user:lee")


class Clock:
    """The time, moved by tests."""

    now = NOW

    def now_ms(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(clock, "now_ms", moved.now_ms)
    return moved


@pytest.fixture
def live(time: Clock) -> Iterator[LiveSystem]:
    with mock_aws(), inbox_on_moto() as inbox, live_beside(inbox) as system:
        yield system


def change(reference: str = "r1", version: int = 7, **facts: Any) -> Change:
    given: dict[str, Any] = {
        "company_id": "acme",
        "context": Context.WHATSAPP,
        "project_id": None,
        "is_removed": False,
    }
    return Change(reference=reference, version=version, **given | facts)


def with_rights(*scopes: str, projects: str = "*") -> Any:
    return replace(ACME, scopes=frozenset(scopes), projects=frozenset(projects.split()))


# Tickets


def test_a_ticket_names_the_address_and_its_end(live: LiveSystem) -> None:
    answer = live.inbox.call("POST", ACME, "/live/tickets")

    assert answer.result["url"].startswith("wss://")
    assert answer.result["expiresInSeconds"] == TICKET_SECONDS == 60
    assert answer.result["expiresAt"] == "2026-01-01T12:01:00.000Z"


@pytest.mark.parametrize("scope", ["whatsapp:read", "conversations:read", "email_threads:read"])
def test_each_read_scope_gives_tickets(live: LiveSystem, scope: str) -> None:
    assert live.connect(with_rights(scope)) == 200


def test_other_scopes_give_no_ticket(live: LiveSystem) -> None:
    answer = live.inbox.call("POST", with_rights("whatsapp:send"), "/live/tickets")

    assert answer.status == 403
    assert live.stored() == []


def test_the_table_does_not_hold_the_text_of_a_ticket(live: LiveSystem) -> None:
    ticket = live.ticket()

    assert ticket not in json.dumps(live.stored())


def test_a_ticket_opens_one_connection(live: LiveSystem) -> None:
    ticket = live.ticket()

    assert live.connect(ticket=ticket) == 200
    assert live.connect(name="two", ticket=ticket) == 401
    assert [item["sk"]["S"] for item in live.stored()] == ["CONNECTION#one"]


def test_a_ticket_expires_even_if_dynamodb_has_not_deleted_it(
    live: LiveSystem, time: Clock
) -> None:
    ticket = live.ticket()
    time.now += TICKET_SECONDS * 1_000

    assert live.connect(ticket=ticket) == 401


@pytest.mark.parametrize("ticket", ["", "x", "A" * 43, "A" * 44, "TICKET#1", "é" * 43])
def test_unknown_and_malformed_tickets_are_refused(live: LiveSystem, ticket: str) -> None:
    assert live.connect(ticket=ticket) == 401
    assert live.stored() == []


def test_a_connection_without_a_ticket_is_refused(live: LiveSystem) -> None:
    assert live.send("$connect", "one") == 401
    assert live.send("$connect", "one", queryStringParameters=None) == 401


def test_two_connections_that_use_one_ticket_at_the_same_time_do_not_both_open(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = live.ticket()
    transact = Table.transact
    rivals: list[int] = []

    def overtaken(self: Table, *writes: dict[str, Any]) -> None:
        monkeypatch.setattr(Table, "transact", transact)
        rivals.append(live.connect(name="rival", ticket=ticket))
        transact(self, *writes)

    monkeypatch.setattr(Table, "transact", overtaken)

    assert live.connect(ticket=ticket) == 401
    assert rivals == [200]
    assert [item["sk"]["S"] for item in live.stored()] == ["CONNECTION#rival"]


def test_a_closed_connection_is_removed_and_receives_nothing(live: LiveSystem) -> None:
    live.connect()
    live.close()
    live.close()  # API Gateway may report it twice

    live.announce(change())

    assert live.stored() == []
    assert live.hints() == []


# Hints


def test_a_hint_has_context_key_and_version_and_no_content(live: LiveSystem) -> None:
    live.connect()

    live.announce(change())

    assert live.sockets.received["one"] == [
        {"hints": [{"context": "whatsapp", "key": "r1", "version": 7}]}
    ]


def test_the_hint_of_a_removed_conversation_says_so(live: LiveSystem) -> None:
    live.connect()

    live.announce(change(is_removed=True))

    assert live.hints() == [{"context": "whatsapp", "key": "r1", "version": 7, "removed": True}]


def test_the_hint_of_a_new_conversation_says_so(live: LiveSystem) -> None:
    live.connect()

    live.announce(change(is_new=True))

    assert live.hints() == [{"context": "whatsapp", "key": "r1", "version": 7, "new": True}]


def test_the_hints_of_a_batch_are_one_post_to_each_connection(live: LiveSystem) -> None:
    live.connect(name="one")
    live.connect(name="two")

    live.announce(*(change(f"r{n}") for n in range(100)))

    for name in ("one", "two"):
        assert len(live.sockets.received[name]) == 1
        assert [hint["key"] for hint in live.hints(name)] == [f"r{n}" for n in range(100)]
        # API Gateway bills a message for each 32 KB of it.
        assert len(json.dumps(live.sockets.received[name][0])) < 32_768


def test_another_company_gets_no_hint(live: LiveSystem) -> None:
    live.connect(ACME, "ours")
    live.connect(GLOBEX, "theirs")

    live.announce(change("of-acme"), change("of-globex", company_id="globex"))

    assert [hint["key"] for hint in live.hints("ours")] == ["of-acme"]
    assert [hint["key"] for hint in live.hints("theirs")] == ["of-globex"]


def test_a_connection_gets_hints_of_the_contexts_that_it_may_read(live: LiveSystem) -> None:
    live.connect(with_rights("email_threads:read"))

    live.announce(*(change(context=context) for context in Context))

    assert [hint["context"] for hint in live.hints()] == ["email_threads"]


def test_a_connection_gets_hints_of_its_projects(live: LiveSystem) -> None:
    live.connect(with_rights("conversations:read", "whatsapp:read", projects="hiring"))

    live.announce(
        change("of-hiring", context=Context.CONVERSATIONS, project_id="hiring"),
        change("of-sales", context=Context.CONVERSATIONS, project_id="sales"),
        change("of-none"),
    )

    assert [hint["key"] for hint in live.hints()] == ["of-hiring"]


def test_a_connection_that_is_gone_is_removed(live: LiveSystem, time: Clock) -> None:
    live.connect()
    live.sockets.open.clear()
    time.now += SETTLED_MS

    live.announce(change())

    assert live.stored() == []


def test_a_connection_that_is_not_accepted_yet_is_not_removed(live: LiveSystem) -> None:
    live.connect()
    live.sockets.open.clear()

    live.announce(change())
    live.sockets.open.add("one")
    live.announce(change(version=8))

    assert [hint["version"] for hint in live.hints()] == [8]


def test_an_expired_connection_gets_nothing(live: LiveSystem, time: Clock) -> None:
    live.connect()
    time.now += CONNECTION_SECONDS * 1_000

    live.announce(change())

    assert live.hints() == []


def test_a_post_that_fails_stops_no_other(live: LiveSystem) -> None:
    for name in ("one", "two", "three"):
        live.connect(name=name)
    live.sockets.broken.add("two")

    live.announce(change())

    assert [len(live.hints(name)) for name in ("one", "two", "three")] == [1, 0, 1]


def test_a_failure_of_the_table_is_not_raised(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Table, "query", fail)

    live.announce(change())


def test_no_post_starts_after_the_limit(live: LiveSystem, time: Clock) -> None:
    for number in range(100):
        live.connect(name=str(number))

    def a_second_passes() -> None:
        time.now += 1_000

    live.sockets.on_post = a_second_passes

    live.announce(change(), within_ms=3_000)

    received = sum(len(live.hints(str(number))) for number in range(100))
    assert 3 <= received <= 3 + MOST_AT_ONCE


def test_a_hundred_connections_get_each_hint_once_with_bounded_concurrency(
    live: LiveSystem,
) -> None:
    for number in range(100):
        assert live.connect(name=str(number)) == 200

    live.announce(change("r1"), change("r2"))

    assert all(
        [hint["key"] for hint in live.hints(str(number))] == ["r1", "r2"] for number in range(100)
    )
    assert live.sockets.most_at_once <= MOST_AT_ONCE


def test_hints_of_changes_that_are_more_than_ten_seconds_old_say_so(live: LiveSystem) -> None:
    live.connect()

    live.announce(change("early"), age_ms=10_000)
    live.announce(change("late"), age_ms=10_001)
    live.announce(change("early again"))

    assert [one.get("late") for one in live.sockets.received["one"]] == [None, True, None]


def test_a_notification_of_another_function_is_a_hint_to_those_who_may_read_its_context(
    live: LiveSystem,
) -> None:
    live.connect(with_rights("email_threads:read"), "mail")
    live.connect(with_rights("whatsapp:read"), "chat")
    event = {"company": "acme", "context": "email_threads", "notified": ["user:kim"]}

    assert live.inbox.module.handler({ANNOUNCED: event}, Invocation()) == {}

    assert live.sockets.received == {
        "mail": [{"hints": [{"context": "email_threads", "notified": ["user:kim"]}]}]
    }


def test_an_announcement_that_cannot_be_sent_stops_nothing() -> None:
    announcements = Announcements("parley-dev-inbox-api:live")

    class Broken:
        def invoke(self, **_: object) -> None:
            raise EndpointConnectionError(endpoint_url="https://lambda")

    vars(announcements)["client"] = Broken()

    announcements.send(
        Announced(company="acme", context=Context.EMAIL_THREADS, notified=("user:kim",))
    )


def test_a_batch_reads_a_bounded_number_of_connections(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 2)
    for name in ("one", "two", "three"):
        assert live.connect(name=name) == 200

    assert len(connections.of_company(live.table, "acme")) == 2
