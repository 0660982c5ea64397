"""
Vectors of many texts, in as many calls as their model needs, within the ceilings of a company.

    ceiling reached        no call is made
    a call fails           calls that have not begun are not made; the vectors of the others are returned
    time is up             as above

A vector is kept as text: its name, and a signed byte for each number of the vector of length 1.
"""

from __future__ import annotations

import base64
import math
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import batched
from typing import TYPE_CHECKING, Final

from shared.ai.calls.observed import step_of_vectors
from shared.ai.port import Unavailable
from shared.aws.secrets import SecretUnreadable
from shared.providers.outcomes import NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.ai.port import Embedded, Embedder, Vector
    from shared.ai.spending.company_model import CompanyCalls
    from shared.ai.spending.prices import ModelPrice

CALL_MS: Final = 5 * clock.SECOND_MS
TIME_IS_UP: Final = "no_time_left"
SCALE: Final = 127
_CALLS_AT_ONCE: Final = 8
_BETWEEN: Final = " "  # name and vector


@dataclass(slots=True)
class Made:
    """Kept vectors by the position of their text; *failure*: the code of the first call that failed."""

    vectors: dict[int, str] = field(default_factory=dict, repr=False)
    tokens: int = 0
    failure: str | None = None
    may_be_billed: bool = False

    def micros(self, price: ModelPrice) -> int:
        """Return the price of all calls in micro-dollars."""
        return price.of(self.tokens, 0) if self.tokens else 0


def vectors_of(
    embedder: Embedder,
    texts: Sequence[str],
    price: ModelPrice,
    spending: CompanyCalls,
    deadline_ms: int,
) -> Made:
    """Return the vectors of texts, which are not empty, as far as they can be had until *deadline_ms* (since 1970)."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    estimate = price.estimate(size, 0)
    made = Made()

    def ask() -> Made:
        _ask(embedder, texts, made, deadline_ms)
        return made

    def billed(_: Made) -> int:
        return estimate if made.may_be_billed else made.micros(price)

    try:
        with step_of_vectors(embedder.name):
            return spending.make(estimate, ask, billed)
    except Unavailable as refused:
        return Made(failure=refused.code)


def _ask(embedder: Embedder, texts: Sequence[str], made: Made, deadline_ms: int) -> None:
    """Make the calls, several at a time. What they return is in *made*."""

    def call(
        numbered: Sequence[tuple[int, str]],
    ) -> tuple[Sequence[tuple[int, str]], Embedded] | None:
        left_ms = deadline_ms - clock.now_ms()
        if made.failure is not None or left_ms <= 0:
            made.failure = made.failure or TIME_IS_UP
            return None
        try:
            found = embedder.embed([text for _, text in numbered], min(CALL_MS, left_ms))
        except Unavailable as failure:
            made.failure = failure.code
            made.may_be_billed |= failure.may_be_billed
            return None
        except (SecretUnreadable, NotSent) as failure:
            made.failure = getattr(failure, "code", "secrets_missing")
            return None
        return numbered, found

    with ThreadPoolExecutor(_CALLS_AT_ONCE) as pool:
        answered = pool.map(call, batched(enumerate(texts), embedder.most_texts, strict=False))
        for numbered, found in filter(None, answered):
            made.tokens += found.tokens
            for (position, _), vector in zip(numbered, found.vectors, strict=True):
                made.vectors[position] = kept(embedder.name, vector)


def kept(name: str, vector: Vector) -> str:
    """Return the text in which a vector is kept."""
    length = math.hypot(*vector) or 1.0
    scaled = array("b", (round(SCALE * number / length) for number in vector))
    return f"{name}{_BETWEEN}{base64.b64encode(scaled.tobytes()).decode()}"


def read(stored: str | None, name: str) -> tuple[int, ...] | None:
    """Return a kept vector; None if there is none of the model with this name."""
    if stored is None or not stored.startswith(f"{name}{_BETWEEN}"):
        return None
    numbers = array("b")
    numbers.frombytes(base64.b64decode(stored.rpartition(_BETWEEN)[2]))
    return tuple(numbers)
