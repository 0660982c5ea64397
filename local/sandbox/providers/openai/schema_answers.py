"""
Answers of the models in a schema: scripted for schemas of the help desk, e-mail threads and newsletters, minimal
for others.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.openai import classification
from local.scripted_model.answer import ScriptedAnswer
from local.scripted_model.newsletters import claims, outline, section

if TYPE_CHECKING:
    from collections.abc import Sequence

EMAIL_ANALYSIS = "email_analysis_v1"
NEWSLETTERS = {
    "newsletter_claims_v1": claims.answer,
    "newsletter_outline_v2": outline.answer,
    "newsletter_section_v2": section.answer,
}
FIXED_TEXT = "Thank you for your message. A colleague will look at it."


class InputUnknown(Exception):
    """No message has the input of the schema."""


def answer(schema_name: str, texts: Sequence[str]) -> ScriptedAnswer | None:
    """
    Return the answer to the messages *texts* of the user, oldest first; None if the schema has no script.

    A last message that is no input, such as a request to correct an answer, is passed over. Raises InputUnknown.
    """
    try:
        if schema_name == EMAIL_ANALYSIS:
            return ScriptedAnswer(_mail_analysis(_input(texts, "mails")))
        if schema_name in NEWSLETTERS:
            is_first = len(texts) == 1
            data = _input(texts, "newsletter")
            return NEWSLETTERS[schema_name](data, is_first_attempt=is_first)
    except ValueError as error:
        raise InputUnknown(f"{schema_name}: {error}") from None
    value = classification.answer(schema_name, texts[-1] if texts else "")
    return None if value is None else ScriptedAnswer(value)


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


def _mail_analysis(data: str) -> dict[str, Any]:
    from local.scripted_model import mail_analysis  # noqa: PLC0415 - needs the functions' code

    return mail_analysis.answer(data)


def _input(texts: Sequence[str], name: str) -> str:
    """Return the newest text that is a JSON object with *name*. Raises ValueError."""
    data = next((text for text in reversed(texts) if _has(text, name)), None)
    if data is None:
        raise ValueError(f"no message is a JSON object with {name}")
    return data


def _has(text: str, name: str) -> bool:
    try:
        value = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and name in value
