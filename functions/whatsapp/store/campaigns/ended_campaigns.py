"""Campaigns whose end their creators are notified of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.inbox.notifications.items import EndedCampaign
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

_OF_PAGE = CampaignPage.pk_pattern.split("{id}")[1].partition("{")[0]


@dataclass(frozen=True, slots=True)
class EndedCampaigns:
    """The campaigns of the table that are over, or have stopped by themselves."""

    table: Table

    def is_key(self, key: Attributes) -> bool:
        """Whether an item with this key is a campaign, and not one of its pages."""
        name = str(key[PARTITION_KEY])
        return Campaign.is_key(name) and _OF_PAGE not in name

    def ended(self, key: Attributes) -> EndedCampaign | None:
        """Return the campaign with this key if it has ended, or stopped by itself (strongly consistent read)."""
        item = self.table.get(key)
        campaign = Campaign.read(item) if item else None
        if campaign is None or campaign.company is None:
            return None
        is_over = campaign.status == "completed"
        at = campaign.completed_at if is_over else campaign.stopped_at
        if at is None or (campaign.status != "paused" and not is_over):
            return None
        return EndedCampaign(
            company=campaign.company,
            campaign=campaign.campaign_id,
            owner=campaign.created_by,
            at=at,
            is_over=is_over,
            by=campaign.cancelled_by if is_over else None,
        )
