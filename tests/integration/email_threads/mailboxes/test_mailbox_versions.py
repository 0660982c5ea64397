"""The settings of a mailbox's model are versions, over the API, and drafts name the one that they were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.simulation.email_threads.system import ASSISTED, MAILBOX, MODEL

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

PATH = f"/email-mailboxes/{ASSISTED}"
VERSIONS = f"{PATH}/versions"
FACTS = ["A chair costs $40."]


def put(system: System, **settings: Any) -> None:
    result(system.call("PUT", PATH, settings))


def draft(system: System, settings: dict[str, Any], **more: Any) -> int:
    """Make a version that is not live, and return its number."""
    number: int = result(system.call("POST", VERSIONS, {"settings": settings, **more}))["number"]
    return number


def live(system: System, number: int | str, **given: Any) -> tuple[int, dict[str, Any]]:
    return system.call("POST", f"{VERSIONS}/{number}/live", given)


def numbers(system: System) -> list[tuple[int, bool]]:
    return [
        (one["number"], one["is_live"]) for one in result(system.call("GET", VERSIONS))["versions"]
    ]


def mailbox(system: System) -> dict[str, Any]:
    return result(system.call("GET", PATH))


def test_a_change_of_the_model_s_settings_is_a_version_and_other_changes_are_none(
    system: System,
) -> None:
    before = mailbox(system)

    put(system, facts=FACTS)
    put(system, undo_seconds=10)
    put(system, facts=FACTS)

    assert numbers(system) == [(2, True), (1, False)]
    assert mailbox(system)["ai_version"] == 2
    first, second = (result(system.call("GET", f"{VERSIONS}/{n}")) for n in (1, 2))
    assert first["settings"] == {"ai": before["ai"]}
    assert (first["by"], first["differences"]) == ("parley", [])
    assert second["compared_with"] == second["based_on"] == 1
    assert {"path": "facts", "before": None, "after": FACTS} in second["differences"]


def test_the_settings_of_a_new_mailbox_with_a_model_are_version_1(system: System) -> None:
    given = {"automation": "email_threads", "ai": MODEL | {"temperature": 0.3}}
    result(system.call("PUT", "/email-mailboxes/new@shop.example", given))
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", {"retention_days": 90}))

    new = result(system.call("GET", "/email-mailboxes/new@shop.example/versions/1"))
    assert new["is_live"]
    assert new["settings"]["ai"]["temperature"] == 0.3
    assert result(system.call("GET", f"/email-mailboxes/{MAILBOX}/versions"))["versions"] == []


def test_a_draft_changes_nothing_live_until_it_goes_live_and_an_older_version_comes_back(
    system: System,
) -> None:
    before = mailbox(system)

    number = draft(system, {"facts": FACTS, "reply_mode": "auto"}, note="prices")

    assert mailbox(system) == before | {"ai_version": 1}
    shown = result(system.call("GET", f"{VERSIONS}/{number}"))
    assert (number, shown["note"], shown["is_live"]) == (2, "prices", False)
    assert result(live(system, 2)) == {"live_version": 2, "before": 1}
    changed = mailbox(system)
    assert (changed["facts"], changed["reply_mode"], changed["ai_version"]) == (FACTS, "auto", 2)
    assert changed["ai"] == before["ai"]
    assert result(live(system, 1)) == {"live_version": 1, "before": 2}
    assert mailbox(system) == before | {
        "ai_version": 1,
        "updated_at": mailbox(system)["updated_at"],
    }


def test_absent_settings_of_a_draft_are_kept_and_null_removes_one(system: System) -> None:
    put(system, facts=FACTS, link_hosts=["shop.example"])

    made = draft(system, {"facts": None})
    based = draft(system, {"auto_complete": True}, based_on=1)

    shown = result(system.call("GET", f"{VERSIONS}/{made}"))["settings"]
    assert "facts" not in shown
    assert shown["link_hosts"] == ["shop.example"]
    assert "link_hosts" not in result(system.call("GET", f"{VERSIONS}/{based}"))["settings"]


def test_drafts_and_analyses_name_the_version_that_the_model_had(system: System) -> None:
    put(system, facts=FACTS)
    desk.receive(system, "a@x")
    put(system, facts=[])
    desk.receive(system, "b@x", in_reply_to="a@x")

    assert [int(one["ai_version"]) for one in sorted_drafts(system)] == [2, 3]
    assert int(desk.analysis(system)["ai_version"]) == 3
    thread = desk.thread(system)["conversation_id"]
    waiting = result(system.call("GET", "/email-threads/drafts"))["drafts"]
    assert [one["ai_version"] for one in waiting] == [3]
    shown = result(system.call("GET", f"/email-threads/{thread}"))
    assert shown["ai_analysis"]["ai_version"] == 3


def test_an_analysis_that_is_repeated_keeps_the_version_of_its_answer(system: System) -> None:
    put(system, facts=FACTS)
    desk.receive(system, "a@x")
    put(system, facts=[])

    desk.analyse_again(system)

    assert [int(one["ai_version"]) for one in sorted_drafts(system)] == [2]


def sorted_drafts(system: System) -> list[dict[str, Any]]:
    return sorted(system.drafts(), key=lambda one: int(one["in_reply_to_n"]))


def test_a_mailbox_that_is_registered_again_goes_on_with_its_versions(system: System) -> None:
    put(system, facts=FACTS)
    result(system.call("DELETE", PATH))
    put(system, automation="email_threads", ai=MODEL)

    assert numbers(system) == [(3, True), (2, False), (1, False)]


def test_many_versions_are_listed_in_pages_newest_first(system: System) -> None:
    for n in range(5):
        draft(system, {"facts": [f"Fact {n}."]})

    first = system.call("GET", VERSIONS, query={"limit": "4"})[1]
    last = system.call("GET", VERSIONS, query={"limit": "4", "cursor": first["cursor"]})[1]

    found = [[one["number"] for one in page["result"]["versions"]] for page in (first, last)]
    assert found == [[6, 5, 4, 3], [2, 1]]
    assert "cursor" not in last


def test_settings_that_break_a_rule_are_refused_with_their_path_and_store_nothing(
    system: System,
) -> None:
    put(system, facts=FACTS)
    before = system.rows()

    for settings, field in (
        ({"facts": ["a\nb"]}, "settings.facts.0"),
        ({"ai": {"provider": "bedrock"}}, "settings.ai"),
        ({"ai": None}, "settings"),
        ({"prompt": "Be kind."}, "settings.prompt"),
        ({"reply_mode": "always"}, "settings.reply_mode"),
    ):
        status, _, fields = refused(system.call("POST", VERSIONS, {"settings": settings}))
        assert (status, fields) == (400, [field])

    assert settings_rows(system.rows()) == settings_rows(before)


def settings_rows(rows: dict[str, Any]) -> dict[str, Any]:
    return {key: row for key, row in rows.items() if key.startswith(("mailbox#", "version#"))}


@pytest.mark.parametrize("number", ["9", "0", "x", "1.5", "-1"])
def test_a_version_that_does_not_exist_is_not_found_or_refused(system: System, number: str) -> None:
    put(system, facts=FACTS)

    status = {
        refused(system.call("GET", f"{VERSIONS}/{number}"))[0],
        refused(live(system, number))[0],
    }

    assert status == ({404} if number in {"9", "0"} else {400})


def test_a_version_does_not_go_live_instead_of_one_that_another_person_made_live(
    system: System,
) -> None:
    put(system, facts=FACTS)
    number = draft(system, {"auto_complete": True})

    assert refused(live(system, number, instead_of=1))[:2] == (409, "conflict")
    assert mailbox(system)["ai_version"] == 2
    assert result(live(system, number, instead_of=2))["live_version"] == number


def test_versions_of_another_company_are_not_found(system: System) -> None:
    put(system, facts=FACTS)

    for method, path in (
        ("GET", VERSIONS),
        ("GET", f"{VERSIONS}/1"),
        ("POST", f"{VERSIONS}/1/live"),
    ):
        body: dict[str, Any] | None = {} if method == "POST" else None
        assert refused(system.call(method, path, body, company="beta"))[0] == 404


def test_a_version_of_a_mailbox_whose_automation_needs_a_model_is_checked_again_when_it_goes_live(
    system: System,
) -> None:
    put(system, automation="none", ai=None)
    put(system, ai=MODEL, automation="email_threads")

    status, _, fields = refused(live(system, 2))

    assert (status, fields) == (400, ["settings"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"price": {"input": -1, "output": 1}}, "settings.ai.price.input"),
        ({"provider": "bedrock", "temperature": 1.5}, "settings.ai"),
        ({"reasoning": {"effort": "low"}, "temperature": 0.5}, "settings.ai"),
    ],
)
def test_a_price_below_zero_and_what_the_provider_refuses_are_no_version(
    system: System, change: dict[str, Any], field: str
) -> None:
    refusal = system.call("POST", VERSIONS, {"settings": {"ai": MODEL | change}})

    assert refused(refusal) == (400, "invalid_input", [field])
    assert numbers(system) == []
