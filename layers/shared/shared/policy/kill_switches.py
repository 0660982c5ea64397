"""
Kill switches in the parameter store: read at most every 30 seconds, sending is off if they cannot be read.

    {path}/safe_mode            "false" permits sending: any other value stops every send
    {path}/automation_enabled   "true" permits the models: any other value stops them
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from shared.policy import Switches
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SSMProvider

CACHE_SECONDS = 30
SAFE_MODE = "safe_mode"
AUTOMATION = "automation_enabled"


@dataclass(frozen=True, slots=True)
class KillSwitches:
    """The parameters below *path*, such as `/parley/prod/conversations`."""

    provider: SSMProvider
    path: str

    def current(self) -> Switches:
        """Return the switches as of at most 30 seconds ago. A missing or unknown value counts as off."""
        try:
            found = self.provider.get_multiple(self.path, max_age=CACHE_SECONDS)
        except GetParameterError as failure:
            metrics.add_metric("SwitchesUnreadable", MetricUnit.Count, 1)
            logger.error("switches unreadable: all closed", extra=describe(failure))
            return Switches()
        return Switches(
            safe_mode=found.get(SAFE_MODE) != "false",
            automation=found.get(AUTOMATION) == "true",
        )
