"""The admin API's log line and its own description."""

from __future__ import annotations

import pytest

from shared.api import openapi
from shared.api.auth import Scope
from shared.aws.sqs_fifo import to_json
from tests.integration.conversations.admin.routes import (
    CHANGES,
    OF_PROJECTS,
    ROUTES,
    store_unmatched,
)
from tests.integration.conversations.harness import COMPANY, THEIRS, Harness, caller
from tests.integration.logs import recorded

# Tested in test_recovery.py.
RECOVERY = {
    "GET /conversations/parked": "conversations:admin or operator",
    "POST /conversations/parked/{event_id}/replay": "conversations:admin or operator",
    "POST /conversations/parked/replay": "conversations:admin or operator",
    "GET /conversations/dead-letters": "operator",
    "POST /conversations/dead-letters/redrive": "operator",
}


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
        *((route.line, f"Needs the scope {route.scope}.") for route in ROUTES + OF_PROJECTS),
        *((line, f"Needs the scope {scopes}.") for line, scopes in RECOVERY.items()),
    }
    keyed = {
        f"{method.upper()} {path}"
        for path, entries in document["paths"].items()
        for method, entry in entries.items()
        if any(one["name"] == "Idempotency-Key" for one in entry["parameters"])
    }
    assert keyed == {
        *(route.line for route in CHANGES + [route for route in OF_PROJECTS if route.is_change]),
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
