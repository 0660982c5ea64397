"""Messages of clients are relayed to colleagues who may read the conversation, in bounds."""

from __future__ import annotations

from typing import Any

import pytest

from shared.inbox.items import Context
from tests.integration.console.live.live import LiveSystem
from tests.integration.console.live.test_live import (
    OF_KIM,
    OF_LEE,
    TYPING,
    Clock,
    live,
    time,
    with_rights,
)
from tests.integration.console.system import ACME, GLOBEX, Listed

__all__ = ["live", "time"]  # fixtures


def test_who_is_typing_is_relayed_to_colleagues_with_the_principal(live: LiveSystem) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")

    assert live.say("kim", TYPING) == 200

    assert live.sockets.received["lee"] == [
        {"typing": {"context": "whatsapp", "key": "sealed-1", "principal": "user:kim"}}
    ]
    assert live.sockets.received["kim"] == []


def test_taking_over_is_relayed(live: LiveSystem) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")

    live.say("kim", {"taking_over": {"context": "email_threads", "key": "t1"}})

    (message,) = live.sockets.received["lee"]
    assert message["taking_over"]["principal"] == "user:kim"


def test_nothing_is_relayed_to_another_company(live: LiveSystem) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(GLOBEX, "theirs")

    live.say("kim", TYPING)

    assert live.sockets.received["theirs"] == []


def test_a_relay_needs_the_right_to_read_the_context_on_both_sides(live: LiveSystem) -> None:
    live.connect(with_rights("email_threads:read"), "mail")
    live.connect(with_rights("whatsapp:read"), "whatsapp")

    live.say("mail", TYPING)
    live.say("whatsapp", TYPING)

    assert live.sockets.received == {}


def test_typing_in_a_conversation_of_a_project_is_relayed_to_readers_of_the_project(
    live: LiveSystem,
) -> None:
    Listed(live.inbox.tables).show(
        "ref-1", context=Context.CONVERSATIONS, channel="sms", project_id="hiring"
    )
    read = "conversations:read"
    live.connect(with_rights(read, projects="hiring"), "hiring")
    live.connect(with_rights(read, projects="sales"), "sales")
    live.connect(with_rights(read), "all")
    typing = {"typing": {"context": "conversations", "key": "ref-1"}}

    live.say("sales", typing)
    assert live.sockets.received == {}
    live.say("hiring", typing)

    assert live.sockets.received["sales"] == []
    assert len(live.sockets.received["all"]) == 1


def test_typing_in_a_conversation_of_another_company_is_not_relayed(live: LiveSystem) -> None:
    Listed(live.inbox.tables).show(
        "ref-1", context=Context.CONVERSATIONS, channel="sms", company_id="globex"
    )
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")

    live.say("kim", {"typing": {"context": "conversations", "key": "ref-1"}})

    assert live.sockets.received == {}


def test_a_client_that_shows_another_conversation_is_not_told_who_types(live: LiveSystem) -> None:
    for caller, name in ((OF_KIM, "kim"), (OF_LEE, "lee")):
        live.connect(caller, name)
    live.connect(ACME, "other")
    live.say("lee", {"shows": TYPING["typing"]})
    live.say("other", {"shows": {"context": "whatsapp", "key": "sealed-2"}})

    live.say("kim", TYPING)

    assert len(live.sockets.received["lee"]) == 1
    assert live.sockets.received["other"] == []


def test_a_client_that_shows_no_conversation_any_more_is_told_again(
    live: LiveSystem,
) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")
    live.say("lee", {"shows": {"context": "whatsapp", "key": "sealed-2"}})
    live.say("lee", {"shows": None})

    live.say("kim", TYPING)

    assert len(live.sockets.received["lee"]) == 1


def test_messages_that_come_too_fast_are_dropped(live: LiveSystem, time: Clock) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")

    for _ in range(5):
        assert live.say("kim", TYPING) == 200
    time.now += 2_000
    live.say("kim", TYPING)

    assert len(live.sockets.received["lee"]) == 2


@pytest.mark.parametrize(
    "message",
    [
        "",
        "no json",
        "[]",
        "{}",
        {"typing": None, "ping": None},
        {"typing": {"context": "whatsapp"}},
        {"typing": {"context": "unknown", "key": "k"}},
        {"typing": {"context": "whatsapp", "key": ""}},
        {"typing": {"context": "whatsapp", "key": "two words"}},
        {"typing": {"context": "whatsapp", "key": "k", "principal": "user:boss"}},
        {**TYPING, "taking_over": TYPING["typing"]},
        {"typing": {"context": "whatsapp", "key": "k" * 513}},
        {"hints": [{"context": "whatsapp", "key": "k", "version": 1}]},
        " " * 1_025,
    ],
)
def test_messages_of_another_form_are_refused_and_relayed_to_nobody(
    live: LiveSystem, message: Any
) -> None:
    live.connect(OF_KIM, "kim")
    live.connect(OF_LEE, "lee")

    assert live.say("kim", message) == 400
    assert live.sockets.received == {}


def test_a_ping_of_an_older_page_reads_and_writes_nothing(
    live: LiveSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.connect()
    monkeypatch.setattr(live.module.deps.live.table, "_client", None)

    assert live.say("one", {"ping": {}}) == 400


def test_messages_of_an_unknown_connection_are_dropped(live: LiveSystem) -> None:
    live.connect(OF_LEE, "lee")

    assert live.say("stranger", TYPING) == 200
    assert live.say("stranger", {"shows": TYPING["typing"]}) == 200
    assert live.sockets.received == {}
    assert len(live.stored()) == 1
