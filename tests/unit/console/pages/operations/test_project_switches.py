"""A project is paused, and its model turned off, after a question with what it does, and both can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer
from tests.unit.console.pages.operations.test_trials import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call, Network

BACKLOG = {
    "bounds": [86_400],
    "backlog": [
        {"context": "conversations", "channel": "sms", "open": 7, "waiting": 3}
        | {"by_age": [7, 0], "by_wait": [3, 0]}
    ],
    "complete": True,
}
WORDS = {
    "en-GB": ("Turn the model off", "Turn the model on", "Pause the project", "answers nothing", "Undo"),
    "de-DE": (
        *("Modell ausschalten", "Modell einschalten", "Projekt anhalten", "antwortet das Modell nicht"),
        "Rückgängig",
    ),
    "ar-EG": ("إيقاف النموذج", "تشغيل النموذج", "إيقاف المشروع", "لا يجيب النموذج", "تراجع"),
}  # fmt: skip


class Switched(Project):
    """A project, and what was asked of its switches."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {"status": "active", "automation_enabled": True}

    def _project(self) -> dict[str, Any]:
        return super()._project() | self.state

    def _switch(self, call: Call) -> Answer:
        self.given.append(dict(call.input))
        names = {"project_status": "status", "automation_enabled": "automation_enabled"}
        self.state |= {names[name]: value for name, value in call.input.items()}
        return Answer(self._project())

    def network(self, pages: Path) -> Network:
        switches = {"POST /projects/{project_id}/switches": self._switch}
        backlog = {"GET /reports/backlog": lambda _: Answer(BACKLOG)}
        return Company().network(pages, "acme:admin", **(self.routes() | switches | backlog))


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_administrator_turns_the_model_of_a_project_off_with_what_it_does_and_undoes_it(
    opened: Opened, pages: Path, locale: str
) -> None:
    off, on, pause, effect, undo = WORDS[locale]
    project = Switched()
    page = opened(project.network(pages), "operations/projects")

    page.get_by_role("button", name=off).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(effect)
    expect(dialog.get_by_role("status")).to_contain_text("7")
    assert project.given == []
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []
    dialog.get_by_role("button", name=off).click()
    expect(page.get_by_role("button", name=on)).to_be_visible()
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=off)).to_be_visible()
    assert project.given == [{"automation_enabled": False}, {"automation_enabled": True}]

    page.get_by_role("button", name=pause).click()
    dialog.get_by_role("button", name=pause).click()
    expect(page.get_by_role("button", name=pause)).to_have_count(0)
    page.get_by_role("button", name=undo).click()
    expect(page.get_by_role("button", name=pause)).to_be_visible()
    assert project.given[2:] == [{"project_status": "inactive"}, {"project_status": "active"}]
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
