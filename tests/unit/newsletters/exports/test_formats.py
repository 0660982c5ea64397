"""All formats: safe, deterministic, and with titles as typed."""

import io
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from typing import Any

import docx
import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from newsletters.exports.document import Citation, Document
from newsletters.exports.formats import FORMATS, render
from tests.cases import each
from tests.unit.newsletters.exports.samples import IMAGE_URL, UPDATED_AT, document, png, sample

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<svg/onload=alert(1)>",
    '<a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x][ref]\n\n[ref]: javascript:alert(1)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    '![" onerror="alert(1)](https://images.example.org/rainfall-2026.png)',
    '[x](https://example.org/"onmouseover="alert(1))',
    "<javascript:alert(1)>",
    "`</code><script>alert(1)</script>`",
    "```\n</pre><script>alert(1)</script>\n```",
    "| <script> |\n|---|\n| [x](javascript:a) |",
    "</title><script>alert(1)</script>",
    "<iframe src=https://example.org></iframe><style>@import url(https://example.org)</style>",
    '#eval("1") #import "x" $x$ \\u{41} @source <label> = Heading',
    "]]><!--><script>alert(1)</script>",
]


class Elements(HTMLParser):
    """Collects the elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_safe_page(page: str) -> None:
    for tag, attributes in Elements(page).found:
        assert tag not in {"script", "iframe", "object", "embed", "form", "svg", "link", "base"}
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "src"):
            url = attributes.get(name) or "#"
            assert re.match(r"https?://|mailto:|#", url), url


def assert_safe_markdown(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True})
    # Sees what another program would follow.
    parser.validateLink = lambda url: url is not None  # type: ignore[method-assign]  # as documented
    environment: dict[str, Any] = {}
    for outer in parser.parse(text, environment):
        for token in (outer, *(outer.children or ())):
            assert not token.type.startswith("html")
            for name in ("href", "src"):
                assert re.match(r"https?://|mailto:", str(token.attrs.get(name, "http://")))


def assert_safe_docx(body: bytes) -> None:
    package = docx.Document(io.BytesIO(body))
    for relation in package.part.rels.values():
        if relation.is_external:
            assert re.match(r"https?://|mailto:", relation.target_ref)


def assert_safe_pdf(body: bytes) -> None:
    reader = pypdf.PdfReader(io.BytesIO(body))
    catalog = reader.root_object
    assert "/OpenAction" not in catalog
    assert "/AA" not in catalog
    for page in reader.pages:
        for reference in page.get("/Annots", []):
            action = reference.get_object().get("/A", {})
            assert action.get("/S", "/URI") == "/URI"
            assert re.match(r"https?://|mailto:", action.get("/URI", "http://"))


def assert_safe(content: Document, *formats: str) -> None:
    images = {IMAGE_URL: png(20, 10)}
    checks = {"html": assert_safe_page, "email": assert_safe_page, "markdown": assert_safe_markdown}
    for name in formats:
        body = render(name, content, images).body
        if name == "pdf":
            assert_safe_pdf(body)
        elif name == "docx":
            assert_safe_docx(body)
        elif name in checks:
            checks[name](body.decode())


@pytest.mark.long
@each("content", HOSTILE)
def test_no_script_unsafe_link_or_event_handler_survives(content: str) -> None:
    hostile = Citation(1, content.replace("\n", " "), content, content.replace("\n", " "))
    assert_safe(
        document(f"{content}\n\nRain [[1]](#source-1).", citations=(hostile,)),
        "html",
        "email",
        "markdown",
        "docx",
    )


def test_no_unsafe_link_or_action_survives_in_pdf() -> None:
    assert_safe(document("\n\n".join(HOSTILE)), "pdf")


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(
            [
                *HOSTILE,
                "<",
                ">",
                '"',
                "[",
                "](",
                ")",
                "`",
                "*",
                "\n",
                "\n\n",
                "> ",
                "- ",
                "javascript:",
                "\\",
            ]
        ),
        max_size=6,
    )
)
def test_no_combination_of_hostile_pieces_survives(pieces: list[str]) -> None:
    assert_safe(document("".join(pieces)), "html", "email", "markdown")


TITLES = [
    'Prices & "yields": 3 < 4 > 2, it\'s <b>up</b>',
    '#set page(fill: red) $x^2$ #eval("1+1") @ref <label> *bold* _it_ `raw` \\ end',
    "]]> <!-- --> &amp; &#60; {{first_name|there}} @@BODY@@ %s {0}",
]


@pytest.mark.parametrize("title", TITLES)
def test_a_title_is_displayed_as_typed_in_all_formats(title: str) -> None:
    shown = document(
        "Text [[1]](#source-1).",
        title=title,
        citations=(Citation(1, title, "https://example.org", ""),),
    )
    bodies = {name: render(name, shown).body for name in FORMATS}
    for name in ("html", "email"):
        page = lxml_html.fromstring(bodies[name].decode())
        assert page.findtext(".//title") == title
        assert page.xpath("string(//h1)") == title
        assert page.xpath("string(//ol/li//bdi)") == title
    package = docx.Document(io.BytesIO(bodies["docx"]))
    assert package.paragraphs[0].text == package.core_properties.title == title
    reader = pypdf.PdfReader(io.BytesIO(bodies["pdf"]))
    assert reader.metadata is not None
    assert reader.metadata.title == title
    assert "".join(title.split()) in "".join(reader.pages[0].extract_text().split())
    assert " ".join(bodies["text"].decode().partition("\n=")[0].split()) == title


def test_the_same_document_gives_the_same_bytes() -> None:
    images = {IMAGE_URL: png(60, 30)}
    for name in FORMATS:
        assert render(name, sample(), images) == render(name, sample(), images)


def test_the_time_of_the_export_is_that_of_the_draft() -> None:
    body = render("docx", sample()).body
    package = docx.Document(io.BytesIO(body))
    assert package.core_properties.modified is not None
    assert package.core_properties.modified.strftime("%Y-%m-%dT%H:%M:%SZ") == UPDATED_AT
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2026, 3, 3, 6, 30, 0)}
    metadata = pypdf.PdfReader(io.BytesIO(render("pdf", sample()).body)).metadata
    assert metadata is not None
    assert metadata.creation_date is not None
    assert metadata.creation_date.strftime("%Y-%m-%dT%H:%M:%SZ") == UPDATED_AT


def test_an_image_that_is_no_image_becomes_text_with_a_warning() -> None:
    shown = document(f"![Rain map]({IMAGE_URL})")
    for name in FORMATS:
        rendered = render(name, shown, {IMAGE_URL: b"<html>404</html>"})
        assert rendered.warnings == ("image_unreadable",)


def test_an_image_without_alternative_text_is_a_warning() -> None:
    for name in FORMATS:
        for text, warnings in (
            ("", ("image_without_text",)),
            (" ", ("image_without_text",)),
            ("Rain", ()),
        ):
            shown = document(f"![{text}]({IMAGE_URL})")
            assert render(name, shown, {IMAGE_URL: png(40, 40)}).warnings == warnings, (name, text)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(KeyError):
        render("odt", sample())


def test_a_format_loads_no_library_of_another() -> None:
    program = (
        "import sys; from newsletters.exports.formats import render; from newsletters.exports.document import Document;"
        "render('text', Document('t', 'en', '# t', '2026-01-01T00:00:00Z', ()));"
        "print(sorted({'docx', 'typst', 'mjml', 'nh3', 'lxml'} & set(sys.modules)))"
    )
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
