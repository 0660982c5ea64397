"""A project is created in the console, on channels of the company, and its model is off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer, Call, Network, Refusal
from tests.unit.console.pages.operations.test_trials import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened

PHONES: list[dict[str, Any]] = [
    {"phoneNumberId": "10099", "phoneArn": "arn:parley:whatsapp:::phone-number-id/10099",
     "metaWabaId": "20099", "provider": "graph", "displayPhoneNumber": "+12025550188",
     "displayText": "+1 202-555-0188", "graphTokenSecret": "acme/main", "automation": "off",
     "autoRead": False, "enabled": True, "isDefault": True},
    {"phoneNumberId": "10100",
     "phoneArn": f"arn:aws:social-messaging:eu-central-1:123456789012:phone-number-id/{'a1' * 16}",
     "metaWabaId": "20100", "provider": "eum", "displayPhoneNumber": "+12025550189",
     "displayText": "+1 202-555-0189", "automation": "off", "autoRead": False, "enabled": True,
     "isDefault": False},
]  # fmt: skip
WORDS = {
    "en-GB": ("New project", "Name of the project", "Model, such as", "E-mail address that", "WhatsApp number",
              "Create the project", "people answer until", "Turn the model on"),
    "de-DE": ("Neues Projekt", "Name des Projekts", "Modell, zum Beispiel", "E-Mail-Adresse, von", "WhatsApp-Nummer",
              "Projekt anlegen", "Menschen antworten, bis", "Modell einschalten"),
    "ar-EG": ("مشروع جديد", "اسم المشروع", "النموذج، مثل", "عنوان البريد", "رقم واتساب",
              "إنشاء المشروع", "يجيب الأشخاص حتى", "تشغيل النموذج"),
}  # fmt: skip


class Made(Project):
    """A company without a project, until one is created."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[str, dict[str, Any]]] = []
        self.refusals: list[Refusal] = []

    def _project(self) -> dict[str, Any]:
        project_id, given = self.made[-1]
        facts = {
            "project_id": project_id,
            "name": given["project_name"],
            "automation_enabled": False,
        }
        return super()._project() | facts

    def _create(self, call: Call) -> Answer | Refusal:
        if self.refusals:
            return self.refusals.pop()
        self.made.append((call.path["project_id"], dict(call.input)))
        return Answer(self._project())

    def network(self, pages: Path) -> Network:
        own = {
            "GET /projects": lambda _: Answer({"projects": [self._project()] if self.made else []}),
            "POST /projects/{project_id}": self._create,
            "POST /whatsapp/actions/list_phones": lambda _: Answer({"phones": PHONES}),
        }
        return Company().network(pages, "acme:admin", **(self.routes() | own))


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_the_first_project_is_created_by_the_form_in_the_empty_list_with_refusals_at_their_field(
    opened: Opened, pages: Path, locale: str
) -> None:
    new, name, model, email, number, make, off, turn_on = WORDS[locale]
    company = Made()
    company.refusals.append(
        Refusal(
            400,
            "invalid_input",
            {"channel_config.email.company_email": "its domain must be granted"},
        )
    )
    page = opened(company.network(pages), "operations/projects")
    form = page.get_by_role("form", name=new)
    expect(form).to_contain_text(off)
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320

    form.get_by_label(name).focus()
    page.keyboard.type("Clarify CV")
    expect(form.locator("input[pattern]")).to_have_value("clarify-cv")
    form.get_by_label(model).fill("amazon.nova-lite-v1:0")
    form.get_by_label(email).fill("Jobs@own.example")
    form.get_by_label(number).select_option("10100")
    page.reload()
    expect(form.get_by_label(name)).to_have_value("Clarify CV")
    form.get_by_role("button", name=make).press("Enter")
    refused = form.locator("label", has_text="its domain must be granted")
    expect(refused).to_be_visible()
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []
    assert company.made == []

    form.get_by_role("button", name=make).press("Enter")
    expect(page.get_by_role("button", name=turn_on)).to_be_visible()
    expect(form).to_have_count(0)
    project_id, given = company.made[0]
    assert (project_id, given["project_name"]) == ("clarify-cv", "Clarify CV")
    assert given["ai_config"]["model"] == "amazon.nova-lite-v1:0"
    assert given["channel_config"] == {"email": {"company_email": "jobs@own.example"}, "whatsapp": {
        "provider": "aws_social", "company_whatsapp_number": "+12025550189",
        "phone_number_id": f"phone-number-id-{'a1' * 16}", "account": "20100",
    }}  # fmt: skip

    page.get_by_role("button", name=new).click()
    expect(form.get_by_label(name)).to_have_value("")
    form.get_by_label(number).select_option("10099")
    form.get_by_label(name).fill("Second")
    form.get_by_label(model).fill("m")
    form.get_by_role("button", name=make).click()
    expect(form).to_have_count(0)
    whatsapp = company.made[1][1]["channel_config"]["whatsapp"]
    assert (whatsapp["provider"], whatsapp["whatsapp_credentials_id"]) == ("meta", "acme/main")
    assert company.made[1][1]["channel_config"].keys() == {"whatsapp"}
