"""
The switches of the help-desk middleware, set by operators in the parameter store.

They are read at most every 30 seconds. If they cannot be read, all are closed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.parameters import SSMProvider
from aws_lambda_powertools.utilities.parameters.exceptions import (
    GetParameterError,
    SetParameterError,
)

from richpanel.decisions.switches import Switches, read_switches
from shared import clock
from shared.failures import Transient
from shared.runtime.observability import describe, logger, metrics

CACHE_SECONDS = 30
WAIT_MS = 30 * clock.SECOND_MS


class SwitchNotSet(Exception):
    """The parameter store rejected a switch or did not answer: its value may be unchanged. *reason* is AWS's code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class SwitchBoard:
    """The parameters below *path*, such as `/parley/prod/richpanel`."""

    provider: SSMProvider
    path: str
    _was_dry_run: bool | None = None

    def current(self) -> Switches:
        """
        Return the switches, at most 30 seconds old; all closed if they cannot be read.

        Only `dry_run` keeps its last known value: a wrong False would write to tickets during a dry run, a wrong True
        would leave messages unrouted. Raises Transient (`switches_unreadable`) if it was never read.
        """
        texts = self._read()
        switches = read_switches(texts or {})
        if texts is not None:
            self._was_dry_run = switches.dry_run
        if self._was_dry_run is None:
            raise Transient("switches_unreadable", WAIT_MS)
        return replace(switches, dry_run=self._was_dry_run)

    def texts(self, *, fresh: bool = False) -> Mapping[str, str]:
        """Return the text of each switch that is set; empty if they cannot be read."""
        return self._read(fresh=fresh) or {}

    def _read(self, *, fresh: bool = False) -> Mapping[str, str] | None:
        try:
            found = self.provider.get_multiple(self.path, max_age=CACHE_SECONDS, force_fetch=fresh)
        except GetParameterError as failure:
            metrics.add_metric("SwitchesUnreadable", MetricUnit.Count, 1)
            logger.error("switches unreadable: all closed", extra=describe(failure))
            return None
        return {name: str(text) for name, text in found.items()}

    def set(self, name: str, text: str) -> None:
        """Set one switch. The caller must validate *text* (`read_switch`). Idempotent. Raises SwitchNotSet."""
        try:
            self.provider.set(f"{self.path}/{name}", text, overwrite=True)
        except SetParameterError as failure:
            said = describe(failure.__cause__ or failure)
            raise SwitchNotSet(str(said.get("reason", said["error"]))) from None
