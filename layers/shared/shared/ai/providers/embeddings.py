"""
Vectors of texts, which are alike as far as the texts mean the same, in any language: of a model at Amazon Bedrock or of
an account with OpenAI's API.

    Titan Text Embeddings V2   one text a call         `inputText`, `embedding`, `inputTextTokenCount`
    Cohere Embed               up to 96 texts a call   `texts`, `embeddings`; the tokens in a header of the response
    OpenAI                     up to 2,048 a call      `input`, `data[].embedding`, `usage.prompt_tokens`

(Bedrock user guide, "Amazon Titan Embeddings", "Cohere Embed models"; OpenAI API reference, "Create embeddings".)
Nothing is stored at a provider: a repeated call is safe and only costs money.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from shared.ai.port import Embedded, Unavailable
from shared.ai.providers.bedrock import unavailable, unreachable
from shared.runtime import clock
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shared.ai.port import Vector
    from shared.ai.providers.openai import Account

DIMENSIONS: Final = 256  # the fewest that all models but Cohere Embed v3 offer; that one has 1,024
COHERE: Final = "cohere.embed"  # a part of the ids of its models at Bedrock; see `EMBEDDERS`
_COHERE_V3: Final = "-v3"
_TOKENS: Final = "x-amzn-bedrock-input-token-count"  # header of Bedrock's responses
_CHARACTERS_A_TOKEN: Final = 4  # a rule of thumb, for answers that do not report tokens


@dataclass(slots=True, eq=False)
class OpenAiEmbedder:
    """A model of an account. Also raises SecretUnreadable."""

    account: Account
    model: str
    most_texts: int = 200

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return f"openai:{self.model}"

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        """See `Embedder.embed`."""
        body: dict[str, Any] = {"model": self.model, "input": list(texts)}
        if self.model.startswith("text-embedding-3") or self.model == "scripted":
            body["dimensions"] = DIMENSIONS  # other models refuse it
        answer = self.account.post("embeddings", body, within_ms=within_ms)
        try:
            found = sorted(answer["data"], key=lambda one: int(one["index"]))
            vectors = _vectors([one["embedding"] for one in found], texts)
            tokens = int(answer["usage"]["prompt_tokens"])
        except (KeyError, TypeError, ValueError):
            raise Unavailable("openai_bad_answer", may_be_billed=True) from None
        return Embedded(vectors, tokens)


@dataclass(slots=True, eq=False)
class BedrockEmbedder:
    """A model at Bedrock, one of `EMBEDDERS`. *make_client* is as in `shared.ai.providers.bedrock`."""

    make_client: Callable[[Config], Any]  # boto3's `bedrock-runtime`
    model_id: str

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return f"bedrock:{self.model_id}"

    @property
    def most_texts(self) -> int:
        """See `Embedder.most_texts`."""
        return 96 if COHERE in self.model_id else 1

    def embed(self, texts: Sequence[str], within_ms: int) -> Embedded:
        """See `Embedder.embed`."""
        seconds = within_ms / clock.SECOND_MS
        config = Config(
            connect_timeout=min(2.0, seconds),
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
        )
        media = "application/json"
        try:
            answer = self.make_client(config).invoke_model(
                modelId=self.model_id,
                body=json.dumps(self._body(texts)),
                contentType=media,
                accept=media,
            )
            written = json_object(answer["body"].read()) or {}
        except ClientError as error:
            raise unavailable(error) from None
        except BotoCoreError as error:
            raise unreachable(error) from None
        try:
            vectors = _vectors(_lists_in(written), texts)
            tokens = _tokens_of(answer, written, texts)
        except (KeyError, TypeError, ValueError):
            raise Unavailable("bedrock_bad_answer", may_be_billed=True) from None
        return Embedded(vectors, tokens)

    def _body(self, texts: Sequence[str]) -> dict[str, Any]:
        if COHERE not in self.model_id:
            [text] = texts
            return {"inputText": text, "dimensions": DIMENSIONS, "normalize": True}
        body = {"texts": list(texts), "input_type": "clustering", "embedding_types": ["float"]}
        if _COHERE_V3 in self.model_id:
            return {**body, "truncate": "END"}
        return {**body, "truncate": "RIGHT", "output_dimension": DIMENSIONS}


def _lists_in(written: Mapping[str, Any]) -> list[Any]:
    """Return the lists of numbers in an answer of Bedrock. Cohere's are by type if types were requested."""
    if "embedding" in written:
        return [written["embedding"]]
    found = written["embeddings"]
    return list(found["float"] if isinstance(found, dict) else found)


def _tokens_of(answer: Mapping[str, Any], written: Mapping[str, Any], texts: Sequence[str]) -> int:
    headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    reported = written.get("inputTextTokenCount", headers.get(_TOKENS))
    estimate = -(-sum(map(len, texts)) // _CHARACTERS_A_TOKEN)
    return int(reported) if reported is not None else estimate


def _vectors(found: Sequence[Any], texts: Sequence[str]) -> tuple[Vector, ...]:
    """Return one vector for each text, all with as many numbers. Raises ValueError and TypeError."""
    vectors = tuple(tuple(map(float, one)) for one in found)
    sizes = {len(one) for one in vectors}
    are_numbers = all(math.isfinite(number) for one in vectors for number in one)
    if len(vectors) != len(texts) or len(sizes) != 1 or 0 in sizes or not are_numbers:
        raise ValueError("not a vector for each text")
    return vectors
