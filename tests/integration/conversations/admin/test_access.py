"""Access to the admin API: scopes, companies and projects of a key, refused input, and the API's own description."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store import unhandled
from conversations.store.items.records import Unmatched
from shared.api import openapi
from shared.api.auth import Scope
from shared.aws.sqs_fifo import to_json
from tests.integration.conversations.harness import (
    ANN,
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    THEIRS,
    Answer,
    Harness,
    caller,
)
from tests.integration.logs import recorded

if TYPE_CHECKING:
    from shared.api.auth import Caller

NOWHERE = "a" * 26
ENTRY = "0" * 8 + "-0000" * 3 + "-" + "0" * 12


@dataclass(frozen=True)
class Route:
    """A route, its scope, and a call that it accepts."""

    line: str
    scope: Scope
    body: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)

    @property
    def is_change(self) -> bool:
        return self.line.startswith("POST") and not self.line.endswith("/search")

    def call(self, harness: Harness, ref: str, message: str, **how: Any) -> Answer:
        names = {"ref": ref} if "{ref}" in self.line else {}
        names |= {"unmatched_id": message} if "{unmatched_id}" in self.line else {}
        body = self.body | ({"ref": ref} if "ref" in self.body else {})
        given = body if self.line.startswith("POST") else None
        return harness.call(self.line, given, query=self.query, names=names, **how)


READ, REPLY = Scope.CONVERSATIONS_READ, Scope.CONVERSATIONS_REPLY
MANAGE = Scope.CONVERSATIONS_MANAGE
CONSENT = {"recipient": ANN, "channels": ["sms"], "evidence": "ticket 7"}
OF_ONE = [
    Route("GET /conversations/{ref}", READ),
    Route("GET /conversations/{ref}/messages", READ),
    Route("POST /conversations/{ref}/take-over", REPLY, {"agent_id": "carol"}),
    Route("POST /conversations/{ref}/messages", REPLY, {"text": "Hello"}),
    Route("POST /conversations/{ref}/hand-back", REPLY, {"answer_pending": True}),
    Route("POST /conversations/{ref}/release", REPLY),
    Route("POST /conversations/{ref}/resolve", REPLY, {"entry_id": ENTRY, "outcome": "sent"}),
    Route("POST /conversations/{ref}/close", MANAGE),
    Route("POST /conversations/{ref}/reopen", MANAGE),
    Route("POST /unmatched/{unmatched_id}/attach", MANAGE, {"ref": ""}),
]
OF_COMPANY = [
    Route("GET /conversations", READ),
    Route("POST /conversations/search", READ, {"recipient": ANN}),
    Route("GET /unmatched", MANAGE),
    Route("POST /opt-outs/search", Scope.CONSENT_READ, {"recipient": ANN}),
    Route("POST /opt-outs", Scope.CONSENT_WRITE, CONSENT),
    Route("POST /opt-ins", Scope.CONSENT_WRITE, CONSENT),
]
ROUTES = OF_ONE + OF_COMPANY
# Tested in test_admin_recovery.py.
RECOVERY = {
    "GET /conversations/parked": "conversations:admin or operator",
    "POST /conversations/parked/{event_id}/replay": "conversations:admin or operator",
    "POST /conversations/parked/replay": "conversations:admin or operator",
    "GET /conversations/dead-letters": "operator",
    "POST /conversations/dead-letters/redrive": "operator",
}
CHANGES = [route for route in ROUTES if route.is_change]


def store_unmatched(harness: Harness, company: str = COMPANY, number: int = 1) -> str:
    """Store an unmatched message; returns the id that the company sees."""
    at = harness.later()
    event = {
        "type": "inbound_message",
        "provider": "twilio",
        "provider_message_id": f"SM{number}",
        "account": "AC1",
        "channel_method": "sms",
        "business_address": "+12025550142",
        "customer_address": "+447700900555",
        "received_at": at,
        "kind": "text",
        "text": "Is anybody there?",
    }
    unmatched_item = Unmatched(
        unmatched_id=f"{number:024}",
        project_id=PROJECT,
        channel_method="sms",
        received_at=at,
        event=event,
    )
    unhandled.keep_unmatched(harness.resources.log, company, unmatched_item, [])
    shown = harness.call("GET /unmatched", who=caller(company)).result["messages"]
    return str(shown[0]["id"])


def bare(answer: Answer) -> tuple[int, dict[str, Any]]:
    """An answer without the fields that differ from call to call."""
    return answer.status, {name: part for name, part in answer.body.items() if name != "request_id"}


# Scopes


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.line)
def test_without_the_authorizers_context_every_route_is_refused(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, who=None)

    assert (answer.status, answer.error) == (401, "unauthenticated")
    assert harness.rows() == before


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.line)
def test_a_route_refuses_every_scope_but_its_own(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    others = caller(COMPANY, *(str(scope) for scope in Scope if scope is not route.scope))
    answer = route.call(harness, ref, message, who=others)

    assert (answer.status, answer.error) == (403, "forbidden")
    assert harness.rows() == before
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    "route",
    [route for route in ROUTES if "release" not in route.line and "resolve" not in route.line],
    ids=lambda route: route.line,
)
def test_a_route_accepts_its_own_scope(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)

    answer = route.call(harness, ref, message, who=caller(COMPANY, str(route.scope)))

    assert answer.status in {200, 202}


# Companies and projects


@pytest.mark.parametrize("route", OF_ONE, ids=lambda route: route.line)
@pytest.mark.parametrize(
    "stranger", [THEIRS, caller(projects=OTHER_PROJECT)], ids=["company", "project"]
)
def test_a_resource_of_another_company_is_answered_as_not_found(
    harness: Harness, route: Route, stranger: Caller
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    there, absent = (ref, message), (NOWHERE, "x" * 30)
    route.call(harness, *there)  # So that stored answers of changes could be found, too.
    before, queued = harness.rows(), list(harness.sqs.put)

    found = route.call(harness, *there, who=stranger)

    assert found.status == 404
    assert bare(found) == bare(route.call(harness, *absent, who=stranger))
    assert (harness.rows(), harness.sqs.put) == (before, queued)


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_an_idempotency_key_used_for_another_companys_resource_reveals_nothing(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    harness.begin("req-9", company=SECOND_COMPANY)
    first = harness.calls
    route.call(harness, ref, message)
    harness.calls = first  # The same Idempotency-Key once more.

    answer = route.call(harness, ref, message, who=THEIRS)

    if route in OF_ONE:
        assert answer.status == 404
    else:
        assert answer.result["refs"] != [ref]


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_a_stored_answer_of_one_project_is_not_given_to_a_key_of_another(
    harness: Harness, route: Route
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    first = harness.calls
    route.call(harness, ref, message, who=caller(projects=PROJECT))
    harness.calls = first  # The same Idempotency-Key once more.

    answer = route.call(harness, ref, message, who=caller(projects=OTHER_PROJECT))

    assert ref not in json.dumps(answer.body)
    assert answer.status in {
        200,
        403,
        404,
    }  # 403: consent belongs to the company and has no project


def test_a_message_cannot_be_attached_to_another_companys_conversation(harness: Harness) -> None:
    ours, theirs = harness.begin(), store_unmatched(harness, SECOND_COMPANY)

    line, names = "POST /unmatched/{unmatched_id}/attach", {"unmatched_id": theirs}
    answer = harness.call(line, {"ref": ours}, who=THEIRS, names=names)

    assert answer.status == 404
    assert harness.queued("ConversationsInboundQueue") == []


@pytest.mark.parametrize("route", OF_COMPANY, ids=lambda route: route.line)
def test_lists_and_records_hold_only_the_companys_own(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    harness.call("POST /opt-outs", CONSENT | {"channels": ["whatsapp"]})

    answer = route.call(harness, ref, message, who=THEIRS)

    shown = json.dumps(answer.result)
    assert ref not in shown
    assert message not in shown
    assert "ticket 7" not in shown
    assert harness.item(ref).conversation_status == Status.REPLY_SENT


@pytest.mark.parametrize("route", OF_COMPANY[:3], ids=lambda route: route.line)
def test_lists_hold_only_the_projects_of_the_key(harness: Harness, route: Route) -> None:
    ours = harness.begin(), store_unmatched(harness)
    theirs = harness.begin("req-2", project=OTHER_PROJECT)

    answer = route.call(harness, *ours, who=caller(projects=OTHER_PROJECT))

    shown = json.dumps(answer.result)
    assert not any(one in shown for one in ours)
    assert (theirs in shown) == ("unmatched" not in route.line)


@pytest.mark.parametrize("line", ["GET /conversations", "GET /unmatched"])
def test_a_project_outside_the_keys_projects_is_not_found(harness: Harness, line: str) -> None:
    own = caller(projects=OTHER_PROJECT)

    assert harness.call(line, who=own, query={"project_id": PROJECT}).status == 404
    assert harness.call(line, who=own, query={"project_id": OTHER_PROJECT}).status == 200


@pytest.mark.parametrize("route", OF_COMPANY[3:], ids=lambda route: route.line)
def test_a_key_limited_to_projects_neither_reads_nor_changes_consent(
    harness: Harness, route: Route
) -> None:
    """Consent belongs to the company: a change would end or open conversations of other projects."""
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, who=caller(projects=PROJECT))

    assert (answer.status, answer.error) == (403, "forbidden")
    assert "bound to projects" in answer.body["error"]["message"]
    assert harness.rows() == before


# Refused input


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_a_change_without_an_idempotency_key_is_refused(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, key=None)

    assert (answer.status, list(answer.problems)) == (400, ["Idempotency-Key"])
    assert harness.rows() == before


@pytest.mark.parametrize("key", ["short", "ä" * 8, "with blank", "k" * 256])
def test_an_idempotency_key_has_8_to_255_visible_ascii_characters(
    harness: Harness, key: str
) -> None:
    ref = harness.begin()

    assert list(harness.on(ref, "close", key=key).problems) == ["Idempotency-Key"]
    assert harness.on(ref, "close", key="k" * 255).status == 200


OF_REF = "/conversations/{ref}"


@pytest.mark.parametrize(
    ("line", "body", "field"),
    [
        (f"POST {OF_REF}/take-over", {}, "agent_id"),
        (f"POST {OF_REF}/take-over", {"agent_id": "Carol Smith"}, "agent_id"),
        (f"POST {OF_REF}/take-over", {"agent_id": "external"}, "agent_id"),
        (f"POST {OF_REF}/take-over", {"agent_id": "carol", "force": "yes"}, "force"),
        (f"POST {OF_REF}/take-over", {"agent_id": "carol", "forse": True}, "forse"),
        (f"POST {OF_REF}/take-over", "{", "body"),
        (f"POST {OF_REF}/take-over", [1], "body"),
        (f"POST {OF_REF}/messages", {}, "body"),
        (f"POST {OF_REF}/messages", {"text": "a", "template": "b"}, "body"),
        (f"POST {OF_REF}/messages", {"text": "a", "variables": {"x": "y"}}, "body"),
        (f"POST {OF_REF}/messages", {"text": " \n"}, "text"),
        (f"POST {OF_REF}/messages", {"text": "\ud83d"}, "text"),
        (f"POST {OF_REF}/messages", {"text": "x" * 20_001}, "text"),
        (f"POST {OF_REF}/messages", {"text": 5}, "text"),
        # The limits of the conversation's channel: an SMS of at most three parts, and no template.
        (f"POST {OF_REF}/messages", {"text": "x" * 1_601}, "text"),
        (f"POST {OF_REF}/messages", {"text": "x" * 460}, "text"),
        (f"POST {OF_REF}/messages", {"template": "invitation"}, "template"),
        (f"POST {OF_REF}/messages", {"template": "a b"}, "template"),
        (f"POST {OF_REF}/hand-back", {"answer_pending": "true"}, "answer_pending"),
        (f"POST {OF_REF}/release", {"draft_entry_id": "7"}, "draft_entry_id"),
        (f"POST {OF_REF}/release", {"draft_entry_id": ENTRY}, "draft_entry_id"),
        (f"POST {OF_REF}/resolve", {"outcome": "sent"}, "entry_id"),
        (f"POST {OF_REF}/resolve", {"entry_id": ENTRY, "outcome": "lost"}, "outcome"),
        (f"POST {OF_REF}/close", {"why": "done"}, "why"),
        ("POST /conversations/search", {}, "recipient"),
        ("POST /conversations/search", {"recipient": "07700 900123"}, "recipient"),
        ("POST /conversations/search", {"recipient": "ann@"}, "recipient"),
        ("POST /conversations/search", {"recipient": ANN, "status": "lost"}, "status"),
        ("POST /conversations/search", {"recipient": ANN, "task_complete": 1}, "task_complete"),
        ("POST /conversations/search", {"recipient": ANN, "from": "2026-01-01T12:00:00"}, "from"),
        ("POST /conversations/search", {"recipient": ANN, "limit": 0}, "limit"),
        (
            "POST /conversations/search",
            {"recipient": ANN, "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
            "to",
        ),
        ("POST /opt-outs/search", {"recipient": "nobody"}, "recipient"),
        ("POST /opt-outs", CONSENT | {"channels": []}, "channels"),
        ("POST /opt-outs", CONSENT | {"channels": ["fax"]}, "channels"),
        ("POST /opt-outs", CONSENT | {"evidence": ""}, "evidence"),
        ("POST /opt-ins", CONSENT | {"channels": ["*"]}, "channels"),
        ("POST /opt-ins", CONSENT | {"channels": ["email"]}, "channels"),
        ("POST /opt-ins", CONSENT | {"recipient": "ann@example.com"}, "channels"),
    ],
)
def test_bad_input_names_the_field_and_changes_nothing(
    harness: Harness, line: str, body: Any, field: str
) -> None:
    ref = harness.begin()
    before = harness.rows()

    answer = harness.call(line, body, ref=ref if "{ref}" in line else None)

    assert (answer.status, answer.error, list(answer.problems)) == (400, "invalid_input", [field])
    assert harness.rows() == before
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    ("line", "query", "field"),
    [
        ("GET /conversations", {"limit": 101}, "limit"),
        ("GET /conversations", {"limit": [5, 6]}, "limit"),
        ("GET /conversations", {"status": "lost"}, "status"),
        ("GET /conversations", {"project_id": "a b"}, "project_id"),
        ("GET /conversations", {"recipient": "x"}, "recipient"),
        (f"GET {OF_REF}/messages", {"before": "yesterday"}, "before"),
        (f"GET {OF_REF}/messages", {"limit": "many"}, "limit"),
        (f"GET {OF_REF}", {"fields": "all"}, "fields"),
        ("GET /unmatched", {"limit": 0}, "limit"),
    ],
)
def test_a_bad_query_is_refused(
    harness: Harness, line: str, query: dict[str, Any], field: str
) -> None:
    ref = harness.begin()

    answer = harness.call(line, query=query, ref=ref if "{ref}" in line else None)

    assert (answer.status, list(answer.problems)) == (400, [field])


@pytest.mark.parametrize("body", [{"recipient": "07700 900123"}, {"recipient": ANN, "status": ANN}])
def test_no_error_repeats_the_input(harness: Harness, body: dict[str, Any]) -> None:
    answer = harness.call("POST /conversations/search", body)

    assert "900123" not in json.dumps(answer.body)


@pytest.mark.parametrize("ref", ["a", "A" * 26, "a" * 25 + "#", "a" * 27, "a" * 25 + "1"])
def test_an_invalid_ref_is_not_found(harness: Harness, ref: str) -> None:
    assert harness.call("GET /conversations/{ref}", ref=ref).status == 404


def test_an_error_about_invalid_project_settings_contains_no_value(harness: Harness) -> None:
    ref = harness.begin()
    harness.set_up(timezone="Mars/Olympus")

    answer = harness.call("GET /conversations/{ref}", ref=ref)

    assert (answer.status, answer.error) == (500, "configuration_error")
    assert answer.body["error"]["message"] == "timezone"


def test_a_queue_error_is_reported_and_the_call_may_be_repeated(harness: Harness) -> None:
    ref = harness.begin()
    harness.sqs.refuses = True

    refused = harness.on(ref, "messages", {"text": "Hello"}, key="one-message")
    harness.sqs.refuses = False
    taken = harness.on(ref, "messages", {"text": "Hello"}, key="one-message")

    assert (refused.status, refused.error) == (503, "not_enqueued")
    assert taken.status == 202
    assert len(harness.queued("ConversationsSmsQueue")) == 1


# Log and OpenAPI document


def test_no_address_name_or_text_reaches_the_log(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    harness.says(ref, "My secret")
    stream = recorded(monkeypatch)

    for route in ROUTES:
        route.call(harness, ref, message)
        route.call(harness, ref, message, who=THEIRS)

    log_text = stream.getvalue()
    assert "call answered" in log_text
    for private in ("900123", "900555", "ann.doe", "Ann", "secret", "anybody", "Hello", "ticket"):
        assert private not in log_text


def test_the_document_names_every_route_with_its_scope_and_its_idempotency_key(
    harness: Harness,
) -> None:
    document = harness.call("GET /conversations/openapi.json").body

    found = {
        (f"{method.upper()} {path}", entry["description"])
        for path, entries in document["paths"].items()
        for method, entry in entries.items()
    }
    assert found == {
        *((route.line, f"Needs the scope {route.scope}.") for route in ROUTES),
        *((line, f"Needs the scope {scopes}.") for line, scopes in RECOVERY.items()),
    }
    keyed = {
        f"{method.upper()} {path}"
        for path, entries in document["paths"].items()
        for method, entry in entries.items()
        if any(one["name"] == "Idempotency-Key" for one in entry["parameters"])
    }
    assert keyed == {
        *(route.line for route in CHANGES),
        *(line for line in RECOVERY if line.startswith("POST")),
    }


def test_the_document_is_shown_to_every_key_of_this_context_and_to_no_other(
    harness: Harness,
) -> None:
    line = "GET /conversations/openapi.json"

    assert harness.call(line, who=None).status == 401
    for scope in Scope:
        status = harness.call(line, who=caller(COMPANY, str(scope))).status
        is_ours = scope.startswith(("conversations:", "consent:")) or scope is Scope.OPERATOR
        assert status == (200 if is_ours else 403), scope


def test_the_document_is_built_once_per_process(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = harness.call("GET /conversations/openapi.json").body

    def build(*_: object) -> None:
        raise AssertionError("it was built before")

    monkeypatch.setattr(openapi, "document", build)
    assert harness.call("GET /conversations/openapi.json").body == first


def test_the_document_is_complete(harness: Harness) -> None:
    document = harness.call("GET /conversations/openapi.json").body

    text = to_json(document)
    pointers = {part.partition('"')[0] for part in text.split('"$ref":"')[1:]}
    assert document["openapi"] == "3.1.0"
    assert pointers
    assert {
        f"#/components/schemas/{name}" for name in document["components"]["schemas"]
    } >= pointers
    written = document["paths"]["/conversations/{ref}/messages"]["post"]
    assert list(written["responses"]) == ["202", "default"]
    assert written["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/MessageInput"
    }
    listed = {one["name"]: one for one in document["paths"]["/conversations"]["get"]["parameters"]}
    assert sorted(listed) == ["cursor", "limit", "project_id", "status"]
    assert listed["limit"]["schema"]["maximum"] == 100
    searched = document["components"]["schemas"]["SearchInput"]
    assert "from" in searched["properties"]
