"""An issue that is being sent: paused, continued after a question, stopped by an undo, and cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered, Call

ISSUE = "IS-01JGFJJZ0000000000000000IS"
PATH = "/newsletters/issues/{issue_id}"
WORDS = {
    "en-GB": ("Pause", "Go on", "Undo", "Cancel the issue", "who have no mail yet"),
    "de-DE": ("Anhalten", "Fortsetzen", "Rückgängig", "Ausgabe abbrechen", "noch keine Mail"),
    "ar-EG": ("إيقاف مؤقت", "متابعة", "تراجع", "إلغاء العدد", "لم تصلهم رسالة بعد"),
}


class Sending:
    """An issue with 90 of 100 recipients waiting, and what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.issue: dict[str, Any] = {
            "issue_id": ISSUE, "newsletter_code": "NL-1", "state": "sending", "subject": "News",
            "preheader": "", "topics": [], "sender": "news@acme.example", "sender_name": "Acme",
            "postal_address": "Main Street 1", "permission_line": "You asked.", "list_ids": ["l"],
            "segment_ids": [], "consent": "recorded", "created_at": at(0), "created_by": "user:a",
            "updated_at": at(0), "in_reader_zone": False, "version": 3,
            **dict.fromkeys(("reply_to", "consent_statement", "template_id", "subject_test", "winner")),
            **dict.fromkeys(("decide_at", "approved_at", "approved_by", "scheduled_for", "timezone")),
            **dict.fromkeys(("not_after", "started_at", "ended_at", "pause_reason")),
        }  # fmt: skip

    def become(self, state: str) -> Callable[[Call], Answer]:
        def answer(call: Call) -> Answer:
            self.asked.append(call.route.rpartition("/")[2])
            self.issue |= {"state": state, "pause_reason": "person" if state == "paused" else None}
            return Answer(self.issue)

        return answer

    def answers(self) -> dict[str, Answered]:
        figures = dict.fromkeys(
            (
                *("sent", "delivered", "delayed", "bounced", "complained", "unsubscribed"),
                *("clicked", "likely_automated", "skipped", "failed", "unknown"),
            ),
            0,
        )
        stats: dict[str, Any] = {
            "audience": 100,
            "waiting": 90,
            "variants": [],
            "mailbox_providers": [],
            "warm_up": None,
            **figures,
        }
        return {
            f"GET {PATH}": lambda _: Answer(self.issue),
            f"GET {PATH}/stats": lambda _: Answer(stats),
            f"GET {PATH}/recipients": lambda _: Answer({"recipients": []}),
            f"POST {PATH}/pause": self.become("paused"),
            f"POST {PATH}/resume": self.become("sending"),
            f"POST {PATH}/cancel": self.become("cancelled"),
        }


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_issue_is_paused_goes_on_is_stopped_by_an_undo_and_cancelled_after_a_question(
    opened: Opened, pages: Path, locale: str
) -> None:
    pause, resume, undo, cancel, waiting = WORDS[locale]
    sending = Sending()
    network = Company().network(pages, "acme:admin", **sending.answers())
    page = opened(network, f"newsletters/{ISSUE}")
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name=pause).click()
    expect(dialog).to_contain_text(waiting)
    expect(dialog).to_contain_text("90")
    assert sending.asked == []
    dialog.get_by_role("button", name=pause).click()
    page.get_by_role("button", name=undo).click()
    page.get_by_role("button", name=pause).click()
    dialog.get_by_role("button", name=pause).click()
    page.get_by_role("button", name=resume).click()
    expect(dialog).to_contain_text(waiting)
    expect(dialog).to_contain_text("90")
    assert sending.asked == ["pause", "resume", "pause"]
    dialog.get_by_role("button", name=resume).click()
    expect(page.get_by_role("button", name=pause)).to_be_visible()
    page.get_by_role("button", name=undo).first.click()
    expect(page.get_by_role("button", name=resume)).to_be_visible()
    assert sending.asked == ["pause", "resume"] * 2 + ["pause"]

    page.get_by_role("button", name=cancel).click()
    expect(dialog).to_contain_text("90")
    assert "cancel" not in sending.asked
    dialog.get_by_role("button", name=cancel).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name=resume)).to_have_count(0)
    assert sending.asked[-1] == "cancel"
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


UNSCHEDULE = {
    "en-GB": ("Take back the time", "not sent at its time", "Undo"),
    "de-DE": ("Zeit zurücknehmen", "nicht zu ihrer Zeit", "Rückgängig"),
    "ar-EG": ("إلغاء الموعد", "لا يُرسل العدد في موعده", "تراجع"),
}


@pytest.mark.parametrize("in_reader_zone", [False, True])
@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in UNSCHEDULE])
def test_the_time_of_an_issue_is_taken_back_after_a_question_and_comes_back_by_an_undo(
    opened: Opened, pages: Path, locale: str, in_reader_zone: bool
) -> None:
    unschedule, effect, undo = UNSCHEDULE[locale]
    sending, given = Sending(), list[dict[str, Any]]()
    # At each reader's time the issue begins where this time comes first, 14 hours before UTC.
    begins = "2099-05-31T19:00:00.000Z" if in_reader_zone else "2099-06-01T07:00:00.000Z"
    times = {
        "scheduled_for": begins, "timezone": "Europe/Berlin", "in_reader_zone": in_reader_zone,
        "not_after": "2099-06-01T10:00:00.000Z",
    }  # fmt: skip
    sending.issue |= {"state": "scheduled", "approved_at": at(0), "approved_by": "user:a", **times}

    def unscheduled(call: Call) -> Answer:
        given.append(dict(call.input))
        none = dict.fromkeys(("scheduled_for", "timezone", "not_after"))
        sending.issue |= none | {"version": 4, "in_reader_zone": False, "state": "approved"}
        return Answer(sending.issue)

    def schedule(call: Call) -> Answer:
        given.append(dict(call.input))
        sending.issue |= {"state": "scheduled", "version": 5, **times}
        return Answer(sending.issue)

    checks: dict[str, Any] = {"may_be_sent": True, "bytes": 900, "content_id": "c", "checks": []}
    network = Company().network(
        pages,
        "acme:admin",
        **sending.answers(),
        **{
            f"POST {PATH}/unschedule": unscheduled,
            f"POST {PATH}/schedule": schedule,
            f"GET {PATH}/checklist": lambda _: Answer(checks | {"warm_up": None}),
        },
    )
    page = opened(network, f"newsletters/{ISSUE}")
    dialog = page.get_by_role("dialog")
    page.get_by_role("button", name=unschedule).press("Enter")
    expect(dialog).to_contain_text(effect)
    assert barriers(page) == []
    assert given == []
    dialog.get_by_role("button", name=unschedule).press("Enter")
    expect(page.get_by_role("button", name=unschedule)).to_have_count(0)
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=unschedule)).to_be_visible()
    local = "2099-06-01T09:00"
    back = {
        "version": 4,
        "local": local,
        "timezone": "Europe/Berlin",
        "not_after": "2099-06-01T12:00",
    }
    assert given == [{"version": 3}, back | {"in_reader_zone": in_reader_zone}]
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
