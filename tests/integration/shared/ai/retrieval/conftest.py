"""A bucket with the documents of companies."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from shared.aws.s3 import Bucket

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "newsletters"


@dataclass(frozen=True)
class Shelf:
    """A bucket in which a test writes objects directly."""

    bucket: Bucket

    def write(
        self, name: str, text: str | bytes, *, company: str = "acme", **attributes: Any
    ) -> None:
        """Write a document, and its metadata object if it has attributes."""
        key = f"corpus/{company}/{name}"
        self.bucket.put(key, text.encode() if isinstance(text, str) else text)
        if attributes:
            described = json.dumps({"metadataAttributes": attributes}).encode()
            self.bucket.put(f"{key}.metadata.json", described)

    def keys(self) -> list[str]:
        """Return all keys."""
        return self.bucket.keys_under("")


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with mock_aws():
        client = boto3.client("s3", config=Config(retries={"total_max_attempts": 1}))
        client.create_bucket(Bucket=NAME)
        yield Shelf(Bucket(lambda: client, NAME))
