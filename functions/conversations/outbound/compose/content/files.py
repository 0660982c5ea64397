"""
Selects the customer's files that the model reads in a turn, and reads them from the bucket.

    newest first    the messages since our last answer, then what they quote, then earlier ones among the last few
    bounds          number, size and tokens, see `ai.config.Files`; images and PDFs by content, not by reported type
    each other one  has the reason in its mark
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conversations.configuration.folders import folder_of
from conversations.outbound.compose.content import file_marks, quotes
from conversations.outbound.compose.content.file_marks import FileKind
from conversations.store.items.conversation import Role
from shared.ai.attachments import Attachment, Medium, recognised
from shared.aws.stored_objects import FOREIGN_KEY, ObjectUnusable, media_of, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conversations.ai.config import AiConfig, Files
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.store.items.log import Message
    from shared.aws.s3 import Bucket

RECENT = 6  # messages, among which a file is shown again
LARGEST_TURN_BYTES = 12 << 20  # of all files: a worker has 512 MB
_MEDIA = {
    FileKind.IMAGE: Medium.IMAGE,
    FileKind.STICKER: Medium.IMAGE,
    FileKind.DOCUMENT: Medium.DOCUMENT,
}
_NOT_SHOWN = "not shown to you, "
_TOO_LARGE = f"{_NOT_SHOWN}it is too large"
_TOO_MANY = f"{_NOT_SHOWN}there are too many files"
_UNREADABLE = f"{_NOT_SHOWN}it is no picture or PDF that you can read"
_LOST = f"{_NOT_SHOWN}it could not be opened"
_BEYOND = frozenset({_TOO_LARGE, _TOO_MANY})
_EARLIER = f"{_NOT_SHOWN}it was sent earlier"
_PDF = "application/pdf"


@dataclass(slots=True)
class Shown:
    """The files of a turn: those that the model gets, and the words of every mark, by message and position."""

    files: dict[str, list[Attachment]] = field(default_factory=dict)
    words: dict[str, dict[int, str]] = field(default_factory=dict)

    @property
    def beyond(self) -> set[str]:
        """The messages with a file that the model does not get because it is too large, or because of their number."""
        return {name for name, words in self.words.items() if {*words.values()} & _BEYOND}

    def of(self, message: Message) -> tuple[Attachment, ...]:
        """Return the files of a message for the model."""
        return tuple(self.files.get(message.entry_id, ()))


def shown_in(
    bucket: Bucket,
    opened: OpenConversation,
    config: AiConfig,
    history: Sequence[Message],
    quoted_messages: Mapping[str, Message],
) -> Shown:
    """Return the files that the model reads with *history*. Raises ClientError if the bucket cannot be read."""
    shown = Shown()
    candidates = [*_candidates(config, history, quoted_messages)]
    if candidates:
        _Selection(bucket, opened, config.files, shown).take(candidates)
        _number(shown, history, quoted_messages)
    return shown


def is_readable(config: AiConfig, message: Message, file: dict[str, str]) -> bool:
    """Return whether the model could read a file once it is stored."""
    medium = _MEDIA.get(file_marks.kind_of(message, file))
    is_pdf = medium is not Medium.DOCUMENT or file_marks.media_type(file) in {"", _PDF}
    return config.files.most > 0 and medium in config.media and is_pdf


type _Candidate = tuple[Message, int, bool]  # message, position, whether it is shown now


def _candidates(
    config: AiConfig, history: Sequence[Message], quoted_messages: Mapping[str, Message]
) -> Iterator[_Candidate]:
    newest = [*quotes.newest_of_customer(history)]
    quoted = [quoted_messages[m.reply_to or ""] for m in newest if m.reply_to in quoted_messages]
    recent = {message.entry_id for message in [*newest, *quoted, *history[-RECENT:]]}
    seen: set[str] = set()
    for message in [*newest, *quoted, *reversed(history)]:
        if message.role is not Role.USER or message.entry_id in seen or not message.counts:
            continue
        seen.add(message.entry_id)
        for position, file in enumerate(message.media):
            if "key" in file and is_readable(config, message, file):
                yield message, position, message.entry_id in recent


@dataclass(slots=True)
class _Selection:
    """The bounds of one turn, and what is left of them."""

    bucket: Bucket
    opened: OpenConversation
    bounds: Files
    shown: Shown
    _left_bytes: int = field(default=LARGEST_TURN_BYTES, init=False)

    def take(self, candidates: Sequence[_Candidate]) -> None:
        """Read the files within the bounds, the most important first."""
        left, tokens = self.bounds.most, self.bounds.most_tokens
        for message, position, is_recent in candidates:
            words = self.shown.words.setdefault(message.entry_id, {})
            if not is_recent or left == 0:
                words[position] = _TOO_MANY if is_recent else _EARLIER
                continue
            found = self._read(message.media[position]["key"])
            if isinstance(found, Attachment) and found.tokens > tokens:
                found = _TOO_LARGE
            if isinstance(found, str):
                words[position] = found
                continue
            words[position] = file_marks.ATTACHED
            self.shown.files.setdefault(message.entry_id, []).append(found)
            left, tokens = left - 1, tokens - found.tokens

    def _read(self, key: str) -> Attachment | str:
        """Return a file, or why the model does not get it."""
        folders = (
            folder_of(self.bucket, self.opened.ref),
            media_of(self.bucket, self.opened.company.company_id),
        )
        if not any(folder.holds(key) for folder in folders):
            record(ObjectUnusable(FOREIGN_KEY), "media")
            return _LOST
        data = self.bucket.bounded(key, min(self.bounds.largest_bytes, self._left_bytes))
        if not data:
            return _LOST if data is None else _TOO_LARGE
        kind = recognised(data)
        if kind is None:
            return _UNREADABLE
        self._left_bytes -= len(data)
        return Attachment(*kind, label="", data=data)


def _number(
    shown: Shown, history: Sequence[Message], quoted_messages: Mapping[str, Message]
) -> None:
    """Give each file a label, in the order of the messages."""
    number = 0
    read = {message.entry_id for message in history}
    beyond = {m.entry_id: m for m in quoted_messages.values() if m.entry_id not in read}
    for message in [*history, *beyond.values()]:
        files = shown.files.get(message.entry_id, [])
        words = shown.words.get(message.entry_id, {})
        attached = sorted(at for at, word in words.items() if word == file_marks.ATTACHED)
        for at, position in enumerate(attached):
            number += 1
            files[at] = replace(files[at], label=f"file {number}")
            words[position] = f"{file_marks.ATTACHED} as file {number}"
    for message in history:  # A message that quotes one that the model does not read has its files.
        quoted = quoted_messages.get(message.reply_to or "")
        if quoted and quoted.entry_id in beyond:
            files = shown.files.pop(quoted.entry_id, [])
            shown.files.setdefault(message.entry_id, []).extend(files)
