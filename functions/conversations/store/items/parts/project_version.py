"""A version of the settings of a project's model."""

from typing import ClassVar

from conversations.store.items.base import LogItem, key, sort_key
from shared.ai.versions.stored import DIGITS, Version
from shared.aws.dynamodb import Attributes


class ProjectVersion(LogItem, Version):
    """
    The settings of a project by attribute; never changed and never deleted. `facts_on`: people accepted facts on top of
    this live version; the next one is added to them.
    """

    item_type: ClassVar[str] = "PROJECT_VERSION"
    pk_pattern: ClassVar[str] = "PROJECT#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "VERSION#{number}"
    ttl_note: ClassVar[str] = "none; the settings of a company, without data of persons"

    facts_on: int | None = None

    @classmethod
    def key_of(cls, company_id: str, project_id: str, number: int) -> Attributes:
        """Return the whole key of a version; text order is the order of the numbers."""
        return key(
            cls.partition(company_id, project_id), sort_key(cls.sk_pattern, f"{number:0{DIGITS}}")
        )
