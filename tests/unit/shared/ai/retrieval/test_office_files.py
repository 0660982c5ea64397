"""PDF and Word files in a corpus: their text is found, and a broken or oversized one stops no other."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import docx
import pytest
from pypdf import PdfReader, PdfWriter

from shared.ai.retrieval import Query
from shared.ai.retrieval.chunks import Document, chunks_of
from shared.ai.retrieval.corpora import FolderCorpus
from shared.ai.retrieval.formats import office_files
from shared.ai.retrieval.local import LocalRetriever
from shared.ai.retrieval.metadata import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BODY = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'


def pdf(*lines: str) -> bytes:
    """A PDF of one page with a text layer."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 50 700 Td {shown} ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 595 842]"
        " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
    ]
    body, places = "%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(f"{len(body):010} 00000 n \n")
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{''.join(places)}"
    size = f"trailer << /Root 1 0 R /Size {len(places) + 1} >>"
    return f"{body}{table}{size}\nstartxref\n{len(body)}\n%%EOF".encode()


def word(write: Callable[[docx.document.Document], None]) -> bytes:
    document, file = docx.Document(), io.BytesIO()
    write(document)
    document.save(file)
    return file.getvalue()


def package(body: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", body)
    return file.getvalue()


def encrypted(content: bytes) -> bytes:
    writer, file = PdfWriter(clone_from=PdfReader(io.BytesIO(content))), io.BytesIO()
    writer.encrypt("secret")
    writer.write(file)
    return file.getvalue()


def texts(name: str, content: bytes) -> list[str]:
    return [chunk.text for chunk in chunks_of(Document(name, "", content), "acme")]


def test_the_lines_of_a_pdf_are_its_text() -> None:
    assert texts("report.PDF", pdf("Maize prices rose.", "By 12 percent.")) == [
        "Maize prices rose.\nBy 12 percent."
    ]


def test_headings_paragraphs_and_rows_of_a_word_file_are_its_text() -> None:
    def write(document: docx.document.Document) -> None:
        document.add_heading("Prices in March", 1)
        document.add_heading("Maize", 2)
        document.add_paragraph("They rose.\tA lot.")
        table = document.add_table(1, 2)
        table.cell(0, 0).text, table.cell(0, 1).text = "Moyale", "41"

    (chunk,) = chunks_of(Document("report.docx", "", word(write)), "acme")

    assert chunk.title == "Prices in March"
    assert chunk.text == "Maize\n\nThey rose. A lot.\n\nMoyale | 41"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"%PDF-1.4\nnothing", "damaged"),
        ("a.pdf", pdf(), "no_text"),
        ("a.pdf", encrypted(pdf("Secret")), "encrypted"),
        ("a.pdf", b"Text", "file_of_another_kind"),
        ("a.md", pdf("Text"), "file_of_another_kind"),
        ("a.pdf", package(b""), "file_of_another_kind"),
        ("a.docx", b"PK\x03\x04nothing", "damaged"),
        ("a.docx", package(b"<w:document"), "damaged"),
        ("a.docx", package(BODY.format("").encode()), "no_text"),
        ("a.docx", package(b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'), "damaged"),
    ],
)
def test_an_unreadable_file_says_why(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        texts(name, content)

    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("limit", "name", "content"),
    [
        ("MOST_CHARACTERS", "a.pdf", pdf("Long enough")),
        ("WITHIN_MS", "a.pdf", pdf("Long enough")),
        ("MOST_XML_BYTES", "a.docx", package(BODY.format("<w:p/>").encode())),
        ("MOST_CHARACTERS", "a.docx", package(BODY.format("<w:p><w:r><w:t>Long</w:t></w:r></w:p>").encode())),
    ],
)  # fmt: skip
def test_a_file_beyond_the_bounds_is_left_out(
    monkeypatch: pytest.MonkeyPatch, limit: str, name: str, content: bytes
) -> None:
    monkeypatch.setattr(office_files, limit, -1)

    with pytest.raises(Unreadable, match="document_too_large"):
        texts(name, content)


def test_a_broken_file_stops_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "documents" / "acme"
    folder.mkdir(parents=True)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4")
    (folder / "report.pdf").write_bytes(pdf("Maize prices rose."))
    retriever = LocalRetriever(FolderCorpus(tmp_path / "documents"), tmp_path / "cache")

    found = retriever.retrieve("acme", Query(text="maize"), limit=5)

    assert [(one.title, one.text) for one in found] == [("report", "Maize prices rose.")]
