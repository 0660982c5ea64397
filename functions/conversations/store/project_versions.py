"""The versions of the settings of a project's model: added and read, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.parts.project_version import ProjectVersion
from shared.aws.dynamodb import ConditionFailed

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


def read(log: Table, company_id: str, project_id: str, number: int) -> ProjectVersion | None:
    """Return a version, strongly consistent; None if there is none with this number."""
    item = log.get(ProjectVersion.key_of(company_id, project_id, number))
    return ProjectVersion.read(item) if item else None


def newest(log: Table, company_id: str, project_id: str) -> ProjectVersion | None:
    """Return the newest version; None if the project has none."""
    found, _ = page(log, company_id, project_id, 1, None)
    return found[0] if found else None


def page(
    log: Table, company_id: str, project_id: str, limit: int, start: Attributes | None
) -> tuple[list[ProjectVersion], Attributes | None]:
    """Return up to *limit* versions, newest first, and the key of the next page."""
    pk = ProjectVersion.partition(company_id, project_id)
    items, last = log.query(
        None,
        Key(PARTITION_KEY).eq(pk) & Key(SORT_KEY).begins_with(ProjectVersion.first_sk),
        limit=limit,
        start=start,
        newest_first=True,
    )
    return [ProjectVersion.read(item) for item in items], last


def add(log: Table, company_id: str, project_id: str, version: ProjectVersion) -> ProjectVersion:
    """Store a version; return the stored one with this number, which is another one if the number was taken."""
    where = ProjectVersion.key_of(company_id, project_id, version.number)
    try:
        log.put(version.attributes(where), when=ProjectVersion.attr("number").not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is not None:
            return ProjectVersion.read(refusal.existing)
        raise
    return version
