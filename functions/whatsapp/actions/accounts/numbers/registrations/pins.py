"""
Stores the two-step verification pins of numbers in the parameter store, as encrypted parameters.

    /parley/{stage}/whatsapp-pins/{company}/{phone}      {"pin": ..., "next": ...}

A new pin is stored as `next` before the provider gets it, and becomes `pin` afterwards: after a crash in between, the
next call sends the same `next` again.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from whatsapp.sending.failures import ProviderUnavailable

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.store.items import Phone

_FOLDER = "whatsapp-pins"
_MISSING = "ParameterNotFound"
_LARGEST_PIN = 1_000_000


def proposed(resources: ActionResources, phone: Phone) -> str:
    """
    Return the pin that the provider is to get next, stored already: the pin of an unfinished change, else a new one.

    Raises ProviderUnavailable if the parameter store does not answer.
    """
    stored = _read(resources, phone)
    if "next" not in stored:
        stored["next"] = f"{secrets.randbelow(_LARGEST_PIN):06d}"
        _write(resources, phone, stored)
    return stored["next"]


def current(resources: ActionResources, phone: Phone) -> str | None:
    """Return the pin that the provider has; None before the first one. Raises ProviderUnavailable."""
    return _read(resources, phone).get("pin")


def confirm(resources: ActionResources, phone: Phone, pin: str) -> None:
    """Store that the provider has this pin. Safe to repeat. Raises ProviderUnavailable."""
    if _read(resources, phone) != {"pin": pin}:
        _write(resources, phone, {"pin": pin})


def _name(resources: ActionResources, phone: Phone) -> str:
    stage_path = resources.flow_keys_path.rpartition("/")[0]
    return f"{stage_path}/{_FOLDER}/{phone.company}/{phone.phone}"


def _read(resources: ActionResources, phone: Phone) -> dict[str, str]:
    try:
        answer = resources.parameters().client.get_parameter(
            Name=_name(resources, phone), WithDecryption=True
        )
    except ClientError as error:
        if error.response["Error"]["Code"] == _MISSING:
            return {}
        raise _unavailable() from None
    except BotoCoreError:
        raise _unavailable() from None
    try:
        stored = json.loads(answer["Parameter"]["Value"])
    except ValueError:
        stored = {"pin": answer["Parameter"]["Value"].strip()}  # entered by an operator
    return (
        {name: str(pin) for name, pin in stored.items()}
        if isinstance(stored, dict)
        else {"pin": f"{stored:06d}" if isinstance(stored, int) else str(stored)}
    )


def _write(resources: ActionResources, phone: Phone, stored: dict[str, str]) -> None:
    try:
        resources.parameters().client.put_parameter(
            Name=_name(resources, phone),
            Value=json.dumps(stored),
            Type="SecureString",
            Overwrite=True,
        )
    except (ClientError, BotoCoreError):
        raise _unavailable() from None


def _unavailable() -> ProviderUnavailable:
    return ProviderUnavailable("the parameter store cannot be reached; the pin is unchanged")
