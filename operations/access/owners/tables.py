"""The tables that have owner items, and the registrations that depend on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from operations.command_line import arguments
from shared.aws.dynamodb import Table

if TYPE_CHECKING:
    from typing import Self

# Outputs of template.yaml.
LOG = "ConversationLogTableName"
COMPANIES = "CompanyDataTableName"
MAIL = "EmailThreadsTableName"


@dataclass(frozen=True, slots=True)
class Tables:
    """*log* has the owner items, *companies* the projects, *mail* the mailboxes, *inbox* the numbers."""

    log: Table
    companies: Table
    mail: Table
    inbox: Table

    @classmethod
    def of(cls, stack: str) -> Self:
        """Return the tables of a stack. Raises Refused."""
        names = (LOG, COMPANIES, MAIL, arguments.TABLE_OF_INBOX)
        outputs = arguments.outputs_of(stack, *names)
        dynamodb = boto3.client("dynamodb")
        return cls(*(Table(dynamodb, outputs[name]) for name in names))
