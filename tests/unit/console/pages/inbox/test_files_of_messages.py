"""Pictures and voice notes of a conversation keep their identity over refreshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tests.unit.console.pages.company import Company
from tests.unit.console.pages.network import PAGE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.console.pages.conftest import Opened


@dataclass
class Filed(Company):
    """Message 1 is a picture, message 2 a voice note with its words. Each answer signs the address of *file* anew."""

    file: str = ""
    answered: int = 0

    def page(self, end: int, count: int) -> dict[str, Any]:
        self.answered += 1
        return super().page(end, count)

    def message(self, number: int) -> dict[str, Any]:
        kinds = {1: ("image", "image/png"), 2: ("audio", "audio/ogg")}
        if number not in kinds:
            return super().message(number)
        kind, mime = kinds[number]
        link = f"{PAGE}/{self.file}?signature={self.answered}"
        absent = dict.fromkeys(("filename", "expires_in_seconds"))
        media = absent | {"mime_type": mime, "status": "STORED", "link": link}
        words = {"status": "DONE", "text": "where is my parcel", "reason": None, "phone": "1"}
        found = super().message(number) | {"type": kind, "text": None, "media": media}
        return found | ({"transcript": words} if kind == "audio" else {})


def test_a_refresh_keeps_pictures_and_voice_notes_as_they_are(opened: Opened, pages: Path) -> None:
    company = Filed(file=next(pages.rglob("icon-*.svg")).relative_to(pages).as_posix())
    network = company.network(pages)
    loaded: list[str] = []
    page = opened(network, "all/whatsapp/k0")
    page.on("request", lambda one: loaded.append(one.url) if "signature" in one.url else None)
    log = page.get_by_role("log", name="Messages")
    picture, voice = log.get_by_role("img", name="Picture"), log.locator("audio")
    expect(picture).to_have_count(1)
    page.locator("nav.rail").get_by_text("Live", exact=True).wait_for()
    expect(log.get_by_text("where is my parcel")).to_be_visible()
    log.get_by_role("button", name="Speed: 1").click()
    sources = [one.get_attribute("src") for one in (picture, voice)]
    picture.evaluate("one => { one.kept = true; }")
    loaded.clear()

    company.messages, company.versions["k0"] = 4, 2
    network.hint("whatsapp", "k0", 2)
    log.get_by_text("line 3.", exact=True).wait_for()
    assert [one.get_attribute("src") for one in (picture, voice)] == sources
    assert picture.evaluate("one => one.kept") is True
    assert voice.evaluate("one => one.playbackRate") == 1.5
    assert loaded == []

    log.get_by_role("button", name="Picture").press("Enter")
    expect(page.get_by_role("dialog", name="Picture").get_by_role("img")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(log.get_by_role("button", name="Picture")).to_be_focused()
