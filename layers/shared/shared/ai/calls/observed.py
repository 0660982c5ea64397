"""
A model whose calls are a line of the log and a step of the trace, under the names of OpenTelemetry's semantic
conventions for generative AI: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans

Only counts, codes and settings, never content: no text of the request or the reply, no arguments of functions. Names of
annotations of X-Ray have no dots, so a step has them as metadata.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from shared.ai import port as ai
from shared.runtime import clock, tracing
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shared.ai.port import Embedded, Embedder

OPERATION, EMBEDDINGS = "chat", "embeddings"
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
        with tracing.step(_step(OPERATION, self.model.name)):
            with _observed(OPERATION, self.model.name, tracing.describe_step) as facts:
                facts.update(_of_request(request))
                reply = self.model.reply(request)
                facts.update(_of_reply(reply))
            return reply


@dataclass(slots=True, eq=False)
class ObservedEmbedder:
    """A model of vectors as outside tools see its calls in the log. They are one step of the trace."""

    model: Embedder

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return self.model.name

    @property
    def most_texts(self) -> int:
        """See `Embedder.most_texts`."""
        return self.model.most_texts

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        """See `Embedder.embed`."""
        with _observed(EMBEDDINGS, self.model.name) as facts:
            found = self.model.embed(texts, within_ms)
            facts["gen_ai.usage.input_tokens"] = found.tokens
            facts["gen_ai.embeddings.dimension.count"] = len(found.vectors[0])
            return found


def step_of_vectors(name: str) -> AbstractContextManager[None]:
    """Return the step of the trace of calls for vectors."""
    return tracing.step(_step(EMBEDDINGS, name))


def _step(operation: str, name: str) -> str:
    provider, _, model = name.partition(":")
    return f"{operation} {model or provider}"


@contextmanager
def _observed(
    operation: str, name: str, describe: Callable[[dict[str, Any]], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Log a call with the facts that the caller adds."""
    provider, _, model = name.partition(":")
    facts: dict[str, Any] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model or provider,
    }
    begun = clock.now_ms()
    try:
        yield facts
    except Exception as failure:
        code = getattr(failure, "code", None)
        facts["error.type"] = code or type(failure).__name__
        raise
    finally:
        facts["gen_ai.client.operation.duration"] = (clock.now_ms() - begun) / clock.SECOND_MS
        if describe:
            describe(facts)
        logger.info(MESSAGE, extra=facts)


def _of_request(request: ai.Request) -> dict[str, Any]:
    temperature = request.limits.temperature
    return {
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
