"""The shortcuts of `tests.quick_aws` behave like botocore and moto: same responses, same errors."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.quick_aws import not_hastened
from tests.template import create_queue


def test_a_queue_counts_and_returns_its_messages_in_the_same_way() -> None:
    def counted() -> list[Any]:
        seen: list[Any] = []
        with mock_aws():
            sqs = boto3.client("sqs")
            url = create_queue(sqs, "WhatsAppQueue")

            def look() -> None:
                said = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
                seen.append({name: n for name, n in said.items() if name.startswith("Approx")})

            for n in range(4):
                sqs.send_message(
                    QueueUrl=url,
                    MessageBody=str(n),
                    MessageGroupId=str(n % 3),
                    MessageDeduplicationId=str(n),
                )
            look()
            batch = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)["Messages"]
            seen += [message["Body"] for message in batch]
            look()
            sqs.delete_message(QueueUrl=url, ReceiptHandle=batch[0]["ReceiptHandle"])
            seen += [m["Body"] for m in sqs.receive_message(QueueUrl=url)["Messages"]]
            look()
        return seen

    with not_hastened():
        own = counted()

    assert counted() == own
    assert own[0]["ApproximateNumberOfMessages"] == "4"


def test_objects_are_found_under_their_urls() -> None:
    def kept() -> Any:
        with mock_aws():
            s3 = boto3.client("s3")
            for bucket in ("bucket-1", "bucket-2"):
                s3.create_bucket(Bucket=bucket)
            s3.put_object(Bucket="bucket-1", Key="a folder/ä?b", Body=b"1", ContentType="a/b")
            got = s3.get_object(Bucket="bucket-1", Key="a folder/ä?b")
            listed = s3.list_objects_v2(Bucket="bucket-1", Prefix="a folder/")["Contents"]
            others = s3.list_objects_v2(Bucket="bucket-2").get("Contents")
            with pytest.raises(ClientError) as refused:
                s3.get_object(Bucket="bucket-2", Key="a folder/ä?b")
            error = refused.value.response["Error"]["Code"]
            return got["Body"].read(), got["ContentType"], listed[0]["Key"], others, error

    with not_hastened():
        own = kept()

    assert kept() == own == (b"1", "a/b", "a folder/ä?b", None, "NoSuchKey")
