"""
Kill switches in the parameter store, set by operators and read at most every 30 seconds.

Each context has its own path. A switch that is missing or cannot be read is closed. Only while the store throttles,
which it does at 40 calls a second of all functions of an account, the last texts hold for some minutes. Contexts that
send have

    safe_mode            `false` permits sending; any other text, or none, stops every send
    automation_enabled   `true` permits the models, and messages without a person; any other text, or none, stops them

and may name further ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit
from botocore.exceptions import ClientError

from shared.policy.facts import Switches
from shared.runtime import clock
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aws_lambda_powertools.utilities.parameters import SSMProvider

CACHE_SECONDS = 30
# An operator who closes a switch while the store throttles waits no longer than this.
HELD_MS = 300 * clock.SECOND_MS
SAFE_MODE = "safe_mode"
AUTOMATION = "automation_enabled"


class SwitchNotSet(Exception):
    """The parameter store rejected a switch or did not answer: its value may be unchanged. *reason* is AWS's code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parameter_store(make_client: Callable[[], Any]) -> Callable[[], SSMProvider]:
    """Return a function that creates the parameter store at its first call: it and the client of SSM take 25 ms."""

    @cache
    def created() -> SSMProvider:
        from aws_lambda_powertools.utilities.parameters import SSMProvider  # noqa: PLC0415 - see above

        return SSMProvider(boto3_client=make_client())

    return created


@dataclass(slots=True)
class _Read:
    """
    The last texts. While the store throttles they are used without a call until *held_until_ms*.

    *found*: as the provider returned them; it returns the same object as long as it makes no call.
    """

    found: object
    texts: Mapping[str, str]
    at_ms: int
    held_until_ms: int = 0

    def may_hold(self, failure: BaseException | None, now_ms: int) -> bool:
        """Whether they are used instead of those that could not be read because of *failure*."""
        is_throttled = isinstance(failure, ClientError) and (
            failure.response.get("Error", {}).get("Code") == "ThrottlingException"
        )
        return is_throttled and now_ms <= self.at_ms + HELD_MS


@dataclass(slots=True, eq=False)
class KillSwitches:
    """
    The parameters below *path*, such as `/parley/prod/conversations`.

    *provider* always returns the same one; see `parameter_store`.
    """

    provider: Callable[[], SSMProvider]
    path: str
    _last: _Read | None = field(default=None, init=False)

    def texts(self, *, fresh: bool = False) -> Mapping[str, str] | None:
        """
        Return the text of each switch that is set, by name, at most 30 seconds old.

        If the store throttles: at most five minutes old, unless they must be *fresh*. None if they cannot be read,
        which is counted and logged: the caller treats all as closed.
        """
        last, now_ms = self._last, clock.now_ms()
        if last is not None and not fresh and now_ms < last.held_until_ms:
            return last.texts
        from aws_lambda_powertools.utilities.parameters.exceptions import (  # noqa: PLC0415 - with the provider
            GetParameterError,
        )

        try:
            parameters = self.provider().get_multiple(
                self.path, max_age=CACHE_SECONDS, force_fetch=fresh
            )
        except GetParameterError as failure:
            if last is not None and not fresh and last.may_hold(failure.__context__, now_ms):
                again_ms = now_ms + CACHE_SECONDS * clock.SECOND_MS
                last.held_until_ms = min(again_ms, last.at_ms + HELD_MS)
                metrics.add_metric("SwitchesHeld", MetricUnit.Count, 1)
                return last.texts
            metrics.add_metric("SwitchesUnreadable", MetricUnit.Count, 1)
            logger.error("switches unreadable: all closed", extra=describe(failure))
            return None
        if last is not None and parameters is last.found:
            return last.texts
        texts = {name: str(text) for name, text in parameters.items()}
        self._last = _Read(parameters, texts, now_ms)
        return texts

    def in_force(self) -> Switches:
        """Return the switches of the sending contexts, at most 30 seconds old; all off if it cannot be read."""
        texts = self.texts() or {}
        return Switches(
            safe_mode=texts.get(SAFE_MODE) != "false", automation=texts.get(AUTOMATION) == "true"
        )

    def set(self, name: str, text: str) -> None:
        """Set one switch. The caller must validate *text*. Idempotent. Raises SwitchNotSet."""
        from aws_lambda_powertools.utilities.parameters.exceptions import (  # noqa: PLC0415 - as above
            SetParameterError,
        )

        try:
            self.provider().set(f"{self.path}/{name}", text, overwrite=True)
        except SetParameterError as failure:
            description = describe(failure.__cause__ or failure)
            raise SwitchNotSet(str(description.get("reason", description["error"]))) from None
