"""Checks answers of actions against their OpenAPI document: every answer that a test gets is checked."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from local.docs import action_answers
from whatsapp.actions import ACTIONS
from whatsapp.actions.dispatch import catalogue

type Json = dict[str, Any]

# An operation whose document has the schema of errors.
ANY = "ping"


def problems(content: Json) -> list[str]:
    """Return the differences between an answer and the schema of its operation and status."""
    operation = content.get("operation")
    name = operation if operation in ACTIONS else ANY
    if operation not in ACTIONS and "error" not in content:
        return [f"operation: {operation}"]
    found = []
    for error in _validator(str(name), int(content["statusCode"])).iter_errors(content):
        causes = [f"{cause.json_path} {cause.message}" for cause in error.context or [error]]
        found += [cause[:300] for cause in causes]
    return found


@cache
def _validator(action: str, status: int) -> Draft202012Validator:
    document = action_answers.document([catalogue.find(action)])
    _close(document["components"]["schemas"])
    schema = action_answers.schema_of(document, action, status)
    return Draft202012Validator({**schema, "components": document["components"]})


def _close(part: Any) -> None:
    """Permit no further properties, which clients must accept from later versions."""
    if isinstance(part, dict):
        if part.get("type") == "object" and "properties" in part:
            part.setdefault("additionalProperties", False)
        part = part.values()
    elif not isinstance(part, list):
        return
    for child in part:
        _close(child)
