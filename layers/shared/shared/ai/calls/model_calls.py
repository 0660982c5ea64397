"""
Asks a model until its answer is accepted, and counts what the calls use.

    no answer (Unavailable)           asked again after a pause, if *may_repeat* permits it
    an answer that is not accepted    AnswerInvalid: asked again, with the problems if there are any
                                      AnswerTruncated: asked again, with twice the tokens
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shared.ai.port import Message, Repeat, Role, Stop, Unavailable, Usage
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.ai.port import Model, Reply, Request

ATTEMPTS = 2
SHORTEST_LEFT_MS = 20 * clock.SECOND_MS  # minimum time left to start a call
NO_ANSWER = "(no answer)"
NO_TIME_LEFT = "no_time_left"  # the code of a call that would begin too late


class AnswerInvalid(Exception):
    """
    The answer breaks rules. *text* is the field and the rule; *problems* are told to the model. Both are without its
    text.
    """

    def __init__(self, text: str = "", problems: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.problems = problems


class AnswerTruncated(AnswerInvalid):
    """The answer ended at the limit of tokens."""


def as_received(reply: Reply) -> Reply:
    """Accept every reply."""
    return reply


def complete_text(reply: Reply) -> str:
    """Return the text of a complete answer. Raises AnswerInvalid."""
    if reply.stop is not Stop.END:
        raise AnswerInvalid(f"answer: {reply.stop}")
    return reply.text


def _never(_: Unavailable) -> bool:
    return False


@dataclass(slots=True, kw_only=True, eq=False)
class ModelCalls:
    """
    The calls of one piece of work to a model. No call lasts beyond *deadline_ms* (milliseconds since 1970).

    *usage*, *count* and *ms* are the sums of all calls so far; *before_call* may refuse one by an exception.
    """

    model: Model
    deadline_ms: int | None = None
    pause_ms: tuple[int, int] = (0, 0)  # before the call after a failure, with full jitter
    may_repeat: Callable[[Unavailable], bool] = _never
    before_call: Callable[[], None] | None = None
    usage: Usage = field(default_factory=Usage, init=False)
    count: int = field(default=0, init=False)
    ms: int = field(default=0, init=False)

    def ask[Answer](self, request: Request, accept: Callable[[Reply], Answer]) -> Answer:
        """
        Return what *accept* makes of a reply, at the latest of the second. Raises Unavailable, and as *accept* does,
        which raises no Unavailable itself.

        `Repeat.ONCE` becomes `NEVER` once the call has been repeated.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = self._reply(request)
                return accept(reply)
            except Unavailable as failure:
                if attempt == ATTEMPTS and failure.repeat is Repeat.ONCE:
                    failure.repeat = Repeat.NEVER
                if attempt == ATTEMPTS or not self.may_repeat(failure):
                    raise
                clock.sleep_ms(random.randint(*self.pause_ms))  # noqa: S311 - spreads load; not used for security
            except AnswerInvalid as invalid:
                if attempt == ATTEMPTS:
                    raise
                request = _next(request, reply, invalid)

    def _reply(self, request: Request) -> Reply:
        started = clock.now_ms()
        if self.deadline_ms is not None:
            left_ms = self.deadline_ms - started
            if left_ms < SHORTEST_LEFT_MS:
                raise Unavailable(NO_TIME_LEFT)
            within_ms = min(request.limits.within_ms, left_ms)
            request = replace(request, limits=replace(request.limits, within_ms=within_ms))
        if self.before_call:
            self.before_call()
        self.count += 1
        try:
            reply = self.model.reply(request)
        finally:
            self.ms += clock.now_ms() - started
        self.usage += reply.usage
        return reply


def _next(request: Request, reply: Reply, invalid: AnswerInvalid) -> Request:
    """Return the request for another answer; without problems the same one."""
    if isinstance(invalid, AnswerTruncated):
        limits = replace(request.limits, most_tokens=2 * request.limits.most_tokens)
        return replace(request, limits=limits)
    if not invalid.problems:
        return request
    rules = "\n".join(f"- {problem}" for problem in invalid.problems)
    repair = [
        Message(Role.ASSISTANT, reply.text or NO_ANSWER),
        Message(Role.USER, f"Your answer breaks these rules:\n{rules}\nAnswer again."),
    ]
    return replace(request, history=[*request.history, *repair])
