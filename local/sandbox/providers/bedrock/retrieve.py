"""
Knowledge bases of Amazon Bedrock: Retrieve (`bedrock-agent-runtime`).

`POST /_knowledge_documents` (a `KnowledgeDocument`) adds a document; a knowledge base exists once it has one. A request
is checked by the service model in botocore and by `metadata_filters.py`. The score of a document is the share of the
query's words that it contains, unless the document states one.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.session import get_session
from botocore.validate import ParamValidator

from local.sandbox.providers.bedrock import metadata_filters
from local.sandbox.providers.interface import Answer, Call, Endpoint, Provider, Refused, parse_json
from local.sandbox.responses import aws_error, json_response

if TYPE_CHECKING:
    from botocore.model import Shape
    from starlette.responses import Response

    from local.sandbox.accounts.knowledge_bases import KnowledgeDocument

_FAILURES = {
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    409: "ConflictException",
    424: "DependencyFailedException",
    429: "ThrottlingException",
    500: "InternalServerException",
    502: "BadGatewayException",
}
_DEFAULT_RESULTS = 5
_MOST_RESULTS = 100
_LONGEST_QUERY = 20_000
_WORD = re.compile(r"\w+")


def failure(status: int) -> Response:
    """Return the service's failure with this HTTP status."""
    otherwise = "InternalServerException" if status >= 500 else "ValidationException"  # noqa: PLR2004 - server errors
    return aws_error(_FAILURES.get(status, otherwise), "A fault of the sandbox", status)


async def retrieve(call: Call) -> Answer:
    """`POST /knowledgebases/{id}/retrieve`: a page of the documents that the filter selects, best first."""
    if not call.request.headers.get("authorization", "").startswith("AWS4-HMAC-SHA256 Credential="):
        raise Refused(aws_error("AccessDeniedException", "the request is not signed", 403))
    identifier = call.request.path_params["knowledge_base"]
    body = _checked(call, identifier)
    documents = [
        document
        for document in call.sandbox.knowledge_bases.documents
        if document.knowledge_base_id == identifier
    ]
    if not documents:
        message = f"Knowledge Base with id {identifier} does not exist"
        raise Refused(aws_error("ResourceNotFoundException", message, 404))
    query = body["retrievalQuery"].get("text", "")
    search = (body.get("retrievalConfiguration") or {}).get("vectorSearchConfiguration") or {}
    found = [(_score(document, query), document) for document in documents]
    if (conditions := search.get("filter")) is not None:
        found = [
            (score, document)
            for score, document in found
            if metadata_filters.selects(conditions, document.metadata)
        ]
    found.sort(key=lambda scored: -scored[0])
    start = _position(body)
    end = start + search.get("numberOfResults", _DEFAULT_RESULTS)
    response: dict[str, Any] = {
        "retrievalResults": [_result(document, score) for score, document in found[start:end]]
    }
    if end < len(found):
        response["nextToken"] = f"{end}.{_digest(body)}"
    return Answer(json_response(response), body)


def _checked(call: Call, identifier: str) -> dict[str, Any]:
    try:
        body = parse_json(call.raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise _refused("The body is not a JSON object.")
    report = ParamValidator().validate({"knowledgeBaseId": identifier} | body, _input_shape())
    if report.has_errors():
        raise _refused(report.generate_report())
    search = (body.get("retrievalConfiguration") or {}).get("vectorSearchConfiguration") or {}
    if search.get("numberOfResults", 1) > _MOST_RESULTS:
        raise _refused(f"numberOfResults: must be at most {_MOST_RESULTS}")
    if len(body["retrievalQuery"].get("text", "")) > _LONGEST_QUERY:
        raise _refused(f"retrievalQuery.text: must have at most {_LONGEST_QUERY} characters")
    try:
        metadata_filters.check(search.get("filter"))
    except metadata_filters.FilterRefused as refused:
        raise _refused(f"filter: {refused}") from None
    return body


@cache
def _input_shape() -> Shape:
    model = get_session().get_service_model("bedrock-agent-runtime")
    shape = model.operation_model("Retrieve").input_shape
    assert shape is not None  # noqa: S101 - for mypy: the operation has an input
    return shape


def _score(document: KnowledgeDocument, query: str) -> float:
    if document.score is not None:
        return document.score
    asked = set(_WORD.findall(query.casefold()))
    return len(asked & set(_WORD.findall(document.text.casefold()))) / max(len(asked), 1)


def _result(document: KnowledgeDocument, score: float) -> dict[str, Any]:
    content = {"type": document.kind} | ({"text": document.text} if document.kind == "TEXT" else {})
    result = {"content": content, "score": score, "metadata": document.metadata}
    return result | ({"location": document.location} if document.location else {})


def _position(body: dict[str, Any]) -> int:
    token = body.get("nextToken")
    if token is None:
        return 0
    position, _, digest = token.partition(".")
    if not position.isdecimal() or digest != _digest(body):
        raise _refused("nextToken: belongs to another request")
    return int(position)


def _digest(body: dict[str, Any]) -> str:
    """Return the hash of a request, to which its tokens are bound."""
    asked = {name: value for name, value in body.items() if name != "nextToken"}
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def _refused(message: str) -> Refused:
    return Refused(aws_error("ValidationException", message))


PROVIDER = Provider(
    name="knowledge_bases",
    endpoints=(
        Endpoint("POST", "/knowledgebases/{knowledge_base}/retrieve", ("Retrieve",), retrieve),
    ),
    failure=failure,
)
