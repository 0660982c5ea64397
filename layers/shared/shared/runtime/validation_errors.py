"""Rules that a pydantic model found broken, in words for an operator. They never contain the refused value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

OURS = "Value error, "  # what pydantic puts before the text of a validator's ValueError


def errors_of(refusal: ValidationError) -> list[ErrorDetails]:
    """Return the errors of a validation, without the refused values."""
    return refusal.errors(include_url=False, include_input=False, include_context=False)


def rule_of(error: ErrorDetails) -> str:
    """Return the broken rule, such as `input should be greater than or equal to 0`."""
    text = error["msg"]
    return text.removeprefix(OURS) if text.startswith(OURS) else text[:1].lower() + text[1:]
