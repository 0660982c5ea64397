"""Check of a table that newsletters share with another system: its keys, its index, its TTL."""

from typing import Any

from newsletters.store.items.item import (
    INDEX,
    INDEX_PARTITION_KEY,
    INDEX_SORT_KEY,
    PARTITION_KEY,
    SORT_KEY,
)
from operations.doctor.deployment import Deployment, client
from operations.doctor.findings import Finding, action, ok
from shared.aws.dynamodb import TTL_ATTRIBUTE

_NAMING, _EXISTING = "MainTableNaming", "existing"
_KEYS = {PARTITION_KEY: "HASH", SORT_KEY: "RANGE"}
_INDEX_KEYS = {INDEX_PARTITION_KEY: "HASH", INDEX_SORT_KEY: "RANGE"}


def table(deployment: Deployment) -> list[Finding]:
    """Check the table of newsletters if the stack did not create it. Raises ClientError and Refused."""
    subject = "table"
    if deployment.parameters.get(_NAMING) != _EXISTING:
        return [ok(subject, "created by the stack: see tables")]
    name = deployment.output("NewslettersTableName")
    described = client("dynamodb").describe_table(TableName=name)["Table"]
    if problem := _problem(described):
        step = f"give {name} the keys and the index of docs/tables/newsletters.md, or deploy with another table"
        return [action(subject, problem, step)]
    expiry = client("dynamodb").describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    is_on = (expiry.get("TimeToLiveStatus"), expiry.get("AttributeName")) == (
        "ENABLED",
        TTL_ATTRIBUTE,
    )
    note = "" if is_on else f"; no TTL on {TTL_ATTRIBUTE}: records of jobs stay after their time"
    return [ok(subject, f"keys and index of {name} are as needed{note}")]


def _problem(described: dict[str, Any]) -> str:
    """Return what newsletters miss; empty if nothing."""
    types = {
        one["AttributeName"]: one["AttributeType"] for one in described["AttributeDefinitions"]
    }
    indexes = {one["IndexName"]: one for one in described.get("GlobalSecondaryIndexes", [])}
    index = indexes.get(INDEX)
    if _keys(described) != _KEYS:
        return f"its keys are not {PARTITION_KEY} and {SORT_KEY}"
    if index is None or _keys(index) != _INDEX_KEYS:
        return f"it has no index {INDEX} with {INDEX_PARTITION_KEY} and {INDEX_SORT_KEY}"
    if index["Projection"]["ProjectionType"] != "ALL":
        return f"its index {INDEX} does not have all attributes"
    wrong = [name for name in (*_KEYS, *_INDEX_KEYS) if types.get(name) != "S"]
    return f"not a string: {', '.join(wrong)}" if wrong else ""


def _keys(described: dict[str, Any]) -> dict[str, str]:
    return {one["AttributeName"]: one["KeyType"] for one in described["KeySchema"]}
