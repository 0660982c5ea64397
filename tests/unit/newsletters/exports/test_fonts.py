"""The shipped fonts and the list of their characters."""

import json

import pytest
from fontTools.ttLib import TTFont

from local.docs.fonts import COVERAGE, FOLDER, coverage
from newsletters.exports.glyphs import displayable, has_glyph, missing_in
from newsletters.exports.writers.pdf.fonts import FAMILIES, fonts_folder


def test_the_list_of_characters_is_that_of_the_fonts() -> None:
    assert [tuple(entry) for entry in json.loads(COVERAGE.read_text())] == coverage(FOLDER)


def test_the_fonts_are_found_in_the_repository() -> None:
    assert fonts_folder() == FOLDER


def test_the_families_are_those_of_the_files() -> None:
    found = set()
    for file in FOLDER.glob("*.ttf"):
        with TTFont(file) as font:
            found.add(font["name"].getDebugName(1))
    assert found == set(FAMILIES)


def test_the_licence_is_with_the_fonts_and_they_are_small() -> None:
    assert "SIL Open Font License, Version 1.1" in (FOLDER / "LICENSE").read_text()
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 6 * 1024 * 1024


def test_the_replacement_character_has_a_glyph() -> None:
    assert has_glyph("\ufffd")
    assert not has_glyph("漢")
    assert displayable("a\u00a0b") == ("a\u00a0b", False)


@pytest.mark.parametrize("text", ["漢字", "かな", "한국", "ฝน", "மழை", "বৃষ্টি", "వాన", "🌻🐄"])
def test_scripts_without_a_font_are_named_before_the_export_and_replaced_in_it(text: str) -> None:
    named = missing_in(f"Rain {text} rain")
    assert named == "".join(dict.fromkeys(text))
    assert displayable(text) == ("\ufffd" * len(text), True)


def test_the_characters_without_glyph_are_known_before_a_file_is_rendered() -> None:
    assert missing_in("Rain \u200b\u00ad\n 漢字 and 漢 🌻") == "漢字🌻"
    assert missing_in("Rain መጠን مطر 12 %") == ""
