"""Why there is no message to send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from conversations.outbound.turns.settlement import Noted
    from conversations.store.items.log import Message


class Unwritable(Exception):
    """
    There is no message to send. *reason* is a code; *may_pass* says whether trying again can help.

    *words* are what agents are shown where the model hands over, in its own words; *noted* is what it did before that.
    *unsent* is what a person wanted to say, so that they see that it did not leave.
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
    """Nothing can be worded before somebody mends this *attribute* of the project."""
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("project is not set up as it must be", extra={"attribute": attribute})
    return Unwritable("configuration_invalid")
