"""The bare handler with what every worker here is made of, and none of our code: its floor."""

import boto3
from aws_lambda_powertools import Logger, Metrics
from pydantic import BaseModel, ConfigDict

logger, metrics = Logger(), Metrics()
client = boto3.client("dynamodb")


class Item(BaseModel):
    """One model: pydantic loads most of itself at the first."""

    model_config = ConfigDict(defer_build=True)

    pk: str


def handler(_event: object, _context: object) -> None:
    """Do nothing."""
