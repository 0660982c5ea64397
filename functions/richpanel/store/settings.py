"""The versions of the shop's settings: read the one in force, list them, add one."""

from richpanel.store.items import SettingsVersion, key_of
from shared.aws.dynamodb import Table, TransactionRefused

IN_FORCE = SettingsVersion.patterns[0]


class Outdated(Exception):
    """The settings were changed since the version that the change is based on. The text has the rule."""


def in_force(table: Table) -> SettingsVersion | None:
    """Return the version in force, strongly consistent; None if the shop has stored no settings."""
    item = table.get(key_of(SettingsVersion, IN_FORCE))
    return SettingsVersion.read(item) if item else None


def version(table: Table, number: int) -> SettingsVersion | None:
    """Return one version, or None if there is none with this number."""
    item = table.get(key_of(SettingsVersion, SettingsVersion.key(number)))
    return SettingsVersion.read(item) if item else None


def newest(table: Table, *, before: int, limit: int) -> list[SettingsVersion]:
    """Return up to *limit* (at most 100) versions with numbers below *before*, newest first."""
    numbers = range(before - 1, max(0, before - 1 - limit), -1)
    keys = [key_of(SettingsVersion, SettingsVersion.key(number)) for number in numbers]
    rows = map(SettingsVersion.read, table.get_many(keys))
    return sorted(rows, key=lambda row: row.number, reverse=True)


def add(table: Table, row: SettingsVersion) -> SettingsVersion:
    """
    Store the next version and put it in force, both or none. Returns the stored version.

    Safe to repeat: a second call with the same cause returns the version that the first one stored. Raises Outdated.
    """
    number = SettingsVersion.attr("number")
    is_next = number.eq(row.number - 1) if row.number > 1 else number.not_exists()
    stored = row.model_copy(update={"conversation_id": SettingsVersion.key(row.number)})
    in_force_row = row.model_copy(update={"conversation_id": IN_FORCE})
    try:
        table.transact(
            table.to_put(stored.attributes(), when=number.not_exists()),
            table.to_put(in_force_row.attributes(), when=is_next),
        )
    except TransactionRefused:
        existing = version(table, row.number)
        if existing is not None and existing.cause == row.cause:
            return existing
        raise Outdated("based_on: the settings were changed meanwhile; read them again") from None
    return stored
