"""What moto holds, looked at without a call: a look is no call of ours, and looks took a third of a matrix's time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.utilities import dynamo_to_dict
from moto.s3.models import s3_backends

from tests.template import ACCOUNT, REGION

if TYPE_CHECKING:
    from collections.abc import Iterator


def items_of(table: str) -> Iterator[dict[str, Any]]:
    """All items of a table as they are on the wire, each a copy."""
    for item in dynamodb_backends[ACCOUNT][REGION].tables[table].all_items():
        yield dynamo_to_dict(item.attrs)


def objects_of(bucket: str) -> dict[str, bytes]:
    """All objects of a bucket by key."""
    keys = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    return {name: key.value for name, key in keys.items()}
