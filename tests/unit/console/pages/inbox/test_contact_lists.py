"""Lists of contacts are made, renamed and removed in the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

ONE = "/contacts/lists/{list_id}"
WORDS = {
    "en-GB": ("No list yet", "New list", "Make the list", "Rename", "Save", "Delete", "stay contacts"),
    "de-DE": ("Noch keine Liste", "Neue Liste", "Liste anlegen", "Umbenennen", "Speichern", "Löschen",
              "bleiben Kontakte"),
    "ar-EG": ("لا توجد قائمة بعد", "قائمة جديدة", "إنشاء القائمة", "إعادة التسمية", "حفظ", "حذف",
              "يبقى الأشخاص"),
}  # fmt: skip


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_list_is_made_with_a_refusal_at_its_name_renamed_and_removed_after_a_question(
    opened: Opened, pages: Path, locale: str
) -> None:
    none, new, make, rename, save, remove, effect = WORDS[locale]
    stored, refusals = list[dict[str, Any]](), [Refusal(400, "invalid_input", {"name": "is taken"})]

    def create(call: Call) -> Answer | Refusal:
        if refusals:
            return refusals.pop()
        made = {"listId": "abc", "createdAt": at(0), "createdBy": "user:ada", **call.input}
        stored.append(made)
        return Answer(made)

    def change(call: Call) -> Answer:
        stored[0] |= call.input
        return Answer(stored[0])

    network = Company().network(
        pages,
        "acme:admin",
        **{
            "GET /contacts/segments": lambda _: Answer({"segments": []}),
            "GET /attributes": lambda _: Answer({"attributes": []}),
            "GET /contacts/lists": lambda _: Answer({"lists": stored}),
            "POST /contacts/lists": create,
            f"PATCH {ONE}": change,
            f"DELETE {ONE}": lambda _: Answer(stored.pop()),
        },
    )
    page = opened(network, "segments")
    expect(page.get_by_text(none)).to_be_visible()
    form = page.get_by_role("form", name=new)
    form.get_by_role("textbox").fill("Readers")
    form.get_by_role("textbox").press("Enter")
    expect(form.locator("label")).to_contain_text("is taken")
    assert stored == []
    form.get_by_role("button", name=make).press("Enter")
    shown = page.get_by_role("region", name="Readers")
    shown.get_by_role("button", name=rename).press("Enter")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert barriers(page) == []
    shown.get_by_role("textbox").fill("Growers")
    shown.get_by_role("button", name=save).press("Enter")
    renamed = page.get_by_role("region", name="Growers")
    ask = renamed.get_by_role("button", name=remove)
    ask.press("Enter")
    expect(renamed.get_by_role("status")).to_contain_text(effect)
    assert len(stored) == 1
    renamed.locator(".segment-end button").last.press("Enter")
    expect(page.get_by_text(none)).to_be_visible()
    assert stored == []
