"""
A model whose calls are a line of the log and a step of the trace, under the names of OpenTelemetry's semantic
conventions for generative AI: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans

Only counts, codes and settings, never content: no text of the request or the reply, no arguments of functions. Names of
annotations of X-Ray have no dots, so a step has them as metadata.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from shared.ai import port as ai
from shared.runtime import clock, tracing
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Mapping

OPERATION: Final = "chat"
MESSAGE: Final = "model called"
# By the first part of `Model.name`.
_PROVIDERS: Final[Mapping[str, str]] = {"bedrock": "aws.bedrock", "openai": "openai"}
_REASONS: Final[Mapping[ai.Stop, str]] = {
    ai.Stop.END: "stop",
    ai.Stop.TOOLS: "tool_call",
    ai.Stop.LENGTH: "length",
    ai.Stop.REFUSED: "content_filter",
    ai.Stop.MALFORMED: "error",
    ai.Stop.OTHER: "error",
}


@dataclass(slots=True, eq=False)
class ObservedModel:
    """A model as outside tools see its calls. Times in seconds."""

    model: ai.Model

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        facts, begun = _of_request(self.model.name, request), clock.now_ms()
        with tracing.step(f"{OPERATION} {facts['gen_ai.request.model']}"):
            try:
                reply = self.model.reply(request)
            except Exception as failure:
                code = getattr(failure, "code", None)
                facts["error.type"] = code or type(failure).__name__
                raise
            else:
                facts |= _of_reply(reply)
                return reply
            finally:
                seconds = (clock.now_ms() - begun) / clock.SECOND_MS
                facts["gen_ai.client.operation.duration"] = seconds
                tracing.describe_step(facts)
                logger.info(MESSAGE, extra=facts)


def _of_request(name: str, request: ai.Request) -> dict[str, Any]:
    provider, _, model = name.partition(":")
    temperature = request.limits.temperature
    return {
        "gen_ai.operation.name": OPERATION,
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model or provider,
        "gen_ai.request.max_tokens": request.limits.most_tokens,
        "gen_ai.output.type": "json" if request.schema is not None else "text",
        **({"gen_ai.request.temperature": temperature} if temperature is not None else {}),
    }


def _of_reply(reply: ai.Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "gen_ai.response.finish_reasons": [_REASONS[reply.stop]],
        "gen_ai.usage.input_tokens": usage.tokens_in,
        "gen_ai.usage.output_tokens": usage.tokens_out,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_in,
    }
