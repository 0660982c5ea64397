"""Chunks of documents: paragraphs packed under their headings, for each type of document."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ai.retrieval.chunks import MOST_CHARACTERS, Chunk, Document, chunks_of
from shared.ai.retrieval.metadata import Unreadable

COMPANY = "acme"


def cut(name: str, content: str | bytes, **attributes: Any) -> list[Chunk]:
    raw = content.encode() if isinstance(content, str) else content
    described = json.dumps({"metadataAttributes": attributes}).encode() if attributes else None
    return chunks_of(Document(name, f"s3://bucket/{name}", raw, described), COMPANY)


def texts(name: str, content: str) -> list[str]:
    return [chunk.text for chunk in cut(name, content)]


def paragraph(word: str, characters: int) -> str:
    return (word + " ") * (characters // (len(word) + 1) - 1) + word


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n1 0 obj",
        b"\xef\xbb\xbf\n%PDF-1.4",
        b"{\\rtf1 Hello",
        b"PK\x03\x04",
        b"GIF89a",
        b"%!PS",
    ],
)
def test_a_file_of_another_kind_under_the_name_of_a_text_is_not_read(content: bytes) -> None:
    with pytest.raises(Unreadable, match="file_of_another_kind"):
        cut("a.md", content)


def test_short_paragraphs_share_a_chunk() -> None:
    assert texts("a.txt", "One.\n\nTwo.\r\n\r\n\r\nThree.") == ["One.\n\nTwo.\n\nThree."]


def test_a_chunk_repeats_the_last_paragraph_before_it() -> None:
    one, two, three = (paragraph(word, 500) for word in ("one", "two", "three"))

    assert texts("a.txt", f"{one}\n\n{two}\n\n{three}") == [
        f"{one}\n\n{two}",
        f"{two}\n\n{three}",
    ]


def test_a_paragraph_without_room_is_not_repeated() -> None:
    one, two = paragraph("one", 900), paragraph("two", 900)
    assert texts("a.txt", f"{one}\n\n{two}") == [one, two]


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    sentence = paragraph("word", 700) + ". "

    first, second = texts("a.txt", sentence + sentence)

    assert first == second == sentence.strip()


def test_a_chunk_begins_with_the_path_of_its_headings() -> None:
    document = """# Guide

Intro.

## Install #

Steps.

### On Linux

More.

## Use

Daily.
"""
    assert texts("a.md", document) == [
        "Intro.",
        "Install\n\nSteps.",
        "Install > On Linux\n\nMore.",
        "Use\n\nDaily.",
    ]


def test_underlined_headings_are_headings_and_lines_of_code_are_not() -> None:
    document = """Guide
=====

Intro.

Install
-------

```sh
# a comment

run
```
"""
    assert texts("a.md", document) == ["Intro.", "Install\n\n```sh\n# a comment\n\nrun\n```"]


def test_html_is_reduced_to_its_text() -> None:
    document = """<html><head><title>A &amp; B</title><style>p {}</style></head><body>
    <nav>Menu</nav><h1>Guide</h1><p>One <b>bold</b><br>line.</p><script>run()</script>
    <h2>List</h2><ul><li>first</li><li>second</li></ul>
    <table><tr><td>a</td><td>b</td></tr></table><!-- hidden --></body></html>"""

    found = cut("a.html", document)

    assert [chunk.text for chunk in found] == [
        "Guide\n\nOne bold\nline.",
        "Guide > List\n\nfirst\nsecond\n\na b",
    ]
    assert {chunk.title for chunk in found} == {"A & B"}


@pytest.mark.parametrize("document", ["<div>" * 501, "<br>" * 50_002, "&" * 50_001])
def test_html_that_takes_long_to_read_is_unreadable(document: str) -> None:
    with pytest.raises(Unreadable, match="html_too_complex"):
        cut("a.html", document)


def test_the_title_is_stated_or_the_first_heading_or_the_name() -> None:
    assert cut("notes.md", "---\ntitle: Front\n---\n# Heading\n\nText.")[0].title == "Front"
    assert cut("notes.md", "# Heading\n\nText.")[0].title == "Heading"
    assert cut("2026/notes.md", "Text.")[0].title == "notes"
    assert cut("notes.md", "---\ntitle: Front\n---\nText.", title="Object")[0].title == "Object"


def test_attributes_of_the_metadata_object_win_over_front_matter() -> None:
    text = "---\nurl: https://example.org/front\ndate: 2026-03-01\n---\nText."

    [chunk] = cut("notes.md", text, url="https://example.org/object")

    assert (chunk.url, chunk.date, chunk.uri) == (
        "https://example.org/object",
        "2026-03-01",
        "s3://bucket/notes.md",
    )


@pytest.mark.parametrize(
    ("content", "attributes", "reason"),
    [
        (b"\xff\xfe", {}, "not_utf_8"),
        (b"x" * (5 * 1024 * 1024 + 1), {}, "document_too_large"),
        (b"Text.", {"company_id": "other"}, "company_differs"),
        (b"Text.", {"text_sha256": "0" * 64}, "metadata_of_another_text"),
    ],
)
def test_a_document_that_cannot_be_trusted_is_unreadable(
    content: bytes, attributes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Unreadable) as unreadable:
        cut("a.txt", content, **attributes)
    assert unreadable.value.reason == reason


def test_metadata_that_states_this_company_and_this_text_is_used() -> None:
    digest = hashlib.sha256(b"Text.").hexdigest()
    [chunk] = cut("a.txt", "Text.", company_id=COMPANY, text_sha256=digest, title="Stated")
    assert chunk.title == "Stated"


def test_a_document_without_words_has_no_chunks() -> None:
    assert texts("a.md", "\n \n# \n") == []
    assert texts("a.txt", "\ufeff\x00\x07") == []


@given(st.lists(st.text("ab .\n#", max_size=900), max_size=12))
def test_no_chunk_is_longer_than_allowed_or_blank(parts: list[str]) -> None:
    for name in ("a.md", "a.txt"):
        for text in texts(name, "\n\n".join(parts)):
            assert 0 < len(text) <= MOST_CHARACTERS
            assert text.strip()


@given(st.text("abc .\n", max_size=5_000))
def test_every_word_of_a_document_is_in_a_chunk(document: str) -> None:
    found = set(" ".join(texts("a.txt", document)).split())
    assert all(word in found for word in document.split() if len(word) < MOST_CHARACTERS)
