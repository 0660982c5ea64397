"""Requests for people: until when a person has to be answered, and which request is late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

WORDS = {
    "en-GB": ("late", "no date", "The person asked on", "Show the person"),
    "de-DE": ("überfällig", "kein Datum", "Die Person hat gefragt am", "Person anzeigen"),
    "ar-EG": ("متأخر", "لا تاريخ", "تاريخ طلب الشخص", "عرض الشخص"),
}


def request(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": name, "kind": "erase", "stage": "running", "requested_at": at(0),
        "requested_by": "user:ada", "reason": name, "reference": None, "confirmed_by": None,
        "expires_at": None, "finished_at": None, "problem": None, "names": [], "receipts": [],
        "copies_left": [], **fields,
    }  # fmt: skip


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_request_shows_when_the_answer_is_due_and_whether_it_is_late(
    opened: Opened, pages: Path, locale: str
) -> None:
    late, without, received, look = WORDS[locale]
    asked: list[Any] = []
    found = [
        request("late-one", due_on="2025-01-31"),
        request("answered-one", due_on="2025-01-31", stage="done"),
        request("of-retention", contexts=["whatsapp"]),
    ]

    def preview(call: Call) -> Answer:
        asked.append(call.input)
        return Answer({"names": [], "profiles": 0, "conversations": {}})

    answers = {
        "GET /privacy/requests": lambda _: Answer({"four_eyes": False, "requests": found}),
        "POST /privacy/requests": preview,
        "GET /privacy/retention": lambda _: Answer(
            {"version": 0, "requested": 0, "set_elsewhere": {}}
        ),
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/privacy")

    expect(page.get_by_role("row").filter(has_text="late-one")).to_contain_text(late)
    expect(page.get_by_role("row").filter(has_text="answered-one")).not_to_contain_text(late)
    expect(page.get_by_role("row").filter(has_text="of-retention")).to_contain_text(without)
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320

    form = page.get_by_role("form").first
    form.locator("input[type=text]").nth(0).fill("+4915112345678")
    form.locator("input[type=text]").nth(1).fill("asked by mail")
    form.get_by_label(received).fill("2026-01-05")
    form.get_by_role("button", name=look).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert (asked[0]["received_on"], asked[0]["dry_run"]) == ("2026-01-05", True)
