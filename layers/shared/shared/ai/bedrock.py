"""
Amazon Bedrock's Converse: one call, answered in the structure that a schema asks for.

Structured output is `outputConfig.textFormat` (Bedrock API reference, "OutputConfig"), which only some models take;
a model that does not answers with a ValidationException, which is Unavailable here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared import clock
from shared.ai.port import (
    Limits,
    Message,
    Reply,
    Schema,
    Stop,
    Unavailable,
    Usage,
    decodable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "guardrail_intervened": Stop.REFUSED,
    "content_filtered": Stop.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Bedrock:
    """
    One model or inference profile. *make_client* gets the configuration of a call: its time-out, and no retry.

    The client is made at the first call, off the import path.
    """

    make_client: Callable[[Config], Any]  # of boto3's `bedrock-runtime`
    model_id: str

    @property
    def name(self) -> str:
        """The id of the model."""
        return f"bedrock:{self.model_id}"

    def reply(
        self,
        system: str,
        history: Sequence[Message],
        *,
        limits: Limits,
        schema: Schema | None = None,
    ) -> Reply:
        """See `Model.reply`. Reading costs only money, so whoever wants a second attempt calls again."""
        seconds = limits.within_ms / clock.SECOND_MS
        config = Config(
            connect_timeout=min(2.0, seconds),
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
        )
        try:
            answer = self.make_client(config).converse(
                **self._request(system, history, limits, schema)
            )
        except ClientError as error:
            raise Unavailable(error.response["Error"]["Code"]) from None
        except BotoCoreError as error:
            raise Unavailable(type(error).__name__) from None
        content = answer["output"].get("message", {}).get("content", [])
        usage = answer.get("usage", {})
        return Reply(
            "".join(part.get("text", "") for part in content),
            _STOPS.get(answer["stopReason"], Stop.OTHER),
            Usage(usage.get("inputTokens", 0), usage.get("outputTokens", 0)),
        )

    def _request(
        self, system: str, history: Sequence[Message], limits: Limits, schema: Schema | None
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "modelId": self.model_id,
            "system": [{"text": system}],
            "messages": [
                {"role": one.role.value, "content": [{"text": one.text}]} for one in history
            ],
            "inferenceConfig": {
                "maxTokens": limits.most_tokens,
                "temperature": limits.temperature,
            },
        }
        if schema:
            # As text: the API takes no object here.
            wanted = {"name": schema.name, "schema": json.dumps(decodable(schema.schema))}
            structure = {"jsonSchema": wanted}
            request["outputConfig"] = {
                "textFormat": {"type": "json_schema", "structure": structure}
            }
        return request
