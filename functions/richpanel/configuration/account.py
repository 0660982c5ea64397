"""
Settings of one help-desk account: a JSON text in the parameter store, where the deployment puts it. A variable of a
function would share Lambda's 4 KB with all others.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from richpanel.classification.taxonomy import Intent, Team
from richpanel.configuration import shop_settings
from richpanel.configuration.account_settings import Account, ReplyPath
from richpanel.configuration.shop_settings import SettingsInvalid
from richpanel.decisions.facts import Shop
from richpanel.decisions.shipping.carriers import KNOWN_HOSTS
from richpanel.decisions.shipping.delivery_windows import DEFAULT_WINDOWS, Calendar, Window
from richpanel.guards.identity import normal_address
from richpanel.inbound.channels import Channel
from richpanel.store import settings as stored_settings
from shared.aws.dynamodb import Table
from shared.runtime import clock
from shared.runtime.observability import logger
from shared.runtime.settings import SettingInvalid
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName
from shared.runtime.validation.validation_errors import errors_of

CACHE_MS = 300 * clock.SECOND_MS

REPLY_PATHS: Mapping[Channel, ReplyPath] = {
    Channel.EMAIL: "send_message",
    Channel.LIVECHAT: "comment",  # Check: whether a chat accepts `send_message` too is not documented
}


class _Account(BaseModel):
    """The JSON text's fields; every field is optional, and unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    support_signature: str = Field(default="Customer Support", min_length=1, max_length=100)
    bot_author_id: str | None = None
    automation_author_ids: frozenset[str] = frozenset()
    available_teams: frozenset[Team] = frozenset(Team)
    intent_teams: dict[Intent, Team] = Field(default_factory=dict)
    channel_teams: dict[Channel, Team] = Field(default_factory=dict)
    team_assignees: dict[Team, str] = Field(default_factory=dict)
    reply_paths: dict[Channel, ReplyPath] = Field(default_factory=dict)
    reply_is_html: bool = False
    order_mask: Annotated[str | None, Field(max_length=24)] = None
    own_addresses: tuple[str, ...] = ()
    allowlist: frozenset[str] = frozenset()
    tag_ids: dict[str, str] | None = None
    trust_linked_order: bool = False
    shop_timezone: ZoneName = "America/New_York"
    holidays: frozenset[date] = frozenset()
    shipping_windows: dict[str, tuple[int, int]] = Field(default_factory=dict)
    link_hosts: frozenset[str] = frozenset()
    company: Annotated[
        str | None,
        Field(min_length=1, max_length=128, pattern=patterns.worded(r"^[^#]+$", "must not have #")),
    ] = None

    @field_validator("own_addresses")
    @classmethod
    def _are_addresses(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        addresses = tuple(filter(None, map(normal_address, texts)))
        if len(addresses) < len(texts):
            raise ValueError("each must be one e-mail address")
        return addresses


class StoredAccount:
    """
    The account in one parameter, with the shop's stored settings in *table*, at most five minutes old. The client is
    created at the first read.
    """

    def __init__(
        self,
        make_client: Callable[[], Any],
        name: str,
        channels: Mapping[str, Channel],
        table: Table,
    ) -> None:
        self._make_client = make_client
        self._client: Any = None
        self._name = name
        self._channels = channels
        self._table = table
        self._account: Account | None = None
        self._read_at = 0

    def value(self) -> Account:
        """Return the account. Raises SettingInvalid, or ClientError when AWS fails."""
        if self._account is None or clock.now_ms() - self._read_at >= CACHE_MS:
            self._client = self._client or self._make_client()
            text = self._client.get_parameter(Name=self._name)["Parameter"]["Value"]
            account = self._with_settings(read(text, self._channels))
            self._account, self._read_at = account, clock.now_ms()
        return self._account

    def _with_settings(self, account: Account) -> Account:
        """Return the account with the shop's settings; without any wording of a reply if they are invalid."""
        stored = stored_settings.in_force(self._table)
        if stored is None:
            return account
        try:
            return shop_settings.applied(
                account, shop_settings.read(stored.settings), stored.number
            )
        except SettingsInvalid as invalid:
            logger.error(
                "shop settings invalid", extra={"number": stored.number, "reason": str(invalid)}
            )
            shop = replace(account.shop, wordings={}, settings_version=stored.number)
            return replace(account, shop=shop, fault=f"settings_invalid: {invalid}")


def read(text: str, channels: Mapping[str, Channel]) -> Account:
    """Parse a JSON text; an empty text is `{}`. Raises SettingInvalid, which names the field."""
    try:
        settings = _Account.model_validate_json(text or "{}")
    except ValidationError as error:
        first = errors_of(error)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingInvalid(f"RichpanelAccount: {where}: {first['msg']}") from None
    robots = settings.automation_author_ids | (
        {settings.bot_author_id} if settings.bot_author_id else set()
    )
    return Account(
        shop=_shop(settings),
        channels=channels,
        robots=robots,
        assignees=settings.team_assignees,
        reply_paths={**REPLY_PATHS, **settings.reply_paths},
        reply_is_html=settings.reply_is_html,
        order_mask=settings.order_mask,
        own_addresses=frozenset(settings.own_addresses),
        allowlist=settings.allowlist,
        tag_ids=settings.tag_ids,
        trust_linked_order=settings.trust_linked_order,
        company=settings.company,
    )


def _shop(settings: _Account) -> Shop:
    windows: dict[str, Any] = {
        name: Window(*days) for name, days in settings.shipping_windows.items()
    }
    return Shop(
        support_signature=settings.support_signature,
        bot_author_id=settings.bot_author_id,
        available_teams=settings.available_teams,
        intent_teams=settings.intent_teams,
        channel_teams=settings.channel_teams,
        calendar=Calendar(timezone=ZoneInfo(settings.shop_timezone), holidays=settings.holidays),
        shipping_windows={**DEFAULT_WINDOWS, **windows},
        link_hosts=KNOWN_HOSTS | settings.link_hosts,
    )
