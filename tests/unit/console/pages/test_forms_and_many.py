"""What the API refuses stands beside its field, in the person's language; what is removed comes back; many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from shared.runtime import clock
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call


class Replies:
    """The canned replies of a company, which refuses some."""

    def __init__(self) -> None:
        self.texts = {"hours": "We open at nine."}
        self.times: dict[str, int] = {}
        self.seen: list[str | None] = []

    def view(self, name: str) -> dict[str, Any]:
        by = {"variables": [], "updated_at": at(self.times.get(name, 0)), "updated_by": "user:ada"}
        return {"name": name, "text": self.texts[name], **by}

    def listed(self, _: Call) -> Answer:
        return Answer({"canned_replies": [self.view(name) for name in self.texts]})

    def store(self, call: Call) -> Answer | Refusal:
        if "{{1" in call.input["text"]:
            return Refusal(400, "invalid_input", {"text": "must be a time such as 08:30"})
        self.seen.append(call.input["seen"])
        stored = self.view(call.path["name"]) if call.path["name"] in self.texts else {}
        if call.input["seen"] != stored.get("updated_at"):
            return Refusal(409, "version_conflict")
        self.times[call.path["name"]] = len(self.seen)
        self.texts[call.path["name"]] = call.input["text"]
        return Answer(self.view(call.path["name"]))

    def remove(self, call: Call) -> Answer:
        del self.texts[call.path["name"]]
        return Answer({"name": call.path["name"]})


def problem_of(field: Locator) -> str:
    """What stands beside a field."""
    shown = field.locator("xpath=ancestor::label").locator(".field-problem")
    expect(shown).to_have_attribute("role", "alert")
    return shown.inner_text()


@pytest.mark.parametrize("locale", ["de-DE"])
def test_a_refused_text_stays_with_the_reason_beside_it_and_what_was_removed_comes_back(
    opened: Opened, pages: Path
) -> None:
    replies = Replies()
    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /whatsapp/canned-replies": replies.listed,
            "PUT /whatsapp/canned-replies/{name}": replies.store,
            "DELETE /whatsapp/canned-replies/{name}": replies.remove,
            "GET /email-threads/macros": lambda _: Answer({"macros": []}),
            "POST /email-threads/macros": lambda _: Refusal(
                400, "invalid_input", {"canned_reply": "there is no such canned reply"}
            ),
        },
    )
    network.refuses = True
    page = opened(network, "operations/macros")
    form = page.get_by_role("form").first
    name, text = form.locator("input"), form.locator("textarea")
    name.fill("address")
    text.fill("At {{1 street}}")
    form.get_by_role("button", name="Speichern").click()
    assert problem_of(text) == "muss geschrieben sein wie 08:30"
    expect(text).to_have_value("At {{1 street}}")
    text.fill("At the corner")
    form.get_by_role("button", name="Speichern").click()
    row = page.get_by_role("row").filter(has_text="At the corner")
    row.get_by_role("button", name="Entfernen address").click()
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Rückgängig").click()
    expect(row).to_have_count(1)

    macro = page.get_by_role("form").last
    macro.locator("input").first.fill("close")
    macro.locator("select").first.select_option("hours")
    labels = macro.get_by_label("Etiketten hinzufügen")
    labels.fill("x" * 51)
    macro.get_by_role("button", name="Speichern").click()
    assert problem_of(labels) == "darf höchstens 50 Zeichen haben"
    expect(labels).to_have_value("x" * 51)
    labels.fill("late")
    macro.get_by_role("button", name="Speichern").click()
    assert problem_of(macro.locator("select").first) == "diesen Textbaustein gibt es nicht"


MEANWHILE = {
    "en-GB": ("Edit hours", "Store", "Store again to replace it"),
    "de-DE": ("Bearbeiten hours", "Speichern", "Noch einmal speichern ersetzt es"),
    "ar-EG": ("تعديل hours", "حفظ", "احفظ مرة أخرى لاستبداله"),
}


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in MEANWHILE])
def test_a_canned_reply_that_a_colleague_has_changed_is_shown_before_it_is_replaced(
    opened: Opened, pages: Path, locale: str
) -> None:
    edit, store, words = MEANWHILE[locale]
    replies = Replies()
    answers = {
        "GET /whatsapp/canned-replies": replies.listed,
        "PUT /whatsapp/canned-replies/{name}": replies.store,
        "GET /email-threads/macros": lambda _: Answer({"macros": []}),
    }
    network = Company().network(pages, "acme:admin", **answers)
    network.refuses = True
    page = opened(network, "operations/macros")
    page.get_by_role("button", name=edit).click()
    form = page.get_by_role("form").first
    replies.texts["hours"], replies.times["hours"] = "We open at ten.", 7  # a colleague
    form.locator("textarea").fill("We open at eight.")
    form.get_by_role("button", name=store).click()

    expect(form).to_contain_text(words)
    expect(form.locator("q")).to_have_text("We open at ten.")
    expect(form.locator("textarea")).to_have_value("We open at eight.")
    assert replies.texts["hours"] == "We open at ten."
    form.get_by_role("button", name=store).click()
    expect(page.get_by_role("row").filter(has_text="We open at eight.")).to_be_visible()
    assert replies.seen == [at(0), at(7)]


def test_all_conversations_that_match_are_changed_by_one_request_with_a_result(
    opened: Opened, pages: Path
) -> None:
    asked: list[Call] = []
    company = Company(rows=120)

    def change() -> dict[str, Any]:
        refusals = [{"conversation": company.row(3), "code": "conversation_erased"}]
        counts = {"total": 120, "handled": 120, "done": 119, "skipped": 0, "stale": 0, "refused": 1}
        return counts | {
            "change_id": f"{len(asked):032}", "requested_at": clock.to_text(clock.now_ms()),
            "stage": "ended", "is_cut": False,
            "action": asked[-1].input["action"], "outcome": "done", "is_stopping": False,
            "may_be_undone": True, "undoes": None, "refusals": refusals,
        }  # fmt: skip

    def begin(call: Call) -> Answer:
        asked.append(call)
        return Answer({"change_id": f"{len(asked):032}", "stage": "listing"})

    network = company.network(
        pages,
        **{
            "POST /inbox/bulk": begin,
            "GET /inbox/bulk": lambda _: Answer({"change": change() if asked else None}),
        },
    )
    page = opened(network, "all")
    selection = page.get_by_role("group", name="Change of several conversations")

    def choose_all() -> None:
        page.locator(".row-choice input").first.check()
        selection.get_by_role("button", name="Select all that match").click()

    def ended() -> None:
        expect(page.get_by_text("119 conversations changed.")).to_be_visible()
        expect(page.locator(".notice").get_by_role("link", name="Customer 3")).to_be_visible()
        page.get_by_role("button", name="Close the result").click()

    choose_all()
    selection.get_by_role("combobox", name="Assign to").select_option("user:kim")
    ended()
    choose_all()
    selection.get_by_role("textbox", name="Add a label").fill("late")
    page.keyboard.press("Enter")
    ended()
    choose_all()
    selection.get_by_role("button", name="Snooze").click()
    selection.get_by_role("button", name="For a week").click()
    ended()
    for name in ("Resolve", "Archive", "Mark as read"):
        choose_all()
        selection.get_by_role("button", name=name).click()
        ended()

    actions = [call.input["action"] for call in asked]
    assert actions == ["assign", "label", "snooze", "resolve", "archive", "read"]
    assert [call.input.get("value") for call in asked[:2]] == ["user:kim", "late"]
    assert all(call.input["filters"] == {"status": "open"} for call in asked)


def test_the_account_offers_the_form_of_signatures(opened: Opened, pages: Path) -> None:
    signature: dict[str, Any] = {"name": None, "text": None, "by_mailbox": {}}
    network = Company().network(
        pages,
        **{
            "GET /email-threads/signature": lambda _: Answer(signature),
            "GET /email-mailboxes": lambda _: Answer({"mailboxes": []}),
        },
    )
    page = opened(network, "all")
    page.locator(".account button").first.click()
    page.locator(".account").get_by_role("button", name="signature").click()

    expect(page.locator(".account form")).to_be_visible()
