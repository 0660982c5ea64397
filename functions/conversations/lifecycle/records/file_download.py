"""The event on `conversations-media`: a file of a customer's message is to be downloaded."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.versions import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDownload:
    """
    The file at *position* (from 0) in the message with the sort key *message_sk*, in the conversation *ref*.

    Names no address: the file's is read from the message, so nothing is downloaded for an erased one.
    """

    type: Literal["file_download"] = "file_download"
    v: int = VERSION
    ref: str
    message_sk: str
    position: int

    def entry(self) -> Entry:
        """Build the entry for the queue; a standard queue ignores group and deduplication id."""
        body = to_json(asdict(self))
        return Entry(body, digest(self.ref), digest(body))
