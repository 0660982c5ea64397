"""Owner items on moto, for tests of code that asks for the owner of a resource."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.ownership import claims
from shared.ownership.claims import Owners, Proof
from tests import template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.ownership.ids import ProviderId


@contextmanager
def owners_of(granted: dict[ProviderId, str]) -> Iterator[Owners]:
    """moto with a conversation log in which these resources are granted to companies."""
    with mock_aws():
        dynamodb = boto3.client("dynamodb")
        table = Table(dynamodb, template.create_table(dynamodb, "ConversationLogTable"))
        for resource, company in granted.items():
            claims.claim(table, resource, claims.new(company, Proof.GRANTED))
        yield Owners(table)
