"""Resources of another company are not found: numbers, conversations, messages, keys and cursors."""

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.api.conftest import (
    GLOBEX,
    GLOBEX_PHONE,
    MESSAGES,
    READER,
    Api,
    second_number,
    writes_to_globex,
)
from tests.integration.whatsapp.conftest import PHONE, Harness, text
from whatsapp import store
from whatsapp.store.items import Message, Phone, pk


@pytest.mark.parametrize("phone", [GLOBEX_PHONE, "15550783777", "+15550783777"])
def test_another_companys_number_gets_the_same_answer_as_an_unknown_one(
    harness: Harness, api: Api, phone: str
) -> None:
    writes_to_globex(harness)

    foreign, unknown = api.get(phone=phone), api.get(phone="999999999999999")

    assert (foreign.status, foreign.error) == (404, "not_found")
    assert foreign == unknown


def test_a_listed_number_whose_item_is_missing_or_another_companys_is_not_found(
    harness: Harness, api: Api
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    harness.resources.table.update(pk(Phone.key(PHONE)), put={"company": "globex"})
    store.phones.forget()
    assert api.get().status == 404

    harness.resources.table.delete(pk(Phone.key(PHONE)))
    store.phones.forget()
    assert api.get().status == 404


def test_a_company_without_a_number_finds_none(api: Api) -> None:
    stranger = Caller(company="initech", scopes=READER.scopes, principal="api-key:3")

    answer = api.get(caller=stranger)

    assert (answer.status, answer.error) == (404, "not_found")


def test_companies_see_their_own_conversations_only(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1", "for acme only")]})
    writes_to_globex(harness)

    assert [entry["lastPreview"] for entry in api.conversations()] == ["for acme only"]
    assert [entry["lastPreview"] for entry in api.conversations(caller=GLOBEX)] == [
        "for globex only"
    ]


def test_another_companys_conversation_key_gets_the_same_answer_as_an_invalid_one(
    harness: Harness, api: Api
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    writes_to_globex(harness)
    [ours], [theirs] = api.conversations(), api.conversations(caller=GLOBEX)

    foreign = api.get(MESSAGES, key=theirs["key"])

    assert (foreign.status, foreign.error) == (404, "not_found")
    assert foreign == api.get(MESSAGES, key="garbage")
    assert api.get(MESSAGES, key=ours["key"], caller=GLOBEX).status == 404
    assert len(api.messages(theirs["key"], caller=GLOBEX)) == 1


@pytest.mark.parametrize(
    "key", ["x", "CONV", "A" * 60, f"CONV#{PHONE}#447700900101", "447700900101", "..", "%00"]
)
def test_an_invalid_conversation_key_is_not_found(harness: Harness, api: Api, key: str) -> None:
    harness.take({"messages": [text("wamid.1")]})

    answer = api.get(MESSAGES, key=key)

    assert (answer.status, answer.error) == (404, "not_found")


def test_a_key_whose_conversation_is_deleted_or_another_companys_is_not_found(
    harness: Harness, api: Api
) -> None:
    harness.take({"messages": [text("wamid.1")]})
    [conversation] = api.conversations()
    head = pk(f"CONV#{PHONE}#447700900101")

    harness.resources.table.update(head, put={"company": "globex"})
    assert api.get(MESSAGES, key=conversation["key"]).status == 404
    assert api.get(MESSAGES, key=conversation["key"], caller=GLOBEX).status == 404
    harness.resources.table.delete(head)
    assert api.get(MESSAGES, key=conversation["key"]).status == 404


def test_a_cursor_is_no_key_and_a_key_is_no_cursor(harness: Harness, api: Api) -> None:
    for number in range(2):
        harness.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    first = api.get(limit=1).body

    assert api.get(MESSAGES, key=first["cursor"]).status == 404
    key = first["result"]["conversations"][0]["key"]
    assert api.get(cursor=key).error == "invalid_cursor"


def test_no_route_returns_a_message_of_another_company(harness: Harness, api: Api) -> None:
    harness.take({"messages": [text("wamid.1", "for acme only")]})
    writes_to_globex(harness)
    # Even if an item names a conversation of the caller's company.
    harness.resources.table.put(
        Message.read(harness.item("MSG#wamid.globex"))
        .model_copy(update={"pk": "MSG#wamid.x", "conversation_pk": f"CONV#{PHONE}#447700900101"})
        .attributes()
    )

    key = api.conversations()[0]["key"]
    everything = [api.conversations(), api.messages(key)]

    assert "for globex only" not in str(everything)
    assert [message["text"] for message in everything[1]] == ["for acme only"]


def test_a_cursor_is_valid_for_its_own_query_and_company_only(harness: Harness, api: Api) -> None:
    store.phones.register(harness.resources.table, second_number())
    for number in range(4):
        harness.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number % 2}")]})
    writes_to_globex(harness)
    first = api.get(phone=PHONE, limit=1).body
    cursor = first["cursor"]
    newest, other = (entry["key"] for entry in api.conversations(phone=PHONE))
    of_messages = api.get(MESSAGES, key=newest, limit=1).body["cursor"]

    assert api.get(phone=PHONE, cursor=cursor).status == 200
    assert api.get(phone="15550783881", cursor=cursor).status == 200
    for wrong in (
        api.get(phone="206540352242933", cursor=cursor),
        api.get(phone=PHONE, archived="false", cursor=cursor),
        api.get(cursor=cursor, caller=GLOBEX),
        api.get(phone=PHONE, cursor=of_messages),
        api.get(phone=PHONE, cursor=cursor[:-2]),
        api.get(MESSAGES, key=newest, cursor=cursor),
        api.get(MESSAGES, key=other, cursor=of_messages),
    ):
        assert (wrong.status, wrong.error) == (400, "invalid_cursor")
