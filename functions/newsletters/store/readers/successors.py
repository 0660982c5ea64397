"""Writes of whole items that people change: each names the version that it follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from newsletters.store.content.newsletters import StaleVersion
from newsletters.store.items.item import PARTITION_KEY
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from newsletters.store.items import MailTemplate, PublicList
    from shared.aws.dynamodb import Attributes, Table


def put[T: (PublicList, MailTemplate)](table: Table, given: T, what: str) -> T:
    """
    Write an item as the successor of the version that it names, 0 for a new one; return it with the new version. *what*
    names it for people. Safe to repeat. Raises StaleVersion.
    """
    changed = given.model_copy(update={"version": given.version + 1})
    is_first = Attr(PARTITION_KEY).not_exists()
    unchanged = given.attr("version").eq(given.version)
    try:
        table.put(changed.attributes(), when=unchanged if given.version else is_first)
    except ConditionFailed as refusal:
        if _is_written(changed.attributes(), refusal.existing):
            return changed  # by an earlier attempt of the same call
        raise StaleVersion(f"version: the {what} has changed; read it again") from None
    return changed


def _is_written(changed: Attributes, existing: Attributes | None) -> bool:
    if existing is None:
        return False
    time = {"updated_at": existing.get("updated_at")}
    return bool(plain(existing) == plain(changed | time))
