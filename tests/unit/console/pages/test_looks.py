"""The looks of newsletters: an administrator makes one in German, and what cannot be read is said beside its field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

pytestmark = pytest.mark.parametrize("locale", ["de-DE"])
UNREADABLE = "needs a contrast of 4.5:1 to #ffffff, and has 1.4:1"


def stored(given: dict[str, Any], version: int) -> dict[str, Any]:
    own = {"template_id": "0" * 16, "updated_at": at(version), "updated_by": "user:ada"}
    values = {"logo_url": None, "logo_alt": None, **given, **own, "version": version}
    return {name: value for name, value in values.items() if name != "key"}


def test_an_administrator_makes_changes_and_removes_a_look(opened: Opened, pages: Path) -> None:
    looks: list[dict[str, Any]] = []

    def make(call: Call) -> Answer | Refusal:
        if call.input["colours"]["page"] == "#ffd700":
            return Refusal(400, "invalid_input", {"colours.page": UNREADABLE})
        looks.append(stored(dict(call.input), 1))
        return Answer(looks[0])

    def change(call: Call) -> Answer:
        looks[0] = stored({**looks[0], **call.input}, 2)
        return Answer(looks[0])

    def remove(_: Call) -> Answer:
        return Answer({"template_id": looks.pop()["template_id"]})

    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /newsletters/templates": lambda _: Answer({"templates": looks}),
            "POST /newsletters/templates": make,
            "PATCH /newsletters/templates/{template_id}": change,
            "DELETE /newsletters/templates/{template_id}": remove,
        },
    )
    page = opened(network, "newsletters/looks")
    form = page.get_by_role("form", name="Neue Gestaltung")
    form.get_by_label("Name").fill("Hausstil")
    form.get_by_label("Mit einer Liste der Abschnitte").check()
    form.get_by_label("Farbe der Seite").fill("#ffd700")
    form.get_by_role("button", name="Gestaltung speichern").click()
    expect(form.get_by_text("kaum lesbar")).to_be_visible()
    expect(form.get_by_label("Name")).to_have_value("Hausstil")

    form.get_by_label("Farbe der Seite").fill("#fdf6e3")
    form.get_by_role("button", name="Gestaltung speichern").click()
    page.get_by_role("button", name="„Hausstil“ ändern").click()
    changing = page.get_by_role("form", name="„Hausstil“ ändern")
    expect(changing.get_by_label("Mit einer Liste der Abschnitte")).to_be_checked()
    changing.get_by_label("Unter dem Text (Markdown)").fill("Bis bald")
    changing.get_by_role("button", name="Gestaltung speichern").click()
    expect(page.get_by_role("form", name="Neue Gestaltung")).to_be_visible()
    assert (looks[0]["footer_md"], looks[0]["layout"]) == ("Bis bald", "digest")

    page.get_by_role("button", name="„Hausstil“ löschen").click()
    page.get_by_role("dialog").get_by_role("button", name="Löschen").click()
    expect(page.get_by_text("Noch keine Gestaltung")).to_be_visible()
    assert network.faults == []
