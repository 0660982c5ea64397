"""
The OpenAPI document (3.1) of an API, generated from the models that validate its routes, so that the two cannot differ.

Schemas are pydantic's, which equal the schemas of OpenAPI 3.1. Adding an operation to the routes also documents it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import BaseModel
    from pydantic.json_schema import GenerateJsonSchema

VERSION = "3.1.0"
type _Model = tuple[type[BaseModel], Literal["validation", "serialization"]]
_SCHEMAS = "#/components/schemas/"
_PATH_PARAMETER = re.compile(r"{(\w+)}")
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error", "request_id"],
    "properties": {
        "request_id": {"type": "string"},
        "error": {
            "type": "object",
            "required": ["code", "message", "retryable"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
                "retry_after": {"type": "integer", "description": "seconds"},
                "newer": {
                    "type": "object",
                    "description": "what the caller has not seen, with code `answered_meanwhile`",
                    "properties": {
                        "position": {"type": "string"},
                        "id": {"type": "string"},
                        "by": {"type": "string"},
                    },
                },
                "details": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "field": {"type": "string"},
                            "problem": {"type": "string"},
                        },
                    },
                },
            },
        },
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """
    One route: *path* in API Gateway's syntax (`/conversations/{ref}`), *input_model* the model of its query or body.

    *key*: whether a change requires an `Idempotency-Key`; None for reads. *may_read*: a change whose response has
    status 200 if it changed nothing. *may_go_on*: a change whose response has status 202 if its outcome is open.
    *answer*: the model of the whole response, if the API has an envelope of its own. *is_open*: the input has the
    credentials, the call needs no caller.
    """

    name: str
    summary: str
    method: str
    path: str
    scopes: tuple[str, ...]
    input_model: type[BaseModel]
    result: type[BaseModel]
    status: HTTPStatus = HTTPStatus.OK
    key: Literal["required", "optional"] | None = None
    may_read: bool = False
    may_go_on: bool = False
    answer: type[BaseModel] | None = None
    is_open: bool = False

    @property
    def is_paged(self) -> bool:
        """Whether responses may have a cursor."""
        return "cursor" in self.input_model.model_fields


def document(
    title: str,
    version: str,
    operations: Iterable[Operation],
    *,
    error: type[BaseModel] | None = None,
    generator: type[GenerateJsonSchema] | None = None,
) -> dict[str, Any]:
    """
    Build the document as a JSON-compatible dict. *error*: the model of a failed call, if the API has its own.
    *generator*: of the schemas, if it is not pydantic's.
    """
    from pydantic.json_schema import GenerateJsonSchema, models_json_schema  # noqa: PLC0415 - very few calls request the document

    declared = list(operations)
    models: dict[_Model, None] = {(error, "serialization"): None} if error else {}
    for operation in declared:
        models |= {
            (operation.input_model, "validation"): None,
            (operation.answer or operation.result, "serialization"): None,
        }
    schema_of, definitions = models_json_schema(
        list(models),
        ref_template=_SCHEMAS + "{model}",
        schema_generator=generator or GenerateJsonSchema,
    )
    failed = schema_of[error, "serialization"] if error else _ERROR
    schemas = definitions["$defs"] | {"Error": failed}
    paths: dict[str, dict[str, Any]] = {}
    for operation in declared:
        input_schema = schema_of[operation.input_model, "validation"]
        result = schema_of[operation.answer or operation.result, "serialization"]
        entry = _entry(operation, input_schema, result, schemas)
        paths.setdefault(operation.path, {})[operation.method.lower()] = entry
    return {
        "openapi": VERSION,
        "info": {"title": title, "version": version},
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


def _entry(
    operation: Operation,
    input_schema: dict[str, Any],
    result: dict[str, Any],
    schemas: dict[str, Any],
) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PATH_PARAMETER.findall(operation.path)
    ]
    fields = schemas[input_schema["$ref"].removeprefix(_SCHEMAS)]
    if operation.method == "GET":
        parameters += _query(fields)
    if operation.key:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": operation.key == "required",
                "schema": {"type": "string", "pattern": "^[!-~]{8,255}$"},
            }
        )
    answer = result if operation.answer else _enveloped(operation, result)
    statuses = [
        operation.status,
        *([HTTPStatus.OK] if operation.may_read else []),
        *([HTTPStatus.ACCEPTED] if operation.may_go_on else []),
    ]
    entry: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Needs {_needed(operation)}.",
        **({"security": []} if operation.is_open else {}),
        "parameters": parameters,
        "responses": {
            **{str(int(status)): _response(status.phrase, answer) for status in statuses},
            "default": _response("Error", {"$ref": f"{_SCHEMAS}Error"}),
        },
    }
    has_body = bool(fields.get("properties")) if operation.method == "DELETE" else True
    if operation.method != "GET" and has_body:
        entry["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": input_schema}},
        }
    return entry


def _enveloped(operation: Operation, result: dict[str, Any]) -> dict[str, Any]:
    content = {"request_id": {"type": "string"}, "result": result}
    if operation.is_paged:
        content["cursor"] = {"type": "string"}
    return {"type": "object", "required": ["request_id", "result"], "properties": content}


def _query(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": parameter_schema}
        for name, parameter_schema in schema.get("properties", {}).items()
    ]


def _response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _needed(operation: Operation) -> str:
    if operation.is_open:
        return "no login, but the credentials in its input"
    return f"the scope {' or '.join(operation.scopes)}" if operation.scopes else "no scope"
