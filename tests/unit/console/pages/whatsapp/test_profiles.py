"""The public profile of a number: picture and fields, in three languages."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import Answer, Call, Refusal
from tests.unit.console.pages.whatsapp.account import ACTION, NUMBER, PHONE, WABA

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Route

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered

BUCKET = "https://media.s3.example"
FORM = {
    "upload": "u-1", "url": BUCKET, "fields": {"key": "uploads/acme/u-1", "policy": "p"},
    "largest_bytes": 5_242_880, "expires_in_seconds": 900,
}  # fmt: skip
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WORDS = {
    "en-GB": ("Public profile", "Profile picture", "Use this picture", "Line of business"),
    "de-DE": ("Öffentliches Profil", "Profilbild", "Dieses Bild verwenden", "Branche"),
    "ar-EG": ("الملف العام", "صورة الملف", "استخدام هذه الصورة", "مجال العمل"),
}


class Profile:
    """The profile at WhatsApp, and what the page asked for."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {"description": "A shop", "vertical": "RETAIL"}
        self.pictures: list[Any] = []
        self.uploads: list[bytes] = []
        self.given: list[Any] = []
        self.picture_refusal: Refusal | None = None

    def view(self, _: Call | None = None) -> Answer:
        shown = {"phoneNumberId": PHONE, "metaWabaId": WABA, "syncStatus": "synced"}
        url = {"profilePictureUrl": "https://pps.whatsapp.example/1"} if self.pictures else {}
        return Answer(shown | self.fields | url)

    def set_picture(self, call: Call) -> Answer | Refusal:
        if self.picture_refusal:
            return self.picture_refusal
        self.pictures.append(call.input)
        return self.view()

    def update(self, call: Call) -> Answer:
        self.given.append(call.input)
        self.fields |= call.input["data"]
        return self.view()

    def answers(self) -> dict[str, Answered]:
        return {
            "GET /whatsapp/numbers": lambda _: Answer({"numbers": [NUMBER]}),
            "POST /whatsapp/uploads": lambda _: Answer(FORM),
            f"{ACTION}get_quality": lambda _: Answer({"phones": []}),
            f"{ACTION}get_business_profile": self.view,
            f"{ACTION}upload_profile_picture": self.set_picture,
            f"{ACTION}update_business_profile": self.update,
        }

    def opened(self, opened: Opened, pages: Path, button: str) -> Page:
        def kept(route: Route) -> None:
            self.uploads.append(route.request.post_data_buffer or b"")
            route.fulfill(status=204, headers={"access-control-allow-origin": "*"})

        network = Company().network(pages, "acme:admin", **self.answers())
        page = opened(network, "operations/numbers")
        page.route(f"{BUCKET}/**", kept)
        page.route("https://pps.whatsapp.example/**", lambda route: route.fulfill(body=DOT))
        page.get_by_role("button", name=button).click()
        return page


def chosen(
    page: Page, name: str = "shop.png", kind: str = "image/png", content: bytes = DOT
) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": kind, "buffer": content}
    )


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_a_picture_is_uploaded_and_set_and_then_shown_as_customers_see_it(
    opened: Opened, pages: Path, locale: str
) -> None:
    button, title, use, _ = WORDS[locale]
    profile = Profile()
    page = profile.opened(opened, pages, button)
    form = page.get_by_role("form", name=title)
    expect(form.get_by_role("button", name=use)).to_be_disabled()
    chosen(page)
    expect(form.get_by_role("img")).to_be_visible()
    assert profile.pictures == []
    form.get_by_role("button", name=use).click()
    expect(form.get_by_role("img")).to_have_attribute("src", "https://pps.whatsapp.example/1")
    assert profile.pictures == [{"phone": PHONE, "s3Key": "uploads/acme/u-1"}]
    assert DOT in profile.uploads[0]
    assert b'name="policy"' in profile.uploads[0]
    assert barriers(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize(
    ("kind", "content"), [("image/gif", DOT), ("image/png", b""), ("image/png", b"x" * 5_242_881)]
)
def test_a_file_that_whatsapp_does_not_take_is_refused_before_it_is_sent(
    opened: Opened, pages: Path, kind: str, content: bytes
) -> None:
    profile = Profile()
    page = profile.opened(opened, pages, "Public profile")
    chosen(page, kind=kind, content=content)
    form = page.get_by_role("form", name="Profile picture")
    expect(form.get_by_role("alert")).to_contain_text("JPEG and PNG")
    expect(form.get_by_role("button", name="Use this picture")).to_be_disabled()
    assert (profile.uploads, profile.pictures) == ([], [])


def test_a_number_without_an_app_says_why_it_takes_no_picture_and_keeps_the_file(
    opened: Opened, pages: Path
) -> None:
    profile = Profile()
    profile.picture_refusal = Refusal(409, "not_configured")
    page = profile.opened(opened, pages, "Public profile")
    chosen(page)
    form = page.get_by_role("form", name="Profile picture")
    form.get_by_role("button", name="Use this picture").click()
    expect(form.get_by_role("alert")).to_contain_text("only from an app")
    expect(form.get_by_role("button", name="Use this picture")).to_be_enabled()


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_all_fields_of_the_profile_are_changed_and_an_empty_status_line_is_left_out(
    opened: Opened, pages: Path, locale: str
) -> None:
    button, _, _, trade = WORDS[locale]
    profile = Profile()
    page = profile.opened(opened, pages, button)
    form = page.get_by_role("form", name=button)
    form.get_by_label(trade).select_option("FINANCE")
    form.locator("textarea").fill("https://one.example\nhttps://two.example\n")
    form.get_by_role("textbox").nth(1).fill("Bikes")
    form.locator("button[type=submit]").click()
    expect(page.locator(".toast").first).to_be_visible()
    assert profile.given == [
        {
            "phone": PHONE,
            "data": {
                "description": "Bikes",
                "address": "",
                "email": "",
                "websites": ["https://one.example", "https://two.example"],
                "vertical": "FINANCE",
            },
        }
    ]
