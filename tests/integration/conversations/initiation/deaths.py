"""Processes that end at random before or after a write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

    import pytest

    from shared.aws.dynamodb import Table


class Died(Exception):
    """The worker ends between two writes."""


def let_writes_die(
    table: Table, monkeypatch: pytest.MonkeyPatch, rng: random.Random, share: float
) -> None:
    """Raise Died before, and after, this share of the writes of a table."""
    for name in ("put", "update", "delete", "transact_once"):
        write = getattr(table, name)

        def maybe_die(*given: Any, _write: Any = write, **named: Any) -> Any:
            if rng.random() < share:
                raise Died
            done = _write(*given, **named)
            if rng.random() < share:
                raise Died
            return done

        monkeypatch.setattr(table, name, maybe_die)
