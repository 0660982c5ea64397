"""A state that a test begins with is the same whether it is built or copied, and tests do not share it."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.suites import prepared
from tests.template import create_table

BUCKET = "files"
PARAMETER = "/parley/switch"


def build() -> None:
    dynamodb = boto3.client("dynamodb")
    name = create_table(dynamodb, "WhatsAppTable")
    for key in ("CONVERSATION#1", "CONVERSATION#2"):
        dynamodb.put_item(TableName=name, Item={"pk": {"S": key}, "map": {"M": {"a": {"S": "b"}}}})
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    boto3.client("secretsmanager").create_secret(Name="tokens", SecretString="{}")
    boto3.client("ssm").put_parameter(Name=PARAMETER, Value="false", Type="String")


def stored() -> dict[str, Any]:
    """What the calls of a test can read."""
    dynamodb, s3 = boto3.client("dynamodb"), boto3.client("s3")
    (name,) = dynamodb.list_tables()["TableNames"]
    items = dynamodb.scan(TableName=name)["Items"]
    return {
        "items": sorted(items, key=lambda item: str(item["pk"]["S"])),
        "objects": s3.list_objects_v2(Bucket=BUCKET)["KeyCount"],
        "secret": boto3.client("secretsmanager").get_secret_value(SecretId="tokens")[
            "SecretString"
        ],
        "parameter": boto3.client("ssm").get_parameter(Name=PARAMETER)["Parameter"]["Value"],
    }


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    """A state of this test only."""
    yield request.node.name
    prepared.forget(request.node.name)


def test_a_copied_state_is_the_built_one(name: str) -> None:
    with mock_aws():
        assert prepared.prepare(name, build)
        built = stored()
    with mock_aws():
        assert not prepared.prepare(name, build)
        assert stored() == built


def test_changes_of_one_test_do_not_reach_the_next(name: str) -> None:
    for _ in range(3):
        with mock_aws():
            prepared.prepare(name, build)
            before = stored()
            assert [item["map"] for item in before["items"]] == [{"M": {"a": {"S": "b"}}}] * 2
            dynamodb = boto3.client("dynamodb")
            (table,) = dynamodb.list_tables()["TableNames"]
            dynamodb.update_item(
                TableName=table,
                Key={"pk": {"S": "CONVERSATION#1"}},
                UpdateExpression="SET #map.a = :new",
                ExpressionAttributeNames={"#map": "map"},
                ExpressionAttributeValues={":new": {"S": "changed"}},
            )
            boto3.client("s3").put_object(Bucket=BUCKET, Key="1", Body=b"one")
            assert stored() != before


def test_a_state_with_an_object_is_refused(name: str) -> None:
    def with_object() -> None:
        build()
        boto3.client("s3").put_object(Bucket=BUCKET, Key="1", Body=b"one")

    with mock_aws(), pytest.raises(AssertionError):
        prepared.prepare(name, with_object)
