"""Campaigns that are made, of rows in the call or of a list in S3."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from tests.integration.whatsapp.actions.campaigns.runs import (
    MINUTE_MS,
    OF_TEMPLATE,
    OF_TEXT,
    Runs,
    numbers,
    total,
)
from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE
from whatsapp.actions.campaigns.pages import recipients
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.sending import timers


def upload(runs: Runs, content: str | bytes) -> str:
    """Put a list among the company's files and return its key."""
    body = content.encode() if isinstance(content, str) else content
    key = f"{_folder()}list.txt"
    bucket = runs.actions.harness.resources.bucket.name
    boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=body)
    return key


def _folder() -> str:
    from whatsapp.configuration.folders import uploads_of  # noqa: PLC0415 - only here

    return uploads_of("acme")


def made_of_list(runs: Runs, content: str | bytes, **more: Any) -> str:
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
        lines = ["to,1", *(f"+{n},Ada {n}" for n in people), "nobody,Ada", "+4477009,Ada"]
    else:
        rows = [json.dumps({"to": f"+{n}", "bodyParams": [f"Ada {n}"]}) for n in people]
        lines = [*rows, json.dumps({"to": "nobody"}), "[]"]
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


def test_a_list_that_cannot_be_read_pauses_its_campaign_which_cannot_go_on(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made_of_list(runs, "\n".join(json.dumps(f"+{n}") for n in numbers(151)))
    monkeypatch.setattr(recipients, "MOST_ROWS", 150)  # as if it had been replaced since
    runs.wait(2)
    shown = runs.show(campaign)

    assert (shown["outcome"], shown["pauseReason"]) == ("cancelled", "too_many_recipients")
    assert shown["status"] == "paused"
    assert total(shown) == shown["totalRecipients"] == 100
    for action in ("start_campaign", "resume_campaign"):
        assert runs.control(action, campaign).error == "state_conflict"
    runs.wait(3)
    assert runs.show(campaign)["status"] == "paused"
    assert runs.control("cancel_campaign", campaign).result["status"] == "completed"
    assert runs.sent_to() == []
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


def test_a_list_of_one_recipient_more_than_the_most_is_refused(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipients, "MOST_ROWS", 1_000)
    content = "\n".join(f'"+4477009{n:06d}"' for n in range(recipients.MOST_ROWS + 1))
    body = OF_TEMPLATE | {"recipientsS3Key": upload(runs, content)}

    assert runs.actions.run("create_campaign", body).error == "payload_too_large"


@pytest.mark.parametrize("is_excel", [False, True])
def test_a_text_with_quoted_line_breaks_arrives_whole(runs: Runs, is_excel: bool) -> None:
    people, text = numbers(3), 'Hello Ada,\nyour "bike" is ready; see you, or call.'
    runs.wrote(*people)
    quoted = '"' + text.replace('"', '""') + '"'
    separator, encoding = (";", "utf-16") if is_excel else (",", "utf-8-sig")
    rows = [f"{quoted}{separator}+{number}" for number in people]
    content = "\r\n".join([f"Message{separator}Phone number", *rows]).encode(encoding)
    campaign = made_of_list(runs, content, type="text", text="Standard", autoStart=True)
    shown = runs.finish(campaign)

    assert (shown["sent"], shown["totalRecipients"]) == (3, 3)
    assert [one.body["text"]["body"] for one in runs.actions.wire] == [text] * 3  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('to,text\n+447700900101,Hello\n+447700900102,"Hello Ada,\n', "line 3, column 2"),
        ("to,text\n+447700900101\n", "line 2, column 2"),
        ("to,texts\n+447700900101,Hello\n", "line 1, column 2"),
        ("name,text\nAda,Hello\n", "line 1: "),
        (b"to,text\n+447700900101,Gr\xfc\xdfe\n", "line 2, column 2"),
        ('{"to": "+447700900101"}\n{"to": \n', "line 2, column 7"),
        ("to,text\nnobody,Hello\n+447700900101,\n", "no row names a customer"),
        ("to,text\n", "no row names a customer"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_before_anything_happens(
    runs: Runs, content: str | bytes, problem: str
) -> None:
    body = OF_TEXT | {"recipientsS3Key": upload(runs, content), "autoStart": True}
    answer = runs.actions.run("create_campaign", body)
    runs.wait()

    assert answer.status == 400
    assert answer.body["error"]["message"].startswith(f"recipientsS3Key: {problem}")
    assert timers.opened(runs.actions.harness.resources.table).ids == set()
    assert runs.sent_to() == []


def test_recipients_of_which_none_is_valid_are_refused(runs: Runs) -> None:
    body = OF_TEMPLATE | {"recipients": ["+1 5555", {"to": "+44 1111"}]}
    answer = runs.actions.run("create_campaign", body)

    assert (answer.status, "recipients: " in answer.body["error"]["message"]) == (400, True)


@pytest.mark.parametrize("start", [{}, {"autoStart": True}])
def test_a_campaign_whose_job_finds_no_valid_row_is_paused_and_never_completed(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, start: dict[str, Any]
) -> None:
    monkeypatch.setattr(recipients, "CHECKED_FIRST", 1)
    campaign = made_of_list(runs, "to\nnobody\n12\n", **start)
    runs.wait(3)
    for action in ("start_campaign", "resume_campaign"):
        assert runs.control(action, campaign).status == 409
    runs.wait(2)
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", "no_valid_recipients")
    assert (shown["totalRecipients"], shown["invalid"]) == (2, 2)
    assert timers.opened(runs.actions.harness.resources.table).ids == set()


def test_a_campaign_whose_values_fit_for_no_recipient_is_paused(runs: Runs) -> None:
    people = numbers(3)
    runs.wrote(*people)
    rows = [{"to": f"+{number}", "bodyParams": ["Ada", "too many"]} for number in people]
    campaign = runs.create(rows, autoStart=True)["campaignId"]
    runs.wait(3)
    shown = runs.show(campaign)

    assert (shown["status"], shown["pauseReason"]) == ("paused", "no_valid_recipients")
    assert (shown["invalid"], runs.sent_to()) == (3, [])


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


def test_a_campaign_whose_list_is_missing_never_completes(runs: Runs) -> None:
    key = upload(runs, json.dumps(f"+{ADA}"))
    campaign = runs.create(None, recipientsS3Key=key)["campaignId"]
    runs.actions.harness.resources.bucket.delete(key)
    runs.drain()

    runs.wait(3)
    shown = runs.show(campaign)
    assert (shown["status"], shown["pauseReason"]) == ("paused", "list_missing")
    assert runs.control("resume_campaign", campaign).error == "state_conflict"


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
