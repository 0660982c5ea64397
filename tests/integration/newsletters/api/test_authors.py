"""An erased author is replaced in what is stored, and in nothing that was removed or written anew meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store import authors
from newsletters.store.delivery import warm_ups
from newsletters.store.items import WarmUp
from shared.aws.dynamodb import Table
from tests.integration.newsletters.deployment import COMPANY

if TYPE_CHECKING:
    from tests.integration.newsletters.api.author import Author


def test_an_erased_author_is_replaced_only_where_nothing_changed_meanwhile(author: Author) -> None:
    table = Table(author.system.dynamodb, author.system.table)
    for domain in ("stays.test", "removed.test", "rewritten.test"):
        plan = WarmUp(**WarmUp.key(COMPANY, domain), company_id=COMPANY, domain=domain)
        warm_ups.put_plan(table, plan, [50], 50, "ana")
    read = warm_ups.of_company(table, COMPANY)
    table.delete(WarmUp.key(COMPANY, "removed.test"))
    table.update(WarmUp.key(COMPANY, "rewritten.test"), put={"updated_by": "ben"})

    authors.replace(table, read, "ana", "erased")
    authors.replace(table, read, "ana", "erased")

    found = warm_ups.of_company(table, COMPANY)
    assert [(one.domain, one.updated_by) for one in found] == [
        ("rewritten.test", "ben"),
        ("stays.test", "erased"),
    ]
