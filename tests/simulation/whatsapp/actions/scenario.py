"""One call of an action in a prepared system, with the provider operations that are its effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.system import System

type Json = dict[str, Any]
# The parameters of a call, or a function that builds them from the results of the calls before it.
type Body = Json | Callable[[list[Json]], Json]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """
    *before*: calls that lead to the state in which the action is called, as (action, parameters). *prepare*: the state
    of table and providers before them. *minutes*: those that pass after them.

    *effect*: the provider operations (the sandbox's names) that the call performs; each of them at most once if the
    action is not idempotent. Empty: the action changes our own data only. *jobs*: the call leaves work on a queue, done
    *settles_minutes* after the repeated call.
    *repeatable*: the action documents that a repetition after a crash performs the effect again, which harms nothing.
    """

    action: str
    body: Body
    before: tuple[tuple[str, Body], ...] = ()
    prepare: Callable[[System], None] | None = None
    effect: tuple[str, ...] = ()
    jobs: bool = False
    settles_minutes: int = 4
    minutes: int = 0
    repeatable: bool = False
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.action
