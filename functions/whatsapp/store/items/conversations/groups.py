"""Groups that the business manages, and calls."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from whatsapp.store.items.item import AtMost, WhatsAppItem

type CallStatus = Literal["initiated", "ringing", "answered", "ended", "failed"]


class Group(WhatsAppItem):
    """
    A group. Contract item 12; fields below the gap are ours. Never has `sentAt`, the sort key of group messages.

    The two lists are truncated for display; each participant is also a separate item.
    """

    item_type: ClassVar[str] = "GROUP"
    pk_pattern: ClassVar[str] = "GROUP#{groupId}"
    indexes: ClassVar[tuple[str, ...]] = ("gsi_waba_itemtype",)

    group_id: str
    waba_meta_id: str | None = None
    name: str | None = None
    description: str | None = None
    participants: Annotated[list[str], AtMost(256)] = Field(default_factory=list)  # contact keys
    admins: Annotated[list[str], AtMost(256)] = Field(default_factory=list)  # digits
    created_at: str | None = None
    updated_at: str | None = None

    phone: str | None = None
    state: Literal["active", "suspended", "deleted"] = "active"
    state_at: str | None = None  # the provider's time: only moves forward
    name_at: str | None = (
        None  # the provider's times of the displayed values: each only moves forward
    )
    description_at: str | None = None
    invite_link: str | None = None
    revision: int = 0
    errors: Annotated[list[dict[str, Any]], AtMost(5)] | None = None  # of the newest failed request
    errors_at: str | None = None


class GroupParticipant(WhatsAppItem):
    """A current or former participant of a group."""

    item_type: ClassVar[str] = "GROUP_PARTICIPANT"
    pk_pattern: ClassVar[str] = "GROUP#{groupId}#PARTICIPANT#{key}"

    participant: str  # contact key
    present: bool
    changed_at: str  # the provider's time of the newest change
    reason: str | None = None  # the provider's value: how they joined, or who removed them


class GroupRequest(WhatsAppItem):
    """One of our requests to create a group, and the resulting group."""

    item_type: ClassVar[str] = "GROUP_REQUEST"
    pk_pattern: ClassVar[str] = "GROUP#REQUEST#{requestId}"
    ttl_days: ClassVar[int | None] = 35

    group: str | None = None
    phone: str | None = None
    state: Literal["pending", "created", "failed"] = "pending"


class Call(WhatsAppItem):
    """
    A voice call. Contract item 18; fields below the gap are ours.

        initiated -> ringing -> answered -> ended
        any of the first three -> ended | failed

    It has a message's index keys, so that the conversation's timeline shows it. The negotiated session description
    (SDP) is not stored.
    """

    most_steps: ClassVar[int] = 14
    most_files: ClassVar[int] = 5

    item_type: ClassVar[str] = "CALL"
    pk_pattern: ClassVar[str] = "CALL#{callId}"
    indexes: ClassVar[tuple[str, ...]] = (
        "gsi_from",
        "gsi_inbox",
        "gsi_conversation",
        "gsi_waba_itemtype",
    )

    call_id: str
    waba_meta_id: str
    from_: str = Field(default="", alias="from")  # empty in an erased call, like all empty fields
    to: str | None = None
    status: CallStatus
    duration: int | None = None  # seconds
    started_at: str
    ended_at: str | None = None

    revision: int = 0
    conversation_pk: str = ""
    inbox_pk: str = ""
    from_pk: str = ""
    received_at: str  # = startedAt
    phone: str
    call_direction: Literal["USER_INITIATED", "BUSINESS_INITIATED"]
    status_rank: int
    answered_at: str | None = None
    sender_name: str | None = None  # of the customer, also if the business called
    # The provider's time of each step: connect, RINGING, ACCEPTED, COMPLETED ...
    steps: Annotated[dict[str, str], AtMost(14)] = Field(default_factory=dict)
    end_reason: str | None = None  # the provider's value
    # Recordings and transcriptions: {name, mediaId, mimeType, sha256}; `name` is the provider's word.
    files: Annotated[list[dict[str, str]], AtMost(5)] | None = None
    agent: str | None = None  # principal of the person or the API key that placed the call
    note: str | None = None  # why the business called, or ended the call
    action_id: str | None = None
    errors: Annotated[list[dict[str, Any]], AtMost(5)] | None = None
    erased: bool | None = None  # as in Message
    last_event_at: str | None = None  # the conversation's head shows the call at this time
    missed_at: str | None = None  # the first end of a customer's call that was not answered
