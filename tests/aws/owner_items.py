"""Owner items on moto, for tests of code that asks for the owner of a resource."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from moto import mock_aws

from shared.access.ownership import claims
from shared.access.ownership.claims import Owners, Proof
from shared.aws.dynamodb import Table
from tests import template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.access.ownership.ids import ProviderId


@contextmanager
def owners_of(granted: dict[ProviderId, str]) -> Iterator[Owners]:
    """moto with a conversation log in which these resources are granted to companies."""
    with mock_aws():
        dynamodb = boto3.client("dynamodb")
        table = Table(dynamodb, template.create_table(dynamodb, "ConversationLogTable"))
        for resource, company in granted.items():
            claims.claim(table, resource, claims.new(company, Proof.GRANTED))
        yield Owners(table)
