"""Answers of the models in a schema: scripted for those of the help desk and of e-mail threads, minimal for others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.openai import classification

if TYPE_CHECKING:
    from collections.abc import Sequence

EMAIL_ANALYSIS = "email_analysis_v1"
FIXED_TEXT = "Thank you for your message. A colleague will look at it."


class InputUnknown(Exception):
    """No message has the input of the schema."""


def answer(schema_name: str, texts: Sequence[str]) -> dict[str, Any] | None:
    """
    Return the answer to the messages *texts* of the user, oldest first; None if the schema has no script.

    A last message that is no input, such as a request to correct an answer, is passed over. Raises InputUnknown.
    """
    if schema_name != EMAIL_ANALYSIS:
        return classification.answer(schema_name, texts[-1] if texts else "")
    from local.scripted_model import mail_analysis  # noqa: PLC0415 - needs the functions' code

    data = next((text for text in reversed(texts) if _has_mails(text)), None)
    if data is None:
        raise InputUnknown(f"{schema_name}: no message is a JSON object with mails")
    try:
        return mail_analysis.answer(data)
    except ValueError as error:
        raise InputUnknown(f"{schema_name}: {error}") from None


def filled(schema: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a minimal value for a strict schema: null where allowed, the fixed text for any string."""
    choices = schema.get("anyOf")
    if choices:
        nulls = [choice for choice in choices if choice.get("type") == "null"]
        return None if nulls else filled(choices[0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if isinstance(kind, list):
        return None if "null" in kind else filled(schema | {"type": kind[0]})
    if kind == "object":
        return {name: filled(entry) for name, entry in schema["properties"].items()}
    return {"string": FIXED_TEXT, "array": [], "boolean": False, "null": None}.get(str(kind), 0)


def _has_mails(text: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and "mails" in value
