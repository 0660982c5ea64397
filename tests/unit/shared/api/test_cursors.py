"""Cursors: valid only to continue the same listing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api.cursors import LIFE_SECONDS, VERSION, InvalidCursor, Listing
from shared.api.opaque_ids import Seal
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock

NOW = 1_767_268_800_000
POSITION = {"pk": "CONV#1#447700900101", "inboxPk": "arn", "receivedAt": "2026-01-01T00:00:00.000Z"}
seal = Seal("a secret of the deployment")
listing = Listing("acme", "gsi_inbox", ("conversations", "1", ""))


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)


def test_a_cursor_restores_its_position_without_revealing_it() -> None:
    cursor = listing.cursor(seal, POSITION)

    assert listing.position(seal, cursor) == POSITION
    assert "447700900101" not in cursor
    assert cursor.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    "other",
    [
        Listing("globex", "gsi_inbox", ("conversations", "1", "")),
        Listing("acme", "gsi_conversation", ("conversations", "1", "")),
        Listing("acme", "gsi_inbox", ("messages", "1", "")),
        Listing("acme", "gsi_inbox", ("conversations", "2", "")),
        Listing("acme", "gsi_inbox", ("conversations", "1", "true")),
        Listing("acme", "gsi_inbox", ("conversations", "1")),
    ],
)
def test_a_cursor_of_another_listing_or_company_is_refused(other: Listing) -> None:
    with pytest.raises(InvalidCursor):
        other.position(seal, listing.cursor(seal, POSITION))


def test_a_cursor_expires_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    cursor = listing.cursor(seal, POSITION)

    monkeypatch.setattr(clock, "now_ms", lambda: NOW + (LIFE_SECONDS - 1) * 1_000)
    assert listing.position(seal, cursor) == POSITION
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + LIFE_SECONDS * 1_000)
    with pytest.raises(InvalidCursor):
        listing.position(seal, cursor)


def test_a_cursor_of_another_version_is_refused() -> None:
    newer = to_json({"v": VERSION + 1, "at": POSITION, "until": clock.expires_in(60)})
    cursor = seal.seal(newer, bound_to=listing._use)

    with pytest.raises(InvalidCursor):
        listing.position(seal, cursor)


@given(st.integers(min_value=0), st.characters())
def test_a_modified_cursor_is_refused(place: int, character: str) -> None:
    cursor = listing.cursor(seal, POSITION)
    place %= len(cursor)
    changed = cursor[:place] + character + cursor[place + 1 :]

    if changed != cursor:
        with pytest.raises(InvalidCursor):
            listing.position(seal, changed)


@pytest.mark.parametrize("text", ["", "x", "null", "e30", "=" * 8, "é", "\ud800", "A" * 10_000])
def test_any_other_text_is_refused_as_a_cursor(text: str) -> None:
    with pytest.raises(InvalidCursor):
        listing.position(seal, text)
