"""E-mails: one column of tables, inline styles, nothing to fetch."""

import re
from dataclasses import replace

import pytest
from lxml import html

from local.console.issues import samples
from local.console.issues.samples import LANGUAGES, document_of, mail_of
from local.stack.processes import ROOT
from newsletters.exports.formats import render
from newsletters.exports.writers.email_styles import SMALLEST
from newsletters.exports.writers.palette import DARK, LIGHT
from tests.unit.newsletters.exports.samples import IMAGE_URL, document, png, sample

IMAGES = {IMAGE_URL: png(900, 300)}


def source(language: str = "en") -> str:
    shown = (
        document("Text [[3]](#source-3) `code`\n\n> quote", language=language)
        if language != "en"
        else sample()
    )
    return render("email", shown, IMAGES).body.decode()


@pytest.fixture(scope="module")
def mail() -> html.HtmlElement:
    return html.fromstring(source())


def inherited(element: html.HtmlElement, name: str) -> str:
    """The inline style that an element has or inherits."""
    for around in (element, *element.iterancestors()):
        found = re.findall(rf"(?:^|;)\s*{name}:\s*([^;]+)", around.get("style", ""))
        if found:
            return str(found[-1]).strip()
    return ""


def test_nothing_is_fetched_but_the_images(mail: html.HtmlElement) -> None:
    assert mail.xpath("//@src") == [IMAGE_URL]
    assert not mail.xpath("//link | //script | //@background")
    assert not re.search(r"url\(|@import|fonts\.googleapis", source())


def test_all_text_is_large_enough(mail: html.HtmlElement) -> None:
    for element in mail.xpath("//body//*[text()[normalize-space()]]"):
        if "display:none" not in element.get("style", ""):
            assert int(inherited(element, "font-size").removesuffix("px")) >= SMALLEST, element.text


def test_colours_fonts_and_spaces_are_inline(mail: html.HtmlElement) -> None:
    for element in mail.xpath(
        "//*[self::p or self::h1 or self::h2 or self::a or self::td or self::th or self::li]"
    ):
        assert element.get("style")
    assert "sans-serif" in inherited(mail.xpath("//p")[0], "font-family")


def test_each_element_with_a_colour_has_a_dark_one(mail: html.HtmlElement) -> None:
    sheet = "".join(mail.xpath("//style/text()"))
    dark = sheet[sheet.index("prefers-color-scheme: dark") :]
    coloured = mail.xpath(
        "//div[@dir and not(@class)]//*[contains(@style, 'color:') or contains(@style, 'border-bottom')]"
    )
    assert coloured
    for element in coloured:
        assert f".{element.get('class')}" in dark, element.tag
    assert mail.xpath("//meta[@name='color-scheme']/@content") == ["light dark"]


def test_tables_of_the_frame_are_presentation(mail: html.HtmlElement) -> None:
    frames = [table for table in mail.xpath("//table") if table.get("role") == "presentation"]
    data = [table for table in mail.xpath("//table") if table.get("role") is None]
    assert frames
    assert [len(table.xpath(".//th[@scope='col']")) for table in data] == [6]


def test_a_table_scrolls_inside_a_frame_of_the_width_that_is_there(mail: html.HtmlElement) -> None:
    (table,) = mail.xpath("//table[.//th]")[-1:]
    scroll, _, _, _, frame = [*table.iterancestors()][:5]
    assert "overflow-x:auto" in scroll.get("style", "")
    assert "table-layout:fixed;width:100%" in frame.get("style", "")


def test_the_column_is_600_pixels_wide_at_most(mail: html.HtmlElement) -> None:
    assert "max-width:600px" in mail.xpath("//div[@class='nl-surface']/@style")[0]
    assert int(mail.xpath("//img/@width")[0]) <= 600
    # Fluid below the width of its attribute, which only Outlook obeys.
    assert "width:100%;max-width:536px" in mail.xpath("//img/@style")[0]


def test_no_table_of_the_frame_grows_with_its_content(mail: html.HtmlElement) -> None:
    """A blocked image shows its alternative text, and nothing is cut on a phone of 320 pixels."""
    frames = mail.xpath(
        "//table[@role='presentation'][contains(@style, 'width:100%') or @width='100%']"
    )
    assert frames
    assert all("table-layout:fixed" in frame.get("style") for frame in frames)
    assert mail.xpath("//img/@alt")[0]


def test_numbers_in_tables_stay_in_one_line(mail: html.HtmlElement) -> None:
    shown = document(
        "| a | b |\n|---|--:|\n| 12 head of cattle | KES 1 200 000 |\n| \u221212 % | 2026-11-22 |"
    )
    mail = html.fromstring(render("email", shown).body.decode())
    kept = mail.xpath("//td/span[contains(@style, 'nowrap')]/text()")
    assert kept == ["KES 1 200 000", "\u221212 %", "2026-11-22"]


def test_code_has_a_font_of_fixed_width_everywhere() -> None:
    mail = html.fromstring(render("email", document("`a`\n\n    b")).body.decode())
    for element in mail.xpath("//code | //pre"):
        assert inherited(element, "font-family").endswith("monospace")
    assert re.search(r"\[if mso\].*code, pre \{ font-family: Consolas", source(), re.DOTALL)


def test_outlook_on_the_web_has_dark_colours_too(mail: html.HtmlElement) -> None:
    sheet = "".join(mail.xpath("//style/text()"))
    assert "[data-ogsc] .nl-surface" in sheet


def test_a_mail_that_is_clipped_says_so_with_the_size_of_each_section() -> None:
    long = document(
        "Hello.\n\n## News\n\n" + "Rain fell on the fields. " * 5_000 + "\n\n## End\n\nBye."
    )
    rendered = render("email", long)
    assert rendered.warnings == ("mail_too_large",)
    assert list(rendered.section_bytes) == ["March", "News", "End"]
    assert rendered.section_bytes["News"] > 120_000
    assert rendered.section_bytes["End"] < 1_000
    assert not render("email", sample(), IMAGES).section_bytes


def test_the_preview_line_is_the_one_of_the_newsletter() -> None:
    shown = replace(document("Hello [[1]](#source-1)."), preheader="Three calls & one date")
    assert "Three calls &amp; one date" in render("email", shown).body.decode()
    assert ">Hello.</div>" in render("email", replace(shown, preheader="")).body.decode()


def test_the_preheader_is_the_beginning_of_the_first_paragraph(mail: html.HtmlElement) -> None:
    (hidden,) = mail.xpath("//body/div[contains(@style, 'display:none')]")
    assert hidden.text == (
        "Good morning. This month brings a longer dry spell across the lowlands, a seasonal forecast that county"
        " officers can act on, and two calls…"
    )


def test_direction_and_language_are_on_the_page_and_around_the_text() -> None:
    mail = html.fromstring(source("ar"))
    assert (mail.get("lang"), mail.get("dir")) == ("ar", "rtl")
    assert mail.xpath("//div[@class='nl-body' or @dir]/@dir")[-1] == "rtl"
    assert "padding-right" in source("ar") or "border-right" in source("ar")
    assert inherited(mail.xpath("//p")[0], "text-align") == "right"


def test_a_mail_of_normal_length_is_not_clipped() -> None:
    assert len(source().encode()) < 102 * 1024


def test_columns_of_numbers_are_narrow_before_a_table_scrolls() -> None:
    shown = document("| Name | 2024 | 2025 | Note |\n|---|--:|--:|---|\n| Goats | 1,240 | 34 % | |")
    (table,) = html.fromstring(render("email", shown).body.decode()).xpath("//table[.//th]")[-1:]
    # Name and the empty note keep 85 pixels each.
    assert table.get("style", "").endswith(f"min-width:{85 + 44 + 44 + 85}px")


WIDE = (
    "| Region | Maize | Beans | Note | 2025 |\n|---|---|---|---|--:|\n"
    "| North & East | good harvest | late rain | <b>stored</b> | 1,240 |\n| South | | poor | sold | 34 % |"
)


def test_rows_of_a_wide_table_are_blocks_with_the_names_of_columns_on_a_phone() -> None:
    mail = html.fromstring(render("email", document(WIDE)).body.decode())
    (table,) = mail.xpath("//table[@class='nl-stacked']")
    labels = [
        [one.text_content() for one in row.xpath("./td/span[@class='nl-label']")]
        for row in table.xpath(".//tbody/tr")
    ]
    names = ["Region: ", "Maize: ", "Beans: ", "Note: ", "2025: "]
    assert labels == [names, [one for one in names if one != "Maize: "]]
    assert len(table.xpath(".//span[@class='nl-label']/bdi")) == 2 * len(names) - 1
    hidden = {one.get("style") for one in table.xpath(".//span[@class='nl-label']")}
    assert hidden == {"display:none;mso-hide:all;"}
    sheet = "".join(mail.xpath("//style/text()")).partition("max-width: 480px")[2]
    assert ".nl-stacked thead { display: none !important; }" in sheet
    assert ".nl-label { display: inline !important;" in sheet
    assert "<b>stored" not in html.tostring(table, encoding="unicode")


def test_a_table_that_has_room_on_a_phone_stays_a_table() -> None:
    narrow = "| Name | 2024 | 2025 |\n|---|--:|--:|\n| Goats | 1,240 | 34 % |"
    for name in ("email", "html"):
        shown = render(name, document(narrow)).body.decode()
        assert "nl-label" not in shown.partition("</style>")[2].rpartition("<table")[2]
    assert "nl-stacked" not in render("html", document(WIDE)).body.decode()


def test_a_table_whose_words_have_no_room_on_a_phone_is_stacked() -> None:
    names = "| Variedade | Rendimento | Quintas | Mudan\u00e7a | Pre\u00e7o |"
    content = f"{names}\n|---|--:|--:|--:|--:|\n| Gadam | 1.240 | 24 | 34 % | 2,40 |"
    shown = render("email", document(content)).body.decode()
    assert "nl-stacked" in shown.partition("</style>")[2]
    assert (
        "nl-stacked"
        not in render(
            "email", document(content.replace("Rendimento", "Rend.").replace("Variedade", "Tipo"))
        )
        .body.decode()
        .rpartition("</style>")[2]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sample_issue_is_shown_whole_with_a_footer_for_dark_and_light(language: str) -> None:
    """Pictures of the same mails are in docs/newsletters/issues.md."""
    shown = mail_of(language)
    assert "{{" not in shown
    mail = html.fromstring(shown)
    (footer,) = mail.xpath("//td[@class='nl-footer']")
    assert f"color:{LIGHT.muted}" in footer.get("style")
    assert [one.get("class") for one in footer.xpath(".//a")] == ["nl-a"] * 3
    dark = "".join(mail.xpath("//style/text()")).partition("prefers-color-scheme: dark")[2]
    assert f".nl-footer {{ color:{DARK.muted} !important }}" in dark
    assert render("email", document_of(language), {samples.IMAGE_URL: samples.IMAGE}).warnings == ()


def test_the_page_of_pictures_shows_each_of_them_and_they_are_small() -> None:
    page = (ROOT / "docs" / "newsletters" / "issues.md").read_text()
    files = sorted((ROOT / "docs" / "images" / "newsletters").glob("*.jpg"))
    assert len(files) == 12
    assert all(f"/{file.name})" in page for file in files)
    assert {file.name.partition("-")[0] for file in files} == set(LANGUAGES)
    assert sum(file.stat().st_size for file in files) <= 600_000
