"""The text of a composed draft: as written, or of a canned reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_core import PydanticCustomError

from email_threads.api.inputs import is_text
from shared.api.errors import InvalidInput
from shared.inbox.canned_replies.texts import filled

if TYPE_CHECKING:
    from email_threads.api.drafts.inputs import ReplyInput
    from shared.inbox.canned_replies.items import CannedReplies


def text_of(canned: CannedReplies, company: str, given: ReplyInput) -> str:
    """Return the text that a person wrote or chose. Raises InvalidInput."""
    if given.canned_reply is None:
        return given.body_text or ""
    chosen = given.canned_reply
    text = filled(canned.text_of(company, chosen.name), chosen.variables, field="canned_reply")
    try:
        return is_text(text)
    except PydanticCustomError as refused:
        problem = {"field": "canned_reply", "problem": refused.message()}
        raise InvalidInput([problem]) from None
