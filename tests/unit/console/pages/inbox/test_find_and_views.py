"""One search from every page, its place in the address, and saved views with their counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.unit.console.pages.answers.person import Known
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

STATUSES = ["open", "snoozed", "resolved", "archived"]


class Statuses(Company):
    """Conversations of every status; a search finds those with its words in their names."""

    def inbox(self, call: Call) -> Answer:
        answer = super().inbox(call).result
        rows = [
            self.row(number) | {"status": status, "contact": f"Peña {status}"}
            for number, status in enumerate(STATUSES)
            if call.input.get("status", "open") in {"all", status}
        ]
        return Answer({**answer, "conversations": rows})


def search(page: Page, words: str) -> None:
    page.get_by_role("searchbox", name="Search").fill(words)
    expect(page).to_have_url(re.compile(r"[?&]q="))


def test_a_search_shows_each_status_and_back_and_reload_show_the_list_of_the_address(
    opened: Opened, pages: Path
) -> None:
    page = opened(Statuses().network(pages), "all")
    rows = page.locator(".row")
    expect(rows).to_have_count(1)
    search(page, "pena")
    expect(rows).to_have_count(len(STATUSES))
    for name in ("Open", "Snoozed", "Resolved", "Archived"):
        expect(rows.get_by_text(name, exact=True)).to_have_count(1)

    page.get_by_role("group", name="Filter").get_by_role("button", name="Resolved").click()
    expect(rows).to_have_count(1)
    page.go_back()
    expect(rows).to_have_count(len(STATUSES))
    page.go_back()
    expect(rows).to_have_count(1)
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("")
    page.go_forward()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("pena")
    page.reload()
    expect(rows).to_have_count(len(STATUSES))
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("pena")


def test_ctrl_k_finds_conversations_of_all_statuses_people_actions_and_settings(
    opened: Opened, pages: Path
) -> None:
    asked: list[Call] = []
    known = Known()

    def contacts(call: Call) -> Answer:
        asked.append(call)
        return Answer({"contacts": [known.contact(name="Lía Peña")]})

    def inbox(call: Call) -> Answer:
        if "q" in call.input:
            asked.append(call)
        return known.inbox(call)

    network = known.network(
        pages, "acme:supervisor", **{"GET /contacts": contacts, "GET /inbox": inbox}
    )
    page = opened(network, "no such page")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="People, conversations, actions, settings")
    expect(box).to_be_focused()
    box.fill("lia")
    person = page.get_by_role("option").filter(has_text="Person")
    expect(person).to_have_count(1)
    expect(page.get_by_role("option").filter(has_text="Open")).not_to_have_count(0)
    assert {call.input.get("status") for call in asked} == {"all", None}
    person.click()
    expect(page).to_have_url(re.compile("contacts/c0"))

    page.keyboard.press("Control+k")
    box.fill("inbox")
    box.press("Enter")
    expect(page).to_have_url(re.compile("#/all"))
    page.keyboard.press("Control+k")
    box.fill("keyboard shortcuts")
    box.press("Enter")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_views_have_counts_and_their_owners_and_the_shown_one_is_marked(
    opened: Opened, pages: Path
) -> None:
    stored: list[Call] = []
    presets = [
        {"name": name, "filters": filters, "count": count, "is_exact": count < 99}
        for name, filters, count in (
            ("unassigned", {"unassigned": "true"}, 3),
            ("waiting", {"waiting": "true"}, 99),
            ("unread", {"unread": "true"}, 0),
            ("at_risk", {"due": "at_risk"}, 1),
        )
    ]
    repairs = {
        "name": "Repairs",
        "filters": {"label": "repair", "status": "open"},
        "count": 2,
        "is_exact": True,
    }

    def store(call: Call) -> Answer:
        stored.append(call)
        return Answer({"owner": "team:shop", "revision": 1})

    network = Company().network(
        pages,
        **{
            "GET /inbox/views": lambda _: Answer(
                {"presets": presets, "owners": [{"owner": "team:shop", "views": [repairs]}]}
            ),
            "POST /inbox/views": store,
        },
    )
    page = opened(network, "all")
    shown = page.get_by_role("navigation", name="Views").get_by_role("link")
    expect(shown).to_have_text(
        [
            "Not assigned 3",
            "Waiting for us 99+",
            "Unread 0",
            "SLA at risk 1",
            re.compile("Repairs.+2"),
        ]
    )
    expect(shown.last).to_contain_text("shop")
    shown.last.click()
    expect(shown.last).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile("label=repair"))

    page.get_by_role("button", name="Save or remove a view").click()
    page.get_by_role("textbox", name="Name of the view").fill("Ours")
    page.get_by_role("combobox", name="For").select_option("shop")
    page.get_by_role("button", name="Save this list as a view").click()
    expect(page.get_by_role("textbox", name="Name of the view")).to_have_count(0)
    assert stored[0].input["team"] == "shop"
    assert stored[0].input["filters"]["label"] == "repair"
