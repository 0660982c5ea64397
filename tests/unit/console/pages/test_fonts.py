"""The browser of the tests and of the pictures has fonts for emoji, Chinese and Japanese."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page


def fonts_of(page: Page, text: str) -> set[str]:
    """The families that the browser draws a text with."""
    page.set_content(f"<p style='font-family: system-ui, sans-serif'>{text}</p>")
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    asked: dict[str, Any] = {"nodeId": root, "selector": "p"}
    place = session.send("DOM.querySelector", asked)["nodeId"]
    found = session.send("CSS.getPlatformFontsForNode", {"nodeId": place})["fonts"]
    return {one["familyName"] for one in found}


def test_emoji_chinese_and_japanese_are_drawn_with_fonts_that_have_them(
    context: BrowserContext,
) -> None:
    page = context.new_page()
    assert fonts_of(page, "🔧👍🏽🇩🇪") == {"Noto Color Emoji"}
    assert fonts_of(page, "你好请问漢字こんにちは") == {"Noto Sans SC"}
