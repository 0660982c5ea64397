"""Random changes of conversations from one noon on, and processes that end at a write."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from unittest import mock

from shared.aws.dynamodb import Table
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOON = "2026-01-01T12:00:00.000Z"


class Killed(BaseException):
    """The process ends."""


def at(minute: int) -> str:
    """A time so many minutes after noon."""
    return clock.to_text(clock.from_text(NOON) + minute * 60_000)


class History:
    """What a test changes of conversations, with its own count of what came of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a reproducible order, no secret
        self.minute = 0
        self.heads: dict[str, dict[str, Any]] = {}
        self.expected: Counter[str] = Counter()


@contextmanager
def killed(moment: str, *writes: str) -> Iterator[None]:
    """The process ends `before` or `after` its first call of these methods of `Table`."""

    def last(write: Callable[..., object]) -> Callable[..., None]:
        def run(table: Table, *args: Any, **more: Any) -> None:
            if moment == "after":
                write(table, *args, **more)
            raise Killed

        return run

    with suppress(Killed), ExitStack() as patches:
        for name in writes:
            patches.enter_context(mock.patch.object(Table, name, last(getattr(Table, name))))
        yield
