"""Functions, and the grants of their roles, in the template."""

from collections.abc import Iterator
from typing import Any

from tests.template import exists, properties, resources

FUNCTIONS = sorted(resources("AWS::Serverless::Function"))
POLICY_TYPES = ("AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy", "AWS::S3::BucketPolicy")


def resource_policies(**given: str) -> Iterator[dict[str, Any]]:
    """The statements of the policies of queues, topics and buckets."""
    for kind in POLICY_TYPES:
        for name in resources(kind):
            if exists(name, **given):
                yield from properties(name, **given)["PolicyDocument"]["Statement"]
