"""The bounds on costs that customers cause in a conversation: turns of the model, fixed texts and files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.outbound.unwritable import Unwritable
from conversations.store.items import identifiers
from shared import ai
from shared.spending import prices
from shared.spending.bounds import Kind
from shared.spending.budget import REASON, Cause, Reached, Reservation
from shared.spending.senders import sender_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.lifecycle.conversation import OpenConversation
    from shared.spending.budget import Spending


def cause_of(opened: OpenConversation, event: str) -> Cause:
    """
    Return the cause of a cost in a conversation. *event* is the same in each delivery.

    The providers prove numbers; a mail without proof gets no automatic answer. The company knows a customer to whom it
    has written first, or an agent has written.
    """
    begun_by_customer = opened.conversation.request_id.startswith(identifiers.REQUEST_PREFIX)
    company = opened.company.company_id
    return Cause(
        company=company,
        address=opened.state.business_address,
        sender=sender_hash(company, opened.customer),
        event=f"{opened.ref}:{event}",
        is_known=not begun_by_customer,
        is_proven=True,
    )


def reserve_notice(spending: Spending, opened: OpenConversation, turn_id: str) -> None:
    """Reserve a fixed text or a template that a customer's message causes. Raises Unwritable (`spending_limit`)."""
    price = prices.UNITS[Kind.NOTICE]
    if isinstance(spending.reserve(Kind.NOTICE, cause_of(opened, turn_id), price), Reached):
        raise Unwritable(REASON)


@dataclass(slots=True, eq=False)
class BoundedModel:
    """
    A model for one turn that a customer causes. Its first call reserves the turn with the message that is sent, and
    raises ai.Unavailable (`spending_limit`) beyond the bounds; `settle` counts what all calls have used.

    *model_id* decides the price. A turn that has started is completed.
    """

    model: ai.Model
    spending: Spending
    cause: Cause
    model_id: str | None
    message_price: int
    _reservation: Reservation | None = field(default=None, init=False)
    _usage: ai.Usage = field(default_factory=ai.Usage, init=False)

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self.model.name

    def reply(
        self,
        system: str,
        history: Sequence[ai.Turn],
        *,
        limits: ai.Limits,
        schema: ai.Schema | None = None,
        tools: Sequence[ai.Tool] = (),
    ) -> ai.Reply:
        """See `Model.reply`."""
        if self._reservation is None:
            size = _size(system, history, schema, tools)
            price = prices.estimate(self.model_id, size, limits.most_tokens) + self.message_price
            reserved = self.spending.reserve(Kind.AI_ANSWER, self.cause, price)
            if isinstance(reserved, Reached):
                raise ai.Unavailable(REASON, ai.Repeat.NEVER)
            self._reservation = reserved
        reply = self.model.reply(system, history, limits=limits, schema=schema, tools=tools)
        self._usage += reply.usage
        return reply

    def settle(self) -> None:
        """Count the real price of the turn; that of a turn without an answered call stays the estimate."""
        if self._reservation is not None and self._usage != ai.Usage():
            price = prices.price_of(self.model_id, self._usage) + self.message_price
            self.spending.settle(self._reservation, price)


def _size(
    system: str, history: Sequence[ai.Turn], schema: ai.Schema | None, tools: Sequence[ai.Tool]
) -> int:
    """Return the bytes that a call sends."""
    texts = [system, *map(_text_of, history)]
    texts += [tool.description + json.dumps(tool.parameters) for tool in tools]
    texts += [json.dumps(schema.schema)] if schema is not None else []
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def _text_of(turn: ai.Turn) -> str:
    return turn.text if isinstance(turn, ai.Message) else turn.call.arguments + turn.result
