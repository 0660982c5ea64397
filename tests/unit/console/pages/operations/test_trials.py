"""
Administrators try a version of a project or a mailbox beside the live one, compare what comes of both, and stop the
trial.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Answered, Call, Network

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from tests.unit.console.pages.conftest import Opened

PROJECT = "/projects/{project_id}"
TRIALS = f"{PROJECT}/trials"
TRIAL = f"{TRIALS}/{{trial_id}}"
ARM: dict[str, Any] = {
    **dict.fromkeys(("conversations", "answers", "sent", "handed_off", "ended_alone"), 0),
    **dict.fromkeys(("ended_with_people", "opted_out", "failed", "reopened_soon"), 0),
    **dict.fromkeys(("rated_up", "rated_down", "asked"), 0),
    "scores": {},
    "faulty": None,
    "dollars": "0.000000",
    "ms": None,
}
ANSWER: dict[str, Any] = {
    "ref": "a" * 26,
    "at": at(5),
    "customer_text": "When do I start?",
    "live_text": "You start at nine.",
    "live_handed_off_for": None,
    "live_dollars": "0.001000",
    "text": "At nine.",
    "handed_off_for": None,
    "status": "made",
    "reason": None,
    "functions": ["book"],
    "not_called": ["book"],
    "faults": [],
    "dollars": "0.002000",
    "ms": 900,
}
MAILBOX = "/email-mailboxes/{address}"
MAIL_ARM: dict[str, Any] = {
    **dict.fromkeys(("conversations", "answers", "handed_off", "sent", "corrected"), 0),
    **dict.fromkeys(("edits", "words", "discarded"), 0),
    "faulty": None,
    "dollars": "0.000000",
    "ms": None,
}
DRAFT: dict[str, Any] = {
    "conversation_id": "a" * 16,
    "n": 1,
    "at": at(5),
    "customer_text": "Is it red?",
    "live_text": "It is red.",
    "live_status": "pending",
    "live_handed_off": False,
    "text": None,
    "needs_human": True,
    "waits": "needs_human",
    "status": "made",
    "reason": None,
    "dollars": "0.002000",
    "ms": 900,
}
NO_SUGGESTIONS = {
    "suggestions": [],
    "compared": 0,
    "has_older": False,
    "has_more": False,
    "embedding_model": None,
    "embedding_failure": None,
}


@dataclass
class Project:
    """A project with two versions, of which the first is live; what was *begun* and *stopped*."""

    trials: list[dict[str, Any]] = field(default_factory=list)
    begun: list[dict[str, Any]] = field(default_factory=list)
    stopped: list[dict[str, Any]] = field(default_factory=list)

    def network(self, pages: Path) -> Network:
        return Company().network(pages, "acme:admin", **self.routes())

    def routes(self) -> dict[str, Answered]:
        return {
            "GET /projects": lambda _: Answer({"projects": [self._project()]}),
            f"GET {PROJECT}/versions": lambda _: Answer({"versions": [self._row(2), self._row(1)]}),
            f"GET {PROJECT}/versions/{{number}}": self._version,
            f"GET {PROJECT}/sets": lambda _: Answer({"sets": []}),
            f"GET {PROJECT}/knowledge/questions": lambda _: Answer({"questions": []}),
            f"GET {PROJECT}/knowledge/suggestions": lambda _: Answer(NO_SUGGESTIONS),
            "GET /newsletters/sources": lambda _: Answer({"sources": []}),
            f"GET {TRIALS}": lambda _: Answer({"trials": self.trials}),
            f"POST {TRIALS}": self._begin,
            f"GET {TRIAL}": lambda _: Answer(self._outcomes()),
            f"GET {TRIAL}/answers": lambda _: Answer({"answers": [ANSWER]}),
            f"POST {TRIAL}/stop": self._stop,
        }

    def _project(self) -> dict[str, Any]:
        facts = {"project_id": "hiring", "name": "Hiring", "status": "active"}
        return facts | {
            "automation_enabled": True,
            "channels": ["sms"],
            "live_version": 1,
            "unusable": None,
        }

    def _row(self, number: int) -> dict[str, Any]:
        return {
            "number": number, "at": at(number), "by": "user:kim", "note": f"why {number}",
            "based_on": number - 1 or None, "is_live": number == 1,
        }  # fmt: skip

    def _version(self, call: Call) -> Answer:
        number = int(call.path["number"])
        settings: dict[str, Any] = {"settings": {"ai_config": {}}, "compared_with": None}
        return Answer(self._row(number) | settings | {"differences": []})

    def _begin(self, call: Call) -> Answer:
        self.begun.append(dict(call.input))
        kept = ("mode", "version", "share", "most_answers", "most_conversations")
        trial = {name: call.input.get(name) for name in kept} | {
            "trial_id": "1767268800000-00000000", "live_version": 1, "most_dollars": None,
            "until": at(99), "handed_off_points": None, "at_least": 50, "by": "user:ada",
            "at": at(9), "running": True, "ended_at": None, "ended_for": None, "ended_by": None,
            "withdrawn": False,
        }  # fmt: skip
        self.trials = [trial]
        return Answer(trial)

    def _stop(self, call: Call) -> Answer:
        self.stopped.append(dict(call.input))
        ends = {
            "running": False,
            "ended_at": at(50),
            "ended_for": "stopped",
            "ended_by": "user:ada",
        }
        self.trials = [self.trials[0] | ends | {"withdrawn": bool(call.input.get("withdraw"))}]
        return Answer(self.trials[0])

    def _outcomes(self) -> dict[str, Any]:
        live = ARM | {"version": 1, "conversations": 90, "handed_off": 9, "answers": 4, "sent": 4}
        tried = ARM | {"version": 2, "conversations": 10, "handed_off": 2, "answers": 4, "sent": 4}
        tried |= {"scores": {"4": 1, "5": 1}}
        return self.trials[0] | {"begun": 4, "failed": 0, "live": live, "trial": tried}


@dataclass
class Mailbox(Project):
    """A mailbox whose model drafts answers, with two versions."""

    def network(self, pages: Path) -> Network:
        trial = f"{MAILBOX}/trials/{{trial_id}}"
        backlog = {"bounds": [86_400], "backlog": [], "complete": True}
        routes = {
            "GET /email-mailboxes": lambda _: Answer({"mailboxes": [self._mailbox()]}),
            f"GET {MAILBOX}/versions": lambda _: Answer({"versions": [self._row(2), self._row(1)]}),
            f"GET {MAILBOX}/sets": lambda _: Answer({"sets": []}),
            f"GET {MAILBOX}/trials": lambda _: Answer({"trials": self.trials}),
            f"POST {MAILBOX}/trials": self._begin,
            f"GET {trial}": lambda _: Answer(self._outcomes()),
            f"GET {trial}/drafts": lambda _: Answer({"drafts": [DRAFT]}),
            f"POST {trial}/stop": self._stop,
            "GET /reports/backlog": lambda _: Answer(backlog),
        }
        return Company().network(pages, "acme:admin", **routes)

    def _mailbox(self) -> dict[str, Any]:
        own: dict[str, Any] = {"address": "help@acme.example", "facts": [], "link_hosts": []}
        rules = {"automation": "email_threads", "retention_days": 365, "reply_mode": "manual"}
        model = {"provider": "openai", "model": "gpt-made-up", "api_key_reference": "parley/key"}
        return own | rules | {"enabled": True, "auto_complete": False, "ai": model}

    def _outcomes(self) -> dict[str, Any]:
        counted = {"answers": 4, "sent": 3, "words": 100}
        live = MAIL_ARM | counted | {"version": 1, "corrected": 1, "edits": 5}
        tried = MAIL_ARM | counted | {"version": 2, "corrected": 3, "edits": 40, "faulty": 1}
        tried |= {"discarded": None, "ms": 900}
        return self.trials[0] | {"begun": 4, "failed": 0, "live": live, "trial": tried}


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def opened_version(page: Page) -> None:
    button(page, "Open 2").press("Enter")
    expect(button(page, "Try version 2")).to_be_visible()


def fits(page: Page) -> bool:
    """Whether a page as wide as a phone needs no horizontal scrolling."""
    page.set_viewport_size({"width": 320, "height": 640})
    return bool(page.evaluate("document.documentElement.scrollWidth <= 320"))


def test_a_share_is_begun_after_the_effect_was_read_and_its_version_is_withdrawn(
    opened: Opened, pages: Path
) -> None:
    project = Project()
    page = opened(project.network(pages), "operations/projects")
    opened_version(page)

    button(page, "Try version 2").press("Enter")
    dialog = page.get_by_role("dialog", name="Try version 2")
    dialog.get_by_label("For a share of the new conversations").check()
    dialog.get_by_label("Share in percent").fill("15")
    expect(dialog).to_contain_text("About 15 % of the people who begin a conversation from now on")
    assert barriers(page) == []
    button(dialog, "Begin the trial").press("Enter")

    expect(dialog).to_have_count(0)
    (begun,) = project.begun
    assert (begun["mode"], begun["version"], begun["share"]) == ("share", 2, 15)
    outcomes = page.get_by_role("region", name="Table: Outcomes")
    row = outcomes.get_by_role("row").filter(has_text="Handed off to people")
    expect(row).to_contain_text("9 (10 %)")
    expect(row).to_contain_text("2 (20 %)")
    assert barriers(page) == []
    button(page, "Stop the trial").press("Enter")
    stops = page.get_by_role("dialog", name="Stop the trial")
    stops.get_by_label("Go back to the live version (10 conversations)").check()
    button(stops, "Stop the trial").press("Enter")
    expect(stops).to_have_count(0)
    assert project.stopped == [{"withdraw": True}]
    assert fits(page)


@pytest.mark.parametrize("locale", ["de-DE", "ar-EG"])
def test_the_page_has_its_words_in_every_language(opened: Opened, pages: Path, locale: str) -> None:
    title = {"de-DE": "Versionen im Versuch", "ar-EG": "تجارب الإصدارات"}[locale]
    page = opened(Project().network(pages), "operations/projects")

    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("trial.")


def test_answers_in_shadow_are_shown_beside_what_the_customer_got(
    opened: Opened, pages: Path
) -> None:
    project = Project()
    page = opened(project.network(pages), "operations/projects")
    opened_version(page)

    button(page, "Try version 2").press("Enter")
    dialog = page.get_by_role("dialog", name="Try version 2")
    expect(dialog).to_contain_text("No customer gets anything of it.")
    button(dialog, "Begin the trial").press("Enter")

    answers = page.get_by_role("region", name="Answers side by side", exact=True)
    for words in ("When do I start?", "You start at nine.", "At nine.", "Not called: book"):
        expect(answers).to_contain_text(words)
    assert barriers(page) == []
    assert (project.begun[0]["mode"], project.begun[0]["most_answers"]) == ("shadow", 100)


def test_a_version_of_a_mailbox_is_tried_in_shadow_and_both_drafts_are_compared(
    opened: Opened, pages: Path
) -> None:
    mailbox = Mailbox()
    page = opened(mailbox.network(pages), "operations/mailboxes")

    button(page, "Try version 2").press("Enter")
    dialog = page.get_by_role("dialog", name="Try version 2")
    expect(dialog).to_contain_text("Its draft is kept with the mail for comparison")
    dialog.get_by_label("For a share of the new conversations").check()
    expect(dialog).to_contain_text("The new threads of about 10 % of the addresses")
    dialog.get_by_label("In shadow, without sending").check()
    assert barriers(page) == []
    button(dialog, "Begin the trial").press("Enter")

    expect(dialog).to_have_count(0)
    (begun,) = mailbox.begun
    assert (begun["mode"], begun["version"], begun["most_answers"]) == ("shadow", 2, 100)
    row = page.get_by_role("row").filter(has_text="Words that people changed")
    expect(row).to_contain_text("5 (5 %)")
    expect(row).to_contain_text("40 (40 %)")
    drafts = page.get_by_role("region", name="Answers side by side", exact=True)
    for words in ("Is it red?", "It is red.", "A person must write"):
        expect(drafts).to_contain_text(words)
    assert barriers(page) == []
    button(page, "Stop the trial").press("Enter")
    stops = page.get_by_role("dialog", name="Stop the trial")
    button(stops, "Stop the trial").press("Enter")
    expect(stops).to_have_count(0)
    assert mailbox.stopped == [{"withdraw": False}]
    assert fits(page)


def test_the_live_version_of_a_mailbox_is_not_tried(opened: Opened, pages: Path) -> None:
    page = opened(Mailbox().network(pages), "operations/mailboxes")
    trials = page.get_by_role("region", name="Trials of versions", exact=True)

    expect(button(trials, "Try version 2")).to_be_visible()
    trials.locator("xpath=preceding::select[1]").select_option("1")

    expect(button(trials, "Try version 2")).to_have_count(0)
    expect(trials).to_contain_text("To try a version, choose one that is not live.")


def test_a_project_whose_versions_have_not_arrived_offers_no_first_version(
    opened: Opened, pages: Path
) -> None:
    network = Project().network(pages)
    network.unanswered = f"GET {PROJECT}/versions"
    page = opened(network, "operations/projects")

    page.get_by_role("combobox", name="Project").wait_for()
    page.get_by_role("button", name="Pause the project").wait_for()
    expect(page.get_by_role("button", name="Change the settings")).to_have_count(0)
