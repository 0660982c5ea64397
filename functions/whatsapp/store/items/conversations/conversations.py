"""The head of a conversation, and the folders and lists that contain it."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PrivateAttr

from shared.identity.addresses import normal_digits
from shared.policy import window
from shared.runtime import clock
from whatsapp.store import ordering
from whatsapp.store.items.item import AtMost, WhatsAppItem

# The folders of the lists: the status, or archived, for any status.
type Folder = Literal["open", "resolved", "snoozed", "archived"]


OPEN: Literal["open"] = "open"


ARCHIVED: Literal["archived"] = "archived"


class Conversation(WhatsAppItem):
    """
    The head of a conversation, as the inbox shows it. Contract item 2; fields below the gap are ours.

    `recent_keys`: order keys of the newest counted inbound messages; `ring_floor`: the highest key dropped from it;
    `read_up_to`: the order key up to which agents have read.

    `list_pk` and `assignee_pk` are the lists that contain the conversation, see `list_of`; every update that changes
    `archived`, `status`, the assignee, or whether there are unread messages, sets them too. A head without messages,
    calls or group events is in no list.
    """

    item_type: ClassVar[str] = "CONVERSATION"
    pk_pattern: ClassVar[str] = "CONV#{phoneArnSuffix}#{customerWaId}"
    indexes: ClassVar[tuple[str, ...]] = (
        "gsi_inbox",
        "gsi_waba_itemtype",
        "gsi_inbox_list",
        "gsi_inbox_assignee",
    )

    inbox_pk: str | None = None
    from_: str | None = Field(default=None, alias="from")
    received_at: str | None = None
    unread_count: int = 0
    last_message_pk: str | None = None
    last_type: str | None = None
    last_preview: str | None = None
    archived: bool | None = None
    waba_meta_id: str | None = None
    business_account_name: str | None = None

    phone: str | None = None
    sender_name: str | None = None
    saved_name: str | None = None  # in the address book of the business's app
    saved_name_at: str | None = None
    # Of the newest inbound message: the number and user id that answers go to.
    sender_phone: str | None = None
    sender_user_id: str | None = None
    parent_user_id: str | None = None
    username: str | None = None
    identity_hash: str | None = None
    # Of a customer whose number another customer of the company had before: ids that name them in place of the number
    # in the key, each `{account}:{user id}` or `{number}-{second of the change}`.
    owner_ids: Annotated[set[str], AtMost(10)] = Field(default_factory=set)
    linked_to: str | None = (
        None  # key of the conversation that continues this one, which no listing shows
    )
    # Keys of earlier conversations of the same person, whose messages are listed here too.
    linked_conversations: Annotated[set[str], AtMost(10)] = Field(default_factory=set)
    group_name: str | None = None
    group_revision: int | None = None  # of the group item that `group_name` is from
    last_key: str | None = None
    recent_keys: Annotated[set[str], AtMost(15)] = Field(default_factory=set)
    ring_floor: str | None = None
    read_up_to: str | None = None
    read_by: str | None = None  # principal of the API key, or `app`
    read_at: str | None = None
    list_pk: str | None = None
    assignee_pk: str | None = None
    assignee: str | None = None  # id of an agent
    labels: Annotated[set[str], AtMost(20)] | None = None
    status: Literal["resolved", "snoozed"] | None = None  # open if absent
    snoozed_until: str | None = None  # open again from then on
    revision: int = 0  # number of changes by agents
    last_change: Annotated[dict[str, Any], AtMost(7)] | None = None  # see ConversationChange
    history_id: str | None = None  # first part of the keys of its changes
    last_inbound_at: str | None = None
    last_outbound_at: str | None = None
    referral_at: str | None = None
    free_entry_until: str | None = None
    free_entry_for: str | None = None  # the `referral_at` that `free_entry_until` was computed from
    identity_changed_at: str | None = None
    call_permission_until: str | None = None
    marketing_opt_out: bool | None = None  # the customer's own choice in WhatsApp
    marketing_opt_out_at: str | None = None
    # The time of the provider's last refusal of marketing because the customer gets enough of it.
    marketing_capped_at: str | None = None
    sequence_run: str | None = None  # id of the customer's sequence: there is one, once
    blocked: bool | None = None  # whether the business has blocked the customer at the provider

    # Not stored, of `addressed`.
    _named_at: str = PrivateAttr(default="")
    _proven_at: str | None = PrivateAttr(default=None)

    @property
    def named_at(self) -> str:
        """The time when a request named the number that messages go to; empty if none did."""
        return self._named_at

    @property
    def number_proven_at(self) -> str:
        """The time of the customer's last message from the number that messages go to; empty if that is unknown."""
        if self._proven_at is not None:
            return self._proven_at
        newest = max(self.recent_keys, default="")
        return (
            ordering.moment_of(ordering.time_of(newest)) if newest else self.last_inbound_at or ""
        )

    def addressed(self, number: str | None, user_id: str | None, *, named_at: str = "") -> Self:
        """Return the conversation with these ids for its messages, as a request named them at *named_at*."""
        copy = self.model_copy(update={"sender_phone": number, "sender_user_id": user_id})
        is_same = normal_digits(self.sender_phone or "") == normal_digits(number or "")
        copy._proven_at = self.number_proven_at if is_same else ""
        copy._named_at = named_at
        return copy

    @staticmethod
    def contact_of(conversation_pk: str) -> str:
        """Return the contact key in a conversation's key."""
        return conversation_pk.split("#", 2)[2]

    @classmethod
    def list_of(cls, phone: str, folder: Folder, *, unread: bool) -> str:
        """Return the partition of gsi_inbox_list: the conversations of a number in a folder, unread or read."""
        return f"{phone}#{_mark(folder, unread=unread)}"

    @classmethod
    def assigned_list_of(cls, company: str, assignee: str, folder: Folder, *, unread: bool) -> str:
        """Return the partition of gsi_inbox_assignee: the conversations of an agent, of all numbers of the company."""
        return f"{company}#{assignee}#{_mark(folder, unread=unread)}"

    @property
    def folder(self) -> Folder:
        """The folder that the lists keep the conversation in; a snooze stays there when its time is over."""
        return ARCHIVED if self.archived else self.status or OPEN

    @property
    def window_until(self) -> str | None:
        """The end of free-form messages; None if there never was a window."""
        end = window.until(_ms(self.last_inbound_at), _ms(self.free_entry_until))
        return None if end is None else clock.to_text(end)

    def has_open_window(self, now: str) -> bool:
        """Whether free-form messages may be sent at the time *now*."""
        return now < (self.window_until or "")

    def state(self, now: str) -> Literal["open", "resolved", "snoozed"]:
        """Return the status at the time *now*: a snoozed conversation is open from `snoozed_until` on."""
        if self.status == "snoozed" and (self.snoozed_until or "") <= now:
            return OPEN
        return self.status or OPEN


def _ms(text: str | None) -> int | None:
    return clock.from_text(text) if text else None


def _mark(folder: Folder, *, unread: bool) -> str:
    return f"{folder}#{'unread' if unread else 'read'}"


OPEN_UNREAD = _mark(OPEN, unread=True)  # where a new message moves its conversation
