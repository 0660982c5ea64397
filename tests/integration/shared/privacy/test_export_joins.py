"""The parts of an export become one file: in steps of bounded size, from any interruption."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from shared.aws.s3 import Bucket
from shared.privacy import exports
from shared.privacy.exports import ExportFolder, Joining

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIX = "exports/acme/job/1/"
LINES = f"{PREFIX}contact.jsonl"
LINE: dict[str, object] = {"kind": "MESSAGE", "item": {"textBody": "x" * 200_000}}


class Killed(Exception):
    """The process ended."""


class Watched:
    """A bucket that counts its calls, and ends the process before or after one of them."""

    def __init__(self) -> None:
        client: Any = boto3.client("s3")
        client.create_bucket(Bucket="media")
        self.bucket = Bucket(lambda: client, "media")
        self.calls: Counter[str] = Counter()
        self._lock = Lock()
        self.killed_at: tuple[int, str] | None = None
        self._call = client._make_api_call
        client._make_api_call = self._count

    def _count(self, operation: str, parameters: Any) -> Any:
        with self._lock:
            self.calls[operation] += 1
            number = self.calls.total()
        if self.killed_at == (number, "before"):
            raise Killed
        try:
            answer = self._call(operation, parameters)
        except KeyError:  # moto, where S3 answers this error
            raise ClientError({"Error": {"Code": "NoSuchUpload"}}, operation) from None
        if self.killed_at == (number, "after"):
            raise Killed
        return answer


@pytest.fixture
def watched() -> Iterator[Watched]:
    with mock_aws():
        yield Watched()


def folder_with(watched: Watched, pages: int, lines: int = 5) -> tuple[ExportFolder, bytes]:
    """A folder with parts of a megabyte, and their joined content."""
    folder = ExportFolder(watched.bucket, PREFIX, "contact.jsonl")
    for page in range(pages):
        folder.put_part(page, [{"page": page}, *[LINE] * lines])
    names = watched.bucket.all_keys_under(f"{PREFIX}parts/")
    content = b"".join(watched.bucket.get(name) for name in names)
    watched.calls.clear()
    return folder, content


def steps_of(folder: ExportFolder, after_each: Callable[[], None] = lambda: None) -> int:
    joining: Joining | None = None
    steps = 0
    while True:
        joining = folder.join(joining)
        after_each()
        steps += 1
        if joining is None:
            return steps


@pytest.mark.long
def test_a_step_reads_about_five_megabytes_however_large_the_export_is(watched: Watched) -> None:
    folder, content = folder_with(watched, 23)
    reads: list[int] = []

    def note() -> None:
        reads.append(watched.calls["GetObject"])
        watched.calls.clear()

    assert steps_of(folder, note) == 4
    assert max(reads) <= 6
    assert watched.bucket.get(LINES) == content


def test_a_small_export_is_joined_in_one_step_without_an_upload(watched: Watched) -> None:
    folder, content = folder_with(watched, 3)

    assert steps_of(folder) == 1
    assert "CreateMultipartUpload" not in watched.calls
    assert watched.bucket.get(LINES) == content


def test_an_export_of_nothing_is_an_empty_file(watched: Watched) -> None:
    folder, _ = folder_with(watched, 0)

    assert steps_of(folder) == 1
    assert watched.bucket.get(LINES) == b""


@pytest.mark.parametrize("pages", [6, 7, 12])
def test_parts_that_fill_the_last_step_exactly_or_not_are_all_joined(
    watched: Watched, pages: int
) -> None:
    folder, content = folder_with(watched, pages)
    steps_of(folder)

    assert watched.bucket.get(LINES) == content


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_join_that_is_killed_at_any_call_ends_with_the_same_file(
    watched: Watched, moment: str
) -> None:
    folder, content = folder_with(watched, 6)
    steps_of(folder)
    calls = watched.calls.total()
    for number in range(1, calls + 1):
        watched.bucket.delete(LINES)
        watched.calls.clear()
        watched.killed_at = (number, moment)
        stored: Joining | None = None
        for _ in range(20):
            try:
                stored = folder.join(stored)
            except Killed:
                continue
            if stored is None:
                break
        watched.killed_at = None
        assert watched.bucket.get(LINES) == content, number


@pytest.mark.long
def test_a_join_whose_upload_was_removed_begins_again(watched: Watched) -> None:
    folder, content = folder_with(watched, 12)
    joining = folder.join(None)
    assert joining is not None
    watched.bucket.client.abort_multipart_upload(
        Bucket="media", Key=LINES, UploadId=joining["upload"]
    )

    joining = folder.join(joining)
    while joining is not None:
        joining = folder.join(joining)

    assert watched.bucket.get(LINES) == content


def test_another_failure_of_the_bucket_is_raised(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = folder_with(watched, 12)
    joining = folder.join(None)
    answer: Any = {"Error": {"Code": "SlowDown", "Message": "slower"}}

    def refuse(*_: object) -> str:
        raise ClientError(answer, "UploadPart")

    monkeypatch.setattr(Bucket, "upload_part", refuse)

    with pytest.raises(ClientError, match="SlowDown"):
        folder.join(joining)


def test_no_step_is_smaller_than_a_part_that_the_bucket_takes() -> None:
    assert exports.JOINED_BYTES >= 5 << 20
