"""A minimal function on AWS: boto3 and one client."""

import boto3

client = boto3.client("sqs")


def handler(_event: object, _context: object) -> None:
    """Do nothing."""
