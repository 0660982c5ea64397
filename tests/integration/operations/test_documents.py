"""`python -m operations documents`: uploads a folder, and searches one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from operations.__main__ import main as operations
from operations.ai.documents import BUCKET
from operations.command_line import arguments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "documents-of-newsletters"
UPLOAD = ("documents", "upload", "--stack", "parley-dev", "--company", "acme")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "library"
    (documents / "trials").mkdir(parents=True)
    (documents / "trials/teff.md").write_text("# Teff\n\nThe early variety gave 1.9 tonnes.\n")
    (documents / "trials/teff.md.metadata.json").write_text(
        '{"metadataAttributes": {"title": "Trial of teff", "url": "https://a.example/teff", "date": "2026-11-20"}}'
    )
    (documents / "honey.txt").write_text("Beekeepers sell their honey together.")
    (documents / "picture.png").write_bytes(b"\x89PNG")
    return documents


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with mock_aws():
        boto3.client("s3").create_bucket(Bucket=NAME)
        monkeypatch.setattr(arguments, "outputs_of", lambda _, *__: {BUCKET: NAME})
        yield NAME


def keys(bucket: str) -> list[str]:
    listed = boto3.client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])
    return [entry["Key"] for entry in listed]


def test_a_folder_is_uploaded_with_its_metadata_and_a_search_of_the_stack_finds_it(
    bucket: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert operations([*UPLOAD, str(folder)]) == 0

    assert keys(bucket) == [
        "corpus/acme/honey.txt",
        "corpus/acme/trials/teff.md",
        "corpus/acme/trials/teff.md.metadata.json",
    ]
    assert "2 documents of acme are in the bucket" in capsys.readouterr().out
    search = ("documents", "search", "--stack", "parley-dev", "--company", "acme", "early variety")
    assert operations(search) == 0
    shown = capsys.readouterr().out
    assert "2026-11-20  Trial of teff  https://a.example/teff" in shown
    assert "The early variety gave 1.9 tonnes." in shown


def test_a_folder_is_searched_without_aws(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert operations(["documents", "search", "--folder", str(folder), "honey"]) == 0

    shown = capsys.readouterr().out.splitlines()
    assert shown[-1] == "1 passages"
    assert "undated" in shown[0]
    assert (
        operations(
            ["documents", "search", "--folder", str(folder), "--since", "2026-11-01", "honey"]
        )
        == 0
    )
    assert capsys.readouterr().out == "0 passages\n"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--since", "yesterday", "honey"), "--since"),
        (("--since", "2026-1-1", "honey"), "--since"),
    ],
)
def test_a_bad_search_names_the_argument(
    folder: Path, given: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert operations(["documents", "search", "--folder", str(folder), *given]) != 0

    assert problem in capsys.readouterr().err


def test_a_folder_without_documents_is_refused_and_nothing_is_uploaded(
    bucket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()

    assert operations([*UPLOAD, str(tmp_path / "empty")]) != 0

    assert "folder: has no .md, .txt or .html files" in capsys.readouterr().err
    assert keys(bucket) == []


def test_a_search_of_a_stack_needs_its_company(capsys: pytest.CaptureFixture[str]) -> None:
    assert operations(["documents", "search", "--stack", "parley-dev", "honey"]) != 0

    assert "--company" in capsys.readouterr().err
