"""The part of a test's audience that a contact is in: the same in every reading, without a list of contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from whatsapp.store.items.sending.campaigns import Campaign

type Part = Literal["a", "b", "rest"]
OTHER: Final = "other_part"  # why a person of the audience is left out of a part
_ALL: Final = 10_000


def part_of(test_id: str, share: int, contact_id: str) -> Part:
    """Return the part of a contact, of a test that gives a variant to *share* percent of the audience."""
    place = int(digest("part of test", test_id, contact_id)[:8], 16) % _ALL
    half = share * _ALL // 200
    if place < half:
        return "a"
    return "b" if place < 2 * half else "rest"


def is_elsewhere(campaign: Campaign, contact_id: str) -> bool:
    """Whether a contact is in another part of the test than those to whom a campaign is sent."""
    if campaign.part is None or campaign.share is None:
        return False
    # Before the test begins its campaign stands for all parts.
    if campaign.test is not None and campaign.test.begun_at is None:
        return False
    return part_of(campaign.once_id, campaign.share, contact_id) != campaign.part
