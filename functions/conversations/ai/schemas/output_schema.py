"""The form of every model's answer: a JSON schema for the decoder, and a pydantic model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from shared.ai import port as ai
from shared.ai.calls.model_calls import AnswerInvalid

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "conversation_answer"
LONGEST_REASON = 500


def _as_text(arguments: object) -> object:
    # Decoders without free-form objects write JSON text; others write the object.
    return json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else arguments


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class FunctionRequest(_Strict):
    """A function call in the model's answer. *arguments* is unvalidated JSON text."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    arguments: Annotated[str, BeforeValidator(_as_text), Field(repr=False)]


class HandOffRequest(_Strict):
    """A hand-off to a human agent in the model's answer."""

    reason: Annotated[str, Field(min_length=1, max_length=LONGEST_REASON, repr=False)]


class Output(_Strict):
    """A model's answer. *content* may be empty beside a function call, a hand-off or variables."""

    content: str = Field(repr=False)
    subject: str | None = Field(default=None, repr=False)
    variables: dict[str, str] | None = Field(default=None, repr=False)
    function_call: FunctionRequest | None = None
    hand_off: HandOffRequest | None = None
    asks_for_person: bool = False
    asks_again: bool = False

    @property
    def says_something(self) -> bool:
        """Whether the answer has content, variables, a function call or a hand-off."""
        return bool(self.content.strip() or self.variables or self.function_call or self.hand_off)


def parse(text: str) -> Output:
    """Parse an answer from a JSON *text*. Raises AnswerInvalid."""
    try:
        return Output.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        location = ".".join(str(part) for part in first["loc"])[:80] or "answer"
        raise AnswerInvalid(f"{location}: {first['type']}") from None


def schema_for(
    *, has_subject: bool = False, variables: Mapping[str, int] | None = None
) -> ai.Schema:
    """
    Build the schema of an answer: a subject for e-mail, *variables* (name -> maximum characters) for a template.

    Strict decoders require every field, so optional fields are nullable, and inapplicable ones are left out.
    """
    properties: dict[str, Any] = {
        "content": {"type": "string", "description": "The message to the person; may be empty."}
    }
    if has_subject:
        properties["subject"] = _or_null({"type": "string", "maxLength": 120})
    if variables:
        values = {
            name: {"type": "string", "maxLength": longest} for name, longest in variables.items()
        }
        properties["variables"] = _or_null(_object(values))
    arguments = {"type": "string", "description": "The arguments as JSON text of an object."}
    called = {"name": {"type": "string"}, "arguments": arguments}
    properties["function_call"] = _or_null(_object(called))
    properties["hand_off"] = _or_null(_object({"reason": {"type": "string"}}))
    properties["asks_for_person"] = {
        "type": "boolean",
        "description": "Whether the person's newest messages clearly ask to speak or write with a human being.",
    }
    properties["asks_again"] = {
        "type": "boolean",
        "description": "Whether they ask again what they asked before, in any words, and no answer has settled.",
    }
    return ai.Schema(NAME, _object(properties))


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(schema), {"type": "null"}]}
