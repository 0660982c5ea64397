"""Where a turn leads that did not end well: pure, one table for all kinds of turns."""

from enum import StrEnum

from conversations.lifecycle import Status
from conversations.outbound.turns.engine import Ended
from conversations.outbound.turns.settlement import End
from conversations.store.items.log import TurnKind


class Kind(StrEnum):
    """What stands before a provider's own code in the ledger's reason: what the refusal means."""

    OPTED_OUT = "opted_out"
    WINDOW_CLOSED = "window_closed"
    ADDRESS_UNUSABLE = "address_unusable"
    CONFIGURATION = "configuration"
    REJECTED = "provider_rejected"


# What the writer says where the model took a message for an opt-out.
LEFT_BY_MODEL = "opted_out_by_ai"
# The model itself wants a person, its function waits for one, or it may not be asked any more today.
_WANTS_PEOPLE = frozenset({"ai", "function_approval", "token_cap"})


def consequence(kind: TurnKind, ended: Ended, reason: str) -> End:
    """
    Where a failed attempt leads. *reason* is a code; a provider's has its kind in front: `provider_rejected:21612`.

    A first message fails visibly. A customer who waits for an answer gets a person. What people and fixed texts say
    changes no status: it shows at the message.
    """
    if kind in {TurnKind.HUMAN, TurnKind.SYSTEM}:
        return End(reason=reason)
    has_left = reason == LEFT_BY_MODEL or reason.partition(":")[0] == Kind.OPTED_OUT
    if has_left:
        left = Status.OPTED_OUT if kind is TurnKind.REPLY else Status.BLOCKED
        return End(reason=Kind.OPTED_OUT, status=left)
    if kind is TurnKind.REPLY or reason in _WANTS_PEOPLE:
        return End(reason=reason, status=Status.HANDOFF_PENDING)
    return End(reason="unknown" if ended is Ended.UNKNOWN else reason, status=Status.FAILED)
