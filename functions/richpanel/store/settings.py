"""
The versions of the shop's settings: the one in force, all of them, a new one, and which one is in force.

The row in force is a copy of a version, which a worker reads alone.
"""

import json
from typing import Final

from boto3.dynamodb.conditions import ConditionBase

from richpanel.store.items import SettingsVersion, key_of
from shared.ai.versions.stored import ATTEMPTS, Version, Versions
from shared.aws.dynamodb import Attributes, ConditionFailed, Table, TransactionRefused
from shared.aws.sqs_fifo import to_json
from shared.runtime.failures import Transient

IN_FORCE: Final = SettingsVersion.patterns[0]
STANDARD: Final = 0  # the number of the settings of a shop that has stored none
_NOT_IN_FORCE: Final = 1  # position of the write in the transaction


class Outdated(Exception):
    """The settings were changed since the version that the change is based on. The text has the rule."""


def versions_of(table: Table) -> Versions:
    """Return the versions of the shop's settings."""
    return Versions(
        table=table,
        key_of=lambda number: key_of(SettingsVersion, SettingsVersion.key(number)),
        read_item=_version,
        item_of=_item,
        is_free=SettingsVersion.attr("number").not_exists(),
    )


def in_force(table: Table) -> SettingsVersion | None:
    """Return the version in force, strongly consistent; None if the shop has stored no settings."""
    item = table.get(key_of(SettingsVersion, IN_FORCE))
    return SettingsVersion.read(item) if item else None


def number_in_force(table: Table) -> int:
    """Return the number of the version in force; STANDARD without one."""
    row = in_force(table)
    return row.number if row is not None else STANDARD


def add(table: Table, wanted: Version, based_on: int) -> Version:
    """
    Store the next version and put it in force instead of *based_on*, both or none. Returns the stored version.

    Safe to repeat: a second call with the same cause returns the version that the first one stored. Raises Outdated,
    and Transient if other authors take each number first.
    """
    newest = versions_of(table).newest(based_on)
    number = SettingsVersion.attr("number")
    for next_one in range(newest + 1, newest + 1 + ATTEMPTS):
        version = wanted.model_copy(update={"number": next_one})
        try:
            table.transact(
                table.to_put(_item(version), when=number.not_exists()),
                table.to_put(_copy(version), when=_is_in_force(based_on)),
            )
        except TransactionRefused as refusal:
            present = in_force(table)
            if present is not None and _version(present.attributes()).is_of_call_of(wanted):
                return _version(present.attributes())
            if _NOT_IN_FORCE in refusal.positions:
                raise _outdated() from None
            continue
        return version
    raise Transient("version_contended")


def put_in_force(table: Table, version: Version, instead_of: int | None) -> None:
    """Put a stored version in force; *instead_of* another one, or of any. Safe to repeat. Raises Outdated."""
    number = SettingsVersion.attr("number")
    when = None
    if instead_of is not None:
        when = _is_in_force(instead_of) | number.eq(version.number)
    try:
        table.put(_copy(version), when=when)
    except ConditionFailed:
        raise _outdated() from None


def _is_in_force(number: int) -> ConditionBase:
    stored = SettingsVersion.attr("number")
    return stored.not_exists() if number == STANDARD else stored.eq(number)


def _outdated() -> Outdated:
    return Outdated("based_on: the settings were changed meanwhile; read them again")


def _copy(version: Version) -> Attributes:
    """Return the row in force as a copy of a version."""
    return _row(version, IN_FORCE).attributes()


def _item(version: Version) -> Attributes:
    return _row(version, SettingsVersion.key(version.number)).attributes()


def _row(version: Version, key: str) -> SettingsVersion:
    return SettingsVersion(
        conversation_id=key,
        number=version.number,
        settings=to_json(version.settings),
        changed_at=version.at,
        changed_by=version.by,
        cause=version.made_for or "",
        note=version.note,
        based_on=version.based_on,
    )


def _version(item: Attributes) -> Version:
    row = SettingsVersion.read(item)
    return Version(
        number=row.number,
        settings=json.loads(row.settings),
        at=row.changed_at,
        by=row.changed_by,
        made_for=row.cause,
        note=row.note,
        based_on=row.based_on,
    )
