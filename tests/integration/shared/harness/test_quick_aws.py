"""The shortcuts of `tests.aws.quick_aws` behave like botocore and moto: same responses, same errors."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.aws import client_pool
from tests.aws.quick_aws import not_hastened
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


def test_a_queue_of_the_template_is_created_as_by_a_call() -> None:
    with mock_aws():
        sqs = boto3.client("sqs")
        urls = [create_queue(sqs, name) for name in ("WhatsAppQueue", "WhatsAppJobsDeadLetters")]
        names = [url.rpartition("/")[2] for url in urls]
        assert urls == [sqs.get_queue_url(QueueName=name)["QueueUrl"] for name in names]
        assert names[0].endswith(".fifo")
        shown = [attributes(sqs, url) for url in urls]

    with mock_aws():
        sqs = boto3.client("sqs")
        fifo: Any = {"FifoQueue": "true"}
        called = [sqs.create_queue(QueueName=names[0], Attributes=fifo)["QueueUrl"]]
        called.append(sqs.create_queue(QueueName=names[1])["QueueUrl"])
        assert (called, [attributes(sqs, url) for url in called]) == (urls, shown)


def attributes(sqs: Any, url: str) -> dict[str, str]:
    found: dict[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])[
        "Attributes"
    ]
    return {name: value for name, value in found.items() if not name.endswith("Timestamp")}


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


def test_the_next_system_has_the_clients_of_the_last_one_without_its_hooks_and_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def clients(port: int) -> tuple[Any, Any]:
        monkeypatch.setenv("AWS_ENDPOINT_URL_SESV2", f"http://127.0.0.1:{port}")
        calls: list[str] = []

        def hook_into(events: Any) -> None:
            events.register("before-call", lambda model, **_: calls.append(model.name))

        with client_pool.hooked(hook_into) as session, monkeypatch.context() as patch, mock_aws():
            patch.setattr(boto3, "DEFAULT_SESSION", session)
            queues, mails = boto3.client("sqs"), boto3.client("sesv2")
            queues.list_queues()
            assert calls == ["ListQueues"]
        return queues, mails

    queues, mails = clients(8001)
    next_queues, next_mails = clients(8002)

    assert next_queues is queues
    assert mails.meta.endpoint_url == "http://127.0.0.1:8001"
    assert next_mails.meta.endpoint_url == "http://127.0.0.1:8002"


def test_nothing_is_left_of_a_service_that_another_one_uses_while_it_resets() -> None:
    left = []
    for _ in range(3):
        with mock_aws():
            ses = boto3.client("ses")
            left.append(ses.list_receipt_rule_sets()["RuleSets"])
            ses.create_receipt_rule_set(RuleSetName="a-set")
            boto3.client("sesv2").list_email_identities()

    assert left == [[], [], []]
