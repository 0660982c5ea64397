"""Dead letters: listed with their reasons, redriven once."""

from typing import Any

import pytest

from shared.aws.sqs_fifo import digest
from shared.events.recovery import dead_letters
from shared.events.recovery.port import Recovery
from shared.events.recovery.views import DeadLetter, Redriven
from shared.runtime import clock
from tests.integration.whatsapp.conftest import NOW, Harness, text
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.recovery.parking import note_dead_letter
from whatsapp.store.items import WebhookEvent


def put_dead_letter(recovery: Recovery[WebhookEvent], identity: str) -> str:
    """Put a message on the dead-letter queue; returns its body."""
    change = {"field": "messages", "value": {"messages": [text(identity)]}}
    delivery = Delivery(source="meta", app="1", accepted_at=NOW - 60_000)
    [event] = events_of({"entry": [{"id": "1", "changes": [change]}]}, delivery)
    entry = queue_entry(event)
    recovery.dead_letters[0].letters.client.send_message(
        QueueUrl=recovery.dead_letters[0].letters.url, MessageBody=entry.body, MessageGroupId=entry.group,
        MessageDeduplicationId=digest(identity),
    )  # fmt: skip
    return entry.body


def put_social_dead_letter(recovery: Recovery[WebhookEvent], body: str) -> None:
    recovery.dead_letters[1].letters.client.send_message(
        QueueUrl=recovery.dead_letters[1].letters.url, MessageBody=body
    )


def letters(recovery: Recovery[WebhookEvent]) -> list[DeadLetter]:
    return dead_letters.listed(recovery.dead_letters, limit=100).letters


def redriven(
    recovery: Recovery[WebhookEvent], ids: list[str] | None = None, limit: int = 100
) -> list[Redriven]:
    redrives: list[Redriven] = []
    dead_letters.redrive(recovery.dead_letters, ids=ids, limit=limit, report=redrives.append)
    return redrives


def test_a_letter_shows_the_error_of_its_last_attempt_and_stays_in_the_queue(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    body = put_dead_letter(recovery, "wamid.1")
    note_dead_letter(harness.resources, body, "ClientError: PutItem: InternalServerError", 5)

    for _ in range(2):
        [letter] = letters(recovery)
        assert (letter.kind, letter.reason, letter.attempts) == (
            "message",
            "ClientError: PutItem: InternalServerError",
            5,
        )
        assert letter.correlation_id == digest("wamid.1")[:26]
        assert letter.received_at == clock.to_text(NOW - 60_000)
    assert recovery.dead_letters[0].letters.count() == 1


def test_a_letter_whose_run_was_killed_has_the_reason_no_error_reported(
    recovery: Recovery[WebhookEvent],
) -> None:
    put_dead_letter(recovery, "wamid.1")

    assert [(letter.reason, letter.attempts) for letter in letters(recovery)] == [
        ("no_error_reported", None)
    ]


def test_redriven_letters_move_unchanged_to_their_lane_of_the_queue(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    bodies = {put_dead_letter(recovery, f"wamid.{n}") for n in range(12)}

    redrives = redriven(recovery)

    assert {entry.body for entry in harness.outbox.entries} == bodies
    assert len({entry.group for entry in harness.outbox.entries}) == 1
    assert len({entry.deduplication for entry in harness.outbox.entries}) == 12
    assert (len(redrives), letters(recovery), recovery.dead_letters[0].letters.count()) == (
        12,
        [],
        0,
    )


def test_one_letter_is_redriven_and_the_others_stay(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    for n in range(3):
        put_dead_letter(recovery, f"wamid.{n}")
    wanted = letters(recovery)[1]

    redrives = redriven(recovery, [wanted.id, "not there"])

    assert [one.id for one in redrives] == [wanted.id]
    assert len(harness.outbox.entries) == 1
    assert len(letters(recovery)) == 2


def test_a_letter_that_dies_again_shows_that_it_was_redriven(
    harness: Harness, recovery: Recovery[WebhookEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = put_dead_letter(recovery, "wamid.1")
    note_dead_letter(harness.resources, body, "TypeError", 5)
    redriven(recovery)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 1)
    recovery.dead_letters[0].letters.client.send_message(
        QueueUrl=recovery.dead_letters[0].letters.url, MessageBody=body, MessageGroupId="g",
        MessageDeduplicationId="again",
    )  # fmt: skip

    [letter] = letters(recovery)
    # The stored reason is from its first failure.
    assert (letter.reason, letter.redriven_at) == ("no_error_reported", clock.to_text(NOW))
    note_dead_letter(harness.resources, body, "KeyError", 5)
    [letter] = letters(recovery)
    assert (letter.reason, letter.redriven_at) == ("KeyError", clock.to_text(NOW))


def test_a_limit_counts_redriven_letters(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    for n in range(3):
        put_dead_letter(recovery, f"wamid.{n}")

    assert len(redriven(recovery, limit=2)) == 2
    assert recovery.dead_letters[0].letters.count() == 1


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "unreadable"),
        ("{}", "unreadable"),
        ('{"Records": 7}', "unreadable"),
        ('{"Records": []}', "unreadable"),
        ('{"requestPayload": "x"}', "unreadable"),
        ('{"Records": [{"Sns": {"TopicArn": "other", "Message": "{}"}}]}', "unknown_topic"),
    ],
)
def test_a_social_letter_that_cannot_be_redriven_stays_and_has_its_reason(
    harness: Harness, recovery: Recovery[WebhookEvent], body: str, why: str
) -> None:
    put_social_dead_letter(recovery, body or " ")

    redrives = redriven(recovery)

    assert [(one.queue, one.refused) for one in redrives] == [("social", why)]
    assert (harness.outbox.entries, recovery.dead_letters[1].letters.count()) == ([], 1)


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ({"errorType": "NotEnqueued"}, "NotEnqueued"),
        ({"errorType": "call +44 7700 900101"}, "no_error_reported"),
        ({"errorMessage": "secret"}, "RetriesExhausted"),
    ],
)
def test_a_social_letter_shows_the_name_of_its_failure_and_no_text(
    recovery: Recovery[WebhookEvent], response: dict[str, Any], shown: str
) -> None:
    context = {"condition": "RetriesExhausted", "approximateInvokeCount": 3}
    body = {"requestContext": context, "responsePayload": response, "requestPayload": {}}
    put_social_dead_letter(recovery, str(body).replace("'", '"'))

    assert [(letter.reason, letter.attempts) for letter in letters(recovery)] == [(shown, 3)]
