"""The page of WhatsApp forms, in three languages: errors at their lines, preview, publication, routing, answers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import FilePayload, expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Call, Refusal
from tests.unit.console.pages.whatsapp.account import ACTION, NUMBER, PHONE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered

FLOW = "700000000000000"
WORDS = {
    "en-GB": ("New form", "Create as a draft", "Line 3", "letters and underscores", "Publish"),
    "de-DE": (
        "Neues Formular",
        "Als Entwurf anlegen",
        "Zeile 3",
        "Unterstriche",
        "Veröffentlichen",
    ),
    "ar-EG": ("نموذج جديد", "إنشاء كمسودة", "السطر", "شرطات سفلية", "نشر"),
}
FAULT = {"error": "MISSING", "message": "The title is missing.", "line_start": 4, "line_end": 4}

FILE = {
    "name": "flow.json",
    "assetType": "FLOW_JSON",
    "downloadUrl": "https://cdn.example/flow.json",
}
ROUTING = {"firstScreen": "ONE", "routes": {"ONE": "SUCCESS"}, "screenData": {}}

UPLOADED = b'{"version": "7.0", "screens": [{"id": "ONE"}]}'


class Provider:
    """The forms of the account, as the API answers them."""

    def __init__(self) -> None:
        self.form: dict[str, Any] | None = None
        self.given: list[Any] = []
        self.has_key = False

    def publish_key(self, call: Call) -> Answer:
        assert call.input["phone"] == PHONE
        self.has_key = True
        return Answer({"version": 1, "publicKey": "PEM", "phones": [PHONE]})

    def of(self, call: Call) -> Answer:
        assert self.form is not None
        return Answer(self.form)

    def create(self, call: Call) -> Answer | Refusal:
        self.given.append(call.input)
        screens = call.input["flowJson"]["screens"]
        if screens[0]["id"] == "1":
            rule = "must have letters and underscores only"
            return Refusal(400, "invalid_input", {"flowJson.screens.0.id": rule})
        self.form = {
            "flowId": FLOW, "name": call.input["name"], "status": "DRAFT",
            "categories": call.input["categories"], "validationErrors": [FAULT],
            "endpointUri": "https://api.example/flows",
            "assets": [FILE],
            "routing": ROUTING,
        }  # fmt: skip
        return Answer(self.form)

    def replace(self, call: Call) -> Answer:
        assert self.form is not None
        self.given.append(call.input)
        self.form["validationErrors"] = []
        return Answer({"flowId": FLOW, "validationErrors": []})

    def move(self, call: Call) -> Answer:
        assert self.form is not None
        self.form["status"] = "PUBLISHED"
        return Answer(self.form)

    def route(self, call: Call) -> Answer:
        self.given.append(call.input)
        stored = {"flowId": FLOW, "firstScreen": "ONE", "screens": ["ONE"]}
        return Answer(stored | {"screensWithoutRoute": []})

    def answers(self) -> dict[str, Answered]:
        response = {
            "flowId": FLOW, "responseId": "r1", "customerPhone": "447700900101", "completedAt": at(0),
            "data": {"bike": "City bike", "size": 54},
        }  # fmt: skip
        preview = {"url": "https://preview.example/1", "expiresAt": at(60)}
        return {
            "GET /whatsapp/numbers": lambda _: Answer({"numbers": [NUMBER]}),
            f"{ACTION}list_flows": lambda _: Answer({"flows": [self.form] if self.form else []}),
            f"{ACTION}create_flow": self.create,
            f"{ACTION}get_flow": self.of,
            f"{ACTION}update_flow_json": self.replace,
            f"{ACTION}publish_flow": self.move,
            f"{ACTION}get_flow_preview": lambda _: Answer(preview),
            f"{ACTION}set_flow_routing": self.route,
            f"{ACTION}get_flow_public_key": lambda _: Answer(
                {"isOurs": self.has_key, "isNewest": self.has_key}
            ),
            f"{ACTION}set_flow_public_key": self.publish_key,
            f"{ACTION}get_flow_responses": lambda _: Answer({"responses": [response]}),
        }


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_form_is_corrected_at_its_lines_published_and_its_answers_are_read(
    opened: Opened, pages: Path, locale: str
) -> None:
    new, create, line, rule, publish = WORDS[locale]
    provider = Provider()
    page = opened(Company().network(pages, "acme:admin", **provider.answers()), "operations/forms")
    expect(page.locator(".ops-empty")).to_be_visible()  # what to do first
    page.get_by_role("button", name=new).click()
    form = page.get_by_role("form", name=new)
    form.locator("input[maxlength='200']").fill("Service")
    text = form.locator("textarea")
    text.fill('{\n"version": "7.0"\n"screens": []\n}')
    submit = form.get_by_role("button", name=create)
    submit.click()
    expect(form.locator(".wa-problems")).to_contain_text(line)
    assert provider.given == []  # it was not sent

    text.fill('{"version": "7.0", "screens": [{"id": "1"}]}')
    submit.click()
    expect(form.locator(".wa-problems")).to_contain_text(rule)
    form.locator(".wa-problems button").click()
    expect(text).to_be_focused()
    selected = "(area) => area.value.slice(area.selectionStart, area.selectionEnd).trim()"
    assert text.evaluate(selected) == '"id": "1"'
    page.reload()  # what was entered is kept
    page.get_by_role("button", name=new).click()
    expect(text).to_have_value(re.compile('\n      "id": "1"\n'))
    uploaded = FilePayload(name="a.json", mimeType="application/json", buffer=UPLOADED)
    form.locator("input[type=file]").set_input_files(files=[uploaded])
    submit.click()

    panel = page.get_by_role("region", name="Service", exact=True)
    expect(panel.locator(".wa-problems")).to_contain_text("The title is missing.")
    ready = panel.get_by_role("button", name=publish, exact=True)
    expect(ready).to_be_disabled()
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    corrected = {"version": "7.0", "screens": [{"id": "ONE", "title": "Service"}]}
    panel.locator("textarea").first.fill(json.dumps(corrected))
    panel.locator("form").first.locator("button[type=submit]").click()
    expect(panel.locator(".wa-problems")).to_have_count(0)
    assert provider.given[-1]["flowJson"] == corrected
    ready.click()
    page.get_by_role("dialog").get_by_role("button", name=publish, exact=True).click()
    expect(ready).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="447700900101")).to_contain_text("City bike")


def test_the_routing_of_a_form_is_shown_and_changed_and_broken_data_stay_as_entered(
    opened: Opened, pages: Path
) -> None:
    provider = Provider()
    provider.create(_created())
    page = opened(Company().network(pages, "acme:admin", **provider.answers()), "operations/forms")
    page.get_by_role("button", name="Open Service").click()
    panel = page.get_by_role("region", name="Service", exact=True)
    panel.get_by_role("button", name="Preview").click()
    expect(panel.get_by_role("link", name="Open the preview")).to_have_attribute(
        "href", "https://preview.example/1"
    )
    keys = panel.get_by_role("region", name="Keys of the numbers")
    keys.get_by_role("button", name="Publish the key").click()
    expect(keys).to_contain_text("Published")
    routing = panel.get_by_role("form", name="Routing")
    expect(routing.get_by_label("First screen")).to_have_value("ONE")
    routing.get_by_label("Next screen").fill("TWO")
    routing.get_by_role("button", name="Add a screen").click()
    routing.get_by_label("Id of the screen").nth(1).fill("TWO")
    routing.get_by_label("Data that it shows").nth(1).fill('{"days": [}')
    routing.get_by_role("button", name="Store").click()
    expect(routing.locator(".wa-problems")).to_contain_text("Line 1")
    routing.get_by_label("Data that it shows").nth(1).fill('{"days": [1]}')
    routing.get_by_role("button", name="Store").click()
    expect(page.get_by_text("The routing is stored")).to_be_visible()

    assert provider.given[-1] == {
        "flowId": FLOW,
        "firstScreen": "ONE",
        "routes": {"ONE": "TWO"},
        "screenData": {"TWO": {"days": [1]}},
    }


def _created() -> Call:
    body = {"name": "Service", "categories": ["OTHER"], "flowJson": {"screens": [{"id": "ONE"}]}}
    return Call(f"{ACTION}create_flow", {}, body)
