"""
Settings of companies with their versions, and the daily count of their calls of the model.

Settings that were stored before there were versions become version 1 before the first change.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items import AiUse, CompanySettings, SettingsVersion
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.ai.versions.owners import OwnerSettings
from shared.ai.versions.stored import DIGITS, Version, Versions
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import plain
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


SETTINGS: Final = OwnerSettings(CompanySettings, ("ai", "retrieval", "check_claims"))
_MOST_AT_ONCE: Final = 100


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
    made = versions_of(table, company_id)
    below = made.newest() + 1
    while found := made.below(below, _MOST_AT_ONCE):
        for version in found:
            if version.by == user_id:
                table.update(made.key_of(version.number), put={"by": name})
        below = found[-1].number


def _is_written(changed: CompanySettings, existing: Attributes | None) -> bool:
    """Whether the stored settings are *changed*, apart from the time."""
    if existing is None:
        return False
    time = {"updated_at": existing.get("updated_at")}
    return bool(plain(existing) == plain(changed.attributes() | time))


def versions_of(table: Table, company_id: str) -> Versions:
    """Return the versions of the settings of a company's model."""

    def key_of(number: int) -> Attributes:
        return SettingsVersion.key(company_id, f"{number:0{DIGITS}}")

    def item_of(version: Version) -> Attributes:
        return SettingsVersion(**key_of(version.number), **version.model_dump()).attributes()

    return Versions(
        table=table,
        key_of=key_of,
        read_item=SettingsVersion.read,
        item_of=item_of,
        is_free=Attr(PARTITION_KEY).not_exists(),
    )


def live_version(table: Table, stored: CompanySettings) -> int | None:
    """Return the number of the version of stored settings; they become one if they have none. Safe to repeat."""
    first = SETTINGS.first_version(stored)
    if first is None:
        return stored.ai_version
    number = versions_of(table, stored.company_id).add(first).number
    try:
        noted = table.update(
            CompanySettings.key(stored.company_id),
            put_once={"ai_version": number},
            when=CompanySettings.attr("version").eq(stored.version),
        )
    except ConditionFailed:
        raise Transient("settings_contended") from None
    return int(noted["ai_version"])


def version_of(table: Table, settings: CompanySettings, cause: str) -> int | None:
    """
    Return the number of the version with these *settings*, which are about to be stored: the live one if they change
    none of it, else a new one. Repeatable with the same *cause*, which names the call.
    """
    stored = get_settings(table, settings.company_id)
    live = live_version(table, stored) if stored is not None else None
    if stored is not None and stored.version != settings.version:
        return live  # `put_settings` refuses them
    wanted = SETTINGS.new_version(stored, settings, cause, live=live)
    if wanted is None:
        return live
    return versions_of(table, settings.company_id).add(wanted, live or 0).number


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
