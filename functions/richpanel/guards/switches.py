"""The current switches of the help-desk middleware (`shared.policy.kill_switches`)."""

from dataclasses import dataclass, field, replace

from richpanel.decisions.switches import Switches, read_switches
from shared.policy.kill_switches import KillSwitches
from shared.runtime import clock
from shared.runtime.failures import Transient

WAIT_MS = 30 * clock.SECOND_MS


@dataclass(slots=True, eq=False)
class SwitchBoard(KillSwitches):
    """The switches of `richpanel.decisions.switches`."""

    _was_dry_run: bool | None = field(default=None, init=False)

    def current(self) -> Switches:
        """
        Return the switches, at most 30 seconds old; all closed if they cannot be read.

        Only `dry_run` keeps its last known value: a wrong False would write to tickets during a dry run, a wrong True
        would leave messages unrouted. Raises Transient (`switches_unreadable`) if it was never read.
        """
        texts = self.texts()
        switches = read_switches(texts or {})
        if texts is not None:
            self._was_dry_run = switches.dry_run
        if self._was_dry_run is None:
            raise Transient("switches_unreadable", WAIT_MS)
        return replace(switches, dry_run=self._was_dry_run)
