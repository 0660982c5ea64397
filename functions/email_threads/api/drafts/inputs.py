"""Input models of drafts and their limits."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from email_threads.api.drafts.views import DraftFileView, DraftView
from email_threads.api.inputs import Address, Flag, is_one_line, is_text
from email_threads.replies.composition import LONGEST_BODY, LONGEST_SUBJECT
from email_threads.replies.recipients import is_sendable
from shared.api.errors import Unprocessable
from shared.api.models.inputs import Change, Input
from shared.inbox.canned_replies.inputs import CannedReplyInput  # noqa: TC001 - pydantic reads this annotation at run time
from shared.runtime.validation import patterns

LONGEST_NAME = 120
LONGEST_TYPE = 78  # of a file, as SES takes it
MOST_RECIPIENTS = 50  # of To, Cc and Bcc in all, as SES takes
_TOO_MANY: Final = "to, cc and bcc must have at most 50 addresses in all"
_UNSENDABLE: Final = "must have 1 to 64 ASCII characters before the @"
# The draft stays as it is.
UNPROCESSABLE: Final = frozenset({"to", "cc", "bcc", "subject", "send_at", "time_zone"})
MOST_FILES = 20
PAIR = 2  # fields that name a file
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")


def _is_time(given: object) -> object:
    # pydantic also reads numbers, and days without a time.
    if not isinstance(given, str) or not _TIME.match(given):
        raise PydanticCustomError("time", "must be a time in ISO 8601")
    return given


type SendTime = Annotated[datetime, BeforeValidator(_is_time)]
type Recipient = Annotated[Address, AfterValidator(_is_sendable)]
type Recipients = Annotated[list[Recipient], Field(min_length=1, max_length=MOST_RECIPIENTS)]
type Copies = Annotated[list[Recipient], Field(max_length=MOST_RECIPIENTS)]
type Subject = Annotated[
    str, Field(min_length=1, max_length=LONGEST_SUBJECT), AfterValidator(is_one_line)
]
type Text = Annotated[str, Field(min_length=1, max_length=LONGEST_BODY), AfterValidator(is_text)]
type Number = Annotated[int, Strict(), Field(ge=1, le=99_999_999)]
type FileName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(is_one_line)
]
type ContentType = Annotated[
    str,
    Field(
        max_length=LONGEST_TYPE,
        pattern=patterns.worded(
            r"^[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$", "must be a media type such as image/png"
        ),
    ),
]


def check_recipients(to: list[str], cc: list[str], bcc: list[str]) -> None:
    """Raise Unprocessable without a recipient, and for addresses, or more of them in all, that SES does not take."""
    if not to:
        raise Unprocessable([{"field": "to", "problem": "must have a recipient"}])
    for field, named in (("to", to), ("cc", cc), ("bcc", bcc)):
        if not all(map(is_sendable, named)):
            raise Unprocessable([{"field": field, "problem": _UNSENDABLE}])
    if len({*to, *cc, *bcc}) > MOST_RECIPIENTS:
        longest = max(("to", to), ("cc", cc), ("bcc", bcc), key=lambda one: len(one[1]))
        raise Unprocessable([{"field": longest[0], "problem": _TOO_MANY}])


def _is_sendable(address: str) -> str:
    """Return an address that SES takes. Raises PydanticCustomError."""
    if not is_sendable(address):
        raise PydanticCustomError("local_part", _UNSENDABLE)
    return address


class FileInput(Input):
    """
    A file to attach: an uploaded one, or number `index` of mail `n` of the thread. An `inline` image is shown in place
    of `[image: <filename>]` in the text, or below it.
    """

    upload: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    filename: FileName | None = None
    n: Number | None = None
    index: Annotated[int, Strict(), Field(ge=0, le=999)] | None = None
    inline: Flag = False

    @model_validator(mode="after")
    def _names_one(self) -> FileInput:
        if not _is_pair(self):
            raise PydanticCustomError(
                "file", "must have either upload and filename, or n and index"
            )
        return self


def _is_pair(file: FileInput) -> bool:
    is_upload = file.upload is not None and file.filename is not None
    is_of_mail = file.n is not None and file.index is not None
    given = sum(value is not None for value in (file.upload, file.filename, file.n, file.index))
    return is_upload != is_of_mail and given == PAIR


class AmendedFileInput(FileInput, Change):
    """A file to attach, or with its `filename` alone a file that the draft has."""

    view = DraftFileView

    @property
    def is_present(self) -> bool:
        """Whether it names a file of the draft."""
        others = (self.upload, self.n, self.index)
        return self.filename is not None and all(value is None for value in others)

    @model_validator(mode="after")
    def _names_one(self) -> AmendedFileInput:
        if not self.is_present and not _is_pair(self):
            problem = "must have either filename, upload and filename, or n and index"
            raise PydanticCustomError("file", problem)
        return self


type Files = Annotated[list[FileInput], Field(max_length=MOST_FILES)]


class ReplyInput(Input):
    """
    A draft of an answer, or with `kind` forward of a forward. `n` is the mail that it answers or forwards, by default
    the customer's newest one. Without `to` an answer goes to that mail's Reply-To, else to its sender, and
    without `cc` and `to` copies go to the customer's Cc; an empty `cc` removes them. Without `subject`
    it keeps the subject. Its text is `body_text`, or a `canned_reply` with the values of its variables.
    """

    unprocessable = UNPROCESSABLE

    kind: Literal["reply", "forward"] = "reply"
    n: Number | None = None
    to: Recipients | None = None
    cc: Copies | None = None
    bcc: Copies = Field(default_factory=list)
    subject: Subject | None = None
    body_text: Text | None = None
    canned_reply: CannedReplyInput | None = None
    attachments: Files = Field(default_factory=list)

    @model_validator(mode="after")
    def _has_one_text(self) -> ReplyInput:
        if (self.body_text is None) == (self.canned_reply is None):
            raise PydanticCustomError("text", "must have either body_text or canned_reply")
        return self


class NewMailInput(Input):
    """A draft of a mail that begins a thread of a mailbox."""

    unprocessable = UNPROCESSABLE

    mailbox: Address
    to: Recipients
    cc: Copies = Field(default_factory=list)
    bcc: Copies = Field(default_factory=list)
    subject: Subject
    body_text: Text


class AmendInput(Change):
    """New values of a draft as it was read in this `version`; absent ones stay."""

    view = DraftView

    unprocessable = UNPROCESSABLE

    version: Number
    to: Recipients | None = None
    cc: Copies | None = None
    bcc: Copies | None = None
    subject: Subject | None = None
    body_text: Text | None = None
    attachments: Annotated[list[AmendedFileInput], Field(max_length=MOST_FILES)] | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> AmendInput:
        named = self.model_fields_set - {"version"}
        if not named:
            raise PydanticCustomError("empty", "must contain a change")
        for name in sorted(named):
            if getattr(self, name) is None:
                raise PydanticCustomError("null", f"{name} must not be null")
        return self


class ApproveInput(Input):
    """
    The version that was read. `confirm_stale` sends it although the thread has changed. `send_at`: a time with an
    offset, or a local one in `time_zone`: a zone of the IANA database, or `recipient`.
    """

    unprocessable = UNPROCESSABLE

    version: Number
    confirm_stale: Flag = False
    send_at: SendTime | None = None
    time_zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_+/-]{1,64}$")] | None = None


class VersionInput(Input):
    """The version that was read."""

    version: Number


class RejectInput(Input):
    """The version that was read, and the reason, which colleagues see."""

    version: Number
    reason: (
        Annotated[str, Field(min_length=1, max_length=200), AfterValidator(is_one_line)] | None
    ) = None


class ResolveInput(Input):
    """Whether a mail whose send is unknown has arrived, as found out by a person."""

    version: Number
    arrived: Flag


class UploadInput(Input):
    """A file that will be attached to a draft of the thread."""

    filename: FileName
    content_type: ContentType


class ThreadDraftsQuery(Input):
    """`closed=1` returns the newest rejected and withdrawn drafts, which can be restored."""

    closed: Literal["0", "1"] = "0"


class DraftsQuery(Input):
    """Filter for drafts that wait for a person."""

    mailbox: Address | None = None
    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None
