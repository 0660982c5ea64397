"""
Prepares the parameters of a deployment's own secrets before it is deployed with SecretStore=parameters.

    the deployment reads parameters already    missing ones are created, the others stay
    it reads Secrets Manager                   each secret is copied, again at each call
    it is not deployed yet                     missing ones are created with generated values

The parameter without which CloudFormation refuses the deployment is written last, so an interrupted preparation is
repeated as a whole.
"""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING, Any

import boto3

from operations.command_line.arguments import Refused
from operations.secrets import stores
from operations.secrets.kinds import COMPANY, KINDS, Kind
from shared.access.secret_versions import parameters, stored, versions
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHARACTERS = string.ascii_letters + string.digits
_SALT = 64


def prepare(stage: str) -> Iterator[str]:
    """Write the parameters of a stage and yield a line for each. Raises Refused."""
    keeps = stores.uses_parameters(stage)
    for kind in KINDS.values():
        if kind.name != COMPANY:
            yield f"{kind.parameter(stage)}: {_prepared(kind, stage, keeps=keeps)}"
    boto3.client("ssm").put_parameter(
        Name=parameters.prepared(stage),
        Value=clock.to_text(clock.now_ms()),
        Type="String",
        Overwrite=True,
    )


def _prepared(kind: Kind, stage: str, *, keeps: bool) -> str:
    name = kind.parameter(stage)
    current = stored.read(name)
    if keeps and current is not None:
        return "kept"
    managed = versions.read(boto3.client("secretsmanager"), kind.secret_id(stage))
    if managed is not None and managed.content:
        if current is not None and current.content == managed.content:
            return "copied before"
        _write(name, managed.content, current)
        return "copied from Secrets Manager"
    if current is not None:
        return "kept"
    _write(name, _first(kind), None)
    return "created"


def _write(name: str, content: dict[str, Any], current: versions.Version | None) -> None:
    if not stored.write(name, content, current):
        raise Refused(f"{name}: another writer changed it; run the command again")


def _first(kind: Kind) -> dict[str, Any]:
    """The content that a new deployment starts with: what the template generates in Secrets Manager."""
    content: dict[str, Any] = {
        field.name: _random(field.generated) for field in kind.fields if field.generated
    }
    others: dict[str, dict[str, Any]] = {
        "whatsapp-apps": {"apps": {}},
        "twilio-webhook": {"accounts": {}},
        "richpanel-webhook": {"active_hmac_keys": []},
        "richpanel-keys": {"salt": _random(_SALT)},
    }
    return content | others.get(kind.name, {})


def _random(length: int) -> str:
    return "".join(secrets.choice(_CHARACTERS) for _ in range(length))
