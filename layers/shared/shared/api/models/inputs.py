"""Parses query parameters and JSON bodies with input models. An error names the field and the rule, never a value."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)

from shared.api.errors import InvalidInput, Unprocessable
from shared.runtime.json_objects import json_object
from shared.runtime.validation.validation_errors import OURS, errors_of

LONGEST_NAME_SHOWN = 64
_FIELD = re.compile(r"[a-z][A-Za-z0-9_]*")


class Input(BaseModel):
    """
    Base of all input models. Unknown fields are errors: a misspelt field must not be ignored.

    *unprocessable* are the fields whose rules raise Unprocessable if no other field breaks one.
    """

    unprocessable: ClassVar[frozenset[str]] = frozenset()

    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)


class NoInput(Input):
    """Empty input."""


class Change(Input):
    """
    Input of a change of a stored object: absent fields keep their values, null is a value.

    *view* is the model that a read returns. Fields that the input does not have are ignored, so that a
    client may send back what it has read; `sent_back` has their values.
    """

    view: ClassVar[type[BaseModel] | None] = None
    _sent_back: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _without_fields_of_reads(
        cls, fields: object, validated: ModelWrapValidatorHandler[Self]
    ) -> Self:
        if cls.view is None or not isinstance(fields, Mapping):
            return validated(fields)
        only_read = _names_in_json(cls.view) - _names_in_json(cls)
        made = validated({name: v for name, v in fields.items() if name not in only_read})
        made._sent_back = {name: v for name, v in fields.items() if name in only_read}
        return made

    @model_serializer(mode="wrap")
    def _as_given(self, serialized: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave absent values out: under one idempotency key, `null` and no value are different calls."""
        fields = type(self).model_fields
        given = {name for one in self.model_fields_set for name in (one, fields[one].alias)}
        return {name: value for name, value in serialized(self).items() if name in given}

    def given(self) -> dict[str, Any]:
        """Return the values of the fields that the caller has given."""
        return {name: getattr(self, name) for name in type(self).model_fields if self.has(name)}

    def sent_back(self, name: str, present: object) -> object:
        """Return the value that the caller has given of a field that only a read has; *present* without one."""
        return self._sent_back.get(name, present)

    def has(self, name: str) -> bool:
        """Whether the caller has given the field."""
        return name in self.model_fields_set


def _names_in_json(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def query[Q: BaseModel](values: Mapping[str, Sequence[str]], model: type[Q]) -> Q:
    """Return the validated query parameters; *values* holds each parameter's values. Raises InvalidInput."""
    repeated = [
        {"field": name[:LONGEST_NAME_SHOWN], "problem": "must be given once"}
        for name, texts in values.items()
        if len(texts) > 1
    ]
    if repeated:
        raise InvalidInput(repeated)
    return checked({name: texts[0] for name, texts in values.items()}, model)


def body[B: BaseModel](text: str | None, model: type[B]) -> B:
    """Return the validated JSON body; an empty body counts as an empty object. Raises InvalidInput."""
    fields = json_object(text or "{}")
    if fields is None:
        raise InvalidInput([{"field": "body", "problem": "must be a JSON object"}])
    return checked(fields, model)


def checked[M: BaseModel](fields: object, model: type[M]) -> M:
    """Return *fields* as a validated model. Raises InvalidInput, for the fields that the model names Unprocessable."""
    try:
        return model.model_validate(fields)
    except ValidationError as refusal:
        errors = errors_of(refusal)
    problems = [
        {"field": _field_of(e["loc"]), "problem": e["msg"].removeprefix(OURS)} for e in errors
    ]
    named = {problem["field"].partition(".")[0] for problem in problems}
    refusal_of = Unprocessable if named <= getattr(model, "unprocessable", set()) else InvalidInput
    raise refusal_of(problems)


def _field_of(location: tuple[int | str, ...]) -> str:
    """
    Return the place of an error: `sections.0.items.2.title`. Rules about several fields have no place but the body.

    Only fields and positions: pydantic also names the members of unions, such as `constrained-str`.
    """
    parts = [str(part) for part in location if isinstance(part, int) or _FIELD.fullmatch(part)]
    return ".".join(parts or [str((*location, "body")[0])])[:LONGEST_NAME_SHOWN]
