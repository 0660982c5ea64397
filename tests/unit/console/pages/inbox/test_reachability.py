"""An administrator writes again to an address that has bounced, on a narrow screen in three languages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from local.stack.processes import ROOT
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call, Network

NARROWEST: Final = 320
ADDRESS: Final = "zoe@example.com"
_UNNAMED = ("givenNames", "language", "zone", "organisation", "owner", "lastActivityAt")
PERSON: Final[dict[str, Any]] = {
    "contactId": "zoe", "name": "Zoe", "labels": [], "attributes": {}, "handles": [],
    "identifiers": [], "version": 1, **dict.fromkeys(_UNNAMED),
}  # fmt: skip
_LIFTED = ("liftedAt", "liftReason", "liftEvidence")
REPORT: Final = {"reason": "General", "since": at(0), **dict.fromkeys(_LIFTED)}
LOCALES: Final = [
    "en-GB",
    *(pytest.param(one, marks=pytest.mark.long) for one in ("de-DE", "ar-EG")),
]


def texts(locale: str) -> dict[str, str]:
    folder = ROOT / "console" / "src" / "texts"
    files = (folder / f"{locale[:2]}.json", folder / "contact" / f"{locale[:2]}.json")
    return {key: text for file in files for key, text in json.loads(file.read_text()).items()}


def consents(report: dict[str, Any]) -> dict[str, Any]:
    unsaid = dict.fromkeys(("state", "at", "source", "evidence", "saidBy", "recordedBy"))
    one = {"kind": "email", "value": ADDRESS, "text": ADDRESS, "unreachable": report, **unsaid}
    return {"channels": [{"channel": "email", "identifiers": [one]}], "complete": True}


def network_of(pages: Path, role: str, calls: list[Call], *, refused: int = 0) -> Network:
    shown = [dict(REPORT)]

    def lift(call: Call) -> Answer | Refusal:
        calls.append(call)
        if len(calls) <= refused:
            return Refusal(409, "not_unreachable", {})
        given = {"liftedAt": at(1), "liftReason": call.input["reason"]}
        shown[0] |= given | {"liftEvidence": call.input["evidence"]}
        return Answer(consents(shown[0]))

    contact = "/contacts/{contact_id}"
    return Company().network(
        pages,
        f"acme:{role}",
        **{
            f"GET {contact}": lambda _: Answer(PERSON),
            f"GET {contact}/conversations": lambda _: Answer({"conversations": []}),
            f"GET {contact}/suggestions": lambda _: Answer({"contacts": []}),
            f"GET {contact}/notes": lambda _: Answer({"notes": []}),
            f"GET {contact}/changes": lambda _: Answer({"changes": []}),
            f"GET {contact}/tickets": lambda _: Answer({"tickets": []}),
            f"GET {contact}/lists": lambda _: Answer({"lists": []}),
            "GET /contacts/lists": lambda _: Answer({"lists": []}),
            "GET /attributes": lambda _: Answer({"attributes": []}),
            f"GET {contact}/consents": lambda _: Answer(consents(shown[0])),
            f"POST {contact}/reachability": lift,
        },
    )


@pytest.mark.parametrize("locale", LOCALES)
def test_an_administrator_lifts_a_report_with_a_reason_and_evidence(
    opened: Opened, pages: Path, locale: str
) -> None:
    known = texts(locale)
    calls: list[Call] = []
    page = opened(network_of(pages, "admin", calls), "contacts/zoe")
    page.set_viewport_size({"width": NARROWEST, "height": 800})
    page.get_by_role("button", name=known["facts.label"], exact=True).click()
    button = page.get_by_role("button", name=ADDRESS)
    button.first.click()
    form = page.locator("form", has=page.get_by_label(known["contact.lift_reason"]))
    expect(form).to_be_visible()
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROWEST
    form.get_by_label(known["contact.lift_reason"]).select_option("address_repaired")
    send = form.get_by_role("button", name=known["contact.lift"], exact=True)
    expect(send).to_be_disabled()
    form.get_by_label(known["contact.evidence"]).fill("has called us")
    form.get_by_label(known["contact.evidence"]).press("Enter")

    expect(form).to_be_hidden()
    (call,) = calls
    assert dict(call.input) == {
        "channel": "email", "value": ADDRESS, "since": REPORT["since"],
        "reason": "address_repaired", "evidence": "has called us",
    }  # fmt: skip
    expect(page.get_by_text("has called us")).to_be_visible()
    expect(button).to_have_count(0)


def test_a_refused_lift_says_why_and_keeps_what_was_typed(opened: Opened, pages: Path) -> None:
    calls: list[Call] = []
    page = opened(network_of(pages, "admin", calls, refused=1), "contacts/zoe")
    page.get_by_role("button", name="Write again to").click()
    evidence = page.get_by_label(texts("en")["contact.evidence"])
    evidence.fill("has called us")
    evidence.press("Enter")

    expect(page.get_by_role("alert").filter(has_text="a newer one has come")).to_be_visible()
    expect(evidence).to_have_value("has called us")


def test_who_is_no_administrator_sees_the_report_and_no_button(opened: Opened, pages: Path) -> None:
    page = opened(network_of(pages, "supervisor", []), "contacts/zoe")

    expect(page.get_by_text("the provider says General")).to_be_visible()
    expect(page.get_by_role("button", name="Write again to")).to_have_count(0)
