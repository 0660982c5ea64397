"""The shop's settings over the admin API: shown, changed, listed, rolled back, previewed; and what the worker sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from richpanel.configuration.account import CACHE_MS
from tests.integration.richpanel.admin.conftest import (
    PREVIEW,
    READER,
    ROLLBACK,
    SETTINGS,
    WHERE,
    Admin,
)

if TYPE_CHECKING:
    from tests.integration.answers import Answer

RETURN = "t_return_request_intake"
OWN = {"default": "Bring it back.\n\n{{support_signature}}", "livechat": "Bring it back."}
ASK = "t_order_status_ask_order_number"


def put(admin: Admin, settings: Any, based_on: int = 0, key: str | None = None) -> Answer:
    body = {"based_on": based_on, "settings": settings}
    return admin.call(f"PUT {SETTINGS}", body=body, key=key)


def handle(admin: Admin, **facts: Any) -> None:
    """Handle a question by the worker, after its cache of the settings expired."""
    admin.harness.time.ms += CACHE_MS
    admin.harness.ticket(WHERE, **facts)
    admin.harness.handle()


def test_before_the_first_change_the_settings_are_version_0_and_empty(admin: Admin) -> None:
    result = admin.call(f"GET {SETTINGS}", READER).result

    assert result == {"number": 0, "settings": {}, "changed_at": None, "changed_by": None}
    assert admin.call(f"GET {SETTINGS}/versions").result == {"versions": []}


def test_changed_settings_are_shown_stored_and_traced(admin: Admin) -> None:
    answer = put(admin, {"languages": ["en"], "templates": {RETURN: {"en": OWN}}})

    shown = admin.call(f"GET {SETTINGS}", READER).result
    assert answer.result == shown
    assert shown["number"] == 1
    assert shown["settings"] == {"languages": ["en"], "templates": {RETURN: {"en": OWN}}}
    assert shown["changed_by"] == "api-key:0123456789012345"
    (trace,) = admin.traces()
    assert trace == {
        "who": "api-key:0123456789012345",
        "settings": 1,
        "parts": ["languages", "templates"],
        "rolled_back_to": None,
        "result": "success",
    }


def test_versions_are_listed_newest_first_in_pages(admin: Admin) -> None:
    for number in range(3):
        put(admin, {"team_names": {"returns": f"Team {number}"}}, based_on=number)

    first = admin.call(f"GET {SETTINGS}/versions", limit=2).result["versions"]
    rest = admin.call(f"GET {SETTINGS}/versions", before=2).result["versions"]

    assert [version["number"] for version in first] == [3, 2]
    assert [version["number"] for version in rest] == [1]
    assert admin.call(f"GET {SETTINGS}", number=2).result["settings"] == {
        "team_names": {"returns": "Team 1"}
    }


def test_absent_parts_stay_and_null_returns_to_the_standard(admin: Admin) -> None:
    put(admin, {"languages": ["en"], "team_names": {"returns": "Team"}})

    kept = put(admin, {"languages": ["es"]}, based_on=1).result
    standard = put(admin, {"team_names": None}, based_on=2).result

    assert kept["settings"] == {"languages": ["es"], "team_names": {"returns": "Team"}}
    assert standard["settings"] == {"languages": ["es"]}


def test_a_rollback_is_a_new_version_with_the_old_content(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    put(admin, {"languages": ["es"]}, based_on=1)

    back = admin.call(f"POST {ROLLBACK}", body={"based_on": 2, "number": 1}).result
    standard = admin.call(f"POST {ROLLBACK}", body={"based_on": 3, "number": 0}).result

    assert (back["number"], back["settings"]) == (3, {"languages": ["en"]})
    assert (standard["number"], standard["settings"]) == (4, {})
    assert admin.call(f"GET {SETTINGS}", number=2).result["settings"] == {"languages": ["es"]}


def test_a_change_on_top_of_an_older_version_is_refused_and_stores_nothing(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    before = admin.harness.rows("state")

    answer = put(admin, {"languages": ["es"]}, based_on=0)

    assert (answer.status, answer.error) == (409, "outdated")
    assert admin.harness.rows("state") == before


def test_a_change_repeated_with_its_key_stores_one_version(admin: Admin) -> None:
    answers = [put(admin, {"languages": ["en"]}, key="the-same-key") for _ in range(2)]

    assert answers[0].result == answers[1].result
    assert [row["number"] for row in admin.harness.rows("state") if "number" in row] == [1, 1]


def test_a_change_whose_answer_was_lost_is_stored_once(admin: Admin) -> None:
    first = put(admin, {"languages": ["en"]}, key="the-same-key")
    for row in admin.harness.rows("idempotency"):
        admin.harness.resources.idempotency.delete({"event_id": row["event_id"]})

    second = put(admin, {"languages": ["en"]}, key="the-same-key")

    assert second.result == first.result


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"settings": {}}, "based_on"),
        ({"based_on": -1, "settings": {}}, "based_on"),
        ({"based_on": 0, "settings": []}, "settings"),
        ({"based_on": 0, "settings": {"languages": ["xx"]}}, "settings.languages.0"),
        (
            {"based_on": 0, "settings": {"templates": {RETURN: {"en": OWN | {"default": "{"}}}}},
            f"settings.templates.{RETURN}.en.default",
        ),
    ],
)
def test_bad_settings_are_refused_with_their_field_and_change_nothing(
    admin: Admin, body: Any, field: str
) -> None:
    before = admin.everything()

    answer = admin.call(f"PUT {SETTINGS}", body=body)

    assert answer.status == 400
    assert list(answer.problems) == [field]
    assert admin.everything() == before


def test_an_unknown_version_is_not_found(admin: Admin) -> None:
    shown = admin.call(f"GET {SETTINGS}", number=7)
    back = admin.call(f"POST {ROLLBACK}", body={"based_on": 0, "number": 7})

    assert (shown.status, back.status) == (404, 404)


def test_a_preview_is_the_text_that_the_worker_sends(admin: Admin) -> None:
    settings = {
        "templates": {ASK: {"en": OWN}},
        "brands": {"bikes": {"signature": "Acme Bikes", "addresses": ["bikes@acme.example"]}},
    }
    asked = {"template": ASK, "brand": "bikes", "settings": settings}
    preview = admin.call(f"POST {PREVIEW}", READER, body=asked).result["text"]
    put(admin, settings)

    handle(admin, recipient="Bikes@acme.example")

    assert preview == "Bring it back.\n\nAcme Bikes"
    assert admin.harness.replies() == [preview]


def test_a_preview_without_settings_shows_those_in_force(admin: Admin) -> None:
    put(admin, {"templates": {RETURN: {"en": OWN}}})

    chat = admin.call(f"POST {PREVIEW}", body={"template": RETURN, "channel": "livechat"}).result
    facts = admin.call(f"POST {PREVIEW}", body={"template": "t_order_status_verified"}).result

    assert chat == {"text": "Bring it back."}
    assert "order #1001 right now" in facts["text"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"template": "t_none"}, "template"),
        ({"template": RETURN, "language": "de"}, "language"),
        ({"template": RETURN, "brand": "none"}, "brand"),
        ({"template": RETURN, "settings": {"colour": 1}}, "settings.colour"),
    ],
)
def test_a_preview_of_what_does_not_exist_names_the_field(
    admin: Admin, asked: dict[str, Any], field: str
) -> None:
    answer = admin.call(f"POST {PREVIEW}", body=asked)

    assert answer.status == 400
    assert list(answer.problems) == [field]


def test_templates_are_shown_with_their_variables_and_standard_texts(admin: Admin) -> None:
    shown = admin.call("GET /admin/richpanel/templates", READER).result["templates"]

    assert shown[RETURN]["tier"] == 1
    assert "{{#asks_number}}" in shown[RETURN]["texts"]["es"]["livechat"]
    assert shown["t_order_status_verified"]["required"] == ["order_id", "order_status"]
    assert shown["t_fraud_ack"]["tier"] is None


def test_a_language_that_is_switched_off_gets_no_reply(admin: Admin) -> None:
    put(admin, {"languages": ["es"]})

    handle(admin)

    assert admin.harness.replies() == []
    assert admin.harness.decided()["reason"] == "no_template_in_language"


def test_stored_settings_that_the_code_refuses_stop_replies_but_not_routing(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    for key in ("sys:settings", "sys:settings:1"):
        admin.harness.resources.state.update(
            {"conversation_id": key}, put={"settings": '{"templates": {"t_removed": {}}, "old": 1}'}
        )

    handle(admin)

    assert admin.harness.replies() == []
    assert "route-email-support-team" in admin.harness.tags()
    checks = admin.call("GET /admin/richpanel/health").result["checks"]
    assert checks["account"].startswith("settings_invalid: old: ")
