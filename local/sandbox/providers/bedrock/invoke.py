"""
Amazon Bedrock's InvokeModel (`bedrock-runtime`) of models of vectors: Titan Text Embeddings V2, and Cohere Embed.

The vectors are those of the scripted model, so that texts with the same concepts are alike.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from local.sandbox.providers.interface import Answer, Call, Refused, parse_json
from local.sandbox.providers.openai.api import CHARACTERS_A_TOKEN
from local.sandbox.responses import aws_error, json_response
from local.scripted_model.meanings import vector_of

if TYPE_CHECKING:
    from starlette.responses import Response

MOST_TEXTS, LONGEST = 96, 2_048
TOKENS = "x-amzn-bedrock-input-token-count"
_TITAN_SIZES = (256, 512, 1_024)
_COHERE_SIZES = (256, 512, 1_024, 1_536)
_TITAN_FIELDS = {"inputText", "dimensions", "normalize", "embeddingTypes"}
_COHERE_FIELDS = {"texts", "input_type", "truncate", "embedding_types"}
_KINDS = {"search_document", "search_query", "classification", "clustering"}


async def invoke(call: Call) -> Answer:
    """`POST /model/{id}/invoke`: the vectors of texts."""
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(aws_error("AccessDeniedException", "the request is not signed", 403))
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _refused("Malformed input request, please reformat your input and try again.")
    model = call.request.path_params["model"]
    if "titan-embed-text-v2" in model:
        return Answer(_titan(body), body)
    if "cohere.embed" in model:
        return Answer(_cohere(body, is_v3="-v3" in model), body)
    raise _refused("The provided model identifier is invalid.")


def _titan(body: dict[str, Any]) -> Response:
    text, size = body.get("inputText"), body.get("dimensions", 1_024)
    _only(body, _TITAN_FIELDS)
    if not isinstance(text, str) or not text:
        raise _refused("expected minLength: 1, actual: 0")
    if size not in _TITAN_SIZES:
        raise _refused("dimensions must be 256, 512 or 1024")
    vector = vector_of(text, size)
    return json_response(
        {
            "embedding": vector,
            "embeddingsByType": {"float": vector},
            "inputTextTokenCount": _tokens([text]),
        }
    )


def _cohere(body: dict[str, Any], *, is_v3: bool) -> Response:
    texts: Any = body.get("texts")
    size = body.get("output_dimension", 1_024 if is_v3 else 1_536)
    _only(body, _COHERE_FIELDS if is_v3 else _COHERE_FIELDS | {"output_dimension", "max_tokens"})
    is_list = isinstance(texts, list) and 0 < len(texts) <= MOST_TEXTS
    if not is_list or not all(isinstance(one, str) and 0 < len(one) <= LONGEST for one in texts):
        raise _refused("texts must be 1 to 96 texts of at most 2048 characters")
    if body.get("input_type") not in _KINDS or size not in _COHERE_SIZES:
        raise _refused("input_type or output_dimension is invalid")
    if body.get("truncate", "NONE") not in (
        {"NONE", "START", "END"} if is_v3 else {"NONE", "LEFT", "RIGHT"}
    ):
        raise _refused("truncate is invalid")
    vectors = [vector_of(one, size) for one in texts]
    answer = json_response(
        {
            "id": "made-up",
            "response_type": "embeddings_by_type"
            if body.get("embedding_types")
            else "embeddings_floats",
            "embeddings": {"float": vectors} if body.get("embedding_types") else vectors,
            "texts": texts,
        }
    )
    answer.headers[TOKENS] = str(_tokens(texts))
    return answer


def _only(body: dict[str, Any], fields: set[str]) -> None:
    if unknown := sorted(body.keys() - fields):
        raise _refused(f"extraneous key [{unknown[0]}] is not permitted")


def _refused(problem: str) -> Refused:
    return Refused(aws_error("ValidationException", problem))


def _tokens(texts: list[str]) -> int:
    return math.ceil(sum(map(len, texts)) / CHARACTERS_A_TOKEN)
