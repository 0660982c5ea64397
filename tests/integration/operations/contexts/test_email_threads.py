"""`python -m operations email-threads migrate`: completes the threads of an older system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from operations.__main__ import main as operations
from operations.command_line import arguments
from tests.simulation.email_threads.system import ANN, BOB, COMPANY, MAILBOX, System, mail
from tests.simulation.kernel import running

if TYPE_CHECKING:
    from collections.abc import Iterator

OLD = "a1b2c3d4e5f6a7b8"
COMMAND = ("email-threads", "migrate", "--stack", "parley-dev", "--company", COMPANY)


def entry(number: int, sender: str = ANN, **more: Any) -> dict[str, Any]:
    """A mail as the contract describes it."""
    return {
        "email_id": f"old-{number}",
        "message_id": f"<{number}@x>",
        "in_reply_to": f"<{number - 1}@x>" if number else None,
        "references": [f"<{before}@x>" for before in range(number)],
        "from": sender.upper(),
        "to": [MAILBOX],
        "cc": [],
        "subject": "Chairs",
        "body": f"Text {number}. " + "word " * 1_500 * (number == 1),
        "timestamp": f"2026-01-0{number + 1}T10:30:00Z",
        "direction": "inbound",
        "attachments": [],
        "metadata": {},
    } | more


def head(**more: Any) -> dict[str, Any]:
    return {
        "conversation_id": OLD,
        "created_at": "2025-11-01T10:30:00Z",
        "updated_at": "2025-11-02T10:30:00Z",
        "status": "completed",
        "original_message_id": "<0@x>",
        "subject": "Chairs",
        "participants": {ANN, MAILBOX},
        "thread_references": ["<0@x>", "<1@x>"],
        "email_history": [entry(0), entry(1, BOB), entry(2)],
        "requirements": {"title": "Twelve chairs"},
    } | more


@pytest.fixture(scope="module")
def _system() -> Iterator[System]:
    with running(System) as system:
        yield system


@pytest.fixture
def system(_system: System, monkeypatch: pytest.MonkeyPatch) -> System:
    outputs = {"EmailThreadsTableName": _system.table, "EmailBucketName": _system.bucket}
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: outputs)
    return _system.reset()


def put(system: System, item: dict[str, Any]) -> None:
    boto3.resource("dynamodb").Table(system.table).put_item(Item=item)


def migrate(*more: str) -> int:
    return operations([*COMMAND, "--mailbox", MAILBOX, *more])


def test_a_thread_of_an_older_system_is_completed(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    put(system, head())
    assert system.call("GET", f"/email-threads/{OLD}")[0] == 404

    assert migrate("--apply") == 0

    assert "1 threads with 3 mails completed; 0 could not be read" in capsys.readouterr().out
    (thread,) = system.threads()
    assert thread["requirements"] == {"title": "Twelve chairs"}
    assert (thread["last_seq"], thread["email_count"], thread["last_inbound_n"]) == (0, 3, 3)
    assert thread["last_updated_at"] == thread["updated_at"] == "2025-11-02T10:30:00Z"
    assert thread["ttl"] == system.clock.ms // 1_000 + 30 * 86_400
    status, body = system.call("GET", f"/email-threads/{OLD}/emails/2")
    assert status == 200
    assert len(body["result"]["body"]) > 7_000
    assert body["result"]["from"] == BOB
    for query in ({"status": "completed"}, {"participant": BOB}, {"participant": ANN}):
        _, body = system.call("GET", "/email-threads", query=query)
        assert [one["conversation_id"] for one in body["result"]["threads"]] == [OLD], query


def test_an_answer_joins_a_completed_thread(system: System) -> None:
    put(system, head())
    migrate("--apply")

    system.deliver(mail("3@x", in_reply_to="2@x"), name="1", address=MAILBOX)
    system.drain()

    (thread,) = system.threads()
    assert (thread["conversation_id"], thread["email_count"], thread["status"]) == (
        OLD,
        4,
        "active",
    )


def test_without_apply_nothing_is_written(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    put(system, head())
    before = system.rows()

    assert migrate() == 0

    assert "1 threads with 3 mails to complete" in capsys.readouterr().out
    assert system.rows() == before


def test_a_run_that_dies_is_repeated(system: System) -> None:
    put(system, head())
    put(system, head(conversation_id="b" * 16, email_history=[entry(7)]))
    migrate("--apply")
    done = system.rows()
    system.reset()
    put(system, head())
    put(system, head(conversation_id="b" * 16, email_history=[entry(7)]))
    system.interceptor.fails_if = lambda call: call == f"dynamodb.UpdateItem {OLD}"
    assert migrate("--apply") == 1
    assert [one for one in system.threads() if "company_id" not in one]

    system.interceptor.rewind()
    assert migrate("--apply") == 0

    assert system.rows() == done


@pytest.mark.parametrize(
    ("item", "name"),
    [
        (head(updated_at="yesterday"), "updated_at"),
        (head(status="open"), "status"),
        (head(email_history=[entry(0) | {"direction": "sideways"}]), "direction"),
        (head(email_history=["no mail"]), "email_history[0]"),
    ],
)
def test_a_thread_that_cannot_be_read_is_left_and_reported(
    system: System, capsys: pytest.CaptureFixture[str], item: dict[str, Any], name: str
) -> None:
    put(system, item)
    before = system.rows()

    assert migrate("--apply") == 1

    assert name in capsys.readouterr().out
    assert system.rows() == before
