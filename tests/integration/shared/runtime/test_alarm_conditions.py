"""Alarm conditions outside Parley's code: dead letters, and attempts at DynamoDB that the SDK retries."""

import json
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from moto import mock_aws

from shared.aws.dead_letters import count_dead_letters
from shared.aws.dynamodb import Table
from tests.integration.logs import conditions
from tests.template import create_queue, environment, resolved

QUICK = Config(retries={"total_max_attempts": 3})


@pytest.mark.parametrize(
    ("function", "queue"),
    [
        ("WhatsAppScheduled", "WhatsAppSocialDeadLetters"),
        ("ConversationsSweeper", "SmsTopicsDeadLetters"),
        ("RichpanelSweep", "RichpanelDeadLetters"),
    ],
)
def test_a_dead_letter_is_counted_at_every_run_even_if_another_queue_is_missing(
    function: str, queue: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with mock_aws():
        sqs = boto3.client("sqs")
        url = create_queue(sqs, queue)
        urls = environment(function)["DEAD_LETTER_URLS"].split(",")
        assert resolved({"Ref": queue}) in urls
        urls = ["https://sqs.us-east-1.amazonaws.com/123456789012/none", url]
        count_dead_letters(sqs, urls)
        assert conditions(capsys) == {}

        group: Any = (
            {"MessageGroupId": "a", "MessageDeduplicationId": "a"} if ".fifo" in url else {}
        )
        sqs.send_message(QueueUrl=url, MessageBody="{}", **group)
        count_dead_letters(sqs, urls)

        assert conditions(capsys) == {"DeadLetters": 1}


class Attempts:
    """Answer attempts at DynamoDB with these responses, in order."""

    def __init__(self, *answers: tuple[int, str]) -> None:
        self.left = list(answers)

    def __call__(self, **_: Any) -> AWSResponse:
        status, code = self.left.pop(0)
        body = json.dumps({"__type": code} if code else {}).encode()

        class Raw:
            def stream(self, **_: object) -> list[bytes]:
                return [body]

        return AWSResponse("https://dynamodb", status, HTTPHeaders(), Raw())


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([(200, "")], {}),
        ([(400, "ThrottlingException"), (200, "")], {"TableThrottled": 1}),
        ([(500, "InternalServerError"), (503, "Unavailable"), (200, "")], {"TableFailed": 2}),
    ],
)
def test_an_attempt_that_fails_at_dynamodb_is_counted_even_if_the_sdk_retries_it(
    answers: list[tuple[int, str]], expected: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    client = boto3.client("dynamodb", config=QUICK)
    attempts = Attempts(*answers)
    respond: Any = attempts  # the stubs do not type handlers that return a response
    client.meta.events.register_first("before-send.dynamodb", respond)
    Table(client, "any").get({"pk": "a"})

    assert attempts.left == []
    assert conditions(capsys) == expected
