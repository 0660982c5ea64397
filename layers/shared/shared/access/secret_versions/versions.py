"""
Versions of a secret: read the current one, and replace exactly that one.

Secrets Manager has no conditional write of a value, but it refuses to move the label AWSCURRENT from a version that
does not have it. So a new version is stored under a separate label, and then gets AWSCURRENT from the version that
was read. A concurrent writer loses nothing: the second of the two is refused and starts again.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.access.refusals import ChangeRefused

if TYPE_CHECKING:
    from datetime import datetime

    from mypy_boto3_secretsmanager import SecretsManagerClient

CURRENT, PENDING = "AWSCURRENT", "AWSPENDING"
PREPARED = "PARLEY_PREPARED"
LARGEST_BYTES = 65_536  # Secrets Manager, "Quotas"
_MISSING = "ResourceNotFoundException"


@dataclass(frozen=True, slots=True)
class Version:
    """The current content of a secret; *version_id* is None while the secret has no version."""

    content: dict[str, Any] = field(repr=False)
    version_id: str | None = None
    created_at: datetime | None = None


def read(client: SecretsManagerClient, secret_id: str) -> Version | None:
    """Return the current version, without content if the secret has no value; None if there is no secret."""
    try:
        stored = client.get_secret_value(SecretId=secret_id, VersionStage=CURRENT)
    except ClientError as error:
        if error.response["Error"]["Code"] != _MISSING:
            raise
        return Version({}) if _exists(client, secret_id) else None
    try:
        content = json.loads(stored["SecretString"])
    except (KeyError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise ChangeRefused(secret_id, "its value is not a JSON object; replace it by one")
    return Version(content, stored["VersionId"], stored["CreatedDate"])


def text_of_content(secret_id: str, content: dict[str, Any]) -> str:
    """Return the content as it is stored. Raises ChangeRefused if it is too large."""
    text = json.dumps(content)
    if len(text.encode()) > LARGEST_BYTES:
        raise ChangeRefused(
            secret_id, f"must have at most {LARGEST_BYTES} bytes; remove old values"
        )
    return text


def write(
    client: SecretsManagerClient, secret_id: str, content: dict[str, Any], replacing: Version | None
) -> bool:
    """
    Store the content if *replacing* is still the current version; None creates the secret.

    Returns False after a concurrent write. Raises ChangeRefused if the content is too large or a rotation is running.
    """
    text = text_of_content(secret_id, content)
    token = str(uuid.uuid4())
    if replacing is None:
        try:
            client.create_secret(Name=secret_id, SecretString=text, ClientRequestToken=token)
        except client.exceptions.ResourceExistsException:
            return False
        return True
    if replacing.version_id is None:
        client.put_secret_value(SecretId=secret_id, SecretString=text, ClientRequestToken=token)
        return True
    _check_rotation(client, secret_id)
    client.put_secret_value(
        SecretId=secret_id, SecretString=text, ClientRequestToken=token, VersionStages=[PREPARED]
    )
    try:
        client.update_secret_version_stage(
            SecretId=secret_id,
            VersionStage=CURRENT,
            MoveToVersionId=token,
            RemoveFromVersionId=replacing.version_id,
        )
    except client.exceptions.InvalidParameterException:
        # The prepared version stays without effect; the next write takes its label away.
        if _current_id(client, secret_id) in {replacing.version_id, None}:
            raise
        return False
    return True


def _exists(client: SecretsManagerClient, secret_id: str) -> bool:
    try:
        client.describe_secret(SecretId=secret_id)
    except ClientError as error:
        if error.response["Error"]["Code"] == _MISSING:
            return False
        raise
    return True


def _check_rotation(client: SecretsManagerClient, secret_id: str) -> None:
    labels = client.describe_secret(SecretId=secret_id).get("VersionIdsToStages", {})
    if any(PENDING in stages and CURRENT not in stages for stages in labels.values()):
        raise ChangeRefused(secret_id, "a rotation is running; try again when it has ended")


def _current_id(client: SecretsManagerClient, secret_id: str) -> str | None:
    labels = client.describe_secret(SecretId=secret_id).get("VersionIdsToStages", {})
    return next((version for version, stages in labels.items() if CURRENT in stages), None)
