"""The ZIP of an export is written in steps: any of them may die, and large files go over several parts."""

from __future__ import annotations

import io
import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import boto3
import pytest
from botocore.client import BaseClient
from moto import mock_aws

from console.privacy import archive
from console.privacy.archive import Exported
from shared.aws.s3 import Bucket
from tests.integration.console.privacy.requests import Died, answered

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "exports/~people/acme/1/1/person.zip"
LARGE = random.Random(7).randbytes(11 << 20)  # noqa: S311 - content of a file
LINES = b'{"kind": "message"}\n' * 400_000


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with mock_aws():
        s3 = boto3.client("s3")
        s3.create_bucket(
            Bucket="media", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        yield Bucket(lambda: s3, "media")


def exports_of(bucket: Bucket) -> list[Exported]:
    """Two folders with files; the last one has the ZIP itself."""
    for key, body in {
        "exports/acme/1/contact.jsonl": LINES,
        "exports/acme/1/files/media/ä b.bin": LARGE,
        "exports/acme/1/parts/000001.jsonl": b"joined already",
        "exports/~people/acme/1/1/files/empty": b"",
        "exports/~people/acme/1/1/person.jsonl": b"{}\n",
    }.items():
        bucket.put(key, body)
    return [
        Exported("whatsapp", {"MESSAGE": 2}, bucket, "exports/acme/1/"),
        Exported("contacts", {}, bucket, "exports/~people/acme/1/1/"),
    ]


def content_of(bucket: Bucket) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(bucket.get(KEY))) as found:
        assert found.testzip() is None
        return {name: found.read(name) for name in found.namelist()}


@pytest.mark.parametrize("after", [False, True])
def test_an_archive_whose_steps_die_has_each_file_once(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    exports = exports_of(bucket)
    client: Any = BaseClient
    make, left = client._make_api_call, [0]

    def made(self: Any, operation: str, parameters: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            if after:
                answered(make, self, operation, parameters)
            raise Died
        return answered(make, self, operation, parameters)

    monkeypatch.setattr(client, "_make_api_call", made)
    is_complete, deaths = False, 0
    while not is_complete:
        left[0] = deaths + 1
        deaths += 1
        with suppress(Died):
            is_complete = archive.step(bucket, KEY, exports, "2026-01-01T12:00:00.000Z")
    left[0] = 0

    files = content_of(bucket)
    index = files.pop("index.html").decode()
    assert deaths > 10
    assert files == {
        "whatsapp-1/contact.jsonl": LINES,
        "whatsapp-1/files/media/ä b.bin": LARGE,
        "contacts-2/files/empty": b"",
        "contacts-2/person.jsonl": b"{}\n",
    }
    assert index.count("<a href=") == len(files)
    assert "<h2>WhatsApp: messages, calls, files and conversations</h2><p>message: 2</p>" in index
    assert archive.step(bucket, KEY, exports, "2026-01-01T12:00:00.000Z")
    assert bucket.keys_under(KEY) == [KEY]
