"""The models of the answers of actions, with their envelope, and their schemas in the OpenAPI document."""

from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from shared.api import openapi
from shared.api.openapi import Operation
from whatsapp.actions.dispatch.answer_schemas import AnswerSchemas
from whatsapp.actions.dispatch.envelope import FailedCall, OpenOutcome, ShortenedResult
from whatsapp.actions.dispatch.registration import Action
from whatsapp.sending.views import View


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
