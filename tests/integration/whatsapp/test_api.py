"""The inbox over HTTP: events of API Gateway in, answers out, over what the worker stored."""

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from shared import clock
from shared.auth import Caller
from tests.integration.logs import recorded
from tests.integration.whatsapp.conftest import NOW, PHONE, Desk, a_phone, text
from tests.template import environment, properties
from whatsapp import store
from whatsapp.items import Media, Message, Phone, pk

CONVERSATIONS = "/whatsapp/conversations"
MESSAGES = "/whatsapp/conversations/{key}/messages"
GLOBEX_PHONE = "306540352242944"
READER = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:1")
GLOBEX = Caller(company="globex", scopes=frozenset({"whatsapp:read"}), principal="api-key:2")
ADA = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def error(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def fields(self) -> list[str]:
        return [entry["field"] for entry in self.body["error"]["details"]]


@dataclass
class Api:
    module: ModuleType

    def get(
        self,
        route: str = CONVERSATIONS,
        *,
        key: str = "",
        caller: Caller | None = READER,
        several: dict[str, list[str]] | None = None,
        **query: object,
    ) -> Answer:
        given = {name: [str(value)] for name, value in query.items()} | (several or {})
        event = {
            "resource": route,
            "path": route.replace("{key}", key),
            "httpMethod": "GET",
            "headers": {"x-api-key": "checked before"},
            "multiValueHeaders": {},
            "pathParameters": {"key": key} if key else None,
            "queryStringParameters": {name: values[-1] for name, values in given.items()} or None,
            "multiValueQueryStringParameters": given or None,
            "requestContext": {
                "requestId": "request-7",
                "authorizer": caller.as_context() if caller else None,
            },
            "body": None,
            "isBase64Encoded": False,
        }
        answer = self.module.handler(event, None)
        headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
        return Answer(answer["statusCode"], headers, json.loads(answer["body"]))

    def conversations(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(**query)
        assert answer.status == 200
        found: list[dict[str, Any]] = answer.body["result"]["conversations"]
        return found

    def messages(self, key: str, **query: Any) -> list[dict[str, Any]]:
        answer = self.get(MESSAGES, key=key, **query)
        assert answer.status == 200
        found: list[dict[str, Any]] = answer.body["result"]["messages"]
        return found

    def pages(self, *arguments: Any, **query: Any) -> Iterator[dict[str, Any]]:
        """The results of all pages."""
        answer = self.get(*arguments, **query)
        yield answer.body["result"]
        while cursor := answer.body.get("cursor"):
            answer = self.get(*arguments, cursor=cursor, **query)
            yield answer.body["result"]


@pytest.fixture(scope="module")
def module() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("WhatsAppApi").items():
            patch.setenv(name, value)
        # moto finds a secret by its name; ARNs end in six letters that it makes up.
        patch.setenv("API_SEAL_SECRET_ID", properties("ApiSealSecret")["Name"])
        yield importlib.reload(importlib.import_module("whatsapp.handlers.api"))


@pytest.fixture
def api(desk: Desk, module: ModuleType) -> Api:
    """The function, with one number of acme and one of globex."""
    boto3.client("secretsmanager").create_secret(
        Name=properties("ApiSealSecret")["Name"], SecretString='{"seal_key": "sealed"}'
    )
    store.phones.register(desk.here.table, a_phone())
    store.phones.register(desk.here.table, of_globex())
    return Api(module)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    return recorded(monkeypatch)


def of_globex() -> Phone:
    return a_phone(
        pk=Phone.key(GLOBEX_PHONE),
        phone=GLOBEX_PHONE,
        company="globex",
        display_phone="15550783777",
        phone_arn=f"arn:parley:whatsapp:::phone-number-id/{GLOBEX_PHONE}",
    )


def second_number() -> Phone:
    return a_phone(
        pk=Phone.key("206540352242933"),
        phone="206540352242933",
        display_phone="15550783999",
        phone_arn="arn:parley:whatsapp:::phone-number-id/206540352242933",
    )


def writes_to_globex(desk: Desk, body: str = "for globex only") -> None:
    metadata = {"phone_number_id": GLOBEX_PHONE, "display_phone_number": "15550783777"}
    desk.take({"metadata": metadata, "messages": [text("wamid.globex", body)]})


def test_a_conversation_is_listed_with_its_newest_message(desk: Desk, api: Api) -> None:
    desk.take({"contacts": [ADA], "messages": [text("wamid.1", at=1767268700)]})
    desk.take({"contacts": [ADA], "messages": [text("wamid.2", "Is it ready?", at=1767268701)]})

    answer = api.get()

    key = answer.body["result"]["conversations"][0].pop("key")
    assert answer == Answer(
        200,
        {
            "Content-Type": "application/json",
            "X-Request-Id": "request-7",
            "Cache-Control": "no-store",
        },
        {
            "requestId": "request-7",
            "result": {
                "conversations": [
                    {
                        "phone": PHONE,
                        "customer": "447700900101",
                        "senderName": "Ada Byrne",
                        "unreadCount": 2,
                        "lastType": "text",
                        "lastPreview": "Is it ready?",
                        "lastMessageAt": "2026-01-01T11:58:21.000Z",
                        "archived": False,
                    }
                ]
            },
        },
    )
    assert "447700900101" not in key
    assert PHONE not in key


def test_the_key_of_a_conversation_stays_the_same(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1")]})
    [before] = api.conversations()
    desk.take({"messages": [text("wamid.2")]})
    [after] = api.conversations()

    assert before["key"] == after["key"]
    assert [message["id"] for message in api.messages(before["key"])] == ["wamid.2", "wamid.1"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 8, 100])
def test_pages_of_any_size_together_list_every_conversation_once_newest_first(
    desk: Desk, api: Api, limit: int
) -> None:
    for number in range(14):
        sender = f"44770090010{number % 7}"
        desk.take({"messages": [text(f"wamid.{number}", sender=sender, at=1767268000 + number)]})

    pages = [page["conversations"] for page in api.pages(limit=limit)]

    assert [entry["customer"] for page in pages for entry in page] == [
        f"44770090010{number}" for number in (6, 5, 4, 3, 2, 1, 0)
    ]
    assert all(len(page) <= limit for page in pages)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 100])
def test_pages_of_any_size_together_show_every_message_once_newest_first(
    desk: Desk, api: Api, limit: int
) -> None:
    for number in (3, 0, 4, 1, 2):
        desk.take({"messages": [text(f"wamid.{number}", at=1767268000 + number)]})
    [conversation] = api.conversations()

    pages = list(api.pages(MESSAGES, key=conversation["key"], limit=limit))

    assert [message["id"] for page in pages for message in page["messages"]] == [
        f"wamid.{number}" for number in (4, 3, 2, 1, 0)
    ]


def test_a_page_may_have_another_size_than_the_one_before(desk: Desk, api: Api) -> None:
    for number in range(5):
        desk.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    cursor = api.get(limit=2).body["cursor"]

    assert len(api.conversations(cursor=cursor, limit=3)) == 3


def test_archived_conversations_are_listed_apart_when_asked_for(desk: Desk, api: Api) -> None:
    for number in range(3):
        desk.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    desk.here.table.update(pk(f"CONV#{PHONE}#447700900101"), put={"archived": True})

    def listed(**query: str) -> set[str]:
        return {entry["customer"][-1] for entry in api.conversations(**query)}

    assert listed() == {"0", "1", "2"}
    assert listed(archived="true") == {"1"}
    assert listed(archived="false") == {"0", "2"}


def test_a_company_with_several_numbers_has_to_name_one(desk: Desk, api: Api) -> None:
    store.phones.register(desk.here.table, second_number())
    desk.take({"messages": [text("wamid.1")]})

    answer = api.get()

    assert (answer.status, answer.error) == (400, "phone_required")
    assert "details" not in answer.body["error"]
    assert len(api.conversations(phone=PHONE)) == 1
    assert api.conversations(phone="206540352242933") == []


@pytest.mark.parametrize("phone", [PHONE, "15550783881", "+15550783881", " 15550783881"])
def test_a_number_is_named_by_its_id_or_its_digits(desk: Desk, api: Api, phone: str) -> None:
    store.phones.register(desk.here.table, second_number())
    desk.take({"messages": [text("wamid.1")]})

    assert [entry["phone"] for entry in api.conversations(phone=phone)] == [PHONE]


def test_the_inbox_of_a_disabled_number_stays_readable(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1")]})
    assert store.phones.set_enabled(desk.here.table, PHONE, enabled=False)

    assert len(api.conversations()) == 1


@pytest.mark.parametrize("phone", [GLOBEX_PHONE, "15550783777", "+15550783777"])
def test_another_companys_number_is_as_unknown_as_one_that_is_not_there(
    desk: Desk, api: Api, phone: str
) -> None:
    writes_to_globex(desk)

    foreign, unknown = api.get(phone=phone), api.get(phone="999999999999999")

    assert (foreign.status, foreign.error) == (404, "not_found")
    assert foreign == unknown


def test_a_listed_number_whose_item_is_gone_or_another_companys_is_not_found(
    desk: Desk, api: Api
) -> None:
    desk.take({"messages": [text("wamid.1")]})
    desk.here.table.update(pk(Phone.key(PHONE)), put={"company": "globex"})
    store.phones.forget()
    assert api.get().status == 404

    desk.here.table.delete(pk(Phone.key(PHONE)))
    store.phones.forget()
    assert api.get().status == 404


def test_a_company_without_a_number_finds_none(api: Api) -> None:
    stranger = Caller(company="initech", scopes=READER.scopes, principal="api-key:3")

    answer = api.get(caller=stranger)

    assert (answer.status, answer.error) == (404, "not_found")


def test_companies_see_their_own_conversations_only(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1", "for acme only")]})
    writes_to_globex(desk)

    assert [entry["lastPreview"] for entry in api.conversations()] == ["for acme only"]
    assert [entry["lastPreview"] for entry in api.conversations(caller=GLOBEX)] == [
        "for globex only"
    ]


def test_another_companys_key_is_as_unknown_as_garbage(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1")]})
    writes_to_globex(desk)
    [ours], [theirs] = api.conversations(), api.conversations(caller=GLOBEX)

    foreign = api.get(MESSAGES, key=theirs["key"])

    assert (foreign.status, foreign.error) == (404, "not_found")
    assert foreign == api.get(MESSAGES, key="garbage")
    assert api.get(MESSAGES, key=ours["key"], caller=GLOBEX).status == 404
    assert len(api.messages(theirs["key"], caller=GLOBEX)) == 1


@pytest.mark.parametrize(
    "key", ["x", "CONV", "A" * 60, f"CONV#{PHONE}#447700900101", "447700900101", "..", "%00"]
)
def test_what_is_no_key_of_a_conversation_is_not_found(desk: Desk, api: Api, key: str) -> None:
    desk.take({"messages": [text("wamid.1")]})

    answer = api.get(MESSAGES, key=key)

    assert (answer.status, answer.error) == (404, "not_found")


def test_a_key_whose_conversation_is_gone_or_went_to_another_company_is_not_found(
    desk: Desk, api: Api
) -> None:
    desk.take({"messages": [text("wamid.1")]})
    [conversation] = api.conversations()
    head = pk(f"CONV#{PHONE}#447700900101")

    desk.here.table.update(head, put={"company": "globex"})
    assert api.get(MESSAGES, key=conversation["key"]).status == 404
    assert api.get(MESSAGES, key=conversation["key"], caller=GLOBEX).status == 404
    desk.here.table.delete(head)
    assert api.get(MESSAGES, key=conversation["key"]).status == 404


def test_a_cursor_is_no_key_and_a_key_is_no_cursor(desk: Desk, api: Api) -> None:
    for number in range(2):
        desk.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    first = api.get(limit=1).body

    assert api.get(MESSAGES, key=first["cursor"]).status == 404
    key = first["result"]["conversations"][0]["key"]
    assert api.get(cursor=key).error == "invalid_cursor"


def test_messages_of_another_company_and_expired_ones_and_calls_are_left_out(
    desk: Desk, api: Api
) -> None:
    for number in range(4):
        desk.take({"messages": [text(f"wamid.{number}", at=1767268000 + number)]})
    table = desk.here.table
    table.update(pk("MSG#wamid.0"), put={"company": "globex"})
    table.update(pk("MSG#wamid.1"), put={"ttl": NOW // 1000})
    table.update(pk("MSG#wamid.2"), put={"itemType": "CALL"})
    [conversation] = api.conversations()

    assert [message["id"] for message in api.messages(conversation["key"])] == ["wamid.3"]


def test_a_message_shows_what_happened_to_it(desk: Desk, api: Api) -> None:
    desk.take({"contacts": [ADA], "messages": [text("wamid.1", "helo", at=1767268700)]})
    edit = {
        "original_message_id": "wamid.1",
        "message": {"type": "text", "text": {"body": "hello"}},
    }
    desk.take(
        {"messages": [text("wamid.2", at=1767268701) | {"type": "edit", "edit": edit}]},
        {
            "messages": [
                text("wamid.3", at=1767268702)
                | {"type": "reaction", "reaction": {"message_id": "wamid.1", "emoji": "\U0001f44d"}}
            ]
        },
    )
    [conversation] = api.conversations()

    assert api.messages(conversation["key"]) == [
        {
            "id": "wamid.1",
            "direction": "INBOUND",
            "type": "text",
            "subtype": "text",
            "receivedAt": "2026-01-01T11:58:20.000Z",
            "from": "447700900101",
            "to": "15550783881",
            "senderName": "Ada Byrne",
            "text": "hello",
            "preview": "hello",
            "editedAt": "2026-01-01T11:58:21.000Z",
            "reactions": [{"actor": "447700900101", "emoji": "\U0001f44d"}],
        }
    ]


def test_a_revoked_message_shows_that_it_was_and_nothing_of_it(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1", "regretted")]})
    revoke = {"original_message_id": "wamid.1"}
    desk.take({"messages": [text("wamid.2") | {"type": "revoke", "revoke": revoke}]})

    answer = api.get(MESSAGES, key=api.conversations()[0]["key"])

    [message] = answer.body["result"]["messages"]
    assert message["revokedAt"]
    assert "regretted" not in str(answer.body)


def test_a_location_comes_back_in_numbers(desk: Desk, api: Api) -> None:
    location = {"latitude": 51.5034, "longitude": -0.1276, "name": "Workshop"}
    desk.take({"messages": [text("wamid.1") | {"type": "location", "location": location}]})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message["content"] == location


def test_a_stored_file_is_a_signed_link_of_a_quarter_of_an_hour(desk: Desk, api: Api) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "x", "caption": "my bike"}
    desk.take({"messages": [text("wamid.1") | {"type": "image", "image": image}]})
    [conversation] = api.conversations()
    [pending] = api.messages(conversation["key"])
    s3_key = f"media/acme/{PHONE}/77/file.jpg"
    store.messages.attach_file(desk.here.table, "MSG#wamid.1", desk.here.bucket.name, s3_key)

    [stored] = api.messages(conversation["key"])

    assert pending["media"] == {"mimeType": "image/jpeg", "status": "PENDING"}
    assert pending["caption"] == "my bike"
    link = urlsplit(stored["media"].pop("link"))
    assert stored["media"] == {
        "mimeType": "image/jpeg",
        "status": "STORED",
        "expiresInSeconds": 900,
    }
    query = parse_qs(link.query)
    assert link.path.endswith(s3_key)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == ["900"]
    assert query["response-content-disposition"] == ["attachment"]


def test_a_file_that_never_came_says_why_unless_another_company_says_it(
    desk: Desk, api: Api
) -> None:
    image = {"id": "77", "mime_type": "image/jpeg", "sha256": "x"}
    twice = [text(f"wamid.{n}") | {"type": "image", "image": image} for n in range(2)]
    desk.take({"messages": twice})
    [conversation] = api.conversations()
    table = desk.here.table
    record = store.media.get(table, Media.key("77"))
    assert record is not None

    def status() -> set[str]:
        return {message["media"]["status"] for message in api.messages(conversation["key"])}

    store.media.given_up(table, record, "FAILED", "wrong_hash")
    assert status() == {"FAILED"}
    table.update(pk(record.pk), put={"company": "globex"})
    assert status() == {"UNAVAILABLE"}
    table.update(pk(record.pk), put={"company": "acme", "ttl": NOW // 1000})
    assert status() == {"UNAVAILABLE"}


def test_a_long_text_is_cut_and_linked(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1", "long " * 4_000)]})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message["text"] == ("long " * 4_000)[:2_000]
    assert urlsplit(message["wholeContent"]["link"]).path.rpartition("/")[2].endswith(".json")


def test_an_erased_message_is_a_stub(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1", "forgotten")]})
    desk.here.table.update(pk("MSG#wamid.1"), put={"erased": True})

    [message] = api.messages(api.conversations()[0]["key"])

    assert message.keys() == {"id", "direction", "type", "receivedAt", "erased"}


@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
@pytest.mark.parametrize("scopes", [set(), {"whatsapp:send"}, {"whatsapp:*"}, {"*"}])
def test_a_key_without_the_scope_reads_nothing(
    desk: Desk, api: Api, route: str, scopes: set[str]
) -> None:
    desk.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]
    caller = Caller(company="acme", scopes=frozenset(scopes), principal="api-key:1")

    answer = api.get(route, key=key, caller=caller)

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "whatsapp:read" in answer.body["error"]["message"]


@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
def test_a_route_that_was_left_open_stays_shut(api: Api, route: str) -> None:
    answer = api.get(route, key="x", caller=None)

    assert (answer.status, answer.error) == (401, "unauthenticated")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"limit": ""}, "limit"),
        ({"limit": "1.5"}, "limit"),
        ({"limit": "NaN"}, "limit"),
        ({"limit": "1" * 400}, "limit"),
        ({"phone": ""}, "phone"),
        ({"phone": "abc"}, "phone"),
        ({"phone": "1234"}, "phone"),
        ({"phone": "1" * 21}, "phone"),
        ({"phone": "++15550783881"}, "phone"),
        ({"phone": "15550783881\n"}, "phone"),
        ({"phone": "\u0661" * 11}, "phone"),
        ({"archived": "yes"}, "archived"),
        ({"archived": ""}, "archived"),
        ({"Limit": "5"}, "Limit"),
        ({"company": "globex"}, "company"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_named_and_not_repeated(
    api: Api, query: dict[str, Any], field: str
) -> None:
    answer = api.get(**query)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert answer.fields == [field]
    assert answer.body["error"]["retryable"] is False
    if len(query[field]) > 3:
        assert query[field] not in str(answer.body)


def test_every_broken_rule_is_listed(api: Api) -> None:
    assert set(api.get(limit="0", phone="x", nonsense="1").fields) == {"limit", "phone", "nonsense"}


@pytest.mark.parametrize("query", [{"phone": PHONE}, {"archived": "true"}, {"limit": "x"}])
def test_messages_have_parameters_of_their_own(desk: Desk, api: Api, query: dict[str, Any]) -> None:
    desk.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]

    assert api.get(MESSAGES, key=key, **query).fields == list(query)


def test_a_parameter_that_is_given_twice_is_refused(api: Api) -> None:
    answer = api.get(several={"limit": ["1", "2"]})

    assert (answer.status, answer.fields) == (400, ["limit"])


@pytest.mark.parametrize("cursor", ["", "x", "null", "A" * 200, "é", "eyJ2IjoxfQ"])
@pytest.mark.parametrize("route", [CONVERSATIONS, MESSAGES])
def test_what_is_no_cursor_is_refused(desk: Desk, api: Api, route: str, cursor: str) -> None:
    desk.take({"messages": [text("wamid.1")]})
    key = api.conversations()[0]["key"]

    answer = api.get(route, key=key, cursor=cursor)

    assert (answer.status, answer.error) == (400, "invalid_cursor")


def test_a_cursor_serves_the_query_and_the_company_it_was_made_for_only(
    desk: Desk, api: Api
) -> None:
    store.phones.register(desk.here.table, second_number())
    for number in range(4):
        desk.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number % 2}")]})
    writes_to_globex(desk)
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


def test_a_cursor_ends_after_a_day(desk: Desk, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2):
        desk.take({"messages": [text(f"wamid.{number}", sender=f"44770090010{number}")]})
    cursor = api.get(limit=1).body["cursor"]

    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 24 * clock.HOUR_MS - 1_000)
    assert api.get(cursor=cursor).status == 200
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 24 * clock.HOUR_MS)
    assert api.get(cursor=cursor).error == "invalid_cursor"


def test_another_route_is_not_found(api: Api) -> None:
    answer = api.get("/whatsapp/somewhere")

    assert (answer.status, answer.error) == (404, "not_found")
    assert answer.body["error"]["message"] == "there is no such route"


def test_a_failure_of_ours_is_a_500_that_tells_nothing(desk: Desk, api: Api, log: StringIO) -> None:
    desk.take({"messages": [text("wamid.1", "a secret text")]})
    desk.here.table.update(pk(f"CONV#{PHONE}#447700900101"), put={"unreadCount": "a secret text"})

    answer = api.get()

    assert answer.status == 500
    assert answer.headers["X-Request-Id"] == "request-7"
    assert answer.body == {
        "statusCode": 500,
        "requestId": "request-7",
        "error": {
            "code": "internal",
            "message": "the call could not be handled",
            "retryable": True,
        },
    }
    failure = json.loads(log.getvalue().splitlines()[0])
    assert failure["error"] == "ValidationError"
    assert "a secret text" not in log.getvalue()


def test_a_table_that_is_gone_is_a_500(api: Api, desk: Desk, log: StringIO) -> None:
    boto3.client("dynamodb").delete_table(TableName=desk.here.table.name)

    assert api.get().status == 500
    assert "ResourceNotFoundException" in log.getvalue()


def test_a_call_leaves_one_line_with_caller_and_route_and_nobodys_address(
    desk: Desk, api: Api, log: StringIO
) -> None:
    desk.take({"contacts": [ADA], "messages": [text("wamid.1", "a secret text")]})
    [conversation] = api.conversations(phone="15550783881")
    api.messages(conversation["key"])

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [(line["route"], line["status"]) for line in lines] == [
        (CONVERSATIONS, 200),
        (MESSAGES, 200),
    ]
    assert {line["principal"] for line in lines} == {"api-key:1"}
    assert {line["company"] for line in lines} == {"acme"}
    assert {line["correlation_id"] for line in lines} == {"request-7"}
    for secret in ("447700900101", "Ada", "a secret text", conversation["key"], "15550783881"):
        assert secret not in log.getvalue()


def test_no_message_of_another_company_comes_out_of_any_route(desk: Desk, api: Api) -> None:
    desk.take({"messages": [text("wamid.1", "for acme only")]})
    writes_to_globex(desk)
    # Even with an item that lies about its conversation.
    desk.here.table.put(
        Message.read(desk.item("MSG#wamid.globex"))
        .model_copy(update={"pk": "MSG#wamid.x", "conversation_pk": f"CONV#{PHONE}#447700900101"})
        .attributes()
    )

    key = api.conversations()[0]["key"]
    everything = [api.conversations(), api.messages(key)]

    assert "for globex only" not in str(everything)
    assert [message["text"] for message in everything[1]] == ["for acme only"]
