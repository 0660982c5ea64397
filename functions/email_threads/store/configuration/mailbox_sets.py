"""Where the sets of scenarios of a mailbox and their runs are. Another owner of the address has its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from email_threads.store.items.mailboxes import evaluation
from shared.ai.evaluation.sets.stored import Evaluations

if TYPE_CHECKING:
    from pydantic import BaseModel

    from shared.aws.dynamodb import Attributes, Table


def of_mailbox(table: Table, company_id: str, address: str) -> Evaluations:
    """Return the sets of a company's mailbox."""
    return Evaluations(table, _Places(company_id, address))


@dataclass(frozen=True, slots=True)
class _Places:
    """See `Places`."""

    company_id: str
    address: str
    listed_by: None = None

    def key_of(self, kind: type[BaseModel], *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation.key_of(kind, self.company_id, self.address, *parts)

    def item_of(self, kept: BaseModel, *parts: str) -> Attributes:
        """See `Places`."""
        return evaluation.item_of(kept, self.key_of(type(kept), *parts))
