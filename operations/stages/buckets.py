"""Objects of a bucket, with all their versions."""

from collections.abc import Iterator

from operations.command_line.arguments import Refused
from operations.stages.inventory import client, tried

_MOST_AT_ONCE = 1_000  # of DeleteObjects


def count(bucket: str) -> int:
    """Return the number of objects, old versions and delete markers."""
    return sum(len(page) for page in _pages(bucket))


def empty(bucket: str) -> int:
    """Delete all versions of all objects; return their number. Safe to repeat. Raises Refused."""
    deleted = 0
    # Read again until there is nothing: a function that was running may have stored an object meanwhile.
    while entries := next(_pages(bucket), []):
        answer = client("s3").delete_objects(
            Bucket=bucket, Delete={"Objects": entries[:_MOST_AT_ONCE], "Quiet": True}
        )
        if errors := answer.get("Errors"):
            raise Refused(
                f"{bucket}: S3 does not delete {len(errors)} objects: {errors[0]['Code']}"
            )
        deleted += len(entries)
    return deleted


def _pages(bucket: str) -> Iterator[list[dict[str, str]]]:
    s3 = client("s3")
    if tried(s3.head_bucket, Bucket=bucket) is None:
        return
    for page in s3.get_paginator("list_object_versions").paginate(
        Bucket=bucket, PaginationConfig={"PageSize": _MOST_AT_ONCE}
    ):
        found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        if found:
            yield [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]
