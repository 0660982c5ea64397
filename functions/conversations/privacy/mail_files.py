"""Files of mails that the threads of e-mail copy for the conversations: an erasure deletes them with their messages."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from shared.aws.stored_objects import ObjectUnusable, mail_files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.aws.s3 import Bucket


def delete(bucket: Bucket, company_id: str, media: Any) -> int:  # noqa: ANN401 - a value of a queued event
    """Delete the copies that the files of a message are, and return their number. Idempotent."""
    keys = list(_keys(bucket, company_id, media if isinstance(media, list) else []))
    for key in keys:
        bucket.delete(key)
    return len(keys)


def _keys(bucket: Bucket, company_id: str, files: Iterable[Any]) -> Iterator[str]:
    folder = mail_files_of(bucket, company_id)
    for file in files:
        with suppress(ObjectUnusable):
            if isinstance(file, dict):
                yield folder.key_in(str(file.get("url") or f"s3://{bucket.name}/{file.get('key')}"))
