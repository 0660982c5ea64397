"""
OpenAI's Responses, Conversations and Embeddings.

Requests are checked by OpenAI's rules (`rules.py`). The response is the next queued answer (`POST /_openai_answers`,
see `OpenAiAnswer`), else the answer of its schema's script (`schema_answers.py`), else the answer of the scripted model
if the request names it, else a fixed text in the requested format, independent of the prompt.
"""

from __future__ import annotations

import asyncio
import json
import math
import uuid
from typing import TYPE_CHECKING, Any

from local.sandbox.accounts.openai import OpenAi, OpenAiAnswer
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.providers.openai import content_rules, rules, schema_answers, speech
from local.sandbox.providers.openai.rules import BrokenRule
from local.sandbox.providers.openai.schema_answers import FIXED_TEXT
from local.sandbox.responses import json_response
from local.scripted_model.meanings import vector_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from local.scripted_model.answer import ScriptedAnswer

CHARACTERS_A_TOKEN = 4
REFUSAL = "I cannot help with that."
_FAILURES = {
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    403: ("invalid_request_error", "unsupported_country_region_territory", "Not allowed from here."),
    404: ("invalid_request_error", "model_not_found", "The model does not exist."),
    409: ("invalid_request_error", "conversation_locked", "Another process works on this conversation."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached."),
}  # fmt: skip
_BROKEN = ("server_error", None, "The server had an error while processing your request.")


def failure(status: int) -> Response:
    """Return the API's failure with this HTTP status."""
    kind, code, message = _FAILURES.get(status, _BROKEN)
    return _error(status, kind, code, message)


async def create_response(call: Call) -> Answer:
    """`POST /v1/responses`: the model's next queued answer."""
    account = call.sandbox.openai
    body = _checked(call, rules.check_response)
    _check_reasoning(body, account)
    staged = account.answers
    answer = staged.popleft() if staged else _default(body)
    if (happens := account.before.pop(id(answer), None)) is not None:
        await asyncio.to_thread(happens)  # it may call this server
    if answer.refused is not None:
        status_code, code = answer.refused
        raise Refused(_error(status_code, "invalid_request_error", code, "Refused."))
    output = _reasoned(answer, body, account) + _output_of(answer)
    parts = [answer.text, answer.refusal, [c.arguments for c in answer.function_calls]]
    written = json.dumps(parts, ensure_ascii=False)
    tokens_in = content_rules.tokens_of(
        [body.get("instructions"), body["input"]], CHARACTERS_A_TOKEN
    )
    tokens_out = answer.reasoning_tokens + _tokens(written)
    limit = body.get("max_output_tokens")
    incomplete = answer.incomplete or (
        "max_output_tokens" if limit is not None and tokens_out > limit else None
    )
    if incomplete == "max_output_tokens" and limit is not None:
        output, tokens_out = _cut(output, limit), min(limit, tokens_out)
    status = "failed" if answer.failed else "incomplete" if incomplete else "completed"
    response = {
        "id": f"resp_{uuid.uuid4().hex}",
        "object": "response",
        "created_at": int(call.sandbox.clock.now()),
        "status": status,
        "error": {"code": answer.failed, "message": "It failed."} if answer.failed else None,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "model": body["model"],
        "output": [] if answer.failed else output,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "store": body.get("store", True),
        "tools": body.get("tools", []),
        "usage": {
            "input_tokens": tokens_in,
            "input_tokens_details": {"cached_tokens": answer.cached_tokens},
            "output_tokens": tokens_out,
            "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
            "total_tokens": tokens_in + tokens_out,
        }
        if answer.is_counted
        else None,
    }
    return Answer(json_response(response), body)


async def create_conversation(call: Call) -> Answer:
    """`POST /v1/conversations`: creates a conversation, optionally with items."""
    body = _checked(call, rules.check_conversation)
    conversation = f"conv_{uuid.uuid4().hex}"
    call.sandbox.openai.conversations[conversation] = [
        _stored_item(i) for i in body.get("items") or ()
    ]
    made = {
        "id": conversation,
        "object": "conversation",
        "created_at": int(call.sandbox.clock.now()),
        "metadata": body.get("metadata") or {},
    }
    return Answer(json_response(made), body)


async def create_items(call: Call) -> Answer:
    """`POST /v1/conversations/{id}/items`: appends up to 20 items to a conversation."""
    body = _checked(call, rules.check_items)
    items = call.sandbox.openai.conversations.get(call.request.path_params["id"])
    if items is None:
        raise Refused(_error(404, "invalid_request_error", None, "Conversation not found."))
    added = [_stored_item(item) for item in body["items"]]
    items += added
    listed = {
        "object": "list",
        "data": added,
        "first_id": added[0]["id"],
        "last_id": added[-1]["id"],
        "has_more": False,
    }
    return Answer(json_response(listed), body)


async def delete_conversation(call: Call) -> Answer:
    """`DELETE /v1/conversations/{id}`: deletes a conversation with its items."""
    _authorised(call)
    conversation = call.request.path_params["id"]
    if call.sandbox.openai.conversations.pop(conversation, None) is None:
        raise Refused(_error(404, "invalid_request_error", None, "Conversation not found."))
    deleted = {"id": conversation, "object": "conversation.deleted", "deleted": True}
    return Answer(json_response(deleted), deleted)


async def transcribe(call: Call) -> Answer:
    """`POST /v1/audio/transcriptions`: the next queued text, else a text that depends on the recording alone."""
    _authorised(call)
    form = speech.form_of(call.request.headers.get("content-type", ""), call.raw)
    if (rule := speech.rule_broken_by(form)) is not None:
        raise Refused(_error(400, "invalid_request_error", None, rule, "file"))
    staged = call.sandbox.openai.transcripts
    text = staged.popleft() if staged else speech.text_of(form["file"].content)
    seconds = max(1, len(form["file"].content) // speech.BYTES_A_SECOND)
    answer = {"text": text, "usage": {"type": "duration", "seconds": seconds}}
    return Answer(json_response(answer), speech.recorded(form))


async def create_embeddings(call: Call) -> Answer:
    """`POST /v1/embeddings`: the vectors of texts, see `local.scripted_model.meanings`."""
    body = _checked(call, rules.check_embeddings)
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    size = body.get("dimensions", 1_536)
    tokens = sum(map(_tokens, texts))
    answer = {
        "object": "list",
        "data": [
            {"object": "embedding", "index": at, "embedding": vector_of(text, size)}
            for at, text in enumerate(texts)
        ],
        "model": body["model"],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
    return Answer(json_response(answer), body)


def _checked(call: Call, check: rules.Check) -> dict[str, Any]:
    _authorised(call)
    if not call.request.headers.get("content-type", "").startswith("application/json"):
        raise Refused(_error(400, "invalid_request_error", None, "The body must be JSON."))
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        message = "We could not parse the JSON body of your request."
        raise Refused(_error(400, "invalid_request_error", None, message))
    try:
        check(body)
    except BrokenRule as broken:
        refused = _error(400, "invalid_request_error", broken.code, broken.rule, broken.param)
        raise Refused(refused) from None
    return body


def _reasoned(answer: OpenAiAnswer, body: dict[str, Any], account: OpenAi) -> list[dict[str, Any]]:
    """Return the item of the answer's reasoning: encrypted if the request asks for it."""
    if not answer.reasoning_tokens:
        return []
    item_id = f"rs_{uuid.uuid4().hex}"
    item: dict[str, Any] = {"type": "reasoning", "id": item_id, "summary": []}
    if "reasoning.encrypted_content" in (body.get("include") or ()):
        item["encrypted_content"] = account.reasoning[item_id] = f"gAAAA{uuid.uuid4().hex}"
    return [item]


def _check_reasoning(body: dict[str, Any], account: OpenAi) -> None:
    items = body["input"] if isinstance(body["input"], list) else []
    for item in items:
        if item.get("type") != "reasoning":
            continue
        encrypted = item.get("encrypted_content")
        if encrypted is None:
            message = f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
            raise Refused(_error(404, "invalid_request_error", None, message, "input"))
        if account.reasoning.get(item["id"]) != encrypted:
            message = "The encrypted content could not be verified."
            raise Refused(
                _error(400, "invalid_request_error", "invalid_encrypted_content", message, "input")
            )


def _output_of(answer: OpenAiAnswer) -> list[dict[str, Any]]:
    parts = []
    if answer.text is not None:
        parts.append({"type": "output_text", "text": answer.text, "annotations": []})
    if answer.refusal is not None:
        parts.append({"type": "refusal", "refusal": answer.refusal})
    output: list[dict[str, Any]] = []
    if parts:
        output.append(
            {
                "type": "message",
                "id": f"msg_{uuid.uuid4().hex}",
                "role": "assistant",
                "status": "completed",
                "content": parts,
            }
        )
    output += [
        {
            "type": "function_call",
            "id": f"fc_{uuid.uuid4().hex}",
            "call_id": f"call_{uuid.uuid4().hex[:24]}",
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        }
        for call in answer.function_calls
    ]
    return output


def _default(body: dict[str, Any]) -> OpenAiAnswer:
    schema = rules.schema_of(body)
    named = _named_answer(body) if schema is not None else None
    if named is not None:
        return OpenAiAnswer(refusal=REFUSAL) if named.is_refused else OpenAiAnswer(text=named.text)
    if body["model"] == "scripted":
        from local.scripted_model.model import text_of  # noqa: PLC0415 - needs the functions' code

        return OpenAiAnswer(text=text_of(body.get("instructions") or "", body["input"], schema))
    text = FIXED_TEXT if schema is None else json.dumps(schema_answers.filled(schema))
    return OpenAiAnswer(text=text)


def _named_answer(body: dict[str, Any]) -> ScriptedAnswer | None:
    try:
        return schema_answers.answer(body["text"]["format"]["name"], _texts_of_user(body["input"]))
    except schema_answers.InputUnknown as error:
        message = str(error)
        raise Refused(_error(400, "invalid_request_error", None, message, "input")) from None


def _texts_of_user(items: Any) -> list[str]:  # noqa: ANN401 - checked JSON
    """Return the texts of the user's messages in an input."""
    if isinstance(items, str):
        return [items]
    contents = [item.get("content", "") for item in items if item.get("role") == "user"]
    return [content_rules.texts_of(content) for content in contents]


def _cut(output: list[dict[str, Any]], tokens: int) -> list[dict[str, Any]]:
    for item in output:
        item["status"] = "incomplete"
        for part in item.get("content", ()):
            if "text" in part:
                part["text"] = part["text"][: tokens * CHARACTERS_A_TOKEN]
    return output


def _stored_item(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": f"msg_{uuid.uuid4().hex}", "status": "completed", **item}


def _tokens(text: str) -> int:
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def _authorised(call: Call) -> None:
    scheme, _, key = call.request.headers.get("authorization", "").partition(" ")
    if scheme != "Bearer" or not key.strip():
        raise Refused(failure(401))


def _error(
    status: int, kind: str, code: str | None, message: str, param: str | None = None
) -> Response:
    error = {"message": message, "type": kind, "param": param, "code": code}
    return json_response({"error": error}, status)


PROVIDER = Provider(
    name="openai",
    endpoints=(
        Endpoint("POST", "/v1/responses", ("create_response",), create_response),
        Endpoint("POST", "/v1/audio/transcriptions", ("create_transcription",), transcribe),
        Endpoint("POST", "/v1/embeddings", ("create_embedding",), create_embeddings),
        Endpoint("POST", "/v1/conversations", ("create_conversation",), create_conversation),
        Endpoint("POST", "/v1/conversations/{id}/items", ("create_items",), create_items),
        Endpoint("DELETE", "/v1/conversations/{id}", ("delete_conversation",), delete_conversation),
    ),
    failure=failure,
)
