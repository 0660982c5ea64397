"""`python -m operations privacy`: an operator erases or exports a person in all contexts by one request."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import boto3
import pytest

from operations.command_line import arguments
from operations.privacy import people as command
from shared.identity import keyed_hashes
from tests.integration.console.people import (
    ADA,
    CANARY,
    COMPANY,
    MAIL,
    OTHER,
    WORDS,
    People,
    people_on_moto,
)
from tests.template import create_queue

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.console.system import InboxSystem
    from tests.integration.whatsapp.conftest import Harness

GIVEN = ("--stack", "parley-dev", "--company", COMPANY)
PERSON = ("--phone", "+44 7700 900101", "--reason", "asked by mail", "--reference", "case-7")


@pytest.fixture
def people(harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch) -> People:
    found = people_on_moto(harness, inbox, monkeypatch)
    found.store()
    # Queues are lists here: see `test_the_command_uses_the_resources_of_the_stack`.
    monkeypatch.setattr(command, "dependencies", lambda _: found.deps)
    return found


def call(kind: str, *more: str) -> int:
    return command.main([kind, *GIVEN, *more])


def test_an_erasure_prints_the_receipts_of_all_contexts_and_names_no_person(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("erase", *PERSON) == 0

    printed = capsys.readouterr()
    lines = [line.split("\t") for line in printed.out.splitlines()]
    counts = {(line[0], line[1]): line[2] for line in lines if len(line) == 3}
    assert counts["whatsapp", "MESSAGE"] == "1"
    assert counts["email_threads", "mail"] == "1"
    assert counts["conversations", "messages"] == "1"
    assert counts["contacts", "profiles"] == "2"
    assert {line[1] for line in lines if len(line) == 5} >= {"kept", "outside"}
    assert not any(word in printed.out + printed.err for word in (*WORDS, "900101"))
    assert people.left(*WORDS) == []

    (request,) = (line[1] for line in lines if line[0] == "request")
    assert call("status", "--request", request) == 0
    assert capsys.readouterr().out == printed.out


def test_a_dry_run_shows_the_identifiers_and_changes_nothing(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    before = people.left(*WORDS)

    assert call("erase", *PERSON, "--dry-run") == 0

    assert capsys.readouterr().out == f"phone\t+{ADA}\nemail\t{MAIL}\nprofiles\t2\n"
    assert people.left(*WORDS) == before
    assert people.left("PRIVACY#") == []


def test_a_request_that_waits_is_continued_by_the_next_call(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("erase", *PERSON, "--wait", "0") == 1
    assert "state\trunning" in capsys.readouterr().out

    people.begin_process()
    assert call("erase", *PERSON) == 0

    assert people.left(*WORDS) == []
    assert "state\tdone" in capsys.readouterr().out


def test_an_export_is_one_zip_with_an_index_that_only_its_owner_reads(
    people: People, tmp_path: Path
) -> None:
    path = tmp_path / "person.zip"

    assert call("export", *PERSON, "--output", str(path)) == 0

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with ZipFile(path) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    index = texts.pop("index.html")
    assert {name.partition("-")[0] for name in texts} == {
        "whatsapp",
        "email_threads",
        "conversations",
        "contacts",
    }
    assert sum(CANARY in text for text in texts.values()) == 4
    assert OTHER not in str(texts)
    assert all(f'href="{name}"' in index for name in texts)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (("erase", "--reason", "asked"), 2),
        (("erase", "--phone", "0770", "--reason", "asked"), None),
        (("erase", "--email", "ann at home", "--reason", "asked"), None),
        (("erase", "--user-id", "ann at", "--reason", "asked"), None),
        (("erase", "--phone", "+447700900101"), None),
        (("erase", "--phone", "+447700900101", "--reason", ""), None),
        (("status", "--request", "0" * 32), 1),
        (("status", "--request", "not an id"), 1),
    ],
)
def test_a_wrong_call_is_refused_and_repeats_no_identifier(
    people: People, given: tuple[str, ...], code: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, *more = given
    if code is None:
        with pytest.raises(SystemExit):
            call(kind, *more)
    else:
        assert call(kind, *more) == code

    printed = capsys.readouterr()
    assert not any(text in printed.out + printed.err for text in ("0770", "ann at", "900101"))
    assert people.left("PRIVACY#") == []


def test_a_request_of_another_company_is_not_shown(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("erase", *PERSON) == 0
    request = capsys.readouterr().out.splitlines()[0].split("\t")[1]

    assert (
        command.main(["status", "--stack", "x", "--company", "globex", "--request", request]) == 1
    )


def test_the_command_uses_the_resources_of_the_stack(
    harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = people_on_moto(harness, inbox, monkeypatch)
    conversations = own.conversations
    sqs, secrets = boto3.client("sqs"), boto3.client("secretsmanager")
    secrets.create_secret(Name="identifier keys", SecretString='{"identifier_key": "a key"}')
    outputs: dict[str, Any] = {
        command.INBOX: inbox.tables.inbox.name,
        command.CONTACTS: inbox.tables.contacts.name,
        command.WHATSAPP: harness.resources.table.name,
        command.WHATSAPP_QUEUE: create_queue(sqs, "WhatsAppQueue"),
        command.EMAIL: own.mails.table.name,
        command.EMAIL_QUEUE: create_queue(sqs, "EmailThreadsQueue"),
        command.EMAIL_BUCKET: own.mails.bucket.name,
        command.CONVERSATIONS: conversations.table.name,
        command.LOG: conversations.log.name,
        command.MEDIA: harness.resources.bucket.name,
        command.HELP_DESK: own.help_desk.table.name,
        command.HELP_DESK_KEYS: "help desk",
        command.KEYS: "identifier keys",
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda _, *names: {n: outputs[n] for n in names})
    monkeypatch.setattr(keyed_hashes, "_secret", keyed_hashes._secret)

    assert call("erase", *PERSON, "--wait", "0") == 1

    queued = sqs.receive_message(QueueUrl=outputs[command.WHATSAPP_QUEUE])["Messages"]
    assert len(queued) == 1
