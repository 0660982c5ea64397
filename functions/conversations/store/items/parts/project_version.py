"""A version of the settings of a project's model."""

from typing import Any, ClassVar

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from shared.aws.dynamodb import Attributes


class ProjectVersion(LogItem):
    """
    The `settings` of a project by attribute, as its author stored them; never changed and never deleted.

    `by` is the principal of a person or key, or the identity of an operator. `based_on` is the version whose settings
    the author changed, `made_for` the hash of the call.
    """

    item_type: ClassVar[str] = "PROJECT_VERSION"
    pk_pattern: ClassVar[str] = "PROJECT#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "VERSION#{number}"
    first_sk: ClassVar[str] = "VERSION#"
    ttl_note: ClassVar[str] = "none; the settings of a company, without data of persons"

    number: int
    settings: dict[str, Any] = Field(default_factory=dict, repr=False)
    note: str = Field(default="", repr=False)
    by: str
    at: str
    based_on: int | None = None
    made_for: str | None = None

    @classmethod
    def key_of(cls, company_id: str, project_id: str, number: int) -> Attributes:
        """Return the whole key of a version; text order is the order of the numbers."""
        return key(cls.partition(company_id, project_id), sort_key(cls.sk_pattern, f"{number:08d}"))
