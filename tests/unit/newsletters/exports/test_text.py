"""Plain text: lines, notes and tables."""

from newsletters.exports.formats import render
from newsletters.exports.writers.text import COLUMNS, columns
from tests.unit.newsletters.exports.samples import IMAGE_URL, document, png, sample


def text(content: str, language: str = "en") -> str:
    return render(
        "text", document(content, language=language), {IMAGE_URL: png(4, 4)}
    ).body.decode()


def test_no_line_is_longer_than_78_columns_except_for_a_url() -> None:
    lines = render("text", sample()).body.decode().splitlines()
    assert max(columns(line) for line in lines if "://" not in line) <= COLUMNS


def test_links_are_numbered_notes_above_the_numbers_of_the_sources() -> None:
    found = text(
        "Read [this](https://example.org/a), [that](https://example.org/b) and [this](https://example.org/a)."
    )
    assert "Read this [6], that [7] and this [6]." in found
    assert found.endswith("Links\n-----\n\n[6] https://example.org/a\n[7] https://example.org/b\n")


def test_a_link_that_is_its_url_has_no_note() -> None:
    found = text("<https://example.org/a> <a@example.org>")
    assert "https://example.org/a a@example.org" in found
    assert "Links" not in found


def test_the_sources_have_title_date_and_url() -> None:
    found = text("Rain [[1]](#source-1).")
    assert (
        "[1] Seasonal outlook, March to May 2026, 2026-02-18,\n    https://climate.example.org/outlook/mam-2026"
        in found
    )


def test_a_nested_list_is_indented_and_counts_from_its_start() -> None:
    assert "3. a\n4. b\n   - c" in text("3. a\n4. b\n   - c")


def test_a_table_that_fits_has_aligned_columns() -> None:
    assert "Animal  Price\n------  -----\nGoat        5" in text(
        "| Animal | Price |\n|---|--:|\n| Goat | 5 |"
    )


def test_a_wide_table_is_a_record_per_row() -> None:
    found = text(f"| A | B |\n|---|---|\n| {'long ' * 20} | b |\n| c | |")
    assert "A: long long" in found
    assert "\nB: b\n\nA: c\n" in found


def test_quotes_code_and_images_are_readable() -> None:
    found = text(f"> quoted\n>\n> twice\n\n```\ncode\n```\n\n![Rain]({IMAGE_URL})\n\na  \nb")
    assert "> quoted\n>\n> twice\n\n    code\n\nRain [6]\n\na\nb\n" in found


def test_wide_and_combining_characters_count_by_their_columns() -> None:
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
