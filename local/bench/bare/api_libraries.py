"""The bare handler with the libraries of every API function and none of our code: their lower bound."""

import boto3
from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.event_handler import APIGatewayRestResolver
from pydantic import BaseModel, ConfigDict

logger, metrics, app = Logger(), Metrics(), APIGatewayRestResolver()
client = boto3.client("dynamodb")


class Item(BaseModel):
    """One model: pydantic loads most of its modules for the first one."""

    model_config = ConfigDict(defer_build=True)

    pk: str


def handler(_event: object, _context: object) -> None:
    """Do nothing."""
