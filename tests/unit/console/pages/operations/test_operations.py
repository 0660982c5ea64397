"""The pages of operators in German: what needs attention, and parked events with what can be done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered, Call

pytestmark = pytest.mark.parametrize("locale", ["de-DE"])


def parked(number: int, reason: str, state: str = "open") -> dict[str, object]:
    return {
        "event_id": f"event-{number}",
        "state": state,
        "reason": reason,
        "kind": "message",
        "parked_at": at(number),
        "payload": {"from": "text of 12 characters", "text": {"body": "text of 40 characters"}},
    }


def test_a_parked_event_shows_its_reason_and_masked_payload_and_offers_only_what_can_succeed(
    opened: Opened, pages: Path
) -> None:
    waiting = [parked(1, "unknown_phone"), parked(2, "erased"), parked(3, "conflict")]
    replayed: list[str] = []

    def replay(call: Call) -> Answer | Refusal:
        replayed.append(call.path["event_id"])
        del waiting[0]
        return Answer(parked(1, "unknown_phone", "replayed"))

    network = Company().network(
        pages,
        "acme:operator",
        **{
            "GET /whatsapp/parked": lambda _: Answer({"events": waiting}),
            "GET /whatsapp/dead-letters": lambda _: Answer({"letters": [], "waiting": {}}),
            "POST /whatsapp/parked/{event_id}/replay": replay,
        },
    )
    page = opened(network, "operations/parked")
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    expect(rows).to_have_count(3)
    once = rows.filter(has_text="unknown_phone")
    expect(rows.get_by_role("button", name="Einspielen")).to_have_count(1)
    once.get_by_text("Aufbau ohne Inhalt").click()
    expect(once.locator("pre")).to_contain_text("text of 40 characters")

    once.get_by_role("button", name="Einspielen").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("unknown_phone")
    expect(dialog).to_contain_text("Nummer")  # what must be done before
    dialog.get_by_role("button", name="Einspielen").click()
    expect(rows).to_have_count(2)
    assert replayed == ["event-1"]


def test_the_overview_begins_with_what_needs_a_person_and_leads_there_in_their_language(
    opened: Opened, pages: Path
) -> None:
    alarm = {"name": "DeadLettersOld", "description": "In English.", "state": "ALARM"}
    queue = dict.fromkeys(("delayed", "oldest_seconds", "problem")) | {"in_flight": 0}
    letters = queue | {"name": "whatsapp-dead", "context": "whatsapp", "is_dead_letters": True}
    network = Company().network(
        pages,
        "acme:operator",
        **{
            "GET /operations/alarms": lambda _: Answer(
                {"alarms": [alarm | {"reason": "2 > 0", "changed_at": at(0), "notifies": True}]}
            ),
            "GET /operations/queues": lambda _: Answer(
                {"queues": [letters | {"waiting": 2}], "ages_problem": None}
            ),
            "GET /operations/conservation": lambda call: Answer(
                {"first_day": call.input["from"], "last_day": call.input["to"], "accounts": []}
            ),
            "GET /whatsapp/parked": lambda _: Answer({"events": []}),
            "GET /whatsapp/dead-letters": lambda _: Answer({"letters": [], "waiting": {}}),
        },
    )
    page = opened(network, "operations/overview")
    first = page.locator(".ops-section").first
    expect(first.get_by_role("heading")).to_have_text("Braucht jetzt Aufmerksamkeit")
    expect(first.get_by_role("listitem")).to_have_count(2)
    first.get_by_role("button", name=re.compile("1 Alarm")).click()
    expect(page.locator("#ops-alarms")).to_be_focused()
    meaning = page.get_by_role("row").filter(has_text=alarm["name"])
    expect(meaning).not_to_contain_text(alarm["description"])
    first.get_by_role("link", name=re.compile("^2 ")).click()
    expect(page).to_have_url(re.compile("operations/parked"))


def test_limits_of_model_costs_are_set_with_what_they_do_and_can_be_taken_back(
    opened: Opened, pages: Path
) -> None:
    limits = dict.fromkeys(("dollars_per_day", "dollars_per_month", "changed_at", "changed_by"))
    stored = limits | {"version": 0, "warn_at_percent": 80}
    spent = {"dollars_today": 3.25, "dollars_this_month": 40.0}
    bound = {"units": 160, "dollars": 6.0}
    kind = {"kind": "mail_analysis", "percent": 100, "units": 4, "dollars": 0.5, "addresses": {}}
    kinds = [kind | dict.fromkeys(("sender", "address", "company"), bound)]
    bodies: list[dict[str, object]] = []

    def shown() -> Answer:
        day = {"company": "acme", "day": "2026-11-27", "most_percent": 1_000, "kinds": kinds}
        return Answer(day | {"limits": stored | spent})

    def change(call: Call) -> Answer:
        bodies.append(dict(call.input))
        stored.update(call.input, version=int(str(stored["version"])) + 1)
        return shown()

    answers: dict[str, Answered] = {
        "GET /operations/spending": lambda _: shown(),
        "POST /operations/spending": change,
        "GET /operations/cost": lambda _: Refusal(503, "unavailable"),
    }
    network = Company().network(pages, "acme:operator", **answers)
    page = opened(network, "operations/cost")
    section = page.get_by_role("region", name="Grenzen der Modellkosten")
    expect(section.get_by_text("keine Grenze")).to_have_count(2)
    expect(section.get_by_role("row").filter(has_text="Analysen von Mails")).to_contain_text("160")

    section.get_by_label("Dollar pro Tag").fill("2.5")
    section.get_by_role("button", name="Grenzen setzen").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("antworten Menschen")  # more is spent already
    dialog.get_by_role("button", name="Grenzen setzen").click()
    expect(section).to_contain_text("Erreicht")
    page.get_by_role("button", name="Rückgängig").click()
    expect(section.get_by_text("keine Grenze")).to_have_count(2)

    assert [body["version"] for body in bodies] == [0, 1]
    assert [body["dollars_per_day"] for body in bodies] == [2.5, None]
    assert {body["warn_at_percent"] for body in bodies} == {80}
