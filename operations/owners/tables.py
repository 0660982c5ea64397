"""The tables that have owner items, and the registrations that depend on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from operations import arguments
from shared.aws.dynamodb import Table

if TYPE_CHECKING:
    from typing import Self

# Outputs of template.yaml.
LOG = "ConversationLogTableName"
COMPANIES = "CompanyDataTableName"
MAIL = "EmailThreadsTableName"


@dataclass(frozen=True, slots=True)
class Tables:
    """*log* has the owner items, *companies* the projects, *mail* the mailboxes."""

    log: Table
    companies: Table
    mail: Table

    @classmethod
    def of(cls, stack: str) -> Self:
        """Return the tables of a stack. Raises Refused."""
        outputs = arguments.outputs_of(stack, LOG, COMPANIES, MAIL)
        dynamodb = boto3.client("dynamodb")
        return cls(*(Table(dynamodb, outputs[name]) for name in (LOG, COMPANIES, MAIL)))
