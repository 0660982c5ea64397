"""Where a secret is: in Secrets Manager, or in a parameter if the deployment uses parameters for its own secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3

from operations.secrets import parameters, versions
from operations.secrets.kinds import COMPANY, KINDS

if TYPE_CHECKING:
    from operations.secrets.versions import Version


def uses_parameters(stage: str) -> bool:
    """Whether the deployed stack reads its own secrets from parameters."""
    return parameters.text_of(boto3.client("ssm"), parameters.store_in_use(stage)) is not None


def stored_id(stage: str, secret_id: str) -> str:
    """Return the id of a secret where the deployment reads it: its parameter's name, or the name itself."""
    own = {kind.secret_id(stage): kind for kind in KINDS.values() if kind.name != COMPANY}
    if secret_id in own and uses_parameters(stage):
        return own[secret_id].parameter(stage)
    return secret_id


def read(stored: str) -> Version | None:
    """Return the current version of a secret by its stored id; None if there is no secret. Raises Refused."""
    if stored.startswith("/"):
        return parameters.read(boto3.client("ssm"), stored)
    return versions.read(boto3.client("secretsmanager"), stored)


def write(stored: str, content: dict[str, Any], replacing: Version | None) -> bool:
    """Store the content if *replacing* is still the current version; False after a concurrent write. Raises Refused."""
    if stored.startswith("/"):
        return parameters.write(boto3.client("ssm"), stored, content, replacing)
    return versions.write(boto3.client("secretsmanager"), stored, content, replacing)
