"""The bare handler with the libraries of every worker and none of our code: their lower bound."""

import boto3
from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor
from aws_lambda_powertools.utilities.parser import parse
from pydantic import BaseModel, ConfigDict

logger, metrics = Logger(), Metrics()
client = boto3.client("dynamodb")
libraries = (SqsFifoPartialProcessor, parse)


class Item(BaseModel):
    """One model: pydantic loads most of its modules for the first one."""

    model_config = ConfigDict(defer_build=True)

    pk: str


def handler(_event: object, _context: object) -> None:
    """Do nothing."""
