"""Texts that a format could take for its own syntax are printed as typed in all formats."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pypdf
import pytest

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author


FORMATS = ("pdf", "docx", "html", "email", "markdown", "text")


@pytest.mark.long
def test_raw_html_and_links_with_script_or_data_are_shown_as_text_in_all_formats(
    author: Author,
) -> None:
    author.at("drafted").save_draft(
        "# Field notes\n\n<script>alert(1)</script> and <b onclick=x>bold</b>\n\n"
        "[one](javascript:alert(2)) [two](data:text/html;base64,PHNjcmlwdD4=) "
        '[three](vbscript:x)\n\n<img src="x" onerror="alert(3)">\n'
    )

    files = author.export(*FORMATS)

    for name in ("html", "email"):
        page = files[name].decode()
        assert "<script>alert(1)" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert 'href="javascript' not in page
        assert 'href="data:' not in page
        assert 'href="vbscript' not in page
        assert "<img" not in page
        assert "[one](javascript:alert(2))" in page
    targets = _docx_part(files["docx"], "word/_rels/document.xml.rels")
    assert not any(one in targets for one in ("javascript:", "data:text", "vbscript:"))
    assert "alert(1)" in _docx_text(files["docx"])
    pdf = pypdf.PdfReader(io.BytesIO(files["pdf"]))
    links = [note.get_object() for page in pdf.pages for note in page.get("/Annots", [])]
    assert not [one for one in links if "javascript" in str(one).casefold()]
    assert "<script>alert(1)</script>" in files["text"].decode()


TYPED = (
    """"Quotes" & 'more' #let x = 1 $y$ <b>&amp; @ref \\escape *not bold* _nor_ [n](o) `c` ~~s~~"""
)


def test_the_syntax_of_other_languages_in_a_title_is_printed_as_typed_in_all_formats(
    author: Author,
) -> None:
    author.at("planned").patch(title=TYPED)
    author.generate("draft")

    files = author.export(*FORMATS)

    assert author.whole["metadata"]["title"] == TYPED
    assert TYPED in _docx_text(files["docx"])
    pdf = pypdf.PdfReader(io.BytesIO(files["pdf"]))
    assert pdf.metadata is not None
    assert pdf.metadata.title == TYPED
    shown = "".join(page.extract_text() for page in pdf.pages)
    assert "".join(TYPED.split()) in "".join(shown.split())
    assert "".join(TYPED.split()) in "".join(files["text"].decode().split())
    for name in ("html", "email"):
        page = _html_text(files[name].decode())
        assert TYPED in page
    assert files["markdown"].decode().startswith("# ")


def test_a_noncharacter_does_not_stop_an_export(author: Author) -> None:
    author.at("drafted").save_draft("# Field notes\n\nA\ufffeb and \uffff end.\n")

    files = author.export(*FORMATS)

    assert all(files.values())


def _docx_part(file: bytes, name: str) -> str:
    return zipfile.ZipFile(io.BytesIO(file)).read(name).decode()


def _docx_text(file: bytes) -> str:
    root = ElementTree.fromstring(_docx_part(file, "word/document.xml"))  # noqa: S314 - our own file
    return "".join(one.text or "" for one in root.iter() if one.tag.endswith("}t"))


def _html_text(page: str) -> str:
    from html.parser import HTMLParser  # noqa: PLC0415 - of this test only

    texts: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            texts.append(data)

    Reader(convert_charrefs=True).feed(page)
    return "".join(texts)
