"""People rate answers of the model, and administrators see what came of its answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.answers.assistant import REF, Assisted
from tests.unit.console.pages.company import NOON, Company
from tests.unit.console.pages.network import Answer, Call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened


def test_a_refresh_of_an_open_conversation_reads_no_consent_again(
    opened: Opened, pages: Path
) -> None:
    assisted = Assisted()
    is_asked: list[bool] = []

    def conversation(call: Call) -> Answer:
        is_asked.append("consent" in call.input)
        answer = assisted.opened(call)
        out = {"channel": "sms", "state": "opted_out"}
        return Answer({**answer.result, **({"consent": out} if is_asked[-1] else {})})

    network = assisted.network(pages)
    network.answers["GET /conversations/{ref}"] = conversation
    page = opened(network, f"all/conversations/{REF.replace('#', '%23')}")
    expect(page.locator(".composer")).to_contain_text("has opted out")
    page.get_by_text("Live", exact=True).wait_for()
    network.quiet(page)
    at_opening = len(is_asked)

    with page.expect_response(lambda one: f"/conversations/{REF.replace('#', '%23')}" in one.url):
        network.hint("conversations", REF, 2)
    network.quiet(page)

    assert is_asked[0]
    assert len(is_asked) > at_opening
    assert not any(is_asked[at_opening:])
    expect(page.locator(".composer")).to_contain_text("has opted out")


def test_a_person_rates_an_answer_with_a_reason_beside_colleagues_and_takes_it_back_with_keys(
    opened: Opened, pages: Path
) -> None:
    assisted = Assisted()
    page = opened(assisted.network(pages), f"all/conversations/{REF.replace('#', '%23')}")
    rating = page.get_by_role("group", name="Rating of this answer")
    expect(rating).to_have_count(1)  # of the customer's message none
    expect(page.get_by_text("Kim: not helpful (wrong tone)")).to_be_visible()

    rating.get_by_role("button", name="not helpful").press("Enter")
    save = page.get_by_role("button", name="Save the rating")
    expect(save).to_be_disabled()
    page.get_by_role("radio", name="incomplete").check()
    assert barriers(page) == []
    save.press("Enter")
    expect(page.get_by_text("You: not helpful (incomplete)")).to_be_visible()
    assert assisted.ratings["user:ada"] == "rated_down:incomplete"

    rating.get_by_role("button", name="helpful", exact=True).press("Enter")
    expect(page.get_by_text("You: helpful")).to_be_visible()
    rating.get_by_role("button", name="helpful", exact=True).press("Enter")
    expect(page.get_by_text("You:")).to_have_count(0)
    assert assisted.ratings == {"user:kim": "rated_down:tone"}


def project(name: str) -> dict[str, Any]:
    absent = dict.fromkeys(("status", "live_version", "unusable"))
    return absent | {
        "automation_enabled": True,
        "project_id": name,
        "name": name.title(),
        "channels": ["sms"],
    }


def outcome(project: str, version: int, language: str, **counts: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(
        ("endedAlone", "endedWithPeople", "optedOut", "failed", "reopenedSoon", "ratedUp"), 0
    )
    place = {"date": f"{NOON:%Y-%m-%d}", "channel": "sms", "version": version}
    causes: dict[str, Any] = {"handedOff": {}, "ratedDown": {}, "asked": 3, "scores": {}}
    return nothing | causes | place | {"language": language} | counts


FOUND = {
    "hiring": [
        outcome("hiring", 1, "en", endedAlone=1, endedWithPeople=3, handedOff={"ai": 3}),
        outcome("hiring", 2, "de", endedAlone=4, ratedUp=2, ratedDown={"tone": 1}, scores={"4": 1}),
    ],
    "sales": [outcome("sales", 7, "en", endedAlone=9)],
}


def reported(call: Call) -> Answer:
    asked = call.input
    place = {"timeZone": "UTC", "project": asked["project"], "first": asked["from"]}
    return Answer(place | {"last": asked["to"], "outcomes": FOUND[asked["project"]]})


@pytest.mark.parametrize("locale", ["de-DE"])
def test_outcomes_are_compared_as_plots_with_tables_and_the_address_keeps_what_was_chosen(
    opened: Opened, pages: Path
) -> None:
    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /projects": lambda _: Answer({"projects": [project("hiring"), project("sales")]}),
            "GET /reports/outcomes": reported,
        },
    )
    page = opened(network, "reports/outcomes?from=2026-01-01&to=2026-01-31")
    ends = page.get_by_role("region", name="Wie sie endeten", exact=True).get_by_role("table")
    expect(ends.get_by_role("row")).to_have_count(3)
    expect(ends.get_by_role("row").nth(2)).to_contain_text("Version 2")
    expect(page.get_by_text("5 (63 %)")).to_be_visible()  # of eight ends
    expect(page.get_by_text("6 Kunden wurden gefragt. Mittel der Antworten: 4")).to_be_visible()
    assert barriers(page) == []

    page.get_by_role("combobox", name="Vergleichen nach").select_option("language")
    expect(ends.get_by_role("row").nth(1)).to_contain_text("Deutsch")
    page.get_by_role("combobox", name="Version", exact=True).select_option("2")
    expect(ends.get_by_role("row")).to_have_count(2)
    page.reload()
    expect(ends.get_by_role("row")).to_have_count(2)
    expect(page).to_have_url(re.compile("by=language"))

    page.get_by_role("combobox", name="Projekt", exact=True).select_option("sales")
    expect(page.get_by_text("9 (100 %)")).to_be_visible()
    assert "version=2" not in page.url
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
