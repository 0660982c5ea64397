"""The simulation's time: it stands still until somebody waits."""

from dataclasses import dataclass

from events.whatsapp.story import START

# In the evening after the day of the samples: no time of theirs is ahead of the clock.
EVENING_MS = (START + 13 * 3_600) * 1_000


@dataclass
class Clock:
    """Takes the place of `shared.runtime.clock.now_ms`, and of the SDK's sleep between its attempts."""

    ms: int = EVENING_MS

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self.ms

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.ms += round(seconds * 1_000)
