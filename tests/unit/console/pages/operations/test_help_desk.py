"""The help desk: set-up of the account, report of dry run, comparison, the switch and its way back, languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

WORDS = {
    "en-GB": ("Go live", "Back to dry run", "Compare with the help desk", "Undo", "Store"),
    "de-DE": (
        *("Live gehen", "Zurück zum Probelauf", "Mit dem Helpdesk vergleichen"),
        *("Rückgängig", "Speichern"),
    ),
    "ar-EG": (
        *("بدء التشغيل الفعلي", "العودة إلى التشغيل التجريبي", "المقارنة بمكتب المساعدة"),
        *("تراجع", "حفظ"),
    ),
}
LINE = {
    "intent": "order_status",
    "decisions": 12,
    "would_reply": 9,
    "would_hand_over": 1,
    "would_route": 2,
    "unknown": 0,
    "teams": {"email": 12},
    "reasons": {"low_confidence": 3},
}
TOKEN = "a-token-that-is-shown-once"
COMPARED = {"same_team": 5, "other_team": 1, "person": 2, "unassigned": 0, "not_read": 1}
HEALTH = {
    "healthy": False,
    "checks": {"help_desk": "ok", "model": "key_missing"},
    "waiting": {},
    "keys": {"richpanel": True},
    "swept_at": at(0),
    "teams": {"team-1": "Returns"},
    "shop_scopes": None,
}
ACCOUNT = {
    "company": "acme",
    "source": "deployment",
    "number": 3,
    "fields": {
        "support_signature": "Acme",
        "shop_timezone": "Europe/Berlin",
        "bot_author_id": "bot-1",
        "team_assignees": {"returns": "team-1"},
        "order_mask": "#1000",
    },
    "keys": {"richpanel": False},
    "webhook": "https://api.example/prod/webhooks/richpanel",
    "tokens": 1,
    "model": {"classifier": "rules", "deployed": "rules", "provider": None, "model": None},
}


class Desk:
    """A help desk in dry run, and what was asked of it."""

    def __init__(self) -> None:
        self.is_dry = True
        self.given: list[Any] = []
        self.settings: dict[str, Any] = {"languages": ["en", "de"]}
        self.number = 3
        self.is_complete = True
        self.unknown = 0
        self.account: dict[str, Any] = dict(ACCOUNT)
        self.health: dict[str, Any] = dict(HEALTH)

    def forecast(self, call: Call) -> Answer:
        compared = COMPARED if int(call.input["compare"]) else dict.fromkeys(COMPARED, 0)
        report = {"days": 7, "decisions": 12, "others": 4, "is_complete": self.is_complete}
        differing = {"t-9": "returns"} if int(call.input["compare"]) else {}
        return Answer(
            report
            | {"by_intent": [LINE | {"unknown": self.unknown}]}
            | {"compared": compared | {"differing": differing}}
        )

    def switches(self, _: Call) -> Answer:
        standing: dict[str, Any] = {"dry_run": self.is_dry, "safe_mode": True}
        texts = {
            name: {"text": str(one).lower(), "in_force": one} for name, one in standing.items()
        }
        return Answer({"switches": texts, "readable": True, "changes": []})

    def put(self, call: Call) -> Answer:
        self.given.append(dict(call.input))
        self.is_dry = call.input["dry_run"] == "true"
        return Answer({**self.switches(call).result, "changed": ["dry_run"]})

    def shown(self, _: Call) -> Answer:
        by = {"changed_at": at(1), "changed_by": "user:ada"}
        return Answer({"number": self.number, "settings": self.settings, **by})

    def store(self, call: Call) -> Answer:
        self.given.append(dict(call.input))
        self.number += 2  # a colleague has stored a draft meanwhile
        self.settings = call.input["settings"]
        return self.shown(call)

    def put_live(self, call: Call) -> Answer:
        self.given.append((call.path["number"], dict(call.input)))
        return Answer({"live_version": int(call.path["number"]), "before": self.number})

    def store_keys(self, call: Call) -> Answer:
        self.given.append({name: value for name, value in call.input.items() if value})
        written = {name: True for name, value in call.input.items() if value and name != "remove"}
        removed = dict.fromkeys(call.input.get("remove", []), False)
        self.account["keys"] = self.account["keys"] | written | removed
        checks = {**self.health["checks"], "model": "ok"}
        self.health = {**self.health, "checks": checks, "healthy": True}
        return Answer({"company": "acme", "keys": self.account["keys"]})

    def make_token(self, _: Call) -> Answer:
        self.account["tokens"] += 1
        tokens = {"tokens": self.account["tokens"], "notice": None}
        return Answer({"header": "X-Middleware-Token", "token": TOKEN, **tokens})

    def end_tokens(self, _: Call) -> Answer:
        self.account["tokens"] = 1
        return Answer({"tokens": 1})

    def opened(self, opened: Opened, pages: Path, *groups: str) -> Page:
        answers: dict[str, Any] = {
            "GET /admin/richpanel/health": lambda _: Answer(self.health),
            "GET /admin/richpanel/account": lambda _: Answer(self.account),
            "POST /admin/richpanel/keys": self.store_keys,
            "POST /admin/richpanel/webhook-tokens": self.make_token,
            "DELETE /admin/richpanel/webhook-tokens": self.end_tokens,
            "GET /admin/richpanel/forecast": self.forecast,
            "GET /admin/richpanel/switches": self.switches,
            "PUT /admin/richpanel/switches": self.put,
            "GET /admin/richpanel/settings": self.shown,
            "PUT /admin/richpanel/settings": self.store,
            "POST /admin/richpanel/settings/versions/{number}/live": self.put_live,
        }
        return opened(
            Company().network(pages, "acme:admin", *groups, **answers), "operations/helpdesk"
        )


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_administrator_reads_the_report_goes_live_with_what_will_change_and_comes_back(
    opened: Opened, pages: Path, locale: str
) -> None:
    live, dry, compare, undo, _ = WORDS[locale]
    desk = Desk()
    page = desk.opened(opened, pages)
    row = page.get_by_role("row").filter(has_text="order status")
    expect(row).to_contain_text("low confidence")
    expect(page.get_by_text("safe_mode").first).to_be_visible()  # it holds replies back
    page.get_by_role("button", name=compare).click()
    expect(page.get_by_role("row").filter(has_text="t-9")).to_contain_text("returns")
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []

    page.get_by_role("button", name=live).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("9")
    expect(dialog).to_contain_text("safe_mode")
    assert desk.given == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    dialog.get_by_role("button", name=live).click()
    expect(page.get_by_role("button", name=dry)).to_be_visible()
    assert desk.given == [{"dry_run": "false"}]

    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=live)).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    assert desk.given == [{"dry_run": "false"}, {"dry_run": "true"}]


def test_languages_and_teams_are_stored_as_a_version_and_the_one_before_comes_back(
    opened: Opened, pages: Path
) -> None:
    *_, undo, store = WORDS["en-GB"]
    desk = Desk()
    page = desk.opened(opened, pages)
    page.get_by_role("checkbox", name="fr").check()
    page.get_by_label("Name of the team returns").fill(" Exchanges ")
    page.get_by_role("button", name=store, exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=store, exact=True).click()
    expect(page.get_by_role("button", name=undo)).to_be_visible()
    settings = {"languages": ["en", "fr", "de"], "team_names": {"returns": "Exchanges"}}
    assert desk.given == [{"based_on": 3, "settings": settings}]

    page.get_by_role("button", name=undo).click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    assert desk.given[1] == ("3", {"instead_of": 5})


def test_the_dialog_before_going_live_says_what_the_report_does_not_know(
    opened: Opened, pages: Path
) -> None:
    live = WORDS["en-GB"][0]
    desk = Desk()
    page = desk.opened(opened, pages)
    page.get_by_role("button", name=live).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("In the last 7 days (UTC) it would have replied to 9 messages")
    expect(dialog).not_to_contain_text("not known")
    dialog.get_by_role("button", name="Cancel").click()

    desk.is_complete, desk.unknown = False, 6
    page.get_by_role("combobox").last.select_option("14")
    expect(page.get_by_text("Only the newest 16 decisions were read.")).to_be_visible()
    page.get_by_role("button", name=live).click()
    expect(dialog).to_contain_text("replied to at least 9 messages")
    expect(dialog).to_contain_text("Only the newest 16 decisions were read.")
    expect(dialog).to_contain_text("For 6 decisions it is not known")


def test_a_changed_name_of_a_team_is_what_the_dialog_before_the_change_shows(
    opened: Opened, pages: Path
) -> None:
    store = WORDS["en-GB"][-1]
    desk = Desk()
    desk.settings["team_names"] = {"sales": "Shop"}
    page = desk.opened(opened, pages)
    name = page.get_by_label("Name of the team returns")
    name.fill("  ")
    expect(page.get_by_role("button", name=store, exact=True)).to_be_disabled()
    name.fill(" Exchanges")
    page.get_by_label("Name of the team sales").fill("")
    page.get_by_role("button", name=store, exact=True).click()

    change = page.get_by_role("dialog").get_by_role("paragraph").first
    expect(change).to_contain_text("sales: Shop; returns: standard name")
    expect(change).to_contain_text("sales: standard name; returns: Exchanges")
    expect(change).not_to_contain_text("en, de")


SETUP = {
    "en-GB": ("API key of Richpanel", "Store keys", "Make a token", "Store the account"),
    "de-DE": (
        *("API-Schlüssel von Richpanel", "Schlüssel speichern", "Token erstellen"),
        "Konto speichern",
    ),
    "ar-EG": ("مفتاح واجهة Richpanel", "حفظ المفاتيح", "إنشاء رمز", "حفظ الحساب"),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in SETUP])
def test_an_operator_stores_a_key_that_is_never_shown_again_and_the_check_says_whether_it_works(
    opened: Opened, pages: Path, locale: str
) -> None:
    key, store, *_ = SETUP[locale]
    desk = Desk()
    page = desk.opened(opened, pages, "acme:operator")
    check = page.get_by_role("row").filter(has_text="key missing")
    expect(check).to_be_visible()
    expect(page.get_by_label(key, exact=True)).to_have_attribute("type", "password")
    expect(page.get_by_role("button", name=store, exact=True)).to_be_disabled()
    page.get_by_label(key, exact=True).fill("a-secret-key")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []

    page.get_by_role("button", name=store, exact=True).click()
    expect(check).to_have_count(0)
    expect(page.get_by_label(key, exact=True)).to_have_value("")
    assert desk.given == [{"richpanel": "a-secret-key"}]
    assert "a-secret-key" not in page.content()
    assert (
        page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})").find("a-secret") < 0
    )


def test_a_removed_key_is_asked_for_with_what_the_removal_does(opened: Opened, pages: Path) -> None:
    desk = Desk()
    desk.account["keys"] = {"richpanel": True}
    page = desk.opened(opened, pages, "acme:operator")
    page.get_by_role("button", name="Remove API key of Richpanel").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("no ticket is read, tagged, assigned or answered any more")
    expect(dialog).to_contain_text("cannot be undone")
    assert desk.given == []
    dialog.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("No key of the help desk is stored")).to_be_visible()
    assert desk.given == [{"remove": ["richpanel"]}]


def test_a_token_of_the_webhook_is_shown_once_and_the_earlier_ones_end_after_a_question(
    opened: Opened, pages: Path
) -> None:
    desk = Desk()
    page = desk.opened(opened, pages, "acme:operator")
    expect(page.get_by_text("https://api.example/prod/webhooks/richpanel")).to_be_visible()
    expect(page.get_by_role("button", name="End the earlier tokens")).to_have_count(0)
    page.get_by_role("button", name="Make a token").click()
    expect(page.get_by_text("This token is shown once")).to_be_visible()
    page.get_by_role("button", name="Show: Token").click()
    expect(page.get_by_text(TOKEN)).to_be_visible()

    page.get_by_role("button", name="End the earlier tokens").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("calls with an earlier token are refused")
    dialog.get_by_role("button", name="End the earlier tokens").click()
    expect(page.get_by_role("button", name="End the earlier tokens")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("Valid tokens: 1")).to_be_visible()
    expect(page.get_by_text(TOKEN)).to_have_count(0)


OWNERLESS = {
    "en-GB": ("belongs to no company yet", "Make a token"),
    "de-DE": ("gehört noch keinem Unternehmen", "Token erstellen"),
    "ar-EG": ("لا يتبع مكتب المساعدة أي شركة بعد", "إنشاء رمز"),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in OWNERLESS])
def test_a_help_desk_of_no_company_gives_no_token_until_its_key_is_stored(
    opened: Opened, pages: Path, locale: str
) -> None:
    words, make = OWNERLESS[locale]
    desk = Desk()
    desk.account["company"] = None
    page = desk.opened(opened, pages, "acme:operator")

    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_role("button", name=make)).to_be_disabled()
    desk.account["company"] = "acme"
    page.reload()
    expect(page.get_by_role("button", name=make)).to_be_enabled()


def test_an_administrator_without_the_role_operator_sees_no_keys_and_may_change_the_account(
    opened: Opened, pages: Path
) -> None:
    page = Desk().opened(opened, pages)

    expect(page.get_by_text("a person with the role operator")).to_be_visible()
    expect(page.get_by_role("form", name="1. Keys")).to_have_count(0)
    expect(page.get_by_role("form", name="3. Account")).to_be_visible()


def test_a_changed_account_is_asked_for_stored_as_a_version_and_undone(
    opened: Opened, pages: Path
) -> None:
    desk = Desk()
    page = desk.opened(opened, pages)
    store = page.get_by_role("button", name="Store the account")
    expect(store).to_be_disabled()
    page.get_by_label("Signature of replies").fill("Acme Bicycles")
    page.get_by_label("Own e-mail addresses").fill("shop@acme.example\nhelp@acme.example")
    page.get_by_text("Who gets the tickets of a team (1)").click()
    page.get_by_label("Assignee of sales").fill("team-2")
    store.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Signature of replies: Acme Bicycles")
    expect(dialog).to_contain_text("within five minutes")
    dialog.get_by_role("button", name="Store the account").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()

    (given,) = desk.given
    account = given["settings"]["account"]
    assert given["based_on"] == 3
    assert account["support_signature"] == "Acme Bicycles"
    assert account["own_addresses"] == ["shop@acme.example", "help@acme.example"]
    assert account["team_assignees"] == {"returns": "team-1", "sales": "team-2"}
    assert account["order_mask"] == "#1000"  # the form does not show it
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    assert desk.given[1] == ("3", {"instead_of": 5})


def test_what_was_entered_of_an_account_survives_a_reload_until_it_is_discarded(
    opened: Opened, pages: Path
) -> None:
    page = Desk().opened(opened, pages)
    page.get_by_label("Signature of replies").fill("Acme Bicycles")
    page.reload()
    expect(page.get_by_label("Signature of replies")).to_have_value("Acme Bicycles")
    page.get_by_role("button", name="Discard what was entered").click()
    expect(page.get_by_label("Signature of replies")).to_have_value("Acme")
