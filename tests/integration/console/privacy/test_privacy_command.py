"""`python -m operations privacy`: an operator erases or exports a person by the API's requests."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from operations.command_line import arguments
from operations.privacy import people as command
from operations.privacy.people import Requests
from tests.integration.console.people import (
    ADA,
    CANARY,
    COMPANY,
    MAIL,
    OTHER,
    WORDS,
    People,
)
from tests.integration.console.privacy.requests import LEE, Desk

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


GIVEN = ("--stack", "parley-dev", "--company", COMPANY)
PERSON = ("--phone", "+44 7700 900101", "--reason", "asked by mail", "--reference", "case-7")


@pytest.fixture
def desk(people: People, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The function of the stack, which has its outputs' names."""
    found = Desk(people)
    outputs = {
        command.INBOX: people.inbox.table.name,
        command.CONTACTS: people.deps.tables.contacts.name,
        command.MEDIA: people.deps.bucket.name,
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda _, *names: {n: outputs[n] for n in names})
    made = command.requests_of

    def requests_of(options: argparse.Namespace) -> Requests:
        own = made(options)
        return Requests(found.client, own.stage, own.company, own.contacts, own.bucket)

    monkeypatch.setattr(command, "requests_of", requests_of)
    return found


def call(kind: str, *more: str) -> int:
    return command.main([kind, *GIVEN, *more])


@pytest.mark.usefixtures("desk")
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
    others = ["status", "--stack", "x", "--company", "globex", "--request", request]
    assert command.main(others) == 1


@pytest.mark.usefixtures("desk")
def test_a_dry_run_shows_the_names_of_the_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("erase", *PERSON, "--dry-run") == 0

    shown = capsys.readouterr().out
    assert shown.startswith(f"phone\t+{ADA}\nemail\t{MAIL}\nprofiles\t2\n")
    assert "conversations of whatsapp\t1\n" in shown


@pytest.mark.usefixtures("desk")
def test_an_export_is_one_zip_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "person.zip"

    assert call("export", *PERSON, "--output", str(path)) == 0

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with ZipFile(path) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert sum(CANARY in text for text in texts.values()) == 4
    assert OTHER not in str(texts)


def test_an_operator_sets_that_another_person_confirms(
    desk: Desk, people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [call("settings", *more) for more in ((), ("--four-eyes", "on"))] == [0, 0]
    assert capsys.readouterr().out == "four_eyes\toff\nfour_eyes\ton\n"

    assert call("erase", *PERSON) == 1
    printed = capsys.readouterr()
    assert "another administrator confirms" in printed.err
    request = printed.out.splitlines()[0].split("\t")[1]
    desk.post(f"/{request}/confirm", by=LEE)
    desk.drain()

    assert call("status", "--request", request) == 0
    assert people.left(*WORDS) == []


@pytest.mark.usefixtures("desk")
def test_a_wrong_call_is_refused_and_repeats_no_name(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    for given, code in (
        (("erase", "--reason", "asked"), 2),
        (("erase", "--reason", "asked", "--phone", "+447700900101", "--email", "a@b.example"), 2),
        (("erase", "--phone", "0770", "--reason", "asked"), None),
        (("erase", "--email", "ann at home", "--reason", "asked"), None),
        (("erase", "--user-id", "ann at", "--reason", "asked"), None),
        (("erase", "--phone", "+447700900101"), None),
        (("erase", "--phone", "+447700900101", "--reason", ""), None),
        (("erase", "--external-id", "C-1001", "--reason", "asked"), 1),
        (("status", "--request", "0" * 32), 1),
        (("status", "--request", "not an id"), None),
    ):
        kind, *more = given
        if code is None:
            with pytest.raises(SystemExit):
                call(kind, *more)
        else:
            assert call(kind, *more) == code, given

    printed = capsys.readouterr()
    assert not any(text in printed.out + printed.err for text in ("0770", "ann at", "900101"))
    assert people.left("PRIVACY#") == []
