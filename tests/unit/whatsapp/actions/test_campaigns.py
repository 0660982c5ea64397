"""Pure parts of campaigns: their share of a number's rate, and the count of a list's rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tests.integration.whatsapp.conftest import a_phone
from whatsapp.actions.campaigns.pages import pacing, recipients
from whatsapp.sending import gate
from whatsapp.store.items.campaigns import Campaign

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

RATES = st.none() | st.integers(1, 1_000)
LINES = st.lists(
    st.sampled_from(
        ["", " ", "\r", '"+447700900101"', '{"to": "+447700900101"}', "+447700900101,Ada"]
    ),
    max_size=12,
)


def a_campaign(own: int | None) -> Campaign:
    return Campaign(
        pk="CAMPAIGN#1", company="acme", campaign_id="1", waba_meta_id="2", name="Bikes", status="running",
        created_at="2026-01-01T00:00:00.000Z", phone="3", created_by="api-key:acme", kind="text",
        messages_per_second=own,
    )  # fmt: skip


class OneObject:
    """A bucket with one object, read in small chunks."""

    def __init__(self, content: bytes, chunk: int) -> None:
        self.content, self.chunk, self.reads = content, chunk, 0

    def chunks_from(self, _key: str, position: int) -> Iterator[bytes]:
        self.reads += 1
        for start in range(position, len(self.content), self.chunk):
            yield self.content[start : start + self.chunk]


@given(RATES, RATES)
def test_campaigns_have_at_most_four_fifths_of_the_rate_and_their_own(
    rate: int | None, own: int | None
) -> None:
    phone, campaign = a_phone(messages_per_second=rate), a_campaign(own)
    places = {one.subject: one for one in pacing.places_of(phone, campaign, 100)}
    bulk = places[f"bulk#{phone.phone}"]

    assert all(1 <= one.count <= 10 for one in places.values())
    assert bulk.count / bulk.rate.every_ms * gate.rate_of(phone).every_ms <= 0.8
    assert bulk.rate.burst == 1
    if own is not None:
        taken = places["campaign#1"]
        assert taken.count * 1_000 <= own * taken.rate.every_ms
    assert 1 <= pacing.lanes_of(phone, own) <= 10


@given(RATES, RATES)
def test_places_in_the_rate_of_a_number_are_taken_for_175_ms_at_most(
    rate: int | None, own: int | None
) -> None:
    *_, bulk = pacing.places_of(a_phone(messages_per_second=rate), a_campaign(own), 100)

    assert bulk.count == 1 or bulk.rate.every_ms <= 176


def test_a_number_without_a_pace_has_six_lanes_and_places_for_ten_messages() -> None:
    assert pacing.lanes_of(a_phone(), None) == pacing.lanes_of(a_phone(), 1_000) == 6
    assert [one.count for one in pacing.places_of(a_phone(), a_campaign(1), 100)] == [10, 10]
    assert [one.count for one in pacing.places_of(a_phone(), a_campaign(1), 3)] == [3, 3]
    assert pacing.lanes_of(a_phone(), 5) == 1


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 40), st.integers(1, 9))
def test_rows_of_a_list_are_counted_as_the_job_reads_them(
    lines: list[str], end: str, is_csv: bool, chunk: int, most: int
) -> None:
    content = end.join([*(["to,1"] if is_csv else ['"+447700900100"']), *lines]).encode()
    bucket: Any = OneObject(content, chunk)
    header = recipients.header_of(content.decode().partition("\n")[0].strip())
    found = [line for _, line in recipients.lines_from(bucket, "key", 0) if line]
    rows = len(found) - (header is not None)

    limit, recipients.MOST_ROWS = recipients.MOST_ROWS, most
    try:
        assert recipients.has_too_many(bucket, "key", len(content)) == (rows > most)
    finally:
        recipients.MOST_ROWS = limit


def test_a_list_that_is_too_short_for_so_many_rows_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recipients, "MOST_ROWS", 5)
    bucket: Any = OneObject(json.dumps("+447700900101").encode(), 100)

    assert not recipients.has_too_many(bucket, "key", 10)
    assert bucket.reads == 0
    assert not recipients.has_too_many(bucket, "key", 11)
    assert bucket.reads == 1
