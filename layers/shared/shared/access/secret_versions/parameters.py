"""
Secrets in SecureString parameters: read the current version, and replace exactly that one.

The parameter store numbers versions and has no conditional write. A writer that gets another number than the next one
has covered another writer's version: it writes that version again, and starts again with it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shared.access.refusals import ChangeRefused
from shared.access.secret_versions.versions import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

type Client = Any  # of the parameter store, whose types are not installed

LARGEST_BYTES = 8_192  # an advanced parameter; a standard one has 4,096


def store_in_use(stage: str) -> str:
    """Return the name of the parameter that exists while the deployed stack reads its secrets from parameters."""
    return f"/parley/{stage}/secret-store"


def prepared(stage: str) -> str:
    """Return the name of the parameter without which the stack is not deployed with parameters."""
    return f"/parley/{stage}/secrets-prepared"


def text_of(client: Client, name: str) -> str | None:
    """Return the value of a parameter, None if there is none."""
    try:
        return str(client.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"])
    except client.exceptions.ParameterNotFound:
        return None


def read(client: Client, name: str) -> Version | None:
    """Return the current version of a secret, None if there is none. Raises ChangeRefused if it is no JSON object."""
    try:
        stored = client.get_parameter(Name=name, WithDecryption=True)["Parameter"]
    except client.exceptions.ParameterNotFound:
        return None
    try:
        content = json.loads(stored["Value"])
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise ChangeRefused(name, "its value is not a JSON object; replace it by one")
    return Version(content, str(stored["Version"]), stored["LastModifiedDate"])


def write(client: Client, name: str, content: Mapping[str, Any], replacing: Version | None) -> bool:
    """
    Store the content if *replacing* is still the current version; None creates the secret.

    Returns False after a concurrent write. Raises ChangeRefused if the content is too large.
    """
    text = text_of_content(name, content)
    try:
        number = _put(client, name, text, overwrite=replacing is not None)
    except client.exceptions.ParameterAlreadyExists:
        return False
    if replacing is None or number == int(replacing.version_id or 0) + 1:
        return True
    covered = client.get_parameter(Name=f"{name}:{number - 1}", WithDecryption=True)
    _put(client, name, covered["Parameter"]["Value"], overwrite=True)
    return False


def text_of_content(name: str, content: Mapping[str, Any]) -> str:
    """Return the content as it is stored. Raises ChangeRefused if it is too large."""
    text = json.dumps(content)
    if len(text.encode()) > LARGEST_BYTES:
        raise ChangeRefused(
            name,
            f"must have at most {LARGEST_BYTES} bytes; remove old values,"
            " or deploy with SecretStore=secrets-manager",
        )
    return text


def _put(client: Client, name: str, text: str, *, overwrite: bool) -> int:
    stored = client.put_parameter(
        Name=name,
        Value=text,
        Type="SecureString",
        Overwrite=overwrite,
        Tier="Intelligent-Tiering",  # advanced, $0.05 a month, only above 4,096 bytes
    )
    return int(stored["Version"])
