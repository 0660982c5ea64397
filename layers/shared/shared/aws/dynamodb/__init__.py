"""A DynamoDB table client: items as plain Python values, and condition failures with the existing item."""

from shared.aws.dynamodb.failures import (
    ConditionFailed,
    TransactionConflict,
    TransactionRefused,
    has_hot_partition,
    repeated,
)
from shared.aws.dynamodb.table import MOST_IN_BATCH, MOST_IN_TRANSACTION, TTL_ATTRIBUTE, Table
from shared.aws.dynamodb.values import Attributes

__all__ = [
    "MOST_IN_BATCH",
    "MOST_IN_TRANSACTION",
    "TTL_ATTRIBUTE",
    "Attributes",
    "ConditionFailed",
    "Table",
    "TransactionConflict",
    "TransactionRefused",
    "has_hot_partition",
    "repeated",
]
