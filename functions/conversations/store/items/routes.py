"""
Lookup items that lead to a conversation: provider message ids, address pairs, the list of open conversations.

    IN#...       #                       Inbound        marker of an accepted inbound message
    OUT#...      #                       Outbound       link from a provider message id to the sent message
    ROUTE#...    <created at>#<ref>      Route          the conversations of a pair of addresses
    ALIAS#...    #                       Alias          another address of the same person
    PLACED#...   <ref>#<business>        Placement      a conversation to which an agent attached a message
    OPEN#...     <ref>                   Open           the list of open conversations of a project
    ENDED#...    <created at>#<ref>      Ended          the list of the other ones
    ADDR#...     <company>#<project>     BusinessAddress  a project that uses a business address

Keys contain customers' addresses only as hashes.
"""

from typing import ClassVar

from pydantic import Field

from conversations.store.items.base import ONLY, LogItem, sort_key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import MARKER_DAYS

REF_ALPHABET = "234567abcdefghijklmnopqrstuvwxyz"
_MIDDLE = REF_ALPHABET[16]


class Inbound(LogItem):
    """
    Marker of an accepted inbound message: its conversation, its time and a hash of its payload.

    `account` and `business_address` received the message: its files must arrive through the same ones.
    """

    item_type: ClassVar[str] = "INBOUND"
    pk_pattern: ClassVar[str] = "IN#{provider}#{provider_message_id}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    ref: str | None = None  # absent: matched to no conversation; see Unmatched
    message_timestamp: str
    payload_hash: str
    company_id: str
    project_id: str
    account: str | None = None
    business_address: str | None = None


class Outbound(LogItem):
    """
    Link from a provider message id to the sent message in the log.

    `account` and `business_address` sent it: its statuses must come from the same ones, even if the project
    has changed them since.
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
    """One conversation of a pair of addresses. Reads are strongly consistent, unlike reads of the contract's index."""

    item_type: ClassVar[str] = "ROUTE"
    pk_pattern: ClassVar[str] = "ROUTE#{pair_hash}"
    sk_pattern: ClassVar[str] = "{created_at}#{ref}"

    ref: str

    @classmethod
    def sk(cls, created_at: str, ref: str) -> str:
        """Return the sort key of a conversation within its pair."""
        return sort_key(cls.sk_pattern, created_at, ref)


class Alias(LogItem):
    """Another address of the same person, within one company; points to the address of their conversations."""

    item_type: ClassVar[str] = "ALIAS"
    pk_pattern: ClassVar[str] = "ALIAS#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = ONLY
    ttl_note: ClassVar[str] = "`retention_days` after the last message between the pair"

    primary_channel: str = Field(repr=False)


class Placement(LogItem):
    """
    A conversation to which agents attached a message from another address, within one company.

    The address then counts as the person's: an erasure by this address finds the conversation through this item.
    """

    item_type: ClassVar[str] = "PLACEMENT"
    pk_pattern: ClassVar[str] = "PLACED#{company_id}#{address_hash}"
    sk_pattern: ClassVar[str] = "{ref}#{business_address}"

    ref: str
    business_address: (
        str  # the recipient of the message; a route of this pair also leads to the conversation
    )
    primary_channel: str = Field(repr=False)

    @classmethod
    def sk(cls, ref: str, business_address: str) -> str:
        """Return the sort key of a conversation among the placements of an address."""
        return sort_key(cls.sk_pattern, ref, business_address)


class _Listed(LogItem):
    """A conversation as a list shows it."""

    ref: str
    conversation_status: str
    channel_method: ChannelMethod
    hand_off_to_human: bool = False
    hand_off_to_human_reason: str | None = None
    since: str
    last_activity_at: str  # to the hour: finer times would cost a write per message


class Open(_Listed):
    """List entry of an open conversation of a project."""

    item_type: ClassVar[str] = "OPEN"
    pk_pattern: ClassVar[str] = "OPEN#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "{ref}"

    is_counted: bool = False  # among the project's active conversations
    begins_by: str | None = None  # of an accepted conversation that no worker began


class Ended(_Listed):
    """
    List entry of a conversation of a project that is closed, opted out, failed or blocked; newest conversations last.

    It stays when the conversation is opened again: readers leave out what is also in the open list.
    """

    item_type: ClassVar[str] = "ENDED"
    pk_pattern: ClassVar[str] = "ENDED#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = "{since}#{ref}"

    @classmethod
    def sk(cls, since: str, ref: str) -> str:
        """Return the sort key of a conversation that began at *since*."""
        return sort_key(cls.sk_pattern, since, ref)


class _ByPart(LogItem):
    """
    Numbers of active conversations by part of their list.

    `n_<part>` is the number of those whose `ref` begins with these three characters, `c_<part>` the number of changes
    to it.
    """

    ttl_note: ClassVar[str] = "kept"

    @classmethod
    def part_of(cls, ref: str) -> str:
        """Return the part of the list that has a `ref`: a range of its sort keys."""
        return ref[:3]

    @classmethod
    def names_of(cls, part: str) -> tuple[str, str]:
        """Return the names of a part's number and of the number of its changes."""
        return f"n_{part}", f"c_{part}"

    def in_part(self, part: str) -> tuple[int, int]:
        """Return the number of active conversations of a part, and the number of its changes."""
        extra = self.model_extra or {}
        number, changes = (int(extra.get(name, 0)) for name in self.names_of(part))
        return number, changes

    @property
    def parts(self) -> dict[str, int]:
        """The numbers of all parts."""
        extra = self.model_extra or {}
        return {name[2:]: int(value) for name, value in extra.items() if name.startswith("n_")}


class Active(_ByPart):
    """
    The number of a project's active conversations, changed in one transaction with their list entries.

    `active` is the sum of the parts, once `is_split`: an earlier release counted without them. It includes the free
    places of shards: see `limits.active_shards`.
    """

    item_type: ClassVar[str] = "ACTIVE"
    pk_pattern: ClassVar[str] = "ACTIVE#{company_id}#{project_id}"
    sk_pattern: ClassVar[str] = ONLY

    active: int = 0
    changes: int = 0
    recounted_at: str | None = None  # when the last recount began
    position: str | None = None  # the last part that a recount under way has compared
    is_complete: bool = False  # it includes the conversations that an earlier release listed
    is_split: bool = False
    idle_position: str | None = (
        None  # the last entry in which a search of idle conversations has looked
    )
    most: int | None = None  # the limit of which the shards have free places; absent without shards
    most_since: str | None = None


class ActiveShard(_ByPart):
    """
    The active conversations of a project that a shard has counted, and its free places of the limit `most`.

    Their sum changes with `active` of the project only. Without `most` no conversation takes a free place.
    """

    item_type: ClassVar[str] = "ACTIVE_SHARD"
    pk_pattern: ClassVar[str] = "ACTIVE_SHARD#{company_id}#{project_id}#{shard}"
    sk_pattern: ClassVar[str] = ONLY

    names: ClassVar[tuple[str, ...]] = tuple(
        f"{one}{half}" for one in REF_ALPHABET for half in "01"
    )

    free: int = 0
    most: int | None = None

    @classmethod
    def name_of(cls, ref: str) -> str:
        """Return the shard of a conversation: two for each part of the list."""
        return f"{ref[2:3]}{int(ref[3:4] >= _MIDDLE)}"

    @classmethod
    def names_of_part(cls, part: str) -> tuple[str, str]:
        """Return the shards that may have conversations of a part."""
        return cls.name_of(part), cls.name_of(f"{part}{_MIDDLE}")


class BusinessAddress(LogItem):
    """A project that uses a business address, with the provider account that must sign inbound events for it."""

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
        """Return the sort key of a project within the address."""
        return sort_key(cls.sk_pattern, company_id, project_id)
