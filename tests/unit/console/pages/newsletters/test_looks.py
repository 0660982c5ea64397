"""The looks of newsletters: an administrator makes one in German, and what cannot be read is said beside its field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

pytestmark = pytest.mark.parametrize("locale", ["de-DE"])
UNREADABLE = "needs a contrast of 4.5:1 to #ffffff, and has 1.4:1"


def stored(given: dict[str, Any], version: int) -> dict[str, Any]:
    own = {"template_id": "0" * 16, "updated_at": at(version), "updated_by": "user:ada"}
    values = {"logo_url": None, "logo_alt": None, **given, **own, "version": version}
    return {name: value for name, value in values.items() if name != "key"}


LOOK = {
    "name": "Hausstil", "layout": "standard", "font_stack": "sans", "header_md": "", "footer_md": "",
    "colours": {"accent": "#7a1f5c", "page": "#fdf6e3"},
}  # fmt: skip


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


CODE, LISTED, REMOVED, LEFT = "NL-20260101-ABCD", "0" * 16, "1" * 16, "2" * 16


def newsletter() -> dict[str, Any]:
    """A newsletter that is exported."""
    step = {"status": "completed", "version": 1, "is_stale": False, "is_usable": True}
    metadata = {
        "newsletter_code": CODE, "id": "n1", "title": "Farm News", "description": "", "preview": "",
        "status": "exported", "user_id": "user:ada", "user_email": "", "user_name": "Ada",
        "created_at": at(0), "updated_at": at(0), "target_audience": ["farmers"],
        "tone_professional": 5, "tone_technical": 5, "tone_preset": "friendly_summary",
        "format_type": "digest", "length_preference": "short", "frequency": "weekly",
        "geographic_focus": "", "language": "de", "current_step": 4, "version": 1,
    }  # fmt: skip
    found = {"retrieved_content": [], "total_chunks_retrieved": 0, "queries": []}
    topics = {"selected_types": [], "custom_topics": [], **found}
    lists: dict[str, Any] = {
        "sections": [],
        "references": [],
        "stale_references": [],
        "warnings": [],
    }
    changes: dict[str, Any] = {"items_added": [], "items_removed": [], "items_edited": []}
    draft = {
        "content": "Text", "generated_content": "Text", "has_user_edits": False, "sections": {},
        "section_order": [], "citations": [], "lost_citations": [], "warnings": [], "word_count": 1,
        "estimated_read_time": "1 min", "ai_versions": {},
    }  # fmt: skip
    return {
        "metadata": metadata,
        "topics": step | topics,
        "outline": step | lists | {"user_modifications": changes},
        "draft": step | draft,
    }


@pytest.mark.parametrize("is_answered", [True, False])
def test_a_kept_issue_names_its_look_as_removed_only_if_it_is_and_goes_on_with_another_one(
    opened: Opened, pages: Path, context: BrowserContext, is_answered: bool
) -> None:
    made: list[Call] = []

    def create(call: Call) -> Refusal:
        made.append(call)
        return Refusal(400, "invalid_input", {"template_id": "must be a template"})

    def listed(_: Call) -> Answer | Refusal:
        if not is_answered:
            return Refusal(500, "internal")
        return Answer({"templates": [stored(LOOK, 1) | {"template_id": LEFT, "name": "Hausstil"}]})

    audience = {"listId": LISTED, "name": "Leser", "createdAt": at(0), "createdBy": "user:ada"}
    entered = {
        "subject": "Neues", "look": REMOVED, "sender": "news@shop.example", "senderName": "Shop",
        "postal": "Markt 1", "permission": "Sie haben sich angemeldet.", "audiences": [f"list/{LISTED}"],
    }  # fmt: skip
    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /newsletters/{code}": lambda _: Answer(newsletter()),
            "GET /newsletters/issues": lambda _: Answer({"issues": []}),
            "GET /newsletters/templates": listed,
            "GET /newsletters/lists": lambda _: Answer({"lists": []}),
            "GET /contacts/lists": lambda _: Answer({"lists": [audience]}),
            "GET /contacts/segments": lambda _: Answer({"segments": []}),
            "POST /newsletters/issues": create,
        },
    )
    page = opened(network, f"newsletters/{CODE}/send")
    form = page.get_by_role("form", name="Neue Ausgabe")
    form.get_by_label("Betreff").first.fill("Neues")
    keep = "text => sessionStorage.setItem(Object.keys(sessionStorage).find((name) => name.endsWith('issue %s')), text)"
    page.evaluate(keep % CODE, json.dumps(entered))
    page.reload()

    look = form.get_by_label("Gestaltung")
    shown = "Wie zuvor gewählt" if not is_answered else "gelöscht"
    expect(look.locator("option:checked")).to_have_text(shown)
    form.get_by_role("button", name="Ausgabe anlegen").click()
    beside = look.locator("xpath=ancestor::label").locator(".field-problem")
    expect(beside).to_be_visible()
    expect(form.get_by_label("Betreff").first).to_have_value("Neues")
    if is_answered:
        look.select_option(label="Hausstil")
        form.get_by_role("button", name="Ausgabe anlegen").click()
        expect(beside).to_be_visible()
        assert [call.input["template_id"] for call in made] == [REMOVED, LEFT]
