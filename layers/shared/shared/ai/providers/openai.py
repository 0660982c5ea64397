"""
OpenAI's Responses API: one stateless call, answered in the structure of a schema or with a function call.

OpenAI stores nothing (`store: false`) and nothing is read back: every call sends instructions, tools and history. With
`Reasoning`, a function call's result is sent with the encrypted reasoning that led to the call.
(OpenAI API reference, "Create a model response"; guide "Reasoning models", "Keeping reasoning items in context".)
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

from shared.ai.attachments import Medium
from shared.ai.port import (
    Effort,
    Message,
    Repeat,
    Reply,
    Request,
    Stop,
    Tool,
    ToolCall,
    Turn,
    Unavailable,
    Usage,
    decodable,
)
from shared.aws.secrets import SecretUnreadable, texts
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shared.ai.attachments import Attachment

_TRANSIENT = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS}
)
_INCOMPLETE = {"max_output_tokens": Stop.LENGTH, "content_filter": Stop.REFUSED}
# Errors with the status of a rate limit (429) that last until the account is changed.
_WITHOUT_CREDIT = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
)
_PASSES = frozenset({"server_error", "rate_limit_exceeded"})
_CODE = re.compile(r"[a-z_]{1,40}")
# Fields of output items that are valid in an input, by the type of the item.
_REPEATED_FIELDS = {
    "reasoning": ("type", "id", "summary", "encrypted_content"),
    "message": ("type", "id", "role", "status", "content"),
    "function_call": ("type", "id", "call_id", "name", "arguments"),
}


class _NotFound(Unavailable):
    """The account has no resource under this path (404)."""


class Secret(Protocol):
    """A JSON object with `ai_api_key`; see `JsonSecret`."""

    def value(self) -> Mapping[str, Any]:
        """Return the current value."""

    def refreshed(self) -> bool:
        """Read the value again; False if it was read shortly before."""


@dataclass(frozen=True, slots=True)
class Account:
    """
    The billed account. *base_url* ends with the version, `https://api.openai.com/v1`; *secret* holds `ai_api_key`.

    After a refused key the secret is read again, at most once a minute, so that the key can be rotated.
    """

    base_url: str
    secret: Secret

    def post(self, path: str, body: Mapping[str, Any], *, within_ms: int) -> dict[str, Any]:
        """
        Send one POST request and return the JSON object of the response. No retry. Raises Unavailable and
        SecretUnreadable.
        """
        return self._call("POST", path, within_ms, json=body)

    def post_form(
        self, path: str, content_type: str, body: bytes, within_ms: int
    ) -> dict[str, Any]:
        """Send a form (see `shared.providers.multipart`) as `post` sends JSON."""
        return self._call(
            "POST", path, within_ms, headers={"Content-Type": content_type}, body=body
        )

    def delete(self, path: str, *, within_ms: int) -> None:
        """Delete the resource under this path, if it exists. No retry. Raises Unavailable and SecretUnreadable."""
        try:
            self._call("DELETE", path, within_ms)
        except _NotFound:
            return

    def _call(
        self,
        method: str,
        path: str,
        within_ms: int,
        *,
        headers: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
        body: bytes | None = None,
    ) -> dict[str, Any]:
        key = next(iter(texts(self.secret.value().get("ai_api_key"))), None)
        if key is None:
            raise SecretUnreadable("the secret has no ai_api_key")
        try:
            answer = http.call(
                method,
                f"{self.base_url}/{path}",
                headers={
                    "Authorization": f"Bearer {key}",
                    "Accept": "application/json",
                    **(headers or {}),
                },
                json=json,
                body=body,
                within_ms=within_ms,
                silence_ms=within_ms,
            )
        except NotSent as failure:
            raise Unavailable(f"openai_{failure.code}") from None
        except InDoubt as failure:
            raise Unavailable(f"openai_{failure.code}", may_be_billed=True) from None
        parsed = json_object(answer.data)
        if answer.status == HTTPStatus.NOT_FOUND:
            raise _NotFound(_code(answer.status, parsed), self._repeat(answer.status, parsed))
        if answer.status != HTTPStatus.OK:
            raise Unavailable(_code(answer.status, parsed), self._repeat(answer.status, parsed))
        if parsed is None:
            raise Unavailable("openai_bad_answer")
        return parsed

    def _repeat(self, status: int, body: Mapping[str, Any] | None) -> Repeat:
        if _error_code(body) in _WITHOUT_CREDIT:
            return Repeat.NEVER
        if status in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return Repeat.LATER
        if status == HTTPStatus.UNAUTHORIZED and self.secret.refreshed():
            return Repeat.ONCE
        return Repeat.NEVER


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's reasoning effort. *most_tokens* is added to the limit of the answer: OpenAI counts both as output."""

    effort: Effort
    most_tokens: int


@dataclass(slots=True, eq=False)
class OpenAI:
    """One model of an account. Without *reasoning*, the model's own default applies and no reasoning is passed back."""

    account: Account
    model: str
    reasoning: Reasoning | None = None

    @property
    def name(self) -> str:
        """The id of the model."""
        return f"openai:{self.model}"

    def reply(self, request: Request) -> Reply:
        """See `Model.reply`. Raises SecretUnreadable too."""
        limits = request.limits
        body: dict[str, Any] = {
            "model": self.model,
            "instructions": request.system,
            "input": [item for turn in request.history for item in items_of(turn)],
            "max_output_tokens": limits.most_tokens,
            "store": False,
        }
        if limits.temperature is not None:
            body["temperature"] = limits.temperature
        if self.reasoning:
            body["reasoning"] = {"effort": self.reasoning.effort}
            body["include"] = ["reasoning.encrypted_content"]
            body["max_output_tokens"] += self.reasoning.most_tokens
        if request.tools:
            # Not strict: projects write these schemas, and the caller checks the arguments itself.
            body["tools"] = [_function(tool) for tool in request.tools]
            body["parallel_tool_calls"] = True
        if schema := request.schema:
            body["text"] = {
                "format": {
                    "type": "json_schema",
                    "name": schema.name,
                    "schema": decodable(schema.schema),
                    "strict": True,
                }
            }
        return _reply(self.account.post("responses", body, within_ms=limits.within_ms))


def items_of(turn: Turn) -> Iterator[dict[str, Any]]:
    """
    Convert a turn to input items.

    A call repeats the provider's items that led to it, if there are any. Without them it has no item id, because the
    provider stores no items.
    """
    if isinstance(turn, Message):
        yield {"type": "message", "role": turn.role.value, "content": _content(turn)}
        return
    call = {
        "type": "function_call",
        "call_id": turn.call.call_id,
        "name": turn.call.name,
        "arguments": turn.call.arguments,
    }
    yield from map(dict, turn.call.items or (call,))
    yield {
        "type": "function_call_output",
        "call_id": turn.call.call_id,
        "output": turn.result,
    }


def _content(message: Message) -> str | list[dict[str, str]]:
    if not message.files:
        return message.text
    parts = [{"type": "input_text", "text": message.text}]
    for file in message.files:
        parts += [{"type": "input_text", "text": f"[{file.label}]"}, _file_part(file)]
    return parts


def _file_part(file: Attachment) -> dict[str, str]:
    """Return a file as content (guides "Images and vision" and "File inputs")."""
    data = f"data:{file.media_type};base64,{base64.b64encode(file.data).decode()}"
    if file.medium is Medium.IMAGE:
        return {"type": "input_image", "image_url": data, "detail": "auto"}
    return {"type": "input_file", "filename": f"{file.label}.pdf", "file_data": data}


def _function(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }


def _reply(answer: Mapping[str, Any]) -> Reply:
    """Parse a response. Raises Unavailable for a failed response and for an unexpected shape."""
    try:
        stop = _stop(answer)
        items = [item for item in answer["output"] if isinstance(item, Mapping)]
        parts = [part for item in items if item["type"] == "message" for part in item["content"]]
        calls = tuple(
            ToolCall(
                str(item["call_id"]),
                str(item["name"]),
                str(item["arguments"]),
                _led_to(item, items),
            )
            for item in items
            if item["type"] == "function_call"
        )
        text = "".join(part["text"] for part in parts if part["type"] == "output_text")
        usage = answer.get("usage") or {}
        cached = (usage.get("input_tokens_details") or {}).get("cached_tokens") or 0
        spent = Usage(
            int(usage.get("input_tokens", 0)), int(usage.get("output_tokens", 0)), int(cached)
        )
    except (KeyError, TypeError, ValueError):
        raise Unavailable("openai_bad_answer") from None
    if stop is Stop.END and _has_refusal(parts):
        stop = Stop.REFUSED
    elif stop is Stop.END and calls:
        stop = Stop.TOOLS
    return Reply(text, stop, spent, calls)


def _led_to(
    call: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """
    Return the items to repeat with a call's result: reasoning and texts since the call before it, and the call. Empty
    if no reasoning can be repeated: items that OpenAI neither stores nor encrypts are unknown to it.
    """
    before = items[: items.index(call)]
    earlier = [at for at, item in enumerate(before) if item["type"] == "function_call"]
    before = before[earlier[-1] + 1 :] if earlier else before
    if not any(item["type"] == "reasoning" and item.get("encrypted_content") for item in before):
        return ()
    repeated = [
        item
        for item in before
        if item["type"] == "message"
        or (item["type"] == "reasoning" and item.get("encrypted_content"))
    ]
    return tuple(
        {name: item[name] for name in _REPEATED_FIELDS[item["type"]] if name in item}
        for item in [*repeated, call]
    )


def _stop(answer: Mapping[str, Any]) -> Stop:
    match answer["status"]:
        case "completed":
            return Stop.END
        case "incomplete":
            reason = str((answer.get("incomplete_details") or {}).get("reason"))
            return _INCOMPLETE.get(reason, Stop.OTHER)
        case "failed":
            code = str((answer.get("error") or {}).get("code"))
            repeat = Repeat.LATER if code in _PASSES else Repeat.NEVER
            raise Unavailable(f"openai_{_safe(code) or 'failed'}", repeat)
        case _:
            return Stop.OTHER


def _has_refusal(parts: Iterable[Mapping[str, Any]]) -> bool:
    return any(part["type"] == "refusal" for part in parts)


def _code(status: int, body: Mapping[str, Any] | None) -> str:
    """Return `openai_429`, or `openai_429_insufficient_quota` if the response has an error code."""
    word = _error_code(body)
    return f"openai_{status}_{word}" if word else f"openai_{status}"


def _error_code(body: Mapping[str, Any] | None) -> str:
    error = (body or {}).get("error")
    return _safe(error.get("code")) if isinstance(error, Mapping) else ""


def _safe(word: object) -> str:
    return word if isinstance(word, str) and _CODE.fullmatch(word) else ""
