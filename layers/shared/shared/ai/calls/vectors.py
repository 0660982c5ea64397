"""
Vectors of many texts, in as many calls as their model needs, within the ceilings of a company.

    ceiling reached        no call is made
    a call fails           calls that have not begun are not made; the vectors of the others are returned
    time is up             as above
    texts are refused      each half of them is asked for, down to the refused text, which has no vector; a model that
                           refuses all texts, or MOST_REFUSED calls, has failed

A vector is kept as text: its name, and a signed byte for each number of the vector of length 1; of a refused text
without numbers.
"""

from __future__ import annotations

import base64
import math
import re
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
REFUSED: Final = "text_refused"
SCALE: Final = 127
MOST_REFUSED: Final = 24  # calls of a reading: two refused texts among 200 need 16
_CALLS_AT_ONCE: Final = 8
# The codes with which providers refuse what a request says, and not its time or its key.
_OF_THE_TEXTS: Final = re.compile(r"ValidationException|openai_400.*")
_BETWEEN: Final = " "  # name and vector


@dataclass(slots=True)
class Made:
    """
    Kept vectors by the position of their text, and the positions of *refused* texts, in *refusals* calls; *failure*:
    the code of the first call that failed.
    """

    vectors: dict[int, str] = field(default_factory=dict, repr=False)
    refused: set[int] = field(default_factory=set)
    refusals: int = 0
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


type _Numbered = Sequence[tuple[int, str]]


def _ask(embedder: Embedder, texts: Sequence[str], made: Made, deadline_ms: int) -> None:
    """Make the calls, several at a time. What they return is in *made*."""

    def call(numbered: _Numbered) -> list[tuple[_Numbered, Embedded]]:
        left_ms = deadline_ms - clock.now_ms()
        if made.failure is not None or left_ms <= 0:
            made.failure = made.failure or TIME_IS_UP
            return []
        try:
            found = embedder.embed([text for _, text in numbered], min(CALL_MS, left_ms))
        except Unavailable as failure:
            parts = _refused(made, failure, numbered)
            return [one for part in parts for one in call(part)]
        except (SecretUnreadable, NotSent) as failure:
            made.failure = getattr(failure, "code", "secrets_missing")
        else:
            return [(numbered, found)]
        return []

    with ThreadPoolExecutor(_CALLS_AT_ONCE) as pool:
        answered = pool.map(call, batched(enumerate(texts), embedder.most_texts, strict=False))
        for numbered, found in (one for some in answered for one in some):
            made.tokens += found.tokens
            for (position, _), vector in zip(numbered, found.vectors, strict=True):
                made.vectors[position] = kept(embedder.name, vector)
    if made.refused and not made.vectors:
        made.refused.clear()  # nothing shows that it was for the texts
        made.failure = made.failure or REFUSED


def _refused(made: Made, failure: Unavailable, numbered: _Numbered) -> tuple[_Numbered, ...]:
    """Note a failed call, and return the parts of its texts to ask for again."""
    made.may_be_billed |= failure.may_be_billed
    if not _OF_THE_TEXTS.fullmatch(failure.code) or made.refusals >= MOST_REFUSED:
        made.failure = failure.code
        return ()
    made.refusals += 1
    half = len(numbered) // 2
    if half:
        return numbered[:half], numbered[half:]
    made.refused.add(numbered[0][0])
    return ()


def without_vector(name: str) -> str:
    """Return what is kept of a text that the model with this name has refused."""
    return f"{name}{_BETWEEN}"


def kept(name: str, vector: Vector) -> str:
    """Return the text in which a vector is kept."""
    length = math.hypot(*vector) or 1.0
    scaled = array("b", (round(SCALE * number / length) for number in vector))
    return f"{name}{_BETWEEN}{base64.b64encode(scaled.tobytes()).decode()}"


def read(stored: str | None, name: str) -> tuple[int, ...] | None:
    """Return a kept vector, empty of a refused text; None if there is none of the model with this name."""
    if stored is None or not stored.startswith(f"{name}{_BETWEEN}"):
        return None
    numbers = array("b")
    numbers.frombytes(base64.b64decode(stored.rpartition(_BETWEEN)[2]))
    return tuple(numbers)
