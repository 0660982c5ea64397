"""Response models of calls."""

from typing import Literal

from pydantic import Field

from whatsapp.api.json_view import View
from whatsapp.store.items.conversations.groups import Call, CallStatus


class CallFile(View):
    """A recording or transcription, by the provider's word (*name*); `download_media` stores and links it."""

    name: str
    media_id: str
    mime_type: str


class CallView(View):
    """
    A call; *duration* in seconds. *from_* and *to*: numbers in digits, or user ids. *sender_name*: the customer's.
    *steps*: when each event happened, by the provider's word.
    """

    call_id: str
    status: CallStatus
    direction: Literal["USER_INITIATED", "BUSINESS_INITIATED"]
    from_: str = Field(alias="from")
    to: str | None = None
    sender_name: str | None = None
    started_at: str
    answered_at: str | None = None
    ended_at: str | None = None
    duration: int | None = None
    end_reason: str | None = None
    steps: dict[str, str] = Field(default_factory=dict)
    files: list[CallFile] = Field(default_factory=list)
    missed: bool
    agent_id: str | None = None
    note: str | None = None
    phone_number_id: str
    conversation_pk: str | None = None


def call_view(stored: Call) -> CallView:
    """Return the view of a stored call."""
    shared = CallView.model_fields.keys() & Call.model_fields.keys()
    return CallView(
        direction=stored.call_direction,
        missed=stored.missed_at is not None,
        agent_id=stored.agent,
        phone_number_id=stored.phone,
        files=[
            CallFile(name=one["name"], media_id=one["mediaId"], mime_type=one["mimeType"])
            for one in stored.files or ()
        ],
        **stored.model_dump(include=shared - {"files"}),
    )
