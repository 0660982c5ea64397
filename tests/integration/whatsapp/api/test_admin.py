"""Parked events and dead letters over HTTP: access and replay by companies and operators."""

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest

from shared.api.auth import Caller
from tests.aws import api_gateway
from tests.integration.logs import recorded
from tests.integration.whatsapp.api.conftest import GLOBEX_PHONE, Answer, of_globex
from tests.integration.whatsapp.conftest import Harness, text
from tests.integration.whatsapp.recovery.test_replay import register, unregister
from tests.template import create_queue, environment, properties
from whatsapp import store

PARKED = "/whatsapp/parked"
REPLAY = "/whatsapp/parked/{event_id}/replay"
REPLAY_ALL = "/whatsapp/parked/replay"
DEAD_LETTERS = "/whatsapp/dead-letters"
REDRIVE = "/whatsapp/dead-letters/redrive"
METHODS = {PARKED: "GET", REPLAY: "POST", REPLAY_ALL: "POST", DEAD_LETTERS: "GET", REDRIVE: "POST"}


def caller(company: str, *scopes: str) -> Caller:
    return Caller(company=company, scopes=frozenset(scopes), principal="api-key:1")


READER = caller("acme", "whatsapp:read")
ADMIN = caller("acme", "whatsapp:read", "whatsapp:admin")
GLOBEX = caller("globex", "whatsapp:read", "whatsapp:admin")
OPERATOR = caller("hosting", "operator")


@dataclass
class Admin:
    module: ModuleType
    remaining_ms: int = 29_000
    calls: int = 0

    def call(
        self,
        route: str,
        caller: Caller | None = OPERATOR,
        *,
        event_id: str = "",
        body: str | dict[str, Any] | None = None,
        key: str | None = None,
        **query: Any,
    ) -> Answer:
        """An API Gateway event for a call; each has its own request id."""
        self.calls += 1
        event = api_gateway.request(
            f"{METHODS[route]} {route}",
            body,
            caller,
            path={"event_id": event_id},
            query=query,
            headers={"Idempotency-Key": key} if key else {},
            request_id=f"request-{self.calls}",
        )
        context = SimpleNamespace(get_remaining_time_in_millis=lambda: self.remaining_ms)
        answer = self.module.handler(event, context)
        headers = {name: values[0] for name, values in answer["multiValueHeaders"].items()}
        return Answer(answer["statusCode"], headers, json.loads(answer["body"]))

    def events(self, caller: Caller = OPERATOR, **query: Any) -> list[dict[str, Any]]:
        answer = self.call(PARKED, caller, **query)
        assert answer.status == 200
        found: list[dict[str, Any]] = answer.body["result"]["events"]
        return found

    def waiting(self) -> list[dict[str, Any]]:
        """The messages on the queue."""
        answer = self.module.sqs().receive_message(
            QueueUrl=self.module.settings.whatsapp_queue_url, MaxNumberOfMessages=10
        )
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


@pytest.fixture(scope="module")
def module() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment("WhatsAppAdmin").items():
            patch.setenv(name, value)
        patch.setenv("API_SEAL_SECRET_ID", properties("ApiSealSecret")["Name"])
        yield importlib.reload(importlib.import_module("whatsapp.handlers.admin"))


@pytest.fixture
def admin(harness: Harness, module: ModuleType) -> Admin:
    """The function, with three parked events: of acme, of globex, and without a company."""
    boto3.client("secretsmanager").create_secret(
        Name=properties("ApiSealSecret")["Name"], SecretString='{"seal_key": "sealed"}'
    )
    for queue in (
        "WhatsAppQueue",
        "WhatsAppJobsQueue",
        "WhatsAppCampaignsQueue",
        "WhatsAppDeadLetters",
        "WhatsAppJobsDeadLetters",
        "WhatsAppCampaignsDeadLetters",
        "WhatsAppSocialDeadLetters",
    ):
        create_queue(boto3.client("sqs"), queue)
    store.phones.register(harness.resources.table, of_globex())
    metadata = {"phone_number_id": GLOBEX_PHONE, "display_phone_number": "15550783777"}
    for body in ("one", "two"):
        harness.take({"messages": [text("wamid.acme", body)]})
        harness.take({"metadata": metadata, "messages": [text("wamid.globex", body)]})
    unregister(harness)
    harness.take({"messages": [text("wamid.nobody", "hello, it's me")]})
    register(harness)
    return Admin(module)


def ids(events: list[dict[str, Any]]) -> dict[str, str]:
    """Event ids by company; the empty key is the event without a company."""
    return {event.get("company", ""): event["eventId"] for event in events}


def test_operators_see_all_events_and_companies_only_their_own(
    admin: Admin,
) -> None:
    assert ids(admin.events()).keys() == {"acme", "globex", ""}
    assert ids(admin.events(READER)).keys() == {"acme"}
    assert ids(admin.events(GLOBEX)).keys() == {"globex"}
    assert ids(admin.events(company="globex")).keys() == {"globex"}


def test_an_event_shows_its_reason_and_shape_and_no_content(
    admin: Admin,
) -> None:
    [event] = admin.events(reason="unknown_phone")

    assert event.keys() == {
        "eventId", "state", "reason", "kind", "phone", "waba", "correlationId", "receivedAt",
        "parkedAt", "payload",
    }  # fmt: skip
    assert (event["state"], event["kind"], event["phone"]) == ("open", "message", "106540352242922")
    assert event["payload"]["text"] == {"body": "<text of 14>"}
    assert "447700900101" not in str(event)


@pytest.mark.parametrize("who", [READER, caller("acme"), caller("acme", "whatsapp:admi")])
def test_replaying_needs_a_scope_of_its_own(admin: Admin, who: Caller) -> None:
    mine = ids(admin.events())["acme"]

    assert admin.call(REPLAY, who, event_id=mine).error == "forbidden"
    assert admin.call(REPLAY_ALL, who).error == "forbidden"
    assert admin.waiting() == []


def test_a_company_replays_its_own_event(admin: Admin) -> None:
    mine = ids(admin.events())["acme"]

    answer = admin.call(REPLAY, ADMIN, event_id=mine)

    assert (answer.status, answer.body["result"]["state"]) == (202, "replayed")
    assert [(event["replayOf"], event["replay"]) for event in admin.waiting()] == [(mine, 1)]


def test_a_replay_under_the_same_key_is_made_once_and_answered_the_same(admin: Admin) -> None:
    mine = ids(admin.events())["acme"]

    first = admin.call(REPLAY, ADMIN, event_id=mine, key="replay-of-monday")
    again = admin.call(REPLAY, ADMIN, event_id=mine, key="replay-of-monday")

    assert (again.status, again.body["result"]) == (202, first.body["result"])
    assert again.body["request_id"] != first.body["request_id"]
    assert len(admin.waiting()) == 1
    other = admin.call(REPLAY_ALL, ADMIN, key="replay-of-monday")
    assert other.status == 202, "an idempotency key is valid for one route"
    changed = admin.call(REPLAY, ADMIN, event_id="0" * 64, key="replay-of-monday")
    assert (changed.status, changed.error) == (409, "idempotency_key_conflict")


def test_the_stored_answer_to_an_operator_is_not_returned_to_a_key_without_that_scope(
    admin: Admin,
) -> None:
    operator = caller("acme", "operator")
    body = {"limit": 100}
    seen = admin.call(REPLAY_ALL, operator, body=body, key="replay-of-monday")
    assert len(seen.body["result"]["replayed"]) == 3

    answer = admin.call(REPLAY_ALL, ADMIN, body=body, key="replay-of-monday")

    assert answer.body["result"] == {"replayed": [], "refused": []}


def test_a_bad_idempotency_key_is_refused(admin: Admin) -> None:
    answer = admin.call(REPLAY_ALL, ADMIN, key="short")

    assert (answer.status, answer.fields) == (400, ["Idempotency-Key"])


@pytest.mark.parametrize("whose", ["globex", ""])
def test_events_of_another_company_or_of_no_company_are_not_found(admin: Admin, whose: str) -> None:
    foreign = ids(admin.events())[whose]

    answer = admin.call(REPLAY, ADMIN, event_id=foreign)

    assert (answer.status, answer.error) == (404, "not_found")
    unknown = admin.call(REPLAY, ADMIN, event_id="0" * 64)
    assert answer.body["error"] == unknown.body["error"]
    assert admin.waiting() == []


def test_in_bulk_a_company_replays_its_own_events_and_an_operator_replays_all(admin: Admin) -> None:
    of_acme = admin.call(REPLAY_ALL, ADMIN)
    assert (of_acme.status, len(of_acme.body["result"]["replayed"])) == (202, 1)
    assert [event["phone"] for event in admin.waiting()] == ["106540352242922"]

    of_all = admin.call(REPLAY_ALL, OPERATOR, body={"limit": 100})
    assert len(of_all.body["result"]["replayed"]) == 2
    assert "cursor" not in of_all.body


def test_only_operators_may_name_another_company(admin: Admin) -> None:
    assert admin.call(PARKED, ADMIN, company="globex").error == "forbidden"
    assert admin.call(REPLAY_ALL, ADMIN, body={"company": "globex"}).error == "forbidden"
    assert admin.call(PARKED, ADMIN, company="acme").status == 200


@pytest.mark.parametrize("route", [DEAD_LETTERS, REDRIVE])
def test_dead_letters_are_for_operators(admin: Admin, route: str) -> None:
    assert admin.call(route, ADMIN).error == "forbidden"
    assert admin.call(route, OPERATOR).status in {200, 202}


@pytest.mark.parametrize("route", METHODS)
def test_a_call_without_a_caller_is_refused(admin: Admin, route: str) -> None:
    assert admin.call(route, None, event_id="0" * 64).status == 401


def test_pages_cover_all_events_and_a_cursor_is_valid_for_its_own_query_only(
    admin: Admin,
) -> None:
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = admin.call(PARKED, limit=1, **cursor)
        seen += [event["eventId"] for event in answer.body["result"]["events"]]
        if "cursor" not in answer.body:
            break
        cursor = {"cursor": answer.body["cursor"]}
        for who, other in (
            (READER, {}),
            (caller("other", "operator"), {}),
            (OPERATOR, {"reason": "conflict"}),
            (OPERATOR, {"state": "all"}),
            (OPERATOR, {"company": "acme"}),
        ):
            assert admin.call(PARKED, who, **cursor, **other).error == "invalid_cursor"
        assert admin.call(REPLAY_ALL, body=dict(cursor)).error == "invalid_cursor"

    assert sorted(seen) == sorted(ids(admin.events()).values())


def test_a_bulk_replay_that_runs_out_of_time_answers_with_a_cursor(admin: Admin) -> None:
    admin.remaining_ms = 1_000
    replayed: list[str] = []
    body: dict[str, Any] = {}
    for _ in range(3):
        answer = admin.call(REPLAY_ALL, body=body)
        replayed += [one["eventId"] for one in answer.body["result"]["replayed"]]
        body = {"cursor": answer.body.get("cursor")}

    assert len(set(replayed)) == len(replayed) == 3
    assert body == {"cursor": None}


def test_an_event_that_cannot_be_replayed_is_a_conflict(admin: Admin, harness: Harness) -> None:
    harness.handle("no event at all")
    [event] = admin.events(reason="malformed_event")

    answer = admin.call(REPLAY, event_id=event["eventId"])

    assert (answer.status, answer.error) == (409, "not_replayable")
    assert "unreadable" in answer.body["error"]["message"]


@pytest.mark.parametrize(
    ("route", "body", "field"),
    [
        (REPLAY_ALL, "{", "body"),
        (REPLAY_ALL, "[]", "body"),
        (REPLAY_ALL, "[" * 100_000, "body"),
        (REPLAY_ALL, {"limit": 0}, "limit"),
        (REPLAY_ALL, {"limit": 101}, "limit"),
        (REPLAY_ALL, {"raeson": "x"}, "raeson"),
        (REPLAY_ALL, {"reason": "a b"}, "reason"),
        (REDRIVE, {"ids": []}, "ids"),
        (REDRIVE, {"ids": [7]}, "ids.0"),
        (REDRIVE, {"ids": ["x"] * 101}, "ids"),
        (REDRIVE, {"limit": 1.5}, "limit"),
    ],
)
def test_a_body_that_breaks_a_rule_is_refused_by_field_and_changes_nothing(
    admin: Admin, route: str, body: Any, field: str
) -> None:
    answer = admin.call(route, body=body)

    assert (answer.status, answer.fields) == (400, [field])
    assert admin.waiting() == []


def test_dead_letters_are_listed_and_redriven(admin: Admin) -> None:
    sqs, settings = admin.module.sqs(), admin.module.settings
    sqs.send_message(
        QueueUrl=settings.whatsapp_dead_letters_url, MessageBody="{}", MessageGroupId="g",
        MessageDeduplicationId="1",
    )  # fmt: skip
    listed = admin.call(DEAD_LETTERS).body["result"]
    [letter] = listed["letters"]
    assert (letter["kind"], letter["reason"]) == ("unreadable", "no_error_reported")
    assert listed["waiting"] == {"events": 1, "media": 0, "social": 0, "campaigns": 0}

    body = {"ids": [letter["id"], "00000000-0000-4000-8000-000000000000"]}
    result = admin.call(REDRIVE, body=body).body["result"]

    assert result["letters"] == [{"id": letter["id"], "queue": "events"}]
    assert result["missing"] == ["00000000-0000-4000-8000-000000000000"]
    assert result["waiting"] == {"events": 0, "media": 0, "social": 0, "campaigns": 0}
    assert admin.waiting() == [{}]


def test_a_change_is_one_line_of_the_audit_log_and_a_read_is_none(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = ids(admin.events())["acme"]
    log: StringIO = recorded(monkeypatch)

    admin.events()
    admin.call(REPLAY, ADMIN, event_id=mine)

    [line] = [entry for entry in map(json.loads, log.getvalue().splitlines()) if "change" in entry]
    assert line["change"] == "replay_parked"
    assert (line["company"], line["principal"]) == ("acme", "api-key:1")


def test_each_replay_is_logged_with_its_ids_and_counted(
    admin: Admin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = ids(admin.events())["acme"]
    log: StringIO = recorded(monkeypatch)
    capsys.readouterr()

    admin.call(REPLAY, ADMIN, event_id=mine)

    [line] = [entry for entry in map(json.loads, log.getvalue().splitlines()) if "replay" in entry]
    assert (line["message"], line["event_id"], line["replay"]) == (
        "parked event replayed",
        mine,
        1,
    )
    assert line["reason"] == "conflict"
    assert line["correlation_id"]
    assert (line["company"], line["principal"]) == ("acme", "api-key:1")
    [counted] = [
        json.loads(text) for text in capsys.readouterr().out.splitlines() if "_aws" in text
    ]
    assert counted["Replayed"] == [1.0]
