"""`python -m operations contacts`: an operator erases or exports a contact of the inbox."""

import boto3
import pytest

from operations.command_line import arguments
from operations.privacy import contacts
from shared.aws.dynamodb import Table
from shared.privacy.jobs import get, replace
from shared.runtime import clock
from tests.template import create_queue
from whatsapp.store.items.privacy import PrivacyJob

COMPANY, DIGITS = "acme", "447700900101"
GIVEN = ("--stack", "parley-dev", "--company", COMPANY)


@pytest.fixture
def table(inbox: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    known = {
        "WhatsAppTableName": inbox.name,
        "MediaBucketName": "media",
        "WhatsAppQueueUrl": create_queue(boto3.client("sqs"), "WhatsAppQueue"),
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda _, *names: {n: known[n] for n in names})
    return inbox


def done(table: Table) -> None:
    """The worker ends the job."""
    job = get(table, PrivacyJob, PrivacyJob.id_of("erase", COMPANY, DIGITS))
    assert job is not None
    receipt = {
        "run": 1,
        "requestedAt": "2026-11-28T11:00:00.000Z",
        "requestedBy": "operator",
        "finishedAt": "2026-11-28T12:00:00.000Z",
        "counts": {"MESSAGE": 3},
        "left": {"uploads": "2026-11-29T12:00:00.000Z"},
    }
    finished = {
        "state": "done",
        "counts": {"MESSAGE": 3},
        "requested_for": None,
        "receipts": [receipt],
    }
    replace(table, job.model_copy(update=finished))


def test_the_command_queues_the_job_and_prints_its_receipt(
    table: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clock, "sleep_ms", lambda _: done(table))

    assert contacts.main(["erase", *GIVEN, "--phone", "+44 7700 900101"]) == 0

    shown = capsys.readouterr().out
    assert "MESSAGE\t3" in shown
    assert "uploads\t2026-11-29" in shown


def test_a_job_that_goes_on_is_not_an_end(table: Table, capsys: pytest.CaptureFixture[str]) -> None:
    assert contacts.main(["export", *GIVEN, "--phone", f"+{DIGITS}", "--wait", "0"]) == 1
    assert "queued" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", [[], ["--phone", "+44 7700 900101", "--user-id", "GB.1"], ["--phone", "0770"]]
)
def test_one_valid_id_is_required_and_an_error_does_not_repeat_it(
    table: Table, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = contacts.main(["erase", *GIVEN, *wrong])
    except SystemExit as ended:
        code = int(ended.code or 0)

    assert code == arguments.USAGE_ERROR
    assert "0770" not in capsys.readouterr().err
