"""The part of the composition root that calls models: loaded when the playground is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3

from conversations.api.projects.tries.playground import PlaygroundDependencies
from conversations.outbound.compose.functions.document_search import DocumentSearch
from shared.access.ownership.claims import Owners
from shared.ai.providers.model_creation import ModelDependencies
from shared.aws.client_configs import PATIENT
from shared.aws.s3 import Bucket
from shared.providers.company_secrets import CompanySecrets

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table


def playground_dependencies(
    log: Table, spending: Table, openai_base_url: str, bucket_name: str
) -> PlaygroundDependencies:
    """Return the models and documents of all companies; *bucket_name* is the bucket of the documents."""
    return PlaygroundDependencies(
        log=log,
        spending=spending,
        model_deps=ModelDependencies(
            openai_url=f"{openai_base_url}/v1",
            credentials=CompanySecrets(lambda: boto3.client("secretsmanager", config=PATIENT)),
            make_bedrock=lambda config: boto3.client("bedrock-runtime", config=config),
        ),
        documents=DocumentSearch(
            bucket=Bucket(lambda: boto3.client("s3", config=PATIENT), bucket_name),
            make_bedrock=lambda config: boto3.client("bedrock-agent-runtime", config=config),
            owners=Owners(log),
            listing_ms=0,  # people try what they have just added
        ),
    )
