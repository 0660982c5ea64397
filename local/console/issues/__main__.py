"""
Takes pictures of twelve sample issues as mail programs show them: wide and narrow, light and dark, images blocked.

    python -m local.console.issues [FOLDER]    writes docs/images/newsletters, or FOLDER

The mails are those that readers get: exported as `email`, with the footer of an issue.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from playwright.sync_api import sync_playwright

from local.console import browser
from local.console.issues.samples import IMAGE, mail_of
from local.stack.processes import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

FOLDER: Final = ROOT / "docs" / "images" / "newsletters"
QUALITY: Final = 50  # of the JPEGs
WIDE, NARROW = 680, 320  # CSS pixels
MOST_HEIGHT: Final = 1_900
# The fonts that Parley ships stand for the fonts of the reader's system, which has one for code.
_FONTS: Final = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><dir>/usr/share/fonts</dir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias binding="same"><family>sans-serif</family><prefer><family>Noto Sans</family></prefer></alias>
<cachedir>{cache}</cachedir></fontconfig>"""


@dataclass(frozen=True)
class Picture:
    """An issue in a language, as one reader sees it."""

    language: str
    width: int
    is_dark: bool = False
    has_images: bool = True

    @property
    def name(self) -> str:
        """The name of the file without its ending."""
        size = "wide" if self.width == WIDE else "narrow"
        marks = ["dark"] * self.is_dark + ["blocked"] * (not self.has_images)
        return "-".join([self.language, size, *marks])


PICTURES: Final = (
    Picture("en", WIDE),
    Picture("en", WIDE, has_images=False),
    Picture("en", NARROW, has_images=False),
    Picture("en", NARROW, is_dark=True),
    Picture("de", WIDE, is_dark=True),
    Picture("de", NARROW),
    Picture("fr", NARROW, has_images=False),
    Picture("es", WIDE, is_dark=True, has_images=False),
    Picture("pt", NARROW, is_dark=True),
    Picture("ar", WIDE),
    Picture("ar", NARROW, has_images=False),
    Picture("ar", NARROW, is_dark=True),
)


def main() -> None:
    """Write all pictures and print their size. Fails if a mail is wider than its reader's screen."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.executable(),
            args=["--no-sandbox", "--disable-gpu"],
            env={"FONTCONFIG_FILE": str(_font_configuration(ROOT / ".local" / "issues"))},
        )
        for picture in PICTURES:
            file = folder / f"{picture.name}.jpg"
            file.write_bytes(_taken(chromium, picture))
            print(f"{file.name}: {file.stat().st_size:,} bytes")
        chromium.close()


def _taken(chromium: Browser, picture: Picture) -> bytes:
    page = chromium.new_context(
        viewport={"width": picture.width, "height": 900},
        color_scheme="dark" if picture.is_dark else "light",
        java_script_enabled=False,
    ).new_page()

    def answer(route: Route) -> None:
        if picture.has_images:
            route.fulfill(body=IMAGE, content_type="image/png")
        else:
            route.abort()

    page.route("**/*", answer)
    page.set_content(mail_of(picture.language), wait_until="load")
    width, height = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.offsetHeight]"
    )
    if width > picture.width:
        raise SystemExit(f"{picture.name}: {width} pixels wide")
    page.set_viewport_size({"width": picture.width, "height": min(MOST_HEIGHT, height)})
    return page.screenshot(type="jpeg", quality=QUALITY)


def _font_configuration(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "fonts.conf"
    fonts = ROOT / "layers" / "exports" / "fonts"
    file.write_text(_FONTS.format(folder=fonts, cache=folder / "fonts"))
    return file


if __name__ == "__main__":
    main()
