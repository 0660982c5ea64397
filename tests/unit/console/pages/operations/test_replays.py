"""Administrators let another version answer where a message of a real conversation stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.answers.assistant import ANSWER, QUESTION, REF, Assisted
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Call

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened

LINE = "POST /conversations/{ref}/playground"
PLACE = f"all/conversations/{REF.replace('#', '%23')}"
TRY = "Try another version here"


@dataclass
class Replays:
    """A conversation whose project has *versions*, of which the newest is live."""

    versions: int = 2
    asked: list[Any] = field(default_factory=list)

    def listed(self, _: Call) -> Answer:
        rows = [
            {
                "number": one, "at": at(one), "by": "user:kim", "note": f"why {one}",
                "based_on": None, "is_live": one == self.versions,
            }
            for one in range(self.versions, 0, -1)
        ]  # fmt: skip
        return Answer({"versions": rows})

    def answer(self, call: Call) -> Answer:
        self.asked.append(call.input)
        is_answer = call.input["message"].endswith(ANSWER)
        model_call = {
            "system": "Offer tea.", "history": ["user: I am ***"], "answer": "{}", "calls": [],
            "stop": "end", "tokens_in": 10, "tokens_out": 2, "ms": 4,
        }  # fmt: skip
        return Answer(
            {
                "version": call.input.get("version"), "content": "Tea?", "subject": None,
                "hand_off": None, "hand_off_reason": None, "calls": [], "passages": [],
                "faults": [{"fault": "too_long", "severity": "repair"}], "model": "gpt",
                "model_calls": [model_call], "tokens_in": 10, "tokens_out": 2, "ms": 4,
                "dollars": "0.01", "messages": [{"by": "customer", "text": "I am ***"}],
                "sent": "Coffee, ***?" if is_answer else None,
            }
        )  # fmt: skip

    def opened(self, opened: Opened, pages: Path, groups: str = "acme:admin") -> Page:
        network = Assisted().network(pages)
        network.groups = (groups,)
        network.answers["GET /projects/{project_id}/versions"] = self.listed
        network.answers[LINE] = self.answer
        return opened(network, PLACE)


def test_another_version_answers_beside_what_was_sent(opened: Opened, pages: Path) -> None:
    replays = Replays()
    page = replays.opened(opened, pages)
    page.locator(".message-out").get_by_role("button", name=TRY).click()
    dialog = page.get_by_role("dialog", name="Try another version")
    dialog.get_by_role("combobox", name="Version").select_option("1")
    dialog.get_by_role("button", name="Answer again").click()

    expect(dialog.get_by_text("Answer of version 1")).to_be_visible()
    expect(dialog).to_contain_text("Coffee, ***?")
    expect(dialog).to_contain_text("too long")
    [asked] = replays.asked
    assert (asked["message"], asked["version"]) == (f"{at(1)}~{ANSWER}", 1)
    dialog.get_by_text("How it came to this").click()
    expect(dialog.get_by_text("Offer tea.")).to_be_visible()
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_a_message_of_the_customer_is_answered_by_the_live_settings_of_a_project_without_versions(
    opened: Opened, pages: Path
) -> None:
    replays = Replays(versions=0)
    page = replays.opened(opened, pages)
    page.locator(".message-in").get_by_role("button", name=TRY).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("no versions yet")
    dialog.get_by_role("button", name="Answer again").click()

    expect(dialog.get_by_text("Answer of the live settings")).to_be_visible()
    expect(dialog.get_by_text("Sent then")).to_have_count(0)
    assert [one["message"] for one in replays.asked] == [f"{at(0)}~{QUESTION}"]


@pytest.mark.parametrize(
    ("locale", "label"),
    [("de-DE", "Hier andere Version ausprobieren"), ("ar-EG", "جرّب إصدارًا آخر هنا")],
)
def test_the_dialog_speaks_the_persons_language(opened: Opened, pages: Path, label: str) -> None:
    page = Replays().opened(opened, pages)
    page.get_by_role("button", name=label).first.click()

    expect(page.get_by_role("dialog").locator("select")).to_be_visible()
    assert barriers(page) == []


def test_agents_see_no_button_for_it(opened: Opened, pages: Path) -> None:
    page = Replays().opened(opened, pages, "acme:agent")
    expect(page.get_by_role("button", name="helpful", exact=True)).to_be_visible()

    expect(page.get_by_role("button", name=TRY)).to_have_count(0)


def test_the_model_of_a_mailbox_drafts_an_answer_to_a_pasted_mail(
    opened: Opened, pages: Path
) -> None:
    address, asked = "desk@shop.example", list[Any]()
    settings = {
        "address": address, "automation": "email_threads", "retention_days": 30, "enabled": True,
        "reply_mode": "manual", "ai": {"provider": "bedrock", "model": "m"}, "facts": [],
        "auto_complete": False, "link_hosts": [], "blocked_senders": [], "ai_version": 2,
    }  # fmt: skip

    def answer(call: Call) -> Answer:
        asked.append(call.input)
        return Answer(
            {
                "version": 2, "text": "It costs 40 EUR.", "waits": "unknown_amount",
                "intent": "price", "language": "en", "urgency": "low", "summary": "A price.",
                "needs_human": False, "needs_human_reason": None, "confidence": 0.8,
                "requirements": {}, "unconfirmed": {}, "questions": [], "is_complete": False,
                "mails": [], "model": "m", "tokens_in": 9, "tokens_out": 2, "ms": 3,
                "dollars": "0.01",
                "model_calls": [
                    {
                        "system": "You read the e-mails", "history": [], "answer": "{}",
                        "calls": [], "stop": "end", "tokens_in": 9, "tokens_out": 2, "ms": 3,
                    }
                ],
            }
        )  # fmt: skip

    replays = Replays()
    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /email-mailboxes": lambda _: Answer({"mailboxes": [settings]}),
            "GET /email-mailboxes/{address}/versions": replays.listed,
            "POST /email-mailboxes/{address}/playground": answer,
        },
    )
    page = opened(network, "operations/mailboxes")
    form = page.get_by_role("form", name="Try an answer")
    expect(form.get_by_role("button", name="Draft an answer")).to_be_disabled()
    form.get_by_role("textbox", name="Mail of the customer").fill("What does it cost?")
    form.get_by_role("button", name="Draft an answer").click()

    expect(page.get_by_text("It costs 40 EUR.")).to_be_visible()
    expect(page.get_by_text("approve it: unknown amount")).to_be_visible()
    [call] = asked
    assert (call["version"], call["mails"][0]["text"]) == (2, "What does it cost?")
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_version_of_the_help_desk_decides_on_a_pasted_ticket(opened: Opened, pages: Path) -> None:
    asked = list[Any]()
    template = {"tier": 1, "required": [], "optional": [], "texts": {"en": {"default": "Hello."}}}
    version = {
        "number": 3, "changed_at": at(0), "changed_by": "user:kim", "note": "", "based_on": 2,
        "is_in_force": True,
    }  # fmt: skip

    def answer(call: Call) -> Answer:
        asked.append(call.input)
        return Answer(
            {
                "version": 3, "intent": "return_request", "secondary": [], "team": "Returns",
                "tags": ["mw-processed"], "tier": None, "takes_over": True, "template": None,
                "text": None, "considered": None, "reason": "template", "shut": ["template"],
                "rule": "word_model", "language": "en", "confidence": 0.8, "risk_flags": [],
                "trace": None,
            }
        )  # fmt: skip

    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /admin/richpanel/templates": lambda _: Answer({"templates": {"one": template}}),
            "GET /admin/richpanel/settings": lambda _: Answer(
                {"number": 3, "settings": {}, "changed_at": None, "changed_by": None}
            ),
            "GET /admin/richpanel/settings/versions": lambda _: Answer({"versions": [version]}),
            "POST /admin/richpanel/playground": answer,
        },
    )
    page = opened(network, "operations/templates")
    form = page.get_by_role("form", name="Try a decision")
    form.get_by_role("combobox", name="Channel").select_option("livechat")
    form.get_by_role("textbox", name="Message of the customer").fill("I return it.")
    form.get_by_role("button", name="Decide").click()

    expect(page.get_by_text("No automatic reply")).to_be_visible()
    expect(page.get_by_text("return request · Returns")).to_be_visible()
    [call] = asked
    assert (call["number"], call["channel"], call["text"]) == (3, "livechat", "I return it.")
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
