"""Dependencies of the use cases of this context: tables, services, switches, settings of the shop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from richpanel.clients.helpdesk import HelpDesk

if TYPE_CHECKING:
    from richpanel.clients.language_model import Judge
    from richpanel.clients.shop_access import TokenCache
    from richpanel.clients.shopify import Shopify
    from richpanel.configuration.account import StoredAccount
    from richpanel.configuration.account_settings import Account
    from richpanel.guards.order_ownership import Services
    from richpanel.guards.switches import SwitchBoard
    from richpanel.store.items import Action
    from richpanel.store.lease import Lease
    from richpanel.store.rate_limit import Limiter, Priority
    from shared.ai.spending.budget import Spending
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.policy.consent.records import Consents
    from shared.providers.action_ledger import Ledger


OWNER: Final = "company"  # of the secret: the company whose operator has stored the help desk's key


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Base URLs of the services; tests and the local stack use others. None: the shop does not use the service."""

    help_desk: str
    shopify: str | None
    shopify_version: str
    shipstation: str | None


@dataclass(slots=True, kw_only=True, eq=False)
class Sources:
    """
    Dependencies of a decision: stored state, and clients of external services.

    *keys* is the secret with `richpanel`, the shop's keys (`richpanel.clients.shop_access`), `shipstation_key`,
    `shipstation_secret`, `company` (each absent if not used) and `salt`, the key of customers' HMACs. *shop_token* is
    the shop's token of this process. *stored_account* holds the settings of the account. *judge* is None if only rules
    classify. *consents* holds the opt-outs, and is None in a function that never decides on replies. *spending* bounds
    the costs that tickets cause, and is None in a function whose costs an authenticated caller causes: *spent* is the
    table where these count.
    """

    state: Table
    limiter: Limiter
    keys: JsonSecret
    stored_account: StoredAccount
    endpoints: Endpoints
    judge: Judge | None = None
    consents: Consents | None = None
    spending: Spending | None = None
    spent: Table | None = None
    shop_token: TokenCache | None = field(default=None, init=False)

    @property
    def account(self) -> Account:
        """
        The settings of the help-desk account. If the deployment names no company, it belongs to the one that has stored
        the help desk's key. Raises as `StoredAccount.value` and `JsonSecret.value`.
        """
        account = self.stored_account.value()
        if account.company is not None:
            return account
        owner = self.keys.value().get(OWNER)
        return replace(account, company=str(owner)) if owner else account

    @property
    def judge_in_use(self) -> Judge | None:
        """The judge, unless the account is decided by rules only. Raises as `account`."""
        return None if self.judge is None or self.account.only_rules else self.judge

    def help_desk(self, priority: Priority, deadline_ms: int) -> HelpDesk | None:
        """Return the help desk's client, usable until *deadline_ms*; None if no key is set up."""
        key = self.keys.value().get("richpanel")
        if not key:
            return None
        return HelpDesk(
            base_url=self.endpoints.help_desk,
            key=str(key),
            limiter=self.limiter,
            priority=priority,
            deadline_ms=deadline_ms,
            tag_ids=self.account.tag_ids,
        )

    def shop(self, deadline_ms: int) -> Shopify | None:
        """Return the shop's client, usable until *deadline_ms*; None if there is no shop, or no key for it."""
        from richpanel.clients.shop_access import ShopAccess, TokenCache  # noqa: PLC0415 - only order lookups need it
        from richpanel.clients.shopify import Shopify  # noqa: PLC0415 - only order lookups need it

        url = self.endpoints.shopify
        if url is None:
            return None
        self.shop_token = self.shop_token or TokenCache()
        access = ShopAccess.of(url, self.keys.value(), self.shop_token)
        if access is None:
            return None
        return Shopify(url, self.endpoints.shopify_version, access, deadline_ms)

    def services(self, help_desk: HelpDesk) -> Services:
        """Return the clients for order lookups, usable until the help desk's deadline."""
        from richpanel.clients.shipstation import ShipStation  # noqa: PLC0415 - only order lookups need it
        from richpanel.guards.order_ownership import Services  # noqa: PLC0415 - as above

        keys, endpoints = self.keys.value(), self.endpoints
        shipstation_keys = (keys.get("shipstation_key"), keys.get("shipstation_secret"))
        return Services(
            help_desk=help_desk,
            shop=self.shop(help_desk.deadline_ms),
            shipping=ShipStation(
                endpoints.shipstation,
                str(shipstation_keys[0]),
                str(shipstation_keys[1]),
                help_desk.deadline_ms,
            )
            if endpoints.shipstation and all(shipstation_keys)
            else None,
            trust_linked_order=self.account.trust_linked_order,
        )


@dataclass(slots=True, kw_only=True, eq=False)
class Resources(Sources):
    """Dependencies of the worker."""

    idempotency: Table
    audit: Table
    contacts: Table
    lease: Lease
    ledger: Ledger[Action]
    switchboard: SwitchBoard
