"""Pure parts of campaigns: their share of a number's rate."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.integration.whatsapp.conftest import a_phone
from whatsapp.actions.campaigns.pages import pacing
from whatsapp.sending import gate
from whatsapp.store.items.sending.campaigns import Campaign

RATES = st.none() | st.integers(1, 1_000)


def a_campaign(own: int | None) -> Campaign:
    return Campaign(
        pk="CAMPAIGN#1", company="acme", campaign_id="1", waba_meta_id="2", name="Bikes", status="running",
        created_at="2026-01-01T00:00:00.000Z", phone="3", created_by="api-key:acme", kind="text",
        messages_per_second=own,
    )  # fmt: skip


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
