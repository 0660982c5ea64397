"""The fields of a help-desk account, as a deployment and a company write them, and the account that they describe."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, field_validator

from richpanel.classification.taxonomy import Intent, Team
from richpanel.configuration.account_settings import Account, ReplyPath
from richpanel.decisions.facts import Shop
from richpanel.decisions.shipping.carriers import KNOWN_HOSTS
from richpanel.decisions.shipping.delivery_windows import DEFAULT_WINDOWS, Calendar, Window
from richpanel.guards.identity import normal_address
from richpanel.inbound.channels import Channel
from shared.runtime.validation.timezones import ZoneName

REPLY_PATHS: Mapping[Channel, ReplyPath] = {
    Channel.EMAIL: "send_message",
    Channel.LIVECHAT: "comment",  # Check: whether a chat accepts `send_message` too is not documented
}


class AccountFields(BaseModel):
    """
    The fields; every one is optional. *classifier*: `rules` decides without the model that the deployment has,
    `deployed` as the deployment says.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    support_signature: str = Field(default="Customer Support", min_length=1, max_length=100)
    bot_author_id: str | None = None
    automation_author_ids: tuple[str, ...] = ()
    available_teams: tuple[Team, ...] = tuple(Team)
    intent_teams: dict[Intent, Team] = Field(default_factory=dict)
    channel_teams: dict[Channel, Team] = Field(default_factory=dict)
    team_assignees: dict[Team, str] = Field(default_factory=dict)
    reply_paths: dict[Channel, ReplyPath] = Field(default_factory=dict)
    reply_is_html: bool = False
    order_mask: Annotated[str | None, Field(max_length=24)] = None
    own_addresses: tuple[str, ...] = ()
    allowlist: tuple[str, ...] = ()
    tag_ids: dict[str, str] | None = None
    trust_linked_order: bool = False
    shop_timezone: ZoneName = "America/New_York"
    holidays: tuple[date, ...] = ()
    shipping_windows: dict[str, tuple[int, int]] = Field(default_factory=dict)
    link_hosts: tuple[str, ...] = ()
    classifier: Literal["deployed", "rules"] = "deployed"

    @field_validator("own_addresses")
    @classmethod
    def _are_addresses(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        addresses = tuple(filter(None, map(normal_address, texts)))
        if len(addresses) < len(texts):
            raise ValueError("each must be one e-mail address")
        return addresses

    def as_account(self, channels: Mapping[str, Channel], company: str | None) -> Account:
        """Return the account of a company that these fields describe."""
        robots = {*self.automation_author_ids, *filter(None, [self.bot_author_id])}
        return Account(
            shop=self._shop(),
            channels=channels,
            robots=frozenset(robots),
            assignees=self.team_assignees,
            reply_paths={**REPLY_PATHS, **self.reply_paths},
            reply_is_html=self.reply_is_html,
            order_mask=self.order_mask,
            own_addresses=frozenset(self.own_addresses),
            allowlist=frozenset(self.allowlist),
            tag_ids=self.tag_ids,
            trust_linked_order=self.trust_linked_order,
            company=company,
            only_rules=self.classifier == "rules",
            fields=self.model_dump(mode="json", exclude={"company"}),  # who owns it is no field
        )

    def _shop(self) -> Shop:
        windows: dict[str, Any] = {
            name: Window(*days) for name, days in self.shipping_windows.items()
        }
        return Shop(
            support_signature=self.support_signature,
            bot_author_id=self.bot_author_id,
            available_teams=frozenset(self.available_teams),
            intent_teams=self.intent_teams,
            channel_teams=self.channel_teams,
            calendar=Calendar(
                timezone=ZoneInfo(self.shop_timezone), holidays=frozenset(self.holidays)
            ),
            shipping_windows={**DEFAULT_WINDOWS, **windows},
            link_hosts=KNOWN_HOSTS | frozenset(self.link_hosts),
        )
