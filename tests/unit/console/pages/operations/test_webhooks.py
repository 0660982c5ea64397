"""The page of webhooks, in three languages: an empty state, a secret that is shown once, tests, pauses, deliveries."""

from __future__ import annotations

import re
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

SECRET = "whsec_c2VjcmV0"
WORDS = {
    "en-GB": ("Create", "Pause", "Deliveries", "waits"),
    "de-DE": ("Anlegen", "Anhalten", "Zustellungen", "wartet"),
    "ar-EG": ("إنشاء", "إيقاف مؤقت", "عمليات التسليم", "ينتظر"),
}


def hook(state: str = "active") -> dict[str, Any]:
    return {
        "webhookId": "hook-1",
        "name": "CRM",
        "url": "https://hooks.example.com/parley",
        "hasQuery": True,
        "types": ["message.received", "contact.opted_out"],
        "contexts": ["whatsapp"],
        "state": state,
        "createdAt": at(0),
        "createdBy": "user:ada",
        "pausedFor": "person" if state == "paused" else None,
        "failingSince": None,
        "oldSecretUntil": None,
    }


DELIVERY = {
    "deliveryId": "1767268800000_a",
    "eventId": "event-1",
    "type": "message.received",
    "at": at(1),
    "result": "waiting",
    "attempts": 2,
    "status": 503,
    "problem": None,
    "triedAt": at(2),
    "nextAt": at(3),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_administrator_makes_a_webhook_sees_its_secret_once_and_pauses_it(
    opened: Opened, pages: Path, locale: str
) -> None:
    create, pause, deliveries, waits = WORDS[locale]
    stored: list[dict[str, Any]] = []
    given: list[Any] = []

    def made(call: Call) -> Answer:
        given.append(call.input)
        stored.append(hook())
        return Answer({"webhook": hook(), "secret": SECRET, "notice": None})

    def changed(call: Call) -> Answer:
        given.append(call.input)
        stored[0] = hook("paused")
        return Answer(stored[0])

    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /inbox/webhooks": lambda _: Answer({"webhooks": stored}),
            "POST /inbox/webhooks": made,
            "POST /inbox/webhooks/{webhook_id}": changed,
            "GET /inbox/webhooks/{webhook_id}/deliveries": lambda _: Answer(
                {"deliveries": [DELIVERY]}
            ),
        },
    )
    page = opened(network, "operations/webhooks")
    expect(page.locator(".ops-empty")).to_be_visible()  # what to do first
    page.locator("input[maxlength='80']").fill("CRM")
    page.locator("input[maxlength='2048']").fill("https://hooks.example.com/parley?code=1")
    page.get_by_role("button", name=create, exact=True).click()

    shown = page.locator(".setup-number")
    expect(shown).to_be_visible()
    expect(shown).not_to_contain_text(SECRET)  # until the person asks for it
    shown.locator(".setup-copied button").last.click()
    expect(shown).to_contain_text(SECRET)
    row = page.get_by_role("row").filter(has_text="CRM")
    expect(row).to_contain_text("https://hooks.example.com/parley?…")
    row.get_by_role("button", name=named(deliveries)).click()
    expect(page.get_by_role("row").filter(has_text="event-1")).to_contain_text(waits)
    assert serious(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    row.get_by_role("button", name=named(pause)).click()
    page.get_by_role("dialog").get_by_role("button", name=pause, exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    assert given[0]["types"] == ["message.received"]
    assert given[1] == {"state": "paused"}
    expect(row.get_by_role("button", name=named(pause))).to_have_count(0)


class Stored:
    """One webhook, and the changes that were asked for."""

    def __init__(self, **fields: Any) -> None:
        self.row = hook() | fields
        self.given: list[dict[str, Any]] = []

    def changed(self, call: Call) -> Answer:
        self.given.append({name: value for name, value in call.input.items() if value is not None})
        if "url" in self.given[-1]:
            address, _, query = self.given[-1]["url"].partition("?")
            self.row |= {"url": address, "hasQuery": bool(query)}
        self.row |= {name: value for name, value in self.given[-1].items() if name != "url"}
        return Answer(self.row)

    def opened(self, opened: Opened, pages: Path) -> Any:
        network = Company().network(
            pages,
            "acme:admin",
            **{
                "GET /inbox/webhooks": lambda _: Answer({"webhooks": [self.row]}),
                "POST /inbox/webhooks/{webhook_id}": self.changed,
            },
        )
        return opened(network, "operations/webhooks")


EDITS = {
    "en-GB": ("Change", "Name", "Store", "Undo"),
    "de-DE": ("ändern", "Name", "Speichern", "Rückgängig"),
    "ar-EG": ("تغيير", "الاسم", "حفظ", "تراجع"),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in EDITS])
def test_a_changed_webhook_sends_only_what_differs_after_a_question_and_is_undone(
    opened: Opened, pages: Path, locale: str
) -> None:
    edit, _, store, undo = EDITS[locale]
    webhook = Stored(hasQuery=False)
    page = webhook.opened(opened, pages)
    changes = re.compile(f"{edit}.*CRM|CRM.*{edit}")
    page.get_by_role("button", name=changes).click()
    form = page.get_by_role("region", name=changes)
    expect(form.get_by_role("button", name=store, exact=True)).to_be_disabled()
    form.locator("input[type='checkbox']").nth(1).check()
    form.locator("input[maxlength='2048']").fill("https://hooks.example.com/other")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert serious(page) == []
    form.get_by_role("button", name=store, exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("https://hooks.example.com/other")
    assert webhook.given == []
    dialog.get_by_role("button", name=store, exact=True).click()

    expect(page.get_by_role("button", name=undo)).to_be_visible()
    (given,) = webhook.given
    assert given.keys() == {"url", "types"}
    assert sorted(given["types"]) == ["contact.opted_out", "message.received", "message.sent"]
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_text("https://hooks.example.com/parley")).to_be_visible()
    assert sorted(webhook.row["types"]) == ["contact.opted_out", "message.received"]


def test_an_address_with_a_query_cannot_come_back_and_the_dialog_says_so(
    opened: Opened, pages: Path
) -> None:
    webhook = Stored(hasQuery=True)
    page = webhook.opened(opened, pages)
    page.get_by_role("button", name="Change CRM").click()
    form = page.get_by_role("region", name="Change CRM")
    form.locator("input[maxlength='2048']").fill("https://hooks.example.com/other")
    form.get_by_role("button", name="Store", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("cannot be undone")


def named(button: str) -> re.Pattern[str]:
    """The name of a button of the row; in Arabic, marks of direction stand around the name of the webhook."""
    return re.compile(f"{button}.*CRM")


def serious(page: Any) -> list[str]:
    """The serious and critical findings of axe."""
    page.evaluate(browsers.axe())
    report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html']}"
        for one in report["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]
