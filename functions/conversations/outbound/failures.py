"""Maps a failed turn to the conversation's next status. Pure; one table for all kinds of turns."""

from enum import StrEnum

from conversations.lifecycle.status import Status
from conversations.outbound.results import End, Ended
from conversations.store.items.turn import TurnKind


class Kind(StrEnum):
    """The kind of a provider's refusal: prefixes the provider's own code in the ledger's reason."""

    OPTED_OUT = "opted_out"
    WINDOW_CLOSED = "window_closed"
    ADDRESS_UNUSABLE = "address_unusable"
    ADDRESS_WITHDRAWN = "address_withdrawn"
    UNSUPPORTED = "unsupported"  # the provider's API does not reach this kind of address; the address is usable
    CONFIGURATION = "configuration"
    REJECTED = "provider_rejected"


# The writer's reason if the model classified a message as an opt-out.
OPTED_OUT_BY_MODEL = "opted_out_by_ai"
# The model requested a hand-off or a function that needs approval, or a budget of the project or company is spent.
_NEEDS_AGENT = frozenset({"ai", "function_approval", "token_cap", "spending_limit"})


def consequence(kind: TurnKind, ended: Ended, reason: str) -> End:
    """
    Map a failed turn to its end. *reason* is a code; a provider's has a kind prefix: `provider_rejected:21612`.

    A failed first message fails the conversation. A failed reply hands it off to an agent, and so does a first message
    of unknown outcome, or to an address that the provider does not support: only an agent can decide how to go on. A
    failed agent's message or fixed text changes no status and is marked on the message only.
    """
    if kind is TurnKind.HUMAN or kind.is_notice:
        return End(reason=reason)
    refusal = reason.partition(":")[0]
    is_opt_out = reason == OPTED_OUT_BY_MODEL or refusal == Kind.OPTED_OUT
    if is_opt_out:
        status = Status.OPTED_OUT if kind.is_reply else Status.BLOCKED
        return End(reason=Kind.OPTED_OUT, status=status)
    needs_agent = reason in _NEEDS_AGENT or refusal == Kind.UNSUPPORTED or ended is Ended.UNKNOWN
    if kind.is_reply or needs_agent:
        return End(reason=reason, status=Status.HANDOFF_PENDING)
    return End(reason=reason, status=Status.FAILED)
