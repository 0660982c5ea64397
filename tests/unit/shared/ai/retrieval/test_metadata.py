"""Attributes of documents: what is read from metadata objects and front matter, and what is refused."""

import json
from datetime import date
from typing import Any

import pytest

from shared.ai.retrieval import metadata
from shared.ai.retrieval.metadata import Attributes, Unreadable
from tests.cases import each


def stated(**attributes: Any) -> Attributes:
    return metadata.of_object(json.dumps({"metadataAttributes": attributes}).encode())


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a?b=c#part",
        "http://example.org:8080/a%20b",
        "https://sub.example.org",
    ],
)
def test_a_public_address_is_kept(address: str) -> None:
    assert stated(url=address).url == address


def test_a_public_address_is_written_in_ascii() -> None:
    assert stated(url="HTTPS://example.org/straße é").url == (
        "https://example.org/stra%C3%9Fe%20%C3%A9"
    )


@each(
    "address",
    [
        "s3://bucket/key",
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org/a",
        "https://localhost/a",
        "https://intranet/a",
        "https://wiki.corp/a",
        "https://10.0.0.1/a",
        "https://user:secret@example.org/a",
        "https://exämple.org/a",
        "https://example.org/" + "a" * 2_048,
        "https://example.org/\ud800",
        "",
        7,
        None,
    ],
)
def test_no_other_address_is_a_public_one(address: object) -> None:
    assert metadata.public_url(address) == ""


def test_the_source_address_stands_in_for_an_absent_or_private_one() -> None:
    other = "https://example.org/other"
    assert stated(source_url=other).url == other
    assert stated(url="s3://bucket/key", source_url=other).url == other
    assert stated(url="https://example.org/first", source_url=other).url != other


@each(
    ("attributes", "day"),
    [
        ({"date": "2026-03-01"}, "2026-03-01"),
        ({"date": "2026-03-01T23:30:00-02:00"}, "2026-03-02"),
        ({"date": "2026-03-01 08:00"}, "2026-03-01"),
        ({"published_at": "2026-03-01T00:30:00Z"}, "2026-03-01"),
        ({"date": "soon", "published_at": "2026-03-01"}, "2026-03-01"),
        ({"published_epoch_day": 20513}, "2026-03-01"),
        ({"published_epoch_day": 20513.0}, "2026-03-01"),
        ({"published_epoch_day": -1}, "1969-12-31"),
        ({"date": "2026-02-30"}, ""),
        ({"date": ""}, ""),
        ({"date": 20260301}, ""),
        ({"published_epoch_day": True}, ""),
        ({"published_epoch_day": 1e300}, ""),
        ({"published_epoch_day": "20513"}, ""),
        ({"date": "0001-01-01T00:00:00+05:00"}, ""),
        ({}, ""),
    ],
)
def test_the_date_is_that_of_the_first_valid_attribute(
    attributes: dict[str, Any], day: str
) -> None:
    assert stated(**attributes).date == day


def test_a_day_since_1970_is_the_inverse_of_its_date() -> None:
    assert metadata.epoch_day(date(2026, 3, 1)) == 20_513
    assert metadata.epoch_day(date(1970, 1, 1)) == 0


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{", "metadata_invalid"),
        (b"[]", "metadata_invalid"),
        (b"{}", "metadata_invalid"),
        (b'{"metadataAttributes": []}', "metadata_invalid"),
        (b"\xff", "metadata_invalid"),
        (b"[" * 9_000, "metadata_invalid"),
        (b" " * 10_241, "metadata_too_large"),
    ],
)
def test_a_broken_metadata_object_is_unreadable(raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        metadata.of_object(raw)
    assert unreadable.value.reason == reason


def test_front_matter_is_read_and_removed() -> None:
    text = "---\ntitle: A  title\nurl: https://example.org/a\ndate: 2026-03-01\n---\nThe text.\n"

    known, rest = metadata.split_front_matter(text)

    assert (known.title, known.url, known.date) == (
        "A title",
        "https://example.org/a",
        "2026-03-01",
    )
    assert rest == "The text.\n"


@pytest.mark.parametrize(
    "text",
    [
        "No front matter.",
        "---\ntitle: not closed\n",
        "---\nA line between rules.\n---\nText.",
        "--- x\n",
    ],
)
def test_a_text_without_front_matter_stays_whole(text: str) -> None:
    assert metadata.split_front_matter(text) == (Attributes(), text)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("title: [", "front_matter_invalid"),
        ("date: 2026-02-30", "front_matter_invalid"),
        ("a: !!python/object:os.system x", "front_matter_invalid"),
        ("a: " + "[" * 4_000, "front_matter_invalid"),
        ("title: " + "a" * 9_000, "front_matter_too_large"),
    ],
)
def test_broken_front_matter_is_unreadable(content: str, reason: str) -> None:
    with pytest.raises(Unreadable) as unreadable:
        metadata.split_front_matter(f"---\n{content}\n---\nText.")
    assert unreadable.value.reason == reason


def test_known_attributes_are_completed_and_not_replaced() -> None:
    known = Attributes(title="A", date="2026-03-01").completed_by(
        Attributes(title="B", url="https://example.org/b")
    )
    assert known == Attributes(title="A", url="https://example.org/b", date="2026-03-01")
