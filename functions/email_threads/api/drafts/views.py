"""Response models of drafts."""

from email_threads.store.items import DraftKind, DraftStatus
from shared.api.models.views import View


class DraftFileView(View):
    """A file of a draft; an `inline` one is an image in the text."""

    filename: str
    content_type: str
    size: int
    inline: bool | None = None


class DraftView(View):
    """
    A draft. `origin` is `ai` or the principal who composed it. `reason`: why it waits, failed or was rejected.
    `unknown_recipients`: recipients that are no participants of the thread. `is_stale`: the customer has written, or
    another answer was sent, since the draft was made. `send_at`: an approved draft is sent then, and can be undone
    before. `recent_answer`: another answer was sent or approved then, in the last minute, or is sent then, in the next
    one. `ai_dollars`: what the model's answer has cost, null if its price is not known.
    """

    conversation_id: str
    reply_id: str
    mailbox: str
    draft_status: DraftStatus
    kind: DraftKind
    origin: str
    in_reply_to_n: int
    to: list[str]
    cc: list[str]
    bcc: list[str]
    unknown_recipients: list[str] | None = None
    subject: str
    body_text: str
    attachments: list[DraftFileView]
    questions: list[str]
    version: int
    attempt: int
    model: str | None = None
    ai_version: int | None = None
    ai_dollars: str | None = None
    reason: str | None = None
    reviewed_by: str | None = None
    reviewed_at: str | None = None
    send_at: str | None = None
    sent_at: str | None = None
    updated_at: str
    is_stale: bool | None = None
    recent_answer: str | None = None


class Drafts(View):
    """Drafts of a thread that are not final, newest change first; or a page of the company's, oldest change first."""

    drafts: list[DraftView]


class DraftState(View):
    """The state of a draft after a step. Answers are stored: no text."""

    conversation_id: str
    reply_id: str
    draft_status: DraftStatus
    version: int
    attempt: int
    send_at: str | None = None


class UploadView(View):
    """A form that uploads the file: a POST as multipart/form-data of `fields`, then `file`, to `url`."""

    upload: str
    filename: str
    url: str
    fields: dict[str, str]
    largest_bytes: int
    expires_in_seconds: int
