"""
Checks each answer that a test gets from an action: against the OpenAPI document, and against the call that the
reference shows, if this test makes it (`local.docs.recorded_calls`).
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from local.docs import action_answers, recorded_calls
from local.docs.recorded_calls import RecordedCall
from whatsapp.actions import ACTIONS
from whatsapp.actions.dispatch import catalogue

type Json = dict[str, Any]

# The file to which all calls are written.
RECORDING = os.environ.get("PARLEY_RECORD_CALLS")
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


def compare(action: str, request: Json, answer: Json) -> None:
    """Compare a call with the recorded one of the same test and number; record it instead if a file is named."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
    call = RecordedCall(action, test, request, answer)
    if RECORDING:
        with Path(RECORDING).open("a", encoding="utf-8", errors="replace") as lines:
            lines.write(recorded_calls.line_of(call))
        return
    recorded = _recorded().get((test, call.number))
    if recorded is not None:
        assert recorded_calls.outline(call) == recorded_calls.outline(recorded), (
            "the reference shows another call of this test: record it again, as local/docs/recorded_calls.py says"
        )


@cache
def _recorded() -> dict[tuple[str, str], RecordedCall]:
    return {(call.test, call.number): call for call in recorded_calls.load().values()}


@cache
def _document(action: str) -> Json:
    document = action_answers.document([catalogue.find(action)])
    _close(document["components"]["schemas"])
    return document


@cache
def _validator(action: str, status: int) -> Draft202012Validator:
    document = _document(action)
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
