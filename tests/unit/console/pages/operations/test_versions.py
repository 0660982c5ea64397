"""Administrators see the versions of a model's settings of every context, how they differ, and go back to one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Call, Network

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

MAILBOX = "/email-mailboxes/{address}/versions"
HELP_DESK = "/admin/richpanel/settings/versions"
NEWSLETTERS = "/newsletters/settings/versions"
WORDS = {1: "Be brief.", 2: "Be brief and kind.", 3: "Be kind."}


@dataclass
class Settings:
    """Three versions of the settings below *path*, of which the newest is live; a page of the list has two."""

    path: str
    live: int = 3
    calls: list[tuple[int, Any]] = field(default_factory=list)

    def listed(self, call: Call) -> Answer:
        is_help_desk = self.path == HELP_DESK
        below = int(call.input.get("before" if is_help_desk else "cursor") or 4)
        numbers = [one for one in (3, 2, 1) if one < below][:2]
        rows = [self._row(one) for one in numbers]
        if is_help_desk:
            named = {"at": "changed_at", "by": "changed_by", "is_live": "is_in_force"}
            rows = [{named.get(name, name): v for name, v in row.items()} for row in rows]
        more = not is_help_desk and numbers and numbers[-1] > 1
        return Answer({"versions": rows}, cursor=str(numbers[-1]) if more else None)

    def shown(self, call: Call) -> Answer:
        number = int(call.path["number"])
        against = int(call.input.get("against") or number - 1) or None
        differences = [{"path": "words", "before": WORDS.get(against or 0), "after": WORDS[number]}]
        settings = {"settings": {"words": WORDS[number]}, "compared_with": against}
        return Answer(self._row(number) | settings | {"differences": differences})

    def raised(self, call: Call) -> Answer:
        number, before = int(call.path["number"]), self.live
        self.calls.append((number, call.input.get("instead_of")))
        self.live = number
        return Answer({"live_version": number, "before": before})

    def network(self, pages: Path, **answers: Any) -> Network:
        routes = {
            f"GET {self.path}": self.listed,
            f"GET {self.path}/{{number}}": self.shown,
            f"POST {self.path}/{{number}}/live": self.raised,
        }
        backlog = {"bounds": [86_400], "backlog": [], "complete": True}
        counted: dict[str, Any] = {"GET /reports/backlog": lambda _: Answer(backlog)}
        return Company().network(pages, "acme:admin", **routes, **counted, **answers)

    def _row(self, number: int) -> dict[str, Any]:
        return {
            "number": number, "at": at(number), "by": "user:kim", "note": f"why {number}",
            "based_on": number - 1 or None, "is_live": number == self.live,
        }  # fmt: skip


def mailboxes(_: Call) -> Answer:
    own: dict[str, Any] = {"address": "help@acme.example", "facts": [], "link_hosts": []}
    rules = {"automation": "email_threads", "retention_days": 365, "reply_mode": "manual"}
    return Answer({"mailboxes": [own | rules | {"enabled": True, "auto_complete": False}]})


TEMPLATE = {"tier": 1, "required": [], "optional": [], "texts": {"en": {"email": "Hello."}}}
PLACES: dict[str, tuple[str, dict[str, Any]]] = {
    MAILBOX: ("operations/mailboxes", {"GET /email-mailboxes": mailboxes}),
    NEWSLETTERS: (
        "newsletters/model",
        {"GET /newsletters": lambda _: Answer({"newsletters": []})},
    ),
    HELP_DESK: (
        "operations/templates",
        {
            "GET /admin/richpanel/templates": lambda _: Answer({"templates": {"status": TEMPLATE}}),
            "GET /admin/richpanel/settings": lambda _: Answer(
                {"number": 3, "settings": {}, "changed_at": None, "changed_by": None}
            ),
        },
    ),
}


@pytest.mark.parametrize("path", sorted(PLACES))
def test_an_older_version_is_compared_with_the_live_one_and_becomes_live(
    opened: Opened, pages: Path, path: str
) -> None:
    place, answers = PLACES[path]
    settings = Settings(path)
    page = opened(settings.network(pages, **answers), place)
    rows = page.get_by_role("region", name="Versions", exact=True).get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("live")
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(4)
    expect(rows.nth(3)).to_contain_text("why 1")

    page.get_by_role("button", name="Open 2").press("Enter")
    shown = page.get_by_role("region", name="Settings of version 2")
    expect(shown.get_by_role("row").nth(1)).to_contain_text("Be brief.")
    assert barriers(page) == []

    page.get_by_role("button", name="Make live 1").press("Enter")
    dialog = page.get_by_role("dialog", name="Make version 1 live?")
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("Be kind.")
    dialog.get_by_role("button", name="Make live").press("Enter")
    expect(dialog).to_have_count(0)
    assert settings.calls == [(1, 3)]
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_text("Undone", exact=True)).to_be_visible()
    assert settings.calls == [(1, 3), (3, 1)]
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("locale", ["ar-EG"])
def test_the_versions_of_a_mailbox_are_shown_from_right_to_left(
    opened: Opened, pages: Path
) -> None:
    place, answers = PLACES[MAILBOX]
    page = opened(Settings(MAILBOX).network(pages, **answers), place)

    expect(page.get_by_text("لا يتغير الإصدار أبدًا").first).to_be_visible()

    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert barriers(page) == []
