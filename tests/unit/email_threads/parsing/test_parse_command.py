"""`python -m email_threads.parsing`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from email_threads.parsing.__main__ import main
from tests.cases import each
from tests.unit.email_threads.samples import MAILS, NAMES, sample


def test_it_prints_one_json_object_for_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(MAILS / "gmail-reply.eml")]) == 0

    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == [
        "message_id", "in_reply_to", "references", "from", "to", "cc", "subject", "date", "text", "html",
        "reply_text", "attachments", "auto_submitted", "bounce", "list",
    ]  # fmt: skip
    assert printed["from"] == "maria@orchard-cafe.example"
    assert printed["in_reply_to"] == "0102018f-parley@eu-west-1.amazonses.com"
    assert printed["date"] == "2026-11-03T07:02:11Z"
    assert (printed["auto_submitted"], printed["bounce"], printed["list"]) == (False, False, False)


def test_it_runs_in_any_folder(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(  # noqa: S603 - our own interpreter and file
        [sys.executable, "-m", "email_threads.parsing", str(MAILS / "question.eml")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(run.stdout)["from"] == "maria@orchard-cafe.example"


def test_an_attachment_is_printed_with_size_and_hash(capsys: pytest.CaptureFixture[str]) -> None:
    main([str(MAILS / "html-with-inline-image.eml")])

    (image,) = json.loads(capsys.readouterr().out)["attachments"]
    assert (image["filename"], image["content_type"], image["size"]) == (
        "lamp.png",
        "image/png",
        70,
    )
    assert len(image["sha256"]) == 64


@pytest.mark.parametrize(
    ("name", "signs"),
    [
        ("bounce", ("auto_submitted", "bounce")),
        ("out-of-office", ("auto_submitted",)),
        ("mailing-list", ("list",)),
    ],
)
def test_automatic_mail_is_marked(
    name: str, signs: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(MAILS / f"{name}.eml")])

    printed = json.loads(capsys.readouterr().out)
    assert tuple(sign for sign in ("auto_submitted", "bounce", "list") if printed[sign]) == signs


def test_all_samples_are_printed_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(MAILS / f"{name}.eml") for name in NAMES]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NAMES) >= 30
    assert all(json.loads(line)["message_id"] for line in lines)


@each("name", NAMES)
def test_no_sample_is_held(name: str) -> None:
    assert sample(name).hold_reason is None


def test_an_empty_file_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.eml").touch()

    assert main([str(tmp_path / "empty.eml")]) == 0
    assert json.loads(capsys.readouterr().out)["from"] is None


@pytest.mark.parametrize(
    "field",
    [
        b"Subject: =?utf-7?Q?+2AA-?=",
        b"Content-Type: text/plain; charset=utf-7",
        b"Content-Type: application/pdf; name*=utf-7''%2B2AA-",
        b"From: \xff\xfe <a@b.example>",
        b"Content-Type: application/\xff; name=\xff",
    ],
)
def test_halves_of_characters_and_stray_bytes_are_printable(
    field: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.eml").write_bytes(field + b"\n\n+2AA-")

    assert main([str(tmp_path / "a.eml")]) == 0
    assert json.loads(capsys.readouterr().out)["message_id"]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["no-such-file.eml"]])
def test_a_missing_file_is_reported(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert "usage" in printed.err or "No such file" in printed.err
