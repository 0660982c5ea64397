"""Dead letters: seen with their reasons, put back once."""

from typing import Any

import pytest

from shared import clock
from shared.aws.sqs_fifo import digest
from tests.integration.whatsapp.conftest import NOW, Desk, text
from whatsapp.api.views import DeadLetterView, Redriven
from whatsapp.inbound.splitter import Delivery, events_of, queue_entry
from whatsapp.recovery import dead_letters
from whatsapp.recovery.parking import note_dead_letter
from whatsapp.resources import Depot


def bury(depot: Depot, identity: str) -> str:
    """Put a message among the dead letters; its body."""
    change = {"field": "messages", "value": {"messages": [text(identity)]}}
    delivery = Delivery(source="meta", app="1", accepted_at=NOW - 60_000)
    [event] = events_of({"entry": [{"id": "1", "changes": [change]}]}, delivery)
    entry = queue_entry(event)
    depot.dead_letters.client.send_message(
        QueueUrl=depot.dead_letters.url, MessageBody=entry.body, MessageGroupId=entry.group,
        MessageDeduplicationId=digest(identity),
    )  # fmt: skip
    return entry.body


def bury_social(depot: Depot, body: str) -> None:
    depot.social_dead_letters.client.send_message(
        QueueUrl=depot.social_dead_letters.url, MessageBody=body
    )


def letters(depot: Depot) -> list[DeadLetterView]:
    return dead_letters.listed(depot, limit=100).letters


def redriven(depot: Depot, ids: list[str] | None = None, limit: int = 100) -> list[Redriven]:
    told: list[Redriven] = []
    dead_letters.redrive(depot, ids=ids, limit=limit, tell=told.append)
    return told


def test_a_letter_shows_what_its_last_attempt_raised_and_stays(desk: Desk, depot: Depot) -> None:
    body = bury(depot, "wamid.1")
    note_dead_letter(desk.resources, body, "ClientError: PutItem: InternalServerError", 5)

    for _ in range(2):
        [letter] = letters(depot)
        assert (letter.kind, letter.reason, letter.attempts) == (
            "message",
            "ClientError: PutItem: InternalServerError",
            5,
        )
        assert letter.correlation_id == digest("wamid.1")[:26]
        assert letter.received_at == clock.to_text(NOW - 60_000)
    assert depot.dead_letters.count() == 1


def test_a_letter_whose_run_was_killed_has_no_reason_and_says_so(depot: Depot) -> None:
    bury(depot, "wamid.1")

    assert [(letter.reason, letter.attempts) for letter in letters(depot)] == [
        ("no_error_reported", None)
    ]


def test_redriven_letters_are_on_the_queue_unchanged_in_their_lane_and_gone_here(
    desk: Desk, depot: Depot
) -> None:
    bodies = {bury(depot, f"wamid.{n}") for n in range(12)}

    told = redriven(depot)

    assert {entry.body for entry in desk.outbox.entries} == bodies
    assert len({entry.group for entry in desk.outbox.entries}) == 1
    assert len({entry.deduplication for entry in desk.outbox.entries}) == 12
    assert (len(told), letters(depot), depot.dead_letters.count()) == (12, [], 0)


def test_one_letter_is_redriven_and_the_others_stay(desk: Desk, depot: Depot) -> None:
    for n in range(3):
        bury(depot, f"wamid.{n}")
    wanted = letters(depot)[1]

    told = redriven(depot, [wanted.id, "not there"])

    assert [one.id for one in told] == [wanted.id]
    assert len(desk.outbox.entries) == 1
    assert len(letters(depot)) == 2


def test_a_letter_that_dies_again_shows_that_it_was_redriven(
    desk: Desk, depot: Depot, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = bury(depot, "wamid.1")
    note_dead_letter(desk.resources, body, "TypeError", 5)
    redriven(depot)
    monkeypatch.setattr(clock, "now_ms", lambda: NOW + 1)
    depot.dead_letters.client.send_message(
        QueueUrl=depot.dead_letters.url, MessageBody=body, MessageGroupId="g",
        MessageDeduplicationId="again",
    )  # fmt: skip

    [letter] = letters(depot)
    # The reason that is known is of its first death.
    assert (letter.reason, letter.redriven_at) == ("no_error_reported", clock.to_text(NOW))
    note_dead_letter(desk.resources, body, "KeyError", 5)
    [letter] = letters(depot)
    assert (letter.reason, letter.redriven_at) == ("KeyError", clock.to_text(NOW))


def test_a_limit_counts_what_is_put_back(desk: Desk, depot: Depot) -> None:
    for n in range(3):
        bury(depot, f"wamid.{n}")

    assert len(redriven(depot, limit=2)) == 2
    assert depot.dead_letters.count() == 1


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
def test_a_social_letter_that_cannot_be_put_back_stays_and_tells_why(
    desk: Desk, depot: Depot, body: str, why: str
) -> None:
    bury_social(depot, body or " ")

    told = redriven(depot)

    assert [(one.queue, one.refused) for one in told] == [("social", why)]
    assert (desk.outbox.entries, depot.social_dead_letters.count()) == ([], 1)


@pytest.mark.parametrize(
    ("response", "shown"),
    [
        ({"errorType": "NotEnqueued"}, "NotEnqueued"),
        ({"errorType": "call +44 7700 900101"}, "no_error_reported"),
        ({"errorMessage": "secret"}, "RetriesExhausted"),
    ],
)
def test_a_social_letter_shows_the_name_of_its_failure_and_no_text(
    depot: Depot, response: dict[str, Any], shown: str
) -> None:
    context = {"condition": "RetriesExhausted", "approximateInvokeCount": 3}
    body = {"requestContext": context, "responsePayload": response, "requestPayload": {}}
    bury_social(depot, str(body).replace("'", '"'))

    assert [(letter.reason, letter.attempts) for letter in letters(depot)] == [(shown, 3)]
