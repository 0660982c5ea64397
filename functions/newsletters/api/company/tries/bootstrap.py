"""The part of the composition root that calls models: loaded when a step is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3

from newsletters.api.company.tries.playground import TrialDependencies
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.ai.retrieval.settings import RetrievalDependencies
from shared.aws.client_configs import PATIENT
from shared.providers.company_secrets import CompanySecrets

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket


def trial_dependencies(
    bucket: Bucket, log: Table, spending_table: str, openai_base_url: str
) -> TrialDependencies:
    """Return the models and documents of all companies; *log* has the owner items."""
    return TrialDependencies(
        models=ModelDependencies(
            openai_url=f"{openai_base_url}/v1",
            credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
            make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
        ),
        retrieval=RetrievalDependencies(
            bucket=bucket,
            make_bedrock=lambda config: boto3.client("bedrock-agent-runtime", config=config),
            owners=Owners(log),
            listing_ms=0,  # people try what they have just added
        ),
        spending=log.beside(spending_table),
    )
