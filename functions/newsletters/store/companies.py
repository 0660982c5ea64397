"""Settings of companies, and the daily count of their calls of the model."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from newsletters.store.items import AiUse, CompanySettings
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.newsletters import StaleVersion
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


class QuotaUsed(Exception):
    """The company has used up its calls of the model for this UTC day."""


def get_settings(table: Table, company_id: str) -> CompanySettings | None:
    """Return the settings of a company."""
    item = table.get(CompanySettings.key(company_id))
    return CompanySettings.read(item) if item else None


def put_settings(table: Table, settings: CompanySettings) -> CompanySettings:
    """
    Write the settings as successors of the version that they name; return them with the new version. Raises
    StaleVersion.
    """
    changed = settings.model_copy(update={"version": settings.version + 1})
    is_first = Attr(PARTITION_KEY).not_exists()
    unchanged = CompanySettings.attr("version").eq(settings.version)
    try:
        table.put(changed.attributes(), when=unchanged if settings.version else is_first)
    except ConditionFailed as refusal:
        if _is_written(changed, refusal.existing):
            return changed  # By an earlier attempt of the same call, which was not answered.
        raise StaleVersion("version: the settings have changed; read them again") from None
    return changed


def forget_author(table: Table, company_id: str, user_id: str, name: str) -> None:
    """Replace a user who wrote the settings by *name*. Idempotent."""
    with suppress(ConditionFailed):
        table.update(
            CompanySettings.key(company_id),
            put={"updated_by": name},
            when=CompanySettings.attr("updated_by").eq(user_id),
        )


def _is_written(changed: CompanySettings, existing: Attributes | None) -> bool:
    """Whether the stored settings are *changed*, apart from the time."""
    if existing is None:
        return False
    time = {"updated_at": existing.get("updated_at")}
    return bool(plain(existing) == plain(changed.attributes() | time))


def use_ai(table: Table, company_id: str, limit: int) -> None:
    """Count one call of the model. Raises QuotaUsed above *limit* calls on this UTC day."""
    if limit <= 0:
        raise QuotaUsed
    day = f"{datetime.fromtimestamp(clock.now_ms() // 1_000, UTC):%Y%m%d}"
    key = AiUse.key(company_id, day)
    try:
        table.update(
            {name: key[name] for name in (PARTITION_KEY, SORT_KEY)},
            add={"units": 1},
            put={"ttl": clock.expires_in(AiUse.ttl_days * clock.DAY_SECONDS)},
            when=AiUse.attr("units").not_exists() | AiUse.attr("units").lt(limit),
        )
    except ConditionFailed:
        raise QuotaUsed from None
