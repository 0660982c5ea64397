"""The item of a canned reply, and its read access."""

from dataclasses import dataclass
from typing import ClassVar, Final

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.aws.audited import audited
from shared.aws.dynamodb import Table
from shared.aws.tables.items import Item, filled

_PARTITION_KEY: Final = "pk"  # of the table of WhatsApp


@audited("name")
class CannedReplyItem(Item):
    """
    A text that people of a company send often, with variables such as `{{name}}`.

    `updated_by` is the authenticated principal of the last change.
    """

    model_config = ConfigDict(alias_generator=to_camel)
    item_type: ClassVar[str] = "CANNED_REPLY"
    pk_pattern: ClassVar[str] = "CANNED_REPLY#{company}#{name}"

    pk: str
    name: str
    text: str
    updated_at: str
    updated_by: str


@dataclass(frozen=True, slots=True)
class CannedReplies:
    """The canned replies of all companies, in the table of WhatsApp."""

    table: Table

    def text_of(self, company: str, name: str) -> str | None:
        """Return the text of a canned reply (strongly consistent read), None if there is none."""
        key = {_PARTITION_KEY: filled(CannedReplyItem.pk_pattern, company, name)}
        item = self.table.get(key)
        return CannedReplyItem.read(item).text if item else None
