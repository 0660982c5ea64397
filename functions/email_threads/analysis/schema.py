"""The schema of the model's answer about a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.ai.calls.model_calls import AnswerInvalid
from shared.aws.tables.dynamodb_json import storable
from shared.runtime.validation import patterns

if TYPE_CHECKING:
    from email_threads.configuration.requirements_schema import FieldSchema, RequirementsSchema

NAME: Final = "email_analysis_v1"
MOST_SUMMARY: Final = 600  # characters

type Name = Annotated[str, Field(max_length=40)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class Evidence(_Part):
    """A quote of mail *n* that proves a field."""

    field: Name
    n: int
    quote: Annotated[str, Field(max_length=1_000, repr=False)]


class Missing(_Part):
    """A question about an open field. Without *blocking* the request can be handled without an answer."""

    field: Name
    question: Annotated[str, Field(min_length=1, max_length=300, repr=False)]
    blocking: bool


class Facts(_Part):
    """The model's analysis of the thread. *confidence* that its reply is right and complete."""

    summary: Annotated[str, Field(max_length=2_000, repr=False)]
    intent: Annotated[str, Field(max_length=100)]
    language: Annotated[str, Field(pattern=patterns.LANGUAGE)]
    urgency: Literal["low", "medium", "high"]
    needs_human: bool
    reason: Annotated[str, Field(max_length=200)] | None
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Sentiment(_Part):
    """The tone of the newest mail."""

    label: Literal["positive", "neutral", "negative"]
    score: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Answer(_Part):
    """The model's answer about a thread."""

    requirements: dict[Name, Any] = Field(repr=False)
    evidence: Annotated[list[Evidence], Field(max_length=60)]
    missing: Annotated[list[Missing], Field(max_length=20)]
    analysis: Facts
    sentiment: Sentiment
    reply: Annotated[str | None, Field(max_length=10_000, repr=False)]

    @classmethod
    def parse(cls, text: str) -> Answer:
        """Parse the answer from JSON. Raises AnswerInvalid."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            field = ".".join(_shown(part) for part in first["loc"]) or "answer"
            raise AnswerInvalid(f"{field}: {first['type']}") from None


# The only names of a refused answer that are shown: others are text of the model.
_NAMES: Final = frozenset(
    name for part in (Answer, Evidence, Missing, Facts, Sentiment) for name in part.model_fields
)


def answer_schema(fields: RequirementsSchema) -> dict[str, Any]:
    """Return the JSON schema of an answer about these fields: every field is present, an unknown one is null."""
    schema = Answer.model_json_schema()
    schema["properties"]["requirements"] = {
        "type": "object",
        "properties": {
            name: {"anyOf": [_schema_of(field), {"type": "null"}], "description": field.description}
            for name, field in fields.properties.items()
        },
    }
    return schema


def fits(value: Any, field: FieldSchema) -> bool:  # noqa: ANN401 - any JSON value
    """Whether a value is of the type of its field, and the table can hold it."""
    match field.type:
        case "string":
            return isinstance(value, str) and (field.enum is None or value in field.enum)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return _is_number(value) and isinstance(value, int)
        case "number":
            return _is_number(value)
        case "array":
            return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_number(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and storable(value) == value
    )


def _shown(part: str | int) -> str:
    return str(part) if isinstance(part, int) or part in _NAMES else "?"


def _schema_of(field: FieldSchema) -> dict[str, Any]:
    if field.type == "array":
        return {"type": "array", "items": {"type": "string"}}
    return {"type": field.type, **({"enum": field.enum} if field.enum else {})}
