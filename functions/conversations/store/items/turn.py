"""A turn: one outgoing message from claim to settlement. The state of a conversation holds the turn under way."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from shared.runtime import clock


class TurnKind(StrEnum):
    """The kind of content that a turn sends. Stored on the turn and its message; never derived from `turn_id`."""

    INITIAL = "initial"  # the first message
    REPLY = "reply"  # the model's answer to customer messages or to the result of a function call
    REENGAGEMENT = (
        "reengagement"  # the template sent in place of a reply once the messaging window has closed
    )
    HUMAN = "human"  # an agent's message
    FOLLOW_UP = "follow_up"  # a fixed text or template after a silence of the customer
    SATISFACTION = "satisfaction"  # the question how satisfied the customer is, after the end
    NOTICE = "notice"  # a fixed text of the project: help, hand-off
    OPT_OUT_CONFIRMATION = "opt_out_confirmation"

    @property
    def is_reply(self) -> bool:
        """Whether the turn answers customer messages without an agent."""
        return self in {TurnKind.REPLY, TurnKind.REENGAGEMENT}

    @property
    def is_notice(self) -> bool:
        """Whether the turn sends a fixed text in addition to the dialogue."""
        return self in {
            TurnKind.FOLLOW_UP,
            TurnKind.SATISFACTION,
            TurnKind.NOTICE,
            TurnKind.OPT_OUT_CONFIRMATION,
        }


class Stage(StrEnum):
    """Stage of a turn. `claimed`: its message may still change. `sending`: its message may have been sent."""

    CLAIMED = "claimed"
    SENDING = "sending"


class Turn(BaseModel):
    """
    The turn under way. `generation` is the fence: a take-over raises the state's, and this turn may not send.

    `up_to` is the sort key of the newest message that the turn answers, `message_sk` the key of its message, which
    may not be drafted yet; `lease_until` is in milliseconds since 1970.
    """

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    turn_id: str
    kind: TurnKind
    up_to: str | None = None
    message_sk: str
    generation: int
    stage: Stage
    owner: str
    lease_until: int

    @property
    def is_over(self) -> bool:
        """Whether the lease of the worker that claimed the turn has expired."""
        return self.lease_until <= clock.now_ms()
