"""The parts of the reference pages about answers: tables of fields, and a recorded call of each action."""

import inspect
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel

from local.docs import recorded_calls
from whatsapp.actions.calls import names
from whatsapp.actions.dispatch import answer_schemas
from whatsapp.actions.dispatch.envelope import FailedCall, Failure, ProviderRefusal
from whatsapp.actions.dispatch.registration import Action

_MOST_ENTRIES = 2  # of a list in an example
type Json = dict[str, Any]


def of_action(action: Action) -> Iterator[str]:
    """Yield the fields of an action's result, and a call as the tests make it if one is recorded."""
    yield f"Result: {inspect.getdoc(action.result)}"
    yield _table("result", action.result)
    call = _recorded().get(action.name)
    if call is not None:
        yield f"Request:\n\n{_block(_named(action, call.request))}"
        yield f"Answer:\n\n{_block(call.answer)}"


def of_envelope() -> Iterator[str]:
    """Yield the description of the envelope."""
    yield "## Answers"
    yield (
        "An answer has `statusCode`, `operation`, `requestId`, `mode` and `result`; a page of a listing has `cursor`,"
        " and the answer to a repeated call `replayed`. In the tables of results, bold fields are always present; the"
        " others are absent without a value. Lists in the examples are shortened to two entries."
    )
    yield (
        "If the provider's answer was lost, the status is 202, and the result has `actionId`, `state` (`in_doubt`) and"
        " `message`. A call that failed has `error` instead of `mode` and `result`:"
    )
    yield _table("answer", FailedCall)
    yield _table("error", Failure)
    yield _table("provider", ProviderRefusal)


def _named(action: Action, request: Json) -> Json:
    """Return the parameters of a call under the names that they have in all actions."""
    others_of = names.others_of(action.input_model)
    renamed = {other: name for name, others in others_of.items() for other in others}
    return {renamed.get(name, name): value for name, value in request.items()}


@cache
def _recorded() -> dict[str, recorded_calls.RecordedCall]:
    return recorded_calls.load()


def _table(what: str, model: type[BaseModel]) -> str:
    schema = answer_schemas.schema_of(model)
    required = schema.get("required", [])
    rows = [
        f"| {f'**{name}**' if name in required else name} | {_kind(facts)} | {_meaning(facts)} |"
        for name, facts in schema.get("properties", {}).items()
    ]
    if schema.get("additionalProperties"):
        rows.append("| ... | | further fields of the provider |")
    return "\n".join([f"| {what} | type | meaning |", "| --- | --- | --- |", *rows])


def _kind(facts: Json) -> str:
    if "anyOf" in facts:
        return " or ".join(map(_kind, facts["anyOf"]))
    if "$ref" in facts:
        return str(facts["$ref"]).rpartition("/")[2]
    if facts.get("type") == "array" and facts.get("items"):
        return f"array of {_kind(facts['items'])}"
    return str(facts.get("type", "any"))


def _meaning(facts: Json) -> str:
    values = [facts["const"]] if "const" in facts else facts.get("enum", [])
    listed = ", ".join(f"`{json.dumps(value)}`" for value in values)
    parts = [facts.get("description", ""), f"one of {listed}" if len(values) > 1 else listed]
    return "; ".join(filter(None, parts)).replace("|", "\\|").replace("\n", " ")


def _block(content: Json) -> str:
    text = json.dumps(_shortened(content), indent=2, ensure_ascii=False)
    return f"```json\n{text}\n```"


def _shortened(value: object) -> object:
    match value:
        case dict():
            return {name: _shortened(entry) for name, entry in value.items()}
        case list():
            return [_shortened(entry) for entry in value[:_MOST_ENTRIES]]
    return value
