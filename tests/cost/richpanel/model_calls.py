"""
Tokens of a call to the language model that classifies the help desk's messages, and the cost of 1,000 tickets.

Characters are measured on the requests that `Judge` makes for the labelled messages; a token is taken as four of them.
Check: neither provider publishes a tokenizer for all its models, and text in other languages has more tokens. The
schema counts as input, because both providers show it to the model.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from richpanel.classification import Message
from richpanel.classification.answers import MOST_CHARACTERS
from richpanel.classification.classifier import classify
from richpanel.clients.language_model import Judge
from richpanel.decisions.facts import ModelOpinion
from shared.ai import port as ai
from shared.ai.port import decodable
from tests.messages import corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CHARACTERS_A_TOKEN = 4
STEP = 50  # the written figures are rounded up to it
TICKETS = 1_000
ANSWERS = {
    "rp_decision_v1": {
        "schema_version": "rp_decision_v1",
        "language": "en",
        "intents": [
            {"intent": "order_status_tracking", "confidence": 0.93},
            {"intent": "shipping_delay_not_shipped", "confidence": 0.41},
        ],
        "risk_flags": [],
        "wants_human": False,
    },
    "rp_verifier_v1": {
        "schema_version": "rp_verifier_v1",
        "allow_tier2": True,
        "confidence": 0.9,
        "downgrade_to": None,
        "reason_code": "OK",
    },
}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float


@dataclass(frozen=True, slots=True)
class Call:
    """The tokens of one call, rounded up to `STEP`."""

    name: str
    tokens_in: int
    tokens_out: int

    def dollars(self, price: Price) -> float:
        """Return the cost of `TICKETS` such calls."""
        one = self.tokens_in * price.tokens_in + self.tokens_out * price.tokens_out
        return one * TICKETS / 1_000_000


@dataclass(slots=True)
class Measuring:
    """A model that counts the characters of its requests and gives the answer of `ANSWERS`."""

    name: str = "measuring"
    characters: list[tuple[int, int]] = field(default_factory=list)

    def reply(self, request: ai.Request) -> ai.Reply:
        """See `Model.reply`."""
        schema = request.schema
        assert schema is not None, "a call without a schema has other costs"
        assert not request.tools, "as above"
        answer = json.dumps(ANSWERS[schema.name])
        sent = [request.system, json.dumps(decodable(schema.schema))]
        sent += [turn.text for turn in request.history if isinstance(turn, ai.Message)]
        self.characters.append((sum(map(len, sent)), len(answer)))
        assert len(answer) / CHARACTERS_A_TOKEN < request.limits.most_tokens
        return ai.Reply(answer, ai.Stop.END)


def measure() -> list[Call]:
    """Measure the classification of the labelled messages and of the longest message, and the verdict on Tier 2."""
    messages = [labelled.message for labelled in corpus.read("held")]
    longest = Message(text="word " * MOST_CHARACTERS)
    return [
        call_of("classification, average message", _classified(messages).characters),
        call_of("classification, longest message", _classified([longest]).characters),
        call_of("verdict on a Tier 2 reply, average message", _verified(messages).characters),
    ]


def markdown(calls: Iterable[Call], price: Price) -> str:
    """Return the table of the documentation."""
    lines = [
        f"| call | tokens in | tokens out | {TICKETS:,} calls at ${price.tokens_in:g} / ${price.tokens_out:g} |",
        "| :-- | --: | --: | --: |",
    ]
    lines += [
        f"| {call.name} | {call.tokens_in:,} | {call.tokens_out} | ${call.dollars(price):.2f} |"
        for call in calls
    ]
    return "\n".join(lines)


def _classified(messages: Iterable[Message]) -> Measuring:
    model = Measuring()
    for message in messages:
        _, opinion = Judge(model).opinion(message, classify(message))
        assert opinion.failure is None, "the answer follows the schema"
    return model


def _verified(messages: Iterable[Message]) -> Measuring:
    model = Measuring()
    for message in messages:
        opinion = Judge(model).verdict(message, classify(message), ModelOpinion())
        assert opinion.failure is None, "the answer follows the schema"
    return model


def call_of(name: str, characters: Sequence[tuple[int, int]]) -> Call:
    """Return the mean of calls, from the characters of their requests and answers."""
    calls = len(characters)
    tokens_in, tokens_out = (
        sum(counted) / calls / CHARACTERS_A_TOKEN for counted in zip(*characters, strict=True)
    )
    return Call(name, _rounded(tokens_in), _rounded(tokens_out))


def _rounded(tokens: float) -> int:
    return math.ceil(tokens / STEP) * STEP
