"""The read mark of a conversation: up to which message agents have read it."""

import pytest

from tests.integration.whatsapp.api.agents.conftest import (
    HEAD,
    business_answers,
    customer_writes,
    shown,
)
from tests.integration.whatsapp.api.conftest import READ, Api
from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store


def test_a_conversation_is_read_up_to_the_position_that_the_agent_saw(
    harness: Harness, api: Api, key: str
) -> None:
    seen = shown(api, key)["position"]
    customer_writes(harness, 3)

    answer = api.send(READ, key, {"upTo": seen})

    assert answer.body["result"]["unreadCount"] == 1
    assert answer.body["result"]["readUpTo"] == seen
    assert harness.item(HEAD)["readBy"] == "api-key:3"
    assert [entry["unreadCount"] for entry in api.conversations(unread="true")] == [1]

    api.send(READ, key, {"upTo": shown(api, key)["position"]})

    assert shown(api, key)["unreadCount"] == 0
    assert api.conversations(unread="true") == []
    assert len(api.conversations(unread="false")) == 1


def test_a_read_mark_never_moves_back(harness: Harness, api: Api, key: str) -> None:
    early = shown(api, key)["position"]
    customer_writes(harness, 3)
    late = shown(api, key)["position"]
    api.send(READ, key, {"upTo": late})

    api.send(READ, key, {"upTo": early})

    assert (shown(api, key)["unreadCount"], shown(api, key)["readUpTo"]) == (0, late)


@pytest.mark.long
def test_an_old_position_is_counted_from_the_timeline(harness: Harness, api: Api, key: str) -> None:
    seen = shown(api, key)["position"]
    for number in range(3, 60):
        customer_writes(harness, number)

    answer = api.send(READ, key, {"upTo": seen})

    assert answer.body["result"]["unreadCount"] == 57


def test_a_message_that_is_delivered_late_counts_by_its_place_around_the_mark(
    harness: Harness, api: Api, key: str
) -> None:
    api.send(READ, key, {"upTo": shown(api, key)["position"]})

    customer_writes(harness, -1)
    assert shown(api, key)["unreadCount"] == 0

    customer_writes(harness, 9)
    customer_writes(harness, 8)
    assert shown(api, key)["unreadCount"] == 2


@pytest.mark.parametrize("position", ["z" * 16, "short", "!" * 16, "", None])
def test_a_position_that_is_none_of_the_conversation_is_refused(
    api: Api, key: str, position: str | None
) -> None:
    answer = api.send(READ, key, {"upTo": position})

    assert (answer.status, answer.error, answer.fields) == (400, "invalid_input", ["upTo"])


def test_an_answer_in_the_business_app_marks_earlier_messages_as_read_in_any_order(
    harness: Harness, api: Api
) -> None:
    customer_writes(harness, 1)
    customer_writes(harness, 5)
    business_answers(harness, 3)
    customer_writes(harness, 2)

    [conversation] = api.conversations()
    assert (conversation["unreadCount"], conversation["lastPreview"]) == (1, "text 5")
    assert harness.item(HEAD)["readBy"] == "app"

    business_answers(harness, 6)

    assert api.conversations(unread="true") == []


def test_an_answer_marks_what_the_agent_could_see_when_they_answered(
    harness: Harness, key: str
) -> None:
    table = harness.resources.table
    before = store.heads.get(table, HEAD)
    assert before is not None
    customer_writes(harness, 3)

    for _ in range(2):
        store.read_marks.mark_read(
            table, before, up_to=before.last_key or "", by="api-key:3", at=before.received_at or ""
        )

    item = harness.item(HEAD)
    assert (item["unreadCount"], item["readBy"]) == (1, "api-key:3")
    assert item["listPk"] == f"{PHONE}#open#unread"
