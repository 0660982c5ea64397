"""The error raised if a turn has no message to send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from conversations.outbound.results import Noted
    from conversations.store.items.log import Message


class Unwritable(Exception):
    """
    There is no message to send. *reason* is a code; *may_pass* says whether a retry can help.

    *words* is the model's own hand-off reason, shown to agents; *noted* is what the model did in the turn before.
    *unsent* is an agent's message, stored as failed so that the agent sees it.
    """

    def __init__(
        self,
        reason: str,
        *,
        may_pass: bool = False,
        words: str | None = None,
        unsent: Message | None = None,
        noted: Noted | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_pass = may_pass
        self.words = words
        self.unsent = unsent
        self.noted = noted


def misconfigured(attribute: str) -> Unwritable:
    """Count and log an invalid *attribute* of the project, which an operator must fix; return the error to raise."""
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("project settings invalid", extra={"attribute": attribute})
    return Unwritable("configuration_invalid")
