"""The versions of the settings of a project's model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store.items.parts.project_version import ProjectVersion
from shared.ai.versions.stored import Version, Versions

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table


def of_project(log: Table, company_id: str, project_id: str) -> Versions:
    """Return the versions of a project."""

    def key_of(number: int) -> Attributes:
        return ProjectVersion.key_of(company_id, project_id, number)

    def item_of(version: Version) -> Attributes:
        return ProjectVersion(**version.model_dump()).attributes(key_of(version.number))

    return Versions(
        table=log,
        key_of=key_of,
        read_item=ProjectVersion.read,
        item_of=item_of,
        is_free=ProjectVersion.attr("number").not_exists(),
    )
