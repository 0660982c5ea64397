"""People rate answers of the model, and administrators see what came of its answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import NOON, Company, at
from tests.unit.console.pages.network import Answer, Call, Network

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

QUESTION, ANSWER = (f"00000000-0000-4000-8000-00000000000{n}" for n in range(2))
REF = "acme#hiring#r1"
ABSENT = (
    "status_reason resumes_at owner turn hand_off_to_human_reason function_call_type "
    "waits_for_approval unreachable language template company_name project_name thread_id email_id "
    "ai_dollars satisfaction initial_request_timestamp last_message_at last_inbound_at last_outbound_at "
    "window_until snoozed_until"
)
OF_MESSAGE = (
    "principal resolved_by resolved_principal whole_text subject template variables button location "
    "media_state delivery_status delivery_status_at error_code provider provider_message_id encoding "
    "segments price currency model ai_version ai_prompt_tokens ai_completion_tokens ai_total_tokens "
    "ai_cached_tokens ai_dollars processing_time_ms calls function hand_off_reason hand_off_cause"
)


@dataclass
class Assisted:
    """A conversation with a question and an answer of the model, which Kim has rated."""

    ratings: dict[str, str] = field(default_factory=lambda: {"user:kim": "rated_down:tone"})

    def opened(self, _: Call) -> Answer:
        names = dict.fromkeys(("first_name", "last_name", "email"))
        recipient = names | {"tel": "+447700900123", "tel_text": "+44 7700 900123"}
        messages = [
            self._message(ANSWER, "assistant", "ai", self.ratings),
            self._message(QUESTION, "user", "customer", {}),
        ]
        return Answer(
            dict.fromkeys(ABSENT.split())
            | {
                "ref": REF, "company_id": "acme", "project_id": "hiring", "request_id": "r1",
                "channel_method": "sms", "conversation_status": "reply_sent", "mode": "ai",
                "hand_off_to_human": False, "function_call": False, "task_complete": False,
                "comms_consent": True, "recipient": recipient, "business_address": "+441",
                "project_data": {}, "recorded_answers": {}, "replaced_answers": [],
                "unreadable": [], "created_at": at(0), "updated_at": at(1), "labels": [],
                "revision": 1, "changes": [],
                "messages": {"messages": messages, "before": None},
                "notes": {"notes": [], "before": None},
            }
        )  # fmt: skip

    def rate(self, call: Call) -> Answer:
        rating, reason = call.input.get("rating"), call.input.get("reason")
        self.ratings.pop("user:ada", None)
        if rating is not None:
            self.ratings["user:ada"] = "rated_up" if rating == "up" else f"rated_down:{reason}"
        return Answer({"ref": REF, "entry_id": call.input["entry_id"], "rating": rating})

    def network(self, pages: Path) -> Network:
        return Company().network(
            pages,
            **{
                "GET /conversations/{ref}": self.opened,
                "POST /conversations/{ref}/ratings": self.rate,
                "POST /opt-outs/search": lambda _: Answer({"channels": []}),
            },
        )

    @staticmethod
    def _message(key: str, role: str, author: str, ratings: dict[str, str]) -> dict[str, Any]:
        return dict.fromkeys(OF_MESSAGE.split()) | {
            "entry_id": key, "message_timestamp": at(int(key == ANSWER)), "role": role,
            "author": author, "kind": "text", "content": "text", "media": [],
            "functions": [], "sources": [], "answers": {}, "ratings": ratings,
        }  # fmt: skip


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
    return absent | {"project_id": name, "name": name.title(), "channels": ["sms"]}


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
