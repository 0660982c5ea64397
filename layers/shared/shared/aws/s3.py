"""One S3 bucket, by the few things Parley does with it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class Bucket:
    """A bucket whose client is made at the first use: most events never touch S3."""

    make_client: Callable[[], S3Client]
    name: str

    @cached_property
    def client(self) -> S3Client:
        """The S3 client."""
        return self.make_client()

    def put(self, key: str, body: bytes, content_type: str = "application/json") -> None:
        """Write an object. Writing the same again is harmless: keys are made from what they hold."""
        self.client.put_object(Bucket=self.name, Key=key, Body=body, ContentType=content_type)

    def put_file(self, key: str, file: IO[bytes], content_type: str) -> None:
        """Write an object from a file; large ones in parts, from this thread."""
        # Imported here: boto3's transfer modules are needed by the media events only.
        from boto3.s3.transfer import TransferConfig  # noqa: PLC0415

        self.client.upload_fileobj(
            file,
            self.name,
            key,
            ExtraArgs={"ContentType": content_type, "ContentDisposition": "attachment"},
            Config=TransferConfig(use_threads=False),
        )

    def size(self, key: str) -> int:
        """The object's size in bytes."""
        return self.client.head_object(Bucket=self.name, Key=key)["ContentLength"]

    def chunks(self, key: str) -> Iterator[bytes]:
        """The object in pieces of a megabyte."""
        # closing, since entering the body itself would give its raw stream.
        with closing(self.client.get_object(Bucket=self.name, Key=key)["Body"]) as body:
            yield from body.iter_chunks(1 << 20)

    def get(self, key: str) -> bytes:
        """Read an object whole. Raises ClientError (NoSuchKey) when it is not there."""
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def keys_under(self, prefix: str) -> list[str]:
        """The keys of at most 1,000 objects under a prefix."""
        listing = self.client.list_objects_v2(Bucket=self.name, Prefix=prefix)
        return [entry["Key"] for entry in listing.get("Contents", [])]

    def all_keys_under(self, prefix: str) -> Iterator[str]:
        """The keys of all objects under a prefix, in their order; objects may be deleted meanwhile."""
        last = ""
        while True:
            listing = self.client.list_objects_v2(
                Bucket=self.name, Prefix=prefix, StartAfter=last or prefix
            )
            for entry in listing.get("Contents", []):
                last = entry["Key"]
                yield last
            if not listing["IsTruncated"]:
                return

    def delete(self, key: str) -> None:
        """Remove an object; one that is not there is no error."""
        self.client.delete_object(Bucket=self.name, Key=key)

    def link_to(self, key: str, *, seconds: int) -> str:
        """A presigned https link that downloads the object and ends after *seconds*."""
        return self.client.generate_presigned_url(
            "get_object",
            Params={"Bucket": self.name, "Key": key, "ResponseContentDisposition": "attachment"},
            ExpiresIn=seconds,
        )
