"""Sign-out, and what the revocation of a person means for tickets, connections and hints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from access import api_keys
from shared.access import company_keys, revocations
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.inbox.live import posts
from shared.inbox.live.posts import SETTLED_MS
from tests.integration.console.live.live import LiveSystem, live_beside
from tests.integration.console.live.test_live import TYPING, Clock, change, time
from tests.integration.console.system import ACME, GLOBEX, inbox_on_moto

__all__ = ["time"]  # a fixture
NOW_S = Clock.now // 1_000
KIM = replace(ACME, principal="user:kim", issued_at=NOW_S - 60)
KIM_AT_GLOBEX = replace(GLOBEX, principal="user:kim", issued_at=NOW_S - 60)
LEE = replace(ACME, principal="user:lee", issued_at=NOW_S - 60)


@pytest.fixture
def live(time: Clock) -> Iterator[LiveSystem]:
    with mock_aws(), inbox_on_moto() as inbox, live_beside(inbox) as system:
        yield system


def connections(live: LiveSystem) -> list[str]:
    return [item["connection_id"]["S"] for item in live.stored() if "connection_id" in item]


def test_signing_out_closes_all_connections_of_the_person_and_of_nobody_else(
    live: LiveSystem,
) -> None:
    for caller, name in ((KIM, "desk"), (KIM, "phone"), (KIM_AT_GLOBEX, "globex"), (LEE, "lee")):
        live.connect(caller, name)

    answer = live.sign_out(KIM)

    assert (answer.status, answer.result) == (200, {"openConnections": 0})
    assert sorted(live.sockets.closed) == ["desk", "globex", "phone"]
    assert connections(live) == ["lee"]
    live.announce(change())
    assert set(live.sockets.received) == {"lee"}


def test_signing_out_revokes_what_was_issued_until_now(live: LiveSystem) -> None:
    live.sign_out(KIM)

    revoked = revocations.find(live.keys, "user:kim")
    assert revoked.covers(NOW_S)
    assert not revoked.covers(NOW_S + 1)
    assert not revocations.find(live.keys, "user:lee").covers(0)


def test_a_provider_whose_clock_is_ahead_leaves_no_token(live: LiveSystem) -> None:
    live.sign_out(replace(KIM, issued_at=NOW_S + 40))

    assert revocations.find(live.keys, "user:kim").covers(NOW_S + 40)


@pytest.mark.parametrize(
    "scopes", [{"operator"}, {"whatsapp:send"}, {str(scope) for scope in Scope}, set()]
)
def test_a_person_with_any_role_signs_out(live: LiveSystem, scopes: set[str]) -> None:
    assert live.sign_out(replace(KIM, scopes=frozenset(scopes))).status == 200


@pytest.mark.parametrize("principal", ["api-key:1", "client:till", "invoke:cron", "team:sales"])
def test_software_does_not_sign_out(live: LiveSystem, principal: str) -> None:
    answer = live.sign_out(replace(ACME, principal=principal))

    assert (answer.status, answer.body["error"]["code"]) == (403, "forbidden")
    assert not revocations.find(live.keys, principal).covers(0)


def test_a_call_without_authorizer_signs_nobody_out(live: LiveSystem) -> None:
    assert live.inbox.call("POST", None, "/sign-out").status == 401


def test_a_ticket_from_before_the_sign_out_opens_nothing_after_it(live: LiveSystem) -> None:
    ticket = live.ticket(KIM)
    live.sign_out(KIM)

    assert live.connect(ticket=ticket) == 401
    assert connections(live) == []


def test_a_connection_that_opens_during_the_sign_out_is_refused(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ticket was read before the revocation, the connection would be stored after it."""
    ticket = live.ticket(KIM)
    transact = Table.transact

    def overtaken(self: Table, *writes: dict[str, Any]) -> None:
        monkeypatch.setattr(Table, "transact", transact)
        live.sign_out(KIM)
        transact(self, *writes)

    monkeypatch.setattr(Table, "transact", overtaken)

    assert live.connect(ticket=ticket) == 401
    assert connections(live) == []


def test_a_new_login_connects_again(live: LiveSystem) -> None:
    live.connect(KIM, "old")
    live.sign_out(KIM)
    again = replace(KIM, issued_at=NOW_S + 1)

    assert live.connect(again, "new") == 200
    live.announce(change())

    assert len(live.hints("new")) == 1
    assert live.hints("old") == []


def test_a_connection_that_api_gateway_did_not_close_gets_no_hint_and_relays_none(
    live: LiveSystem,
) -> None:
    live.connect(KIM, "kim")
    live.connect(LEE, "lee")
    live.sockets.broken.add("kim")

    answer = live.sign_out(KIM)
    live.sockets.broken.clear()

    assert answer.result == {"openConnections": 1}
    assert connections(live) == ["kim", "lee"]
    live.announce(change())
    assert live.say("kim", TYPING) == 200
    live.say("lee", TYPING)
    assert live.sockets.received["kim"] == []
    assert [list(one) for one in live.sockets.received["lee"]] == [["hints"]]
    assert posts.close_all(live.inbox.module.sessions, "user:kim") == 0
    assert connections(live) == ["lee"]


def test_no_hint_is_posted_while_the_revocations_cannot_be_read(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.connect(KIM, "kim")
    live.connect(LEE, "lee")

    def fail(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "InternalServerError", "Message": "m"}}, "Op")

    monkeypatch.setattr(live.keys, "get_many", fail, raising=False)

    live.announce(change())
    assert live.say("kim", TYPING) == 503

    assert live.sockets.received == {}


def test_a_person_who_is_blocked_neither_connects_nor_gets_hints(live: LiveSystem) -> None:
    live.connect(KIM, "kim")
    revocations.block(live.keys, "user:kim")

    live.announce(change())
    later = replace(KIM, issued_at=NOW_S + 3_600)

    assert live.connect(later, "later") == 401
    assert live.hints("kim") == []


def test_a_connection_that_is_gone_is_forgotten_unless_it_is_about_to_open(
    live: LiveSystem,
    time: Clock,
) -> None:
    live.connect(KIM, "old")
    time.now += SETTLED_MS
    live.connect(KIM, "young")
    live.sockets.open.clear()

    assert live.sign_out(KIM).result == {"openConnections": 0}
    assert connections(live) == ["young"]

    live.sockets.open.add("young")
    live.announce(change())
    assert live.hints("young") == []
    posts.close_all(live.inbox.module.sessions, "user:kim")
    assert live.sockets.closed == ["young"]


def test_the_connections_of_a_key_get_no_hint_after_it_is_revoked(live: LiveSystem) -> None:
    key = company_keys.create(live.keys, company="acme", scopes=["whatsapp:read"], name="screen")
    caller: Caller = api_keys.verify(live.keys, key).caller()
    live.connect(caller, "screen")
    live.announce(change("before"))

    assert company_keys.revoke(live.keys, key.split("_")[1])
    live.announce(change("after"))

    assert [hint["key"] for hint in live.hints("screen")] == ["before"]


def test_a_revocation_costs_a_feed_one_read_for_all_callers(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        live.connect(KIM, f"kim-{number}")
    live.connect(LEE, "lee")
    asked: list[int] = []
    read = Table.get_many

    def counted(self: Table, keys: list[dict[str, Any]]) -> list[dict[str, Any]]:
        asked.append(len(keys))
        return read(self, keys)

    monkeypatch.setattr(Table, "get_many", counted)

    live.announce(*(change(f"r{n}") for n in range(20)))

    assert asked == [2]
    assert len(live.hints("lee")) == 20
