"""List of all item types of the conversation log."""

from conversations.store.items.base import LogItem
from conversations.store.items.claims import Claim
from conversations.store.items.log import Change, Due, FunctionResult, Message, State
from conversations.store.items.records import (
    Answered,
    DeadLetter,
    EarlyFile,
    ErasedAddress,
    ErasedMessage,
    ListPosition,
    Parked,
    Rate,
    Spent,
    Stray,
    Throttled,
    TurnSlots,
    Unmatched,
    Unreachable,
)
from conversations.store.items.routes import (
    Active,
    Alias,
    BusinessAddress,
    Inbound,
    Open,
    Outbound,
    Placement,
    Route,
)

# Items of one conversation, then lookup items that lead to it, then other records.
OF_THE_LOG: tuple[type[LogItem], ...] = (
    Message, Change, State, Due, FunctionResult,
    Inbound, Outbound, Route, Alias, Placement, Open, Active, BusinessAddress, Claim,
    Answered, Rate, TurnSlots, Throttled, Spent, Unmatched, Parked, Stray, DeadLetter, EarlyFile,
    Unreachable, ListPosition, ErasedAddress, ErasedMessage,
)  # fmt: skip

_patterns = [(item.pk_pattern, item.sk_pattern) for item in OF_THE_LOG]
if len(set(_patterns)) != len(_patterns):
    raise TypeError("two item types share a key pattern")
