"""Place of a secret: in Secrets Manager, or in a parameter if the deployment uses parameters for its own secrets."""

from __future__ import annotations

import boto3

from operations.secrets.kinds import COMPANY, KINDS
from shared.access.secret_versions import parameters


def uses_parameters(stage: str) -> bool:
    """Whether the deployed stack reads its own secrets from parameters."""
    return parameters.text_of(boto3.client("ssm"), parameters.store_in_use(stage)) is not None


def stored_id(stage: str, secret_id: str) -> str:
    """Return the id of a secret where the deployment reads it: its parameter's name, or the name itself."""
    own = {kind.secret_id(stage): kind for kind in KINDS.values() if kind.name != COMPANY}
    if secret_id in own and uses_parameters(stage):
        return own[secret_id].parameter(stage)
    return secret_id
