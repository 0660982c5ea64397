"""The resources of a CloudFormation stack and of its nested stacks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STACK = "AWS::CloudFormation::Stack"
# Of a stack whose deletion has begun: gone, or no longer its own.
_GONE = frozenset({"DELETE_COMPLETE", "DELETE_SKIPPED"})


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of the stack or of one of its nested stacks."""

    kind: str
    logical_id: str
    name: str  # the physical id


def resources_of(cloudformation: Any, stack: str) -> Iterator[Resource]:  # noqa: ANN401 - boto3 client, real or fake
    """Yield the resources that exist, resources of nested stacks after their stack. Raises ClientError."""
    pages = cloudformation.get_paginator("list_stack_resources")
    for page in pages.paginate(StackName=stack):
        for entry in page["StackResourceSummaries"]:
            name = entry.get("PhysicalResourceId", "")
            if entry.get("ResourceStatus") in _GONE:
                continue
            yield Resource(entry["ResourceType"], entry["LogicalResourceId"], name)
            if entry["ResourceType"] == _STACK and name:
                yield from resources_of(cloudformation, name)
