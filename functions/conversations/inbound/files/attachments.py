"""
Customers' long texts and files, as intake stores them: it downloads nothing.

A file that another context has copied into the bucket gets its key at once. Each other file with an address is pending:
the message is stored and shown without it, and `conversations-media` gets a separate download for it.

    pending --copied-----------------------------> stored (`key`)
       |-----not listed, too large, not found ---> refused (`refused`)
       |-----not available at the last attempt --> failed (`failed`); a redriven download may still store it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.configuration.folders import folder_of
from conversations.lifecycle.file_states import is_settled, is_untranscribed
from conversations.lifecycle.records.file_download import FileDownload
from shared.aws.stored_objects import (
    FOREIGN_KEY,
    MEDIA_PREFIX,
    Folder,
    ObjectUnusable,
    media_of,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.store.items.log import Message
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_standard import StandardQueue

MOST_FILES = 10
TOO_MANY, TOO_LARGE = "TooManyFiles", "TooLarge"  # why a file is refused
LONGEST_INLINE_BYTES = 16 << 10
SHOWN_CHARACTERS = 4_000
PENDING, AWAITED, STORED, FAILED = "pending", "awaited", "stored", "failed"
# Other contexts copy the files of these providers into the bucket. From any other provider an `s3://` URL is refused.
_WITH_COPIES = frozenset({"meta", "aws_social", "ses"})

# While a recording has no text: until when a worker looks for it, and why there is none.
OF_SEARCH = frozenset({"transcribing_until", "no_transcript"})

type File = dict[str, str]


def shortened(bucket: Bucket, ref: str, message: Message) -> Message:
    """Return the message with text short enough for an item; the full text of a longer one is stored in the bucket."""
    encoded = message.content.encode("utf-8", "surrogatepass")
    if len(encoded) <= LONGEST_INLINE_BYTES:
        return message
    key = f"{folder_of(bucket, ref).prefix}text-{message.entry_id}"
    bucket.put(key, encoded, "text/plain; charset=utf-8")
    shown = message.content[:SHOWN_CHARACTERS]
    return message.model_copy(update={"content": shown, "content_key": key})


def received(bucket: Bucket, company_id: str, message: Message) -> Message:
    """Return the message with the state of its files before any download. Makes no call."""
    files = [
        located(bucket, company_id, message.provider, file)
        if position < MOST_FILES or "url" not in file
        else {**file, "refused": TOO_MANY}
        for position, file in enumerate(message.media)
    ]
    return message.model_copy(update={"media": files, "media_state": state_of(files)})


def located(bucket: Bucket, company_id: str, provider: str | None, file: File) -> File:
    """Return a file that another context has copied with its key, or refused if the copy is not the company's."""
    key = copied_key(bucket, provider, file.get("url", ""))
    if key is None:
        return file
    if is_of_company(bucket, company_id, key):
        return {**file, "key": key}
    return {**file, "refused": FOREIGN_KEY}


def linked(file: File, facts: File) -> File:
    """Return a file with its key, and with its text unless it has one. A text ends the search for one."""
    words = {"transcript": file["transcript"]} if "transcript" in file else {}
    earlier = file
    if "transcript" in facts:
        earlier = {name: value for name, value in file.items() if name not in OF_SEARCH}
    return {**earlier, **facts, **words}


def copied_key(bucket: Bucket, provider: str | None, url: str) -> str | None:
    """Return the key of a file that another context copied into the bucket; None for any other URL."""
    try:
        return Folder(bucket, MEDIA_PREFIX).key_in(url) if provider in _WITH_COPIES else None
    except ObjectUnusable:
        return None


def is_of_company(bucket: Bucket, company_id: str, key: str) -> bool:
    """Return whether a copied file is the company's. If not, logs and counts it: no message may link to it."""
    is_own = media_of(bucket, company_id).holds(key)
    if not is_own:
        record(ObjectUnusable(FOREIGN_KEY), "media")
    return is_own


def is_pending(file: File) -> bool:
    """Whether a file of a message is still to be downloaded."""
    return "url" in file and not is_settled(file)


def state_of(files: Sequence[File]) -> str | None:
    """Return the `media_state` of these files. Those without an address are fetched by another context."""
    if any(map(is_pending, files)):
        return PENDING
    if any("failed" in file for file in files):
        return FAILED
    if any(not {"key", "refused"} & file.keys() for file in files):
        return AWAITED
    return STORED if files else None


def request_downloads(
    queue: StandardQueue,
    ref: str,
    message: Message,
    *,
    again: str | None = None,
    transcribes: bool = False,
) -> int:
    """
    Enqueue a download for each pending file of a stored message, for files that failed for the reason *again*, and, if
    the project *transcribes* voice notes, for stored recordings without text; return their number.

    Safe to repeat: a stored file is not downloaded again.
    """
    sk = message.own_sk
    # The worker of files tells the customer of those that are too many, once.
    first_refused = next(
        (at for at, file in enumerate(message.media) if file.get("refused") == TOO_MANY), None
    )
    entries = [
        FileDownload(ref=ref, message_sk=sk, position=position).entry()
        for position, file in enumerate(message.media)
        if is_pending(file)
        or (again is not None and file.get("failed") == again)
        or (transcribes and is_untranscribed(file))
        or position == first_refused
    ]
    if entries:
        queue.send(entries)
    return len(entries)
