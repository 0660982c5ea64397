"""Knowledge bases in the sandbox, driven by the real SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.sandbox.providers.bedrock import metadata_filters
from tests.integration.sandbox.client import Client

if TYPE_CHECKING:
    from local.sandbox import Sandbox

BASE = "AB12CD34EF"
PATH = f"/knowledgebases/{BASE}/retrieve"
SIGNED = "AWS4-HMAC-SHA256 Credential=test/20250101/us-east-1/bedrock/aws4_request"
EQUALS = {"equals": {"key": "company_id", "value": "acme"}}


@pytest.fixture
def bedrock(sandbox: Sandbox) -> Any:
    # Without the SDK's own validation: the sandbox has to refuse.
    config = Config(retries={"total_max_attempts": 1}, parameter_validation=False)
    return boto3.client("bedrock-agent-runtime", endpoint_url=sandbox.url, config=config)


@pytest.fixture(autouse=True)
def _documents(client: Client) -> None:
    for number in range(3):
        document = {
            "knowledge_base_id": BASE,
            "text": f"Maize {number}",
            "metadata": {"company_id": "acme", "number": number, "topics": ["a", "b"]},
            "location": {"type": "S3", "s3Location": {"uri": f"s3://documents/{number}"}},
        }
        assert client.post("/_knowledge_documents", document).status == 201


def retrieve(bedrock: Any, search: dict[str, Any], **fields: Any) -> Any:
    request = {"knowledgeBaseId": BASE, "retrievalQuery": {"text": "maize 2"}} | fields
    return bedrock.retrieve(retrievalConfiguration={"vectorSearchConfiguration": search}, **request)


def test_results_are_scored_and_paged(bedrock: Any) -> None:
    first = retrieve(bedrock, {"numberOfResults": 2})
    second = retrieve(bedrock, {"numberOfResults": 2}, nextToken=first["nextToken"])

    texts = [r["content"]["text"] for page in (first, second) for r in page["retrievalResults"]]
    assert texts == ["Maize 2", "Maize 0", "Maize 1"]
    assert [r["score"] for r in first["retrievalResults"]] == [1.0, 0.5]
    assert "nextToken" not in second


@pytest.mark.parametrize(
    ("search", "fields"),
    [
        ({"numberOfResults": 101}, {}),
        ({"numberOfResults": 0}, {}),
        ({"numberOfResults": "5"}, {}),
        ({"filter": {"andAll": [EQUALS]}}, {}),
        ({"filter": {"equals": {"key": "company_id"}}}, {}),
        ({"filter": {**EQUALS, "notEquals": EQUALS["equals"]}}, {}),
        ({"filter": {"greaterThan": {"key": "number", "value": "1"}}}, {}),
        ({"filter": {"in": {"key": "number", "value": 1}}}, {}),
        ({"filter": {"startsWith": {"key": "number", "value": 1}}}, {}),
        ({}, {"nextToken": "5.0"}),
        ({}, {"retrievalQuery": {"text": "a" * 20_001}}),
    ],
)
def test_a_request_outside_the_service_model_is_refused(
    bedrock: Any, search: dict[str, Any], fields: dict[str, Any]
) -> None:
    with pytest.raises(ClientError) as refused:
        retrieve(bedrock, search, **fields)
    assert refused.value.response["Error"]["Code"] == "ValidationException"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"retrievalQuery": {"words": "a"}},
        {"retrievalQuery": {"text": "a"}, "unknown": 1},
        {
            "retrievalQuery": {"text": "a"},
            "retrievalConfiguration": {
                "vectorSearchConfiguration": {"filter": {"like": EQUALS["equals"]}}
            },
        },
    ],
)
def test_unknown_and_missing_fields_are_refused(client: Client, body: dict[str, Any]) -> None:
    refused = client.post(PATH, body, authorization=SIGNED)
    assert refused.status == 400
    assert refused.headers["x-amzn-ErrorType"] == "ValidationException"


def test_groups_can_be_nested_once(bedrock: Any) -> None:
    once = {"andAll": [EQUALS, {"orAll": [EQUALS, EQUALS]}]}
    assert len(retrieve(bedrock, {"filter": once})["retrievalResults"]) == 3
    twice = {"andAll": [EQUALS, {"orAll": [EQUALS, {"andAll": [EQUALS, EQUALS]}]}]}
    with pytest.raises(ClientError, match="nested"):
        retrieve(bedrock, {"filter": twice})


@pytest.mark.parametrize(
    ("operator", "key", "value", "numbers"),
    [
        ("equals", "number", 1, [1]),
        ("notEquals", "number", 1, [0, 2]),
        ("greaterThan", "number", 1, [2]),
        ("greaterThanOrEquals", "number", 1, [1, 2]),
        ("lessThan", "number", 1, [0]),
        ("lessThanOrEquals", "number", 1, [0, 1]),
        ("greaterThan", "company_id", 1, []),
        ("in", "number", [0, 2], [0, 2]),
        ("notIn", "number", [0, 2], [1]),
        ("startsWith", "company_id", "ac", [0, 1, 2]),
        ("stringContains", "company_id", "x", []),
        ("listContains", "topics", "b", [0, 1, 2]),
        ("equals", "absent", 1, []),
        ("notEquals", "absent", 1, []),
    ],
)
def test_a_condition_selects_documents(
    operator: str, key: str, value: Any, numbers: list[int]
) -> None:
    condition = {operator: {"key": key, "value": value}}
    metadata_filters.check(condition)
    documents = [{"company_id": "acme", "number": n, "topics": ["a", "b"]} for n in range(3)]
    selected = [d["number"] for d in documents if metadata_filters.selects(condition, d)]
    assert selected == numbers


def test_an_unknown_knowledge_base_does_not_exist(bedrock: Any) -> None:
    with pytest.raises(ClientError) as refused:
        retrieve(bedrock, {}, knowledgeBaseId="ZZ12CD34EF")
    assert refused.value.response["Error"]["Code"] == "ResourceNotFoundException"


def test_requests_need_a_signature_and_a_json_object(client: Client) -> None:
    assert client.post(PATH, {"retrievalQuery": {"text": "a"}}).status == 403
    assert client.post(PATH, b"[]", authorization=SIGNED).status == 400
    assert client.post(PATH, b"{", authorization=SIGNED).status == 400


def test_a_document_with_an_unknown_field_is_refused(client: Client) -> None:
    assert client.post("/_knowledge_documents", {"words": "a"}).status == 400
