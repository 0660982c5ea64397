"""A change of a live switch says what it does and who is affected, asks first, and can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

OPEN = {"context": "email_threads", "channel": "email", "open": 7, "waiting": 3}
BACKLOG = {
    "bounds": [86_400],
    "backlog": [OPEN | {"by_age": [7, 0], "by_wait": [3, 0]}],
    "complete": True,
}
WORDS = {
    "en-GB": ("Send safe answers", "A person approves", "without a person", "Undo"),
    "de-DE": ("Sichere Antworten senden", "Ein Mensch gibt", "ohne einen Menschen", "Rückgängig"),
    "ar-EG": ("إرسال الإجابات الآمنة", "يوافق شخص", "دون شخص", "تراجع"),
}


class Mailboxes:
    """One mailbox, and what was asked of it."""

    def __init__(self) -> None:
        self.mailbox: dict[str, Any] = {
            "address": "support@acme.example",
            "automation": "email_threads",
            "reply_mode": "manual",
            "enabled": True,
            "retention_days": 30,
            "auto_complete": False,
            "facts": [],
            "link_hosts": [],
            "updated_at": "2026-01-01T12:00:00.000Z",
        }
        self.given: list[Any] = []

    def put(self, call: Call) -> Answer:
        self.given.append(call.input)
        self.mailbox |= dict(call.input)
        return Answer(self.mailbox | {"registered": True})

    def answers(self) -> dict[str, Any]:
        return {
            "GET /email-mailboxes": lambda _: Answer({"mailboxes": [self.mailbox]}),
            "PUT /email-mailboxes/{address}": self.put,
            "GET /email-mailboxes/{address}/versions": lambda _: Answer({"versions": []}),
            "GET /reports/backlog": lambda _: Answer(BACKLOG),
        }


def opened_mode(opened: Opened, pages: Path, mailboxes: Mailboxes, **answers: Any) -> Page:
    network = Company().network(pages, "acme:admin", **(mailboxes.answers() | answers))
    return opened(network, "operations/mailboxes")


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_the_mode_of_a_mailbox_is_changed_after_a_question_with_counts_and_undone(
    opened: Opened, pages: Path, locale: str
) -> None:
    ask, before, after, undo = WORDS[locale]
    mailboxes = Mailboxes()
    page = opened_mode(opened, pages, mailboxes)

    page.get_by_role("button", name=ask).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(before)
    expect(dialog).to_contain_text(after)
    expect(dialog.get_by_role("status")).to_contain_text("7")
    expect(dialog.get_by_role("status")).to_contain_text("3")
    assert mailboxes.given == []
    page.set_viewport_size({"width": 320, "height": 700})
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []

    dialog.get_by_role("button", name=ask).click()
    expect(dialog).to_have_count(0)
    assert mailboxes.given == [{"reply_mode": "auto"}]
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=ask)).to_be_visible()
    assert mailboxes.given == [{"reply_mode": "auto"}, {"reply_mode": "manual"}]


def test_a_count_that_cannot_be_read_is_named_and_does_not_hold_the_change_up(
    opened: Opened, pages: Path
) -> None:
    mailboxes = Mailboxes()
    refused = Refusal(503, "unavailable")
    page = opened_mode(opened, pages, mailboxes, **{"GET /reports/backlog": lambda _: refused})

    page.get_by_role("button", name="Stop receiving").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("could not be counted")
    dialog.get_by_role("button", name="Stop receiving").click()

    expect(page.get_by_text("Mail is not received")).to_be_visible()
    assert mailboxes.given == [{"enabled": False}]


def test_a_refused_change_stays_asked_with_the_reason_and_nothing_is_undone(
    opened: Opened, pages: Path
) -> None:
    refusal = Refusal(400, "invalid_input", {"automation": "needs a project for this address"})
    page = opened_mode(
        opened, pages, Mailboxes(), **{"PUT /email-mailboxes/{address}": lambda _: refusal}
    )

    page.get_by_role("button", name="Let the assistant answer").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Let the assistant answer").click()

    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


class Members:
    """A person of the company, and what was asked about them."""

    def __init__(self) -> None:
        self.is_enabled = True
        self.given: list[Any] = []

    def listed(self, _: Call) -> Answer:
        kim: dict[str, Any] = {
            "person_id": "kim",
            "name": "Kim",
            "email": "kim@acme.example",
            "is_enabled": self.is_enabled,
            "has_logged_in": True,
            "roles": ["agent"],
            "teams": [],
        }
        return Answer({"people": [kim]})

    def block(self, call: Call) -> Answer:
        self.given.append(dict(call.input))
        self.is_enabled = not call.input["blocked"]
        return Answer({"person_id": "kim", "is_enabled": self.is_enabled})


def test_a_block_of_a_person_is_undone_and_a_sign_out_says_that_it_cannot_be(
    opened: Opened, pages: Path
) -> None:
    members = Members()
    answers: dict[str, Any] = {
        "GET /operations/people": members.listed,
        "POST /operations/people/{person_id}/block": members.block,
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/people")
    page.get_by_role("button", name="Sign out everywhere: Kim").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot be undone")
    dialog.get_by_role("button", name="Cancel").click()

    page.get_by_role("button", name="Block: Kim").click()
    dialog.get_by_role("button", name="Block", exact=True).click()
    expect(page.get_by_role("button", name="Allow again: Kim")).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("button", name="Block: Kim")).to_be_visible()
    assert members.given == [{"blocked": True}, {"blocked": False}]


class Switches:
    """A switch of the deployment and two of the help desk, and what was asked of them."""

    def __init__(self) -> None:
        self.text = "false"
        self.given: list[Any] = []

    def deployment(self, _: Call) -> Answer:
        change = {"text": self.text, "at": "2026-01-01T12:00:00.000Z", "by": "user/ada"}
        switch = {"context": "whatsapp", "name": "safe_mode", "parameter": "/parley/safe_mode"}
        return Answer(
            {"switches": [switch | {"text": self.text, "changes": [change], "problem": None}]}
        )

    def set(self, call: Call) -> Answer:
        self.given.append(call.input["on"])
        before, self.text = self.text == "true", str(call.input["on"]).lower()
        of = {"context": call.input["context"], "name": call.input["name"]}
        return Answer(of | {"on": call.input["on"], "was_on": before})

    def help_desk(self, _: Call) -> Answer:
        flag = {"text": None, "in_force": True}
        channels = {"text": "email", "in_force": ["email"]}
        standing = {"safe_mode": flag, "tier2_channels": channels}
        return Answer({"switches": standing, "readable": True, "changes": []})

    def refuse(self, call: Call) -> Refusal:
        self.given.append(dict(call.input))
        return Refusal(400, "invalid_input", {"tier2_channels": "must be a list of channels"})


def test_switches_say_who_is_affected_and_a_refused_value_stands_beside_its_field(
    opened: Opened, pages: Path
) -> None:
    switches = Switches()
    answers: dict[str, Any] = {
        "GET /operations/switches": switches.deployment,
        "POST /operations/switches": switches.set,
        "GET /admin/richpanel/switches": switches.help_desk,
        "PUT /admin/richpanel/switches": switches.refuse,
        "GET /reports/backlog": lambda _: Answer(BACKLOG),
    }
    network = Company().network(pages, "acme:operator", "acme:admin", **answers)
    page = opened(network, "operations/switches")
    of_deployment = page.get_by_role("region", name="Switches of the deployment").first
    of_deployment.get_by_role("button", name="Change").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("false")
    expect(dialog.get_by_role("status")).to_contain_text("7")
    dialog.get_by_role("button", name="Turn on").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    assert switches.given == [True, False]

    row = page.get_by_role("row").filter(has_text="tier2_channels")
    row.get_by_role("button", name="Change").click()
    dialog.get_by_role("textbox").fill("post")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog).to_contain_text("must be a list of channels")
    assert switches.given[2:] == [{"tier2_channels": "post"}]
    dialog.get_by_role("button", name="Cancel").click()
    row = page.get_by_role("row").filter(has=page.get_by_text("safe_mode", exact=True)).last
    row.get_by_role("button", name="Change").click()
    expect(dialog).to_contain_text("cannot be undone")  # it was never set
