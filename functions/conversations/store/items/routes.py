"""
What leads to a conversation: providers' ids, pairs of addresses, an agent's list.

    IN#...       #                       Inbound        a provider's message was taken
    OUT#...      #                       Outbound       a provider's id of ours leads to its message
    ROUTE#...    <created at>#<ref>      Route          the conversations of a pair of addresses
    ALIAS#...    #                       Alias          another address of the same person
    PLACED#...   <ref>#<business>        Placement      a conversation that people placed a message of an address in
    OPEN#...     <ref>                   Open           what a company's agents have before them
    ADDR#...     <company>#<project>     BusinessAddress  whose an address of a business is

Customers' addresses stand in keys as hashes only.
"""

from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import ONLY, LogItem, sort_key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import MARKER_DAYS


class Inbound(LogItem):
    """
    A provider's message was taken: into which conversation, under which time, and a hash of what it said.

    `account` and `business_address` are those that the message came by: its files must come by the same.
    """

    item_type: ClassVar[str] = "INBOUND"
    pk_pattern: ClassVar[str] = "IN#{provider}#{provider_message_id}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    ref: str | None = None  # none: nobody's; see Unmatched
    message_timestamp: str
    payload_hash: str
    company_id: str
    project_id: str
    account: str | None = None
    business_address: str | None = None


class Outbound(LogItem):
    """
    A provider's id of a message of ours, and where that message is.

    `account` and `business_address` are those that sent it: its statuses must come from there, whatever the project
    uses by then.
    """

    item_type: ClassVar[str] = "OUTBOUND"
    pk_pattern: ClassVar[str] = "OUT#{provider}#{provider_message_id}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    ref: str
    message_sk: str
    action_id: str
    account: str | None = None
    business_address: str | None = None


class Route(LogItem):
    """One conversation of a pair of addresses. The key is strongly consistent where the contract's index is not."""

    item_type: ClassVar[str] = "ROUTE"
    pk_pattern: ClassVar[str] = "ROUTE#{pair_hash}"
    sk_pattern: ClassVar[str] = "{created_at}#{ref}"

    ref: str

    @classmethod
    def sk(cls, created_at: str, ref: str) -> str:
        """The sort key of a conversation among those of its pair."""
        return sort_key(cls.sk_pattern, created_at, ref)


class Alias(LogItem):
    """Another address of the same person, within one company: where their conversations are found."""

    item_type: ClassVar[str] = "ALIAS"
    pk_pattern: ClassVar[str] = "ALIAS#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "`retention_days` after the last message that named both"

    primary_channel: str = Field(repr=False)


class Placement(LogItem):
    """
    A conversation that people have placed a message of another address in, within one company.

    Its person is known by that address from then on: who erases them by it finds the conversation here.
    """

    item_type: ClassVar[str] = "PLACEMENT"
    pk_pattern: ClassVar[str] = "PLACED#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = "{ref}#{business_address}"

    ref: str
    business_address: str  # that they wrote to: of this pair a route leads to the conversation too
    primary_channel: str = Field(repr=False)

    @classmethod
    def sk(cls, ref: str, business_address: str) -> str:
        """The sort key of a conversation among those that an address was placed in."""
        return sort_key(cls.sk_pattern, ref, business_address)


class Open(LogItem):
    """A conversation that is not over, as the list of its project shows it."""

    item_type: ClassVar[str] = "OPEN"
    pk_pattern: ClassVar[str] = "OPEN#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "{ref}"

    ref: str
    conversation_status: str
    channel_method: ChannelMethod
    hand_off_to_human: bool = False
    hand_off_to_human_reason: str | None = None
    since: str
    last_activity_at: str  # to the hour: a finer one would cost a write for each message


class BusinessAddress(LogItem):
    """Whose an address of a business is, and which account of which provider must vouch for what comes to it."""

    item_type: ClassVar[str] = "ADDRESS"
    pk_pattern: ClassVar[str] = "ADDR#{channel_method}#{address}"
    sk_pattern: ClassVar[str] = "{company_id}#{project_id}"
    ttl_note: ClassVar[str] = "kept"

    company_id: str
    project_id: str
    provider: str
    account: str | None = None

    @classmethod
    def sk(cls, company_id: str, project_id: str) -> str:
        """The sort key of a project among those that use the address."""
        return sort_key(cls.sk_pattern, company_id, project_id)
