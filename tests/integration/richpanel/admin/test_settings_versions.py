"""Versions of the shop's settings that are not in force: made, compared, put in force, and named in decisions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.richpanel.admin.conftest import READER, ROLLBACK, SETTINGS
from tests.integration.richpanel.admin.test_settings import handle, put

if TYPE_CHECKING:
    from tests.integration.answers import Answer
    from tests.integration.richpanel.admin.conftest import Admin

VERSIONS = f"{SETTINGS}/versions"


def draft(admin: Admin, settings: Any, **more: Any) -> Answer:
    return admin.call(f"POST {VERSIONS}", body={"settings": settings, **more})


def live(admin: Admin, number: int | str, **given: Any) -> Answer:
    line = f"POST {VERSIONS}/{{number}}/live"
    return admin.call(line, body=given, named=str(number))


def version(admin: Admin, number: int, **query: Any) -> Any:
    line = f"GET {VERSIONS}/{{number}}"
    return admin.call(line, READER, named=str(number), **query).result


def in_force(admin: Admin) -> Any:
    return admin.call(f"GET {SETTINGS}", READER).result


def test_a_draft_is_not_in_force_until_it_is_put_there_and_an_older_version_comes_back(
    admin: Admin,
) -> None:
    put(admin, {"languages": ["en"]})

    made = draft(admin, {"languages": ["es"]}, note=" Spanish first ")

    assert (made.status, made.result) == (201, {"number": 2})
    assert in_force(admin)["number"] == 1
    shown = version(admin, 2)
    assert (shown["note"], shown["based_on"], shown["is_live"]) == ("Spanish first", 1, False)
    assert shown["differences"] == [{"path": "languages", "before": ["en"], "after": ["es"]}]
    assert live(admin, 2).result == {"live_version": 2, "before": 1}
    assert in_force(admin)["settings"] == {"languages": ["es"]}
    assert live(admin, 1).result == {"live_version": 1, "before": 2}
    assert in_force(admin)["settings"] == {"languages": ["en"]}


def test_a_change_after_a_return_to_an_older_version_gets_a_new_number(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    put(admin, {"languages": ["es"]}, based_on=1)
    live(admin, 1)
    draft(admin, {"team_names": {"returns": "Team"}})

    changed = put(admin, {"languages": ["fr"]}, based_on=1).result

    assert changed["number"] == 4
    listed = admin.call(f"GET {VERSIONS}").result["versions"]
    assert [(one["number"], one["based_on"], one["is_in_force"]) for one in listed] == [
        (4, 1, True), (3, 1, False), (2, 1, False), (1, 0, False),
    ]  # fmt: skip


def test_a_draft_before_the_first_change_is_on_top_of_the_standard_settings(admin: Admin) -> None:
    assert draft(admin, {"languages": ["en"]}).result == {"number": 1}

    assert in_force(admin)["number"] == 0
    assert version(admin, 1)["differences"] == [
        {"path": "languages", "before": None, "after": ["en"]}
    ]
    assert live(admin, 1, instead_of=1).error == "outdated"
    assert live(admin, 1).result == {"live_version": 1, "before": 0}
    back = admin.call(f"POST {ROLLBACK}", body={"based_on": 1, "number": 0}).result
    assert (back["number"], back["settings"]) == (2, {})


def test_a_version_does_not_go_in_force_instead_of_one_that_another_person_put_there(
    admin: Admin,
) -> None:
    put(admin, {"languages": ["en"]})
    put(admin, {"languages": ["es"]}, based_on=1)
    draft(admin, {"languages": ["fr"]})

    assert (live(admin, 3, instead_of=1).status, in_force(admin)["number"]) == (409, 2)
    assert live(admin, 3, instead_of=2).result == {"live_version": 3, "before": 2}
    assert live(admin, 3, instead_of=2).result == {"live_version": 3, "before": 3}


def test_a_draft_whose_answer_was_lost_is_stored_once(admin: Admin) -> None:
    body = {"settings": {"languages": ["en"]}}
    admin.call(f"POST {VERSIONS}", body=body, key="the-same-key")
    for row in admin.harness.rows("idempotency"):
        admin.harness.resources.idempotency.delete({"event_id": row["event_id"]})

    second = admin.call(f"POST {VERSIONS}", body=body, key="the-same-key")

    assert second.result == {"number": 1}
    assert len(admin.call(f"GET {VERSIONS}").result["versions"]) == 1


def test_changes_of_versions_are_traced_with_their_author(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    draft(admin, {"languages": ["es"]})
    live(admin, 2)

    traces = admin.traces()
    assert {
        "who": "api-key:0123456789012345",
        "in_force": 2,
        "before": 1,
        "result": "success",
    } in traces
    assert any(one.get("draft") == ["languages"] and one["based_on"] == 1 for one in traces)


@pytest.mark.parametrize("number", ["9", "0", "x"])
def test_a_version_that_does_not_exist_is_not_found_or_refused(admin: Admin, number: str) -> None:
    put(admin, {"languages": ["en"]})
    before = admin.everything()

    assert live(admin, number).status == (400 if number == "x" else 404)
    assert admin.everything() == before


def test_bad_settings_of_a_draft_are_refused_with_their_field_and_store_nothing(
    admin: Admin,
) -> None:
    before = admin.everything()

    answer = draft(admin, {"languages": ["xx"]})

    assert (answer.status, list(answer.problems)) == (400, ["settings.languages.0"])
    assert draft(admin, {"languages": ["en"]}, based_on=7).status == 404
    assert admin.everything() == before


def test_decisions_name_the_version_of_the_settings_that_was_in_force(admin: Admin) -> None:
    put(admin, {"languages": ["en"]})
    put(admin, {"languages": ["en"], "team_names": {"returns": "Team"}}, based_on=1)

    handle(admin)

    payloads = [
        json.loads(row["action_payload_redacted"])
        for row in admin.harness.rows("audit")
        if row["action_type"] == "route"
    ]
    assert {one["settings"] for one in payloads} == {2}
