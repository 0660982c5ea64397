"""
Settings of one help-desk account: a JSON text in the parameter store, where the deployment puts it. A variable of a
function would share Lambda's 4 KB with all others.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, ValidationError

from richpanel.configuration import shop_settings
from richpanel.configuration.account_fields import AccountFields
from richpanel.configuration.account_settings import Account
from richpanel.configuration.shop_settings import SettingsInvalid
from richpanel.inbound.channels import Channel
from richpanel.store import settings as stored_settings
from shared.aws.dynamodb import Table
from shared.runtime import clock
from shared.runtime.observability import logger
from shared.runtime.settings import SettingInvalid
from shared.runtime.validation import patterns
from shared.runtime.validation.validation_errors import errors_of

CACHE_MS = 300 * clock.SECOND_MS


class _Account(AccountFields):
    """The JSON text's fields; every field is optional, and unknown ones are refused."""

    company: Annotated[
        str | None,
        Field(min_length=1, max_length=128, pattern=patterns.worded(r"^[^#]+$", "must not have #")),
    ] = None


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
        self._deployed: Account | None = None
        self._read_at = 0

    def value(self) -> Account:
        """Return the account. Raises SettingInvalid, or ClientError when AWS fails."""
        if self._account is None or clock.now_ms() - self._read_at >= CACHE_MS:
            self._client = self._client or self._make_client()
            text = self._client.get_parameter(Name=self._name)["Parameter"]["Value"]
            deployed = read(text, self._channels)
            self._account, self._deployed = self._with_settings(deployed), deployed
            self._read_at = clock.now_ms()
        return self._account

    def deployed(self) -> Account:
        """Return the account of the parameter, without stored settings. Raises as `value`."""
        account = self.value()
        return self._deployed or account

    def forget(self) -> None:
        """Read again at the next use, after a change by this process."""
        self._account = None

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
    return settings.as_account(channels, settings.company)
