"""Rules that a pydantic model found broken, in words. They never contain the refused value, or a regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.runtime.validation import patterns

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

OURS = "Value error, "  # what pydantic puts before the text of a validator's ValueError
_MISMATCH = "string_pattern_mismatch"
_PATTERN = ("String should match pattern '", "'")  # what is around the pattern in pydantic's text


def errors_of(refusal: ValidationError) -> list[ErrorDetails]:
    """Return the errors of a validation, without the refused values."""
    errors = refusal.errors(include_url=False, include_input=False, include_context=False)
    for error in errors:
        if error["type"] == _MISMATCH:
            before, after = _PATTERN
            pattern = error["msg"].removeprefix(before).removesuffix(after)
            error["msg"] = patterns.rule_of(pattern)
    return errors


def rule_of(error: ErrorDetails) -> str:
    """Return the broken rule, such as `input should be greater than or equal to 0`."""
    text = error["msg"]
    return text.removeprefix(OURS) if text.startswith(OURS) else text[:1].lower() + text[1:]
