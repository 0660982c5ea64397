"""Administrators store sets of scenarios, run them with versions, require them, and keep what they have tried."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import at
from tests.unit.console.pages.network import Answer, Call, Network, Refusal
from tests.unit.console.pages.newsletters.test_looks import CODE, newsletter
from tests.unit.console.pages.operations.test_versions import (
    HELP_DESK,
    MAILBOX,
    NEWSLETTERS,
    PLACES,
    Settings,
    mailboxes,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

PARENTS = {
    MAILBOX: "/email-mailboxes/{address}",
    HELP_DESK: "/admin/richpanel",
    NEWSLETTERS: "/newsletters/settings",
}
SCENARIO = {"name": "price", "expect": {"contains": "$40"}}
ANALYSIS = {
    "intent": "price", "language": "en", "summary": "A price.", "urgency": "low",
    "needs_human": False, "reason": None, "confidence": 0.9,
}  # fmt: skip
OPINION = {"intents": [{"intent": "return_request", "confidence": 0.95}]}
TRIED = {"model": "m", "tokens_in": 1, "tokens_out": 1, "ms": 1, "dollars": "0.01"}
CALL = {
    "system": "s", "history": [], "calls": [], "stop": "end", "tokens_in": 1, "tokens_out": 1, "ms": 1,
}  # fmt: skip
DRAFT = {
    "version": 3, "text": "It costs $40.", "intent": "price", "language": "en", "urgency": "low",
    "summary": "A price.", "needs_human": False, "needs_human_reason": None, "waits": None, "confidence": 0.9,
    "requirements": {}, "unconfirmed": {},
    "questions": [], "is_complete": True, "mails": [],
    **TRIED, "model_calls": [CALL | {"answer": json.dumps({"reply": "It costs $40.", "analysis": ANALYSIS})}],
}  # fmt: skip
DECISION = {
    "version": 3, "intent": "return_request", "secondary": [], "team": "Returns Admin", "tags": [], "tier": 1,
    "takes_over": False, "template": "t", "text": "Thank you.", "considered": "t", "reason": "ok", "shut": [],
    "rule": "r", "language": "en", "confidence": 0.9, "risk_flags": [],
    "trace": TRIED | {"model_calls": [CALL | {"answer": json.dumps(OPINION)}]},
}  # fmt: skip


PLAN = {"sections": [{"name": "Prices", "items": []}]}
PASSAGE = {
    "chunk_id": "c1", "title": "Price list", "topic": "updates", "date": "2026-01-01", "url": "", "score": "0.8",
    "text": "It costs $40.", "cited": True,
}  # fmt: skip
OUTLINE = {
    "version": 3, "step": "outline", "text": "# Prices", "failure": None, "findings": [], "passages": [PASSAGE],
    "queries": [], "repairs": 0, **TRIED, "model_calls": [CALL | {"answer": json.dumps(PLAN)}],
}  # fmt: skip


@dataclass
class Sets:
    """The sets below *parent* by name, and what was asked of them."""

    parent: str
    content: dict[str, list[Any]] = field(default_factory=lambda: {"prices": [SCENARIO]})
    gates: set[str] = field(default_factory=set)
    begun: list[Any] = field(default_factory=list)
    revision: int = 1
    colleague: list[Any] | None = None  # what a colleague stores before the next call

    def routes(self) -> dict[str, Any]:
        one = f"{self.parent}/sets/{{set_name}}"
        return {
            f"GET {self.parent}/sets": lambda _: Answer({"sets": [*map(self._row, self.content)]}),
            f"GET {one}": self._shown,
            f"POST {one}": self._put,
            f"POST {one}/runs": self._run,
            f"GET {self.parent}/runs/{{run_id}}": self._results,
        }

    def _row(self, name: str) -> dict[str, Any]:
        return {
            "name": name, "at": at(1), "by": "user:kim", "revision": self.revision,
            "scenarios": len(self.content[name]), "gate": name in self.gates, "passed": [2], "newest_run": None,
        }  # fmt: skip

    def _shown(self, call: Call) -> Answer:
        name = call.path["set_name"]
        return Answer(self._row(name) | {"content": self.content[name]})

    def _put(self, call: Call) -> Answer | Refusal:
        name, given = call.path["set_name"], call.input
        if self.colleague is not None:
            self.content[name], self.colleague = self.colleague, None
            self.revision += 1
        is_there = name in self.content
        if given.get("seen") not in {None, self.revision if is_there else 0}:
            return Refusal(409, "version_conflict", {"seen": "the set was changed meanwhile"})
        if given.get("gate") is not None:
            (self.gates.add if given["gate"] else self.gates.discard)(name)
        if given.get("scenarios") is not None:
            self.content[name] = given["scenarios"]
        return Answer(self._row(name))

    def _facts(self) -> dict[str, Any]:
        return {
            "run_id": "r1", "set_name": "prices", "at": at(1), "by": "user:kim", "version": 3, "against": 2,
            "recorded": False, "total": 1, "done": 1, "passed": 1, "passed_against": 0, "calls": 4, "dollars": "0.02",
        }  # fmt: skip

    def _run(self, call: Call) -> Answer:
        self.begun.append((call.input.get("version"), call.input.get("against")))
        return Answer(self._facts())

    def _results(self, _: Call) -> Answer:
        judged = {
            "question": "Polite?",
            "passes": True,
            "reason": "It thanks.",
            "confidence": "0.8",
        }
        good = {
            "version": 3,
            "passed": True,
            "failures": [],
            "stopped": None,
            "said": "It costs $40.",
        }
        bad = good | {"version": 2, "passed": False, "failures": ['the answer lacks "$40"']}
        results = [good | {"judged": [judged], "calls": 2}, bad | {"judged": [], "calls": 2}]
        row = {"position": 0, "name": "price", "results": results}
        return Answer(self._facts() | {"results": [row]})


def with_model(call: Call) -> Answer:
    [own] = mailboxes(call).result["mailboxes"]
    ai = {"provider": "openai", "model": "m", "api_key_reference": "k"}
    return Answer({"mailboxes": [own | {"ai": ai}]})


def network(pages: Path, path: str, sets: Sets) -> tuple[Network, str]:
    place, answers = PLACES[path]
    parent = PARENTS[path]
    made = {MAILBOX: DRAFT, HELP_DESK: DECISION, NEWSLETTERS: OUTLINE}[path]
    tries = {f"POST {parent}/playground": lambda _: Answer(made)}
    own: dict[str, Any] = {"GET /email-mailboxes": with_model} if path == MAILBOX else {}
    return Settings(path).network(pages, **answers | own, **sets.routes(), **tries), place


@pytest.mark.parametrize("path", sorted(PARENTS))
def test_a_set_is_run_beside_the_live_version_required_and_shown_with_its_failures(
    opened: Opened, pages: Path, path: str
) -> None:
    sets = Sets(PARENTS[path])
    page = opened(*network(pages, path, sets))
    region = page.get_by_role("region", name="Sets of scenarios", exact=True)
    expect(region.get_by_text("prices")).to_be_visible()

    page.get_by_label("Version to run").select_option("2")
    region.get_by_role("button", name="Run version 2: prices").press("Enter")
    results = page.get_by_role("region", name="Results", exact=True)
    expect(results.get_by_text('the answer lacks "$40"')).to_be_visible()
    expect(results.get_by_text("Polite? It thanks. (0.8)")).to_be_visible()
    assert sets.begun == [(2, 3)]

    region.get_by_role("button", name="Require before going live").press("Enter")
    expect(region.get_by_role("button", name="Do not require")).to_be_visible()
    assert sets.gates == {"prices"}
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_scenarios_of_a_colleague_are_shown_before_they_are_replaced(
    opened: Opened, pages: Path
) -> None:
    sets = Sets(PARENTS[MAILBOX])
    page = opened(*network(pages, MAILBOX, sets))
    page.get_by_role("button", name="Open: prices").click()
    form = page.get_by_role("form", name="Scenarios of a set")
    mine = json.dumps(SCENARIO | {"name": "mine"})
    form.get_by_label("Scenarios").fill(mine)
    sets.colleague = [SCENARIO | {"name": "theirs"}]

    form.get_by_role("button", name="Store the set").press("Enter")
    meanwhile = form.get_by_text("Kim has stored this meanwhile")
    expect(meanwhile).to_be_visible()
    meanwhile.click()
    expect(form.locator("pre")).to_contain_text("theirs")
    expect(form.get_by_label("Scenarios")).to_have_value(mine)
    assert barriers(page) == []
    assert [one["name"] for one in sets.content["prices"]] == ["theirs"]

    form.get_by_role("button", name="Store the set").press("Enter")
    expect(form).to_have_count(0)
    assert [one["name"] for one in sets.content["prices"]] == ["mine"]


@pytest.mark.parametrize("path", [HELP_DESK, MAILBOX])
def test_what_was_tried_is_kept_as_a_scenario_with_the_answer_of_the_model(
    opened: Opened, pages: Path, path: str
) -> None:
    sets = Sets(PARENTS[path])
    page = opened(*network(pages, path, sets))
    is_mail = path == MAILBOX
    form = page.get_by_role("form", name="Try an answer" if is_mail else "Try a decision")

    form.get_by_label("Mail of the customer" if is_mail else "Message of the customer").fill(
        "Hello?"
    )
    form.get_by_role("button", name="Draft an answer" if is_mail else "Decide").press("Enter")
    sets.colleague = [SCENARIO]  # they keep one at the same moment
    page.get_by_role("button", name="Keep as a scenario").press("Enter")

    expect(page.get_by_text("Kept in the set")).to_be_visible()
    theirs, kept = sets.content["playground"]
    assert theirs == SCENARIO
    assert (kept["kind"], kept["expect"]["hands_off"]) == ("mail" if is_mail else "ticket", False)
    answer = kept["answer"]
    assert answer["reply"] == "It costs $40." if is_mail else answer == OPINION


def test_a_tried_step_of_a_newsletter_is_shown_with_its_passages_and_kept_as_a_scenario(
    opened: Opened, pages: Path
) -> None:
    sets, stored = Sets(PARENTS[NEWSLETTERS]), newsletter()
    known, place = network(pages, NEWSLETTERS, sets)
    listed = {"newsletters": [{**stored["metadata"], "code": CODE}]}
    known.answers |= {
        "GET /newsletters": lambda _: Answer(listed),
        "GET /newsletters/{code}": lambda _: Answer(stored),
    }
    page = opened(known, place)
    form = page.get_by_role("form", name="Try a step")

    form.get_by_label("Newsletter").select_option(CODE)
    form.get_by_label("Step").select_option("outline")
    form.get_by_role("button", name="Try", exact=True).press("Enter")
    expect(page.get_by_text("Passages: 1")).to_be_visible()
    assert barriers(page) == []
    page.get_by_role("button", name="Keep as a scenario").press("Enter")

    expect(page.get_by_text("Kept in the set")).to_be_visible()
    [kept] = sets.content["playground"]
    assert (kept["kind"], kept["step"], kept["answer"]) == ("newsletter", "outline", PLAN)
    assert kept["expect"]["cites"] == ["Price list"]
