"""Changes one secret by its stored id: the name of a parameter (`/...`), or of a secret of Secrets Manager."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import boto3

from shared.access.refusals import ChangeRefused
from shared.access.secret_versions import parameters, versions
from shared.access.secret_versions.versions import Version

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5
_IN_PARAMETERS = ":parameter/"


def id_of(secret_id: str) -> str:
    """Return the stored id of a secret by the id that functions get: the ARN of a parameter, or of a secret."""
    _, is_parameter, name = secret_id.partition(_IN_PARAMETERS)
    return f"/{name}" if is_parameter else secret_id


def read(stored: str) -> Version | None:
    """Return the current version of a secret by its stored id; None if there is no secret. Raises ChangeRefused."""
    if stored.startswith("/"):
        return parameters.read(boto3.client("ssm"), stored)
    return versions.read(boto3.client("secretsmanager"), stored)


def write(stored: str, content: dict[str, Any], replacing: Version | None) -> bool:
    """
    Store the content if *replacing* is still the current version; False after a concurrent write.

    Raises ChangeRefused.
    """
    if stored.startswith("/"):
        return parameters.write(boto3.client("ssm"), stored, content, replacing)
    return versions.write(boto3.client("secretsmanager"), stored, content, replacing)


def check_size(stored: str, content: dict[str, Any]) -> None:
    """Refuse content that is too large for its store. Raises ChangeRefused."""
    (parameters if stored.startswith("/") else versions).text_of_content(stored, content)


def change(
    stored: str, edit: Callable[[Version], dict[str, Any]], *, may_create: bool
) -> dict[str, Any]:
    """
    Replace the current content by its edited copy, again after each concurrent write. Returns the new content.

    Raises ChangeRefused, and what *edit* raises.
    """
    for _ in range(ROUNDS):
        current = read(stored)
        if current is None and not may_create:
            problem = "secret not found; the deployment creates it, `operations doctor` checks it"
            raise ChangeRefused(stored, problem)
        content = edit(current or Version({}))
        if write(stored, content, replacing=current):
            return content
    raise ChangeRefused(stored, "other writers keep changing it; try again")


def with_value(content: dict[str, Any], path: tuple[str, ...], value: object) -> dict[str, Any]:
    """Return a copy of a secret's content with another value of one field. Raises ChangeRefused."""
    changed = deepcopy(content)
    inner = changed
    for part in path[:-1]:
        inner = inner.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ChangeRefused("field", f"{part} in the secret is not an object")
    inner[path[-1]] = value
    return changed
