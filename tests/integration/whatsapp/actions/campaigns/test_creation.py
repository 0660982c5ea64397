"""Campaigns that are made, of rows in the call or of a list in S3."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions.campaigns.runs import (
    MINUTE_MS,
    OF_TEMPLATE,
    Runs,
    numbers,
    total,
)
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE
from whatsapp.actions.campaigns.pages import recipients
from whatsapp.store.sending import campaign_turns, timers


def upload(runs: Runs, content: str) -> str:
    """Put a list among the company's files and return its key."""
    key = f"{_folder()}list.txt"
    bucket = runs.actions.harness.resources.bucket.name
    boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=content.encode())
    return key


def _folder() -> str:
    from whatsapp.configuration.folders import uploads_of  # noqa: PLC0415 - only here

    return uploads_of("acme")


def made_of_list(runs: Runs, content: str, **more: Any) -> str:
    made = runs.create(None, recipientsS3Key=upload(runs, content), **more)
    assert "totalRecipients" not in made
    return str(made["campaignId"])


def test_a_draft_waits_and_the_same_call_finds_it_again(runs: Runs) -> None:
    body = OF_TEMPLATE | {"recipients": [f"+{ADA}"]}
    first = runs.actions.run("create_campaign", body, key="key-draft-1").result
    second = runs.actions.run("create_campaign", body, key="key-draft-1").result
    runs.wait(2)

    assert (first["status"], first["totalRecipients"]) == ("draft", 1)
    assert second == first
    assert runs.sent_to() == []
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


@pytest.mark.usefixtures("short_pages")
@pytest.mark.parametrize("is_csv", [False, True])
def test_a_list_in_s3_is_cut_into_pages_with_the_lines_of_its_bad_rows(
    runs: Runs, is_csv: bool
) -> None:
    people = numbers(24)
    runs.wrote(*people)
    if is_csv:
        lines = ["to,1", *(f"+{n},Ada {n}" for n in people), "nobody,Ada", "+4477009"]
    else:
        rows = [json.dumps({"to": f"+{n}", "bodyParams": [f"Ada {n}"]}) for n in people]
        lines = [*rows, json.dumps({"to": "nobody"}), "{"]
    campaign = made_of_list(runs, "\n".join(lines))
    runs.drain()
    shown = runs.show(campaign)

    assert (shown["totalRecipients"], shown["pages"], shown["invalidLines"]) == (26, 2, [25, 26])
    runs.control("start_campaign", campaign)
    shown = runs.finish(campaign)
    assert (shown["sent"], shown["invalid"], total(shown)) == (24, 2, 26)
    assert len(set(runs.sent_to())) == len(runs.sent_to()) == 24


def test_a_list_is_cut_in_several_steps_and_by_repeated_jobs(runs: Runs) -> None:
    campaign = made_of_list(runs, "\n".join(json.dumps(f"+{n}") for n in numbers(350)))
    runs.remaining_ms = 10_000
    while bodies := runs.events():
        for body in bodies * 2:
            runs.job(body)

    assert (runs.show(campaign)["totalRecipients"], runs.show(campaign)["pages"]) == (350, 4)


def test_a_list_that_is_too_long_ends_the_campaign_and_is_deleted(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made_of_list(runs, "\n".join(json.dumps(f"+{n}") for n in numbers(151)))
    monkeypatch.setattr(recipients, "MOST_ROWS", 150)  # as if it had been replaced since
    runs.wait(2)
    shown = runs.show(campaign)

    assert (shown["outcome"], shown["pauseReason"]) == ("cancelled", "too_many_recipients")
    assert total(shown) == shown["totalRecipients"] == 100
    assert runs.pages_left() == []


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("\n\n".join(json.dumps(f"+{n}") for n in numbers(151)), 413),
        ("\n \n".join(json.dumps(f"+{n}") for n in numbers(150)) + "\n\n", 200),
        ("to\r\n" + "\r\n".join(numbers(151)), 413),
        ("to\r\n" + "\r\n".join(numbers(150)), 200),
    ],
)
def test_a_list_of_too_many_recipients_is_refused_at_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, content: str, status: int
) -> None:
    monkeypatch.setattr(recipients, "MOST_ROWS", 150)
    answer = runs.actions.run(
        "create_campaign", OF_TEMPLATE | {"recipientsS3Key": upload(runs, content)}
    )

    assert answer.status == status
    if status == 413:
        assert answer.error == "payload_too_large"
        assert answer.body["error"]["message"].startswith("recipientsS3Key: ")
        assert timers.opened(runs.actions.harness.resources.table).ids == set()


def test_a_list_of_a_million_and_one_recipients_is_refused(runs: Runs) -> None:
    content = "\n".join(f'"+4477009{n:06d}"' for n in range(recipients.MOST_ROWS + 1))
    body = OF_TEMPLATE | {"recipientsS3Key": upload(runs, content)}

    assert runs.actions.run("create_campaign", body).error == "payload_too_large"


def test_the_schedule_enqueues_no_copy_of_the_event_that_reads_a_list(runs: Runs) -> None:
    campaign = made_of_list(runs, "\n".join(json.dumps(f"+{n}") for n in numbers(5)))
    queued_minutes = campaign_turns.QUEUED_MS // MINUTE_MS
    runs.schedule(queued_minutes - 1)
    (late,) = runs.events()
    runs.schedule(2)
    (other,) = runs.events()

    assert runs.job(late)
    assert runs.job(other)
    assert runs.show(campaign)["totalRecipients"] == 5


def test_a_list_that_is_missing_ends_the_campaign(runs: Runs) -> None:
    key = upload(runs, json.dumps(f"+{ADA}"))
    campaign = runs.create(None, recipientsS3Key=key)["campaignId"]
    runs.actions.harness.resources.bucket.delete(key)
    runs.drain()

    assert runs.show(campaign)["pauseReason"] == "list_missing"


def test_an_empty_list_and_another_companys_are_refused(runs: Runs) -> None:
    body = OF_TEMPLATE | {"recipientsS3Key": upload(runs, "")}
    assert runs.actions.run("create_campaign", body).status == 400
    body["recipientsS3Key"] = _folder().replace("acme", "globex") + "list.txt"
    assert runs.actions.run("create_campaign", body).status == 404


@pytest.mark.parametrize(
    "bad",
    [
        {"recipients": []},
        {"recipients": ["+447700900101"] * 1_001},
        {"recipients": ["+447700900101"], "recipientsS3Key": "a/b"},
        {},
        {"recipients": ["+447700900101"], "campaignName": "x" * 101},
        {"recipients": ["+447700900101"], "type": "text"},
        {"recipients": ["+447700900101"], "scheduledAt": "2026-01-01T12:00:30Z"},
        {"recipients": ["+447700900101"], "scheduledAt": "2027-01-01T12:00:00Z"},
        {"recipients": ["+447700900101"], "scheduledAt": "2026-01-02T12:00:00Z", "autoStart": True},
        {"recipients": ["+447700900101"], "messagesPerSecond": 0},
    ],
)
def test_bad_input_is_refused(runs: Runs, bad: dict[str, Any]) -> None:
    assert runs.actions.run("create_campaign", OF_TEMPLATE | bad).status == 400


@pytest.mark.parametrize(("rate", "most"), [(1, 1), (10, 8), (50, 40), (80, 61), (1_000, 100)])
def test_a_pace_above_that_of_the_numbers_campaigns_is_refused_with_the_limit(
    runs: Runs, rate: int, most: int
) -> None:
    runs.actions.register(messages_per_second=rate)
    body = OF_TEMPLATE | {"recipients": ["+447700900101"], "messagesPerSecond": most + 1}
    refused = runs.actions.run("create_campaign", body)

    assert refused.status == 400
    [fault] = refused.body["error"]["details"]
    assert fault["field"] == "messagesPerSecond"
    assert fault["problem"].startswith(f"must be at most {most}: ")
    assert runs.actions.run("create_campaign", body | {"messagesPerSecond": most}).status == 200


def test_a_campaign_sends_through_aws(runs: Runs) -> None:
    runs.actions.register_eum()
    runs.wrote(ADA, phone=EUM_PHONE)
    (stranger,) = numbers(1)
    body = {
        "phoneNumberId": EUM_PHONE, "type": "text", "text": "Hello",
        "recipients": [f"+{ADA}", f"+{stranger}"],
    }  # fmt: skip
    shown = runs.finish(runs.actions.run("bulk_send", body).result["campaignId"])
    requests = [one.body for one in runs.actions.wire if one.provider == "socialmessaging"]

    assert (shown["sent"], shown["refused"]) == (1, 1)  # The stranger's window is closed.
    assert [one["message"]["to"] for one in requests] == [f"+{ADA}"]  # type: ignore[index] # a JSON object
