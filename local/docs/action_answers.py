"""The models of the answers of actions, with their envelope, and their schemas: those of the OpenAPI document."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from shared.api import openapi
from shared.api.openapi import Operation
from whatsapp.actions.dispatch.envelope import FailedCall, OpenOutcome, ShortenedResult
from whatsapp.actions.dispatch.registration import Action
from whatsapp.sending.views import View

_WITH_INNER = frozenset({"default", "function-before", "function-after", "function-wrap"})


class AnswerSchemas(GenerateJsonSchema):
    """Schemas of answers: a field that is None is absent, and every other field is present."""

    _parts: Mapping[str, Any] = MappingProxyType({})

    def definitions_schema(self, schema: core_schema.DefinitionsSchema) -> JsonSchemaValue:
        """Return the schema of a schema with named parts, to which fields refer."""
        self._parts = {part["ref"]: part for part in schema["definitions"] if "ref" in part}
        return super().definitions_schema(schema)

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """Return the schema of a field. In an answer it is never null, and no default is applied."""
        if self.mode == "validation":
            return super().model_field_schema(schema)
        inner = self._without_none(schema["schema"])
        return self.generate_inner(inner or schema["schema"])

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        """Whether a field is always present."""
        if self.mode == "validation":
            return super().field_is_required(field, total)
        return self._without_none(field["schema"]) is None

    def _without_none(self, schema: Any) -> Any:  # noqa: ANN401 - core schemas have no common public type
        """Return the schema of a field's value that is not None; None if the value never is None."""
        match schema["type"]:
            case "nullable":
                return schema["schema"]
            case "any":
                return schema
            case "definition-ref":
                found = self._without_none(self._parts[schema["schema_ref"]])
                return schema if found and found["type"] == "any" else found
            case kind if kind in _WITH_INNER:
                return self._without_none(schema["schema"])
        return None


def answer_model(action: Action) -> type[BaseModel]:
    """Return the model of the answers to calls of an action that succeeded, or whose outcome is open."""
    fields: dict[str, Any] = {
        "status_code": (Literal[200] if action.is_read else Literal[200, 202], ...),
        "operation": (Literal[action.name], ...),
        "request_id": (str, ...),
        "mode": (Literal[action.mode], ...),
        "result": (action.result, ...),
    }
    if "cursor" in action.input_model.model_fields:
        fields["cursor"] = (str | None, Field(None, description="absent on the last page"))
    if not action.is_read:
        fields["result"] = (action.result | OpenOutcome | ShortenedResult, ...)
        text = "the answer of an earlier call with the same Idempotency-Key"
        fields["replayed"] = (Literal[True] | None, Field(None, description=text))
    name = "".join(part.title() for part in action.name.split("_"))
    return create_model(f"AnswerOf{name}", __base__=View, **fields)


def document(declared: list[Action]) -> dict[str, Any]:
    """Return the OpenAPI document of actions."""
    return openapi.document(
        "Parley: WhatsApp actions",
        "1",
        [_operation(action) for action in declared],
        error=FailedCall,
        generator=AnswerSchemas,
    )


def schema_of(document: dict[str, Any], action: str, status: int) -> dict[str, Any]:
    """Return the schema of the answers of an action with an HTTP status, which may refer to the document's schemas."""
    (responses,) = [
        methods["post"]["responses"]
        for path, methods in document["paths"].items()
        if path.endswith(f"/{action}")
    ]
    response = responses.get(str(status), responses["default"])
    schema: dict[str, Any] = response["content"]["application/json"]["schema"]
    return schema


def summary(action: Action) -> str:
    """Return the first paragraph of an action's description, on one line."""
    return action.description.partition("\n\n")[0].replace("\n", " ")


def _operation(action: Action) -> Operation:
    return Operation(
        name=action.name,
        summary=summary(action),
        method="POST",
        path=f"/whatsapp/actions/{action.name}",
        scopes=action.scopes,
        input_model=action.input_model,
        result=action.result,
        status=HTTPStatus.OK,
        key=None if action.is_read else "optional",
        may_go_on=not action.is_read,
        answer=answer_model(action),
    )
