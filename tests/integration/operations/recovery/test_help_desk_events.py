"""`python -m operations recovery --context richpanel`: parked events of the help desk are listed and replayed."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from operations.command_line import arguments
from operations.recovery import cli, contexts
from richpanel.store import audits, events, states
from richpanel.store.items import TTL_ATTRIBUTE, DeadLetter, Event, EventStatus, Mode
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.template import create_queue, create_table, template

STACK = "parley-dev"
TABLES = {
    "RichpanelIdempotencyTableName": "RichpanelIdempotencyTable",
    "RichpanelConversationStateTableName": "RichpanelConversationStateTable",
    "RichpanelAuditActionsTableName": "RichpanelAuditActionsTable",
}
QUEUES = {
    "RichpanelQueueUrl": "RichpanelQueue",
    "RichpanelLiveQueueUrl": "RichpanelLiveQueue",
    "RichpanelDeadLettersUrl": "RichpanelDeadLetters",
}


@pytest.fixture
def outputs(inbox: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A stack on moto, by its outputs; `inbox` has started moto."""
    del inbox
    sqs, dynamodb = boto3.client("sqs"), boto3.client("dynamodb")
    known = {
        **{output: create_table(dynamodb, name) for output, name in TABLES.items()},
        **{output: create_queue(sqs, queue) for output, queue in QUEUES.items()},
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: known)
    return known


def run(command: str, *given: str) -> int:
    return cli.main([command, "--stack", STACK, "--context", "richpanel", *given])


def table(outputs: dict[str, str], output: str) -> Table:
    return Table(boto3.client("dynamodb"), outputs[output], TTL_ATTRIBUTE)


def park(outputs: dict[str, str], conversation_id: str, message: str, reason: str) -> str:
    """Park an event as the worker does; returns its id."""
    now = clock.to_text(clock.now_ms())
    row = Event(
        event_id=Event.key(conversation_id, message),
        conversation_id=conversation_id,
        created_at=now,
        last_processed_at=now,
        status=EventStatus.PARKED,
        mode=Mode.ROUTE_ONLY,
        safe_mode=True,
        automation_enabled=False,
        payload_sha256="0" * 64,
        payload_bytes=1,
        reason=reason,
        expires_at=Event.time_to_live(),
    )
    kept = events.park(table(outputs, "RichpanelIdempotencyTableName"), row)
    audits.list_parked(table(outputs, "RichpanelAuditActionsTableName"), kept, reason)
    return kept.event_id


def on_queue(outputs: dict[str, str]) -> list[dict[str, Any]]:
    answer = boto3.client("sqs").receive_message(
        QueueUrl=outputs["RichpanelQueueUrl"], MaxNumberOfMessages=10
    )
    return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


def lines(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    return [line.split("\t") for line in capsys.readouterr().out.splitlines()]


def test_parked_events_are_listed_with_their_reasons_and_replayed_by_their_conversations(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    event_id = park(outputs, "t-1", "m-1", "richpanel_400")
    park(outputs, "t-2", "m-1", "too_large")
    assert run("parked", "--reason", "richpanel_400") == 0
    ((shown, state, reason, kind, *_),) = lines(capsys)
    assert (shown, state, reason, kind) == (event_id, "open", "richpanel_400", "message")

    assert run("replay", event_id) == 0

    assert lines(capsys) == [[event_id, "replayed", "richpanel_400", "t-1"]]
    (nudge,) = on_queue(outputs)
    assert (nudge["conversation_id"], nudge["source"]) == ("t-1", "replay")
    row = events.get_many(table(outputs, "RichpanelIdempotencyTableName"), [event_id])[event_id]
    assert (row.status, row.replay_count, row.replayed_by) == ("processing", 1, "operations")


def test_events_that_cannot_be_replayed_are_named_and_the_others_are_replayed(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    unreadable = park(outputs, "unknown", "0" * 64, "malformed_event")
    erased = park(outputs, "t-1", "m-1", "too_large")
    states.replace_with_tombstone(
        table(outputs, "RichpanelConversationStateTableName"), "t-1", 1_000
    )
    good = park(outputs, "t-2", "m-1", "too_large")

    assert run("replay", "--all") == 1

    outcomes = {line[0]: line[1] for line in lines(capsys)}
    assert outcomes == {
        unreadable: "refused: unreadable",
        erased: "refused: erased",
        good: "replayed",
    }
    assert run("replay", "evt:rp:t-9:m-1") == 1
    assert "not found" in capsys.readouterr().err


def test_dead_letters_are_listed_and_redriven_with_a_trace(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for body in ("no event", "another"):
        boto3.client("sqs").send_message(
            QueueUrl=outputs["RichpanelDeadLettersUrl"], MessageBody=body,
            MessageGroupId=body[:2], MessageDeduplicationId=body[:2],
        )  # fmt: skip
    note = DeadLetter(
        event_id=DeadLetter.key("another"),
        reason="richpanel_500",
        attempts=5,
        died_at=clock.to_text(clock.now_ms()),
        expires_at=DeadLetter.time_to_live(),
    )
    events.note_dead_letter(table(outputs, "RichpanelIdempotencyTableName"), note)
    assert run("dead-letters") == 0
    shown = sorted(lines(capsys), key=lambda line: line[2])
    assert [line[1:4] for line in shown] == [
        ["richpanel", "no_error_reported", "unreadable"],
        ["richpanel", "richpanel_500", "unreadable"],
    ]
    letter = shown[0][0]

    assert run("redrive", letter) == 0

    assert "about 1 in the queue `richpanel`" in capsys.readouterr().err
    (trace,), _ = audits.page(
        table(outputs, "RichpanelAuditActionsTableName"), "sys:switches", limit=10
    )
    assert json.loads(trace.action_payload_redacted)["who"] == "operations"


@pytest.mark.usefixtures("outputs")
@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["parked", "--company", "acme"], 2, "--company"),
        (["replay", "--over-quota"], 1, "richpanel has no quota"),
    ],
)
def test_an_option_that_the_help_desk_context_lacks_is_refused_with_the_reason(
    capsys: pytest.CaptureFixture[str], given: list[str], code: int, said: str
) -> None:
    assert run(*given) == code
    assert said in capsys.readouterr().err


def test_the_template_has_the_outputs_that_the_command_looks_up() -> None:
    found = template()["Outputs"]

    for output, name in {**TABLES, **QUEUES}.items():
        assert found[output]["Value"] == {"Ref": name}
    assert set(contexts.OUTPUTS["richpanel"]) == {*TABLES, *QUEUES}
