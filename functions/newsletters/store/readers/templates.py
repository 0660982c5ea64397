"""Access patterns of templates of mails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from newsletters.store.items import MailTemplate
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from newsletters.store.readers import successors

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table

MOST: Final = 50  # of a company
_PREFIX: Final = MailTemplate.sort.partition("{")[0]


class TooManyTemplates(Exception):
    """The company has as many templates as it may have."""


def get(table: Table, company_id: str, template_id: str) -> MailTemplate | None:
    """Return a template."""
    item = table.get(MailTemplate.key(company_id, template_id))
    return MailTemplate.read(item) if item else None


def of_company(table: Table, company_id: str) -> list[MailTemplate]:
    """Return the templates of a company."""
    partition = MailTemplate.key(company_id, "-")[PARTITION_KEY]
    condition = Key(PARTITION_KEY).eq(partition) & Key(SORT_KEY).begins_with(_PREFIX)
    rows, _ = table.query(None, condition, limit=MOST)
    return [MailTemplate.read(row) for row in rows]


def put(table: Table, given: MailTemplate) -> MailTemplate:
    """Write a template as the successor of its version. Raises StaleVersion, and TooManyTemplates for a new one."""
    if not given.version:
        present = [one.template_id for one in of_company(table, given.company_id)]
        if len(present) >= MOST and given.template_id not in present:  # not by an earlier attempt
            raise TooManyTemplates(f"a company has at most {MOST} templates")
    return successors.put(table, given, "template")


def remove(table: Table, company_id: str, template_id: str) -> None:
    """Delete a template. Idempotent."""
    table.delete(MailTemplate.key(company_id, template_id))
