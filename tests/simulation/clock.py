"""The simulated clock: it advances only when code sleeps or a test moves it."""

from dataclasses import dataclass

from events.whatsapp.sample_builder import START

# In the evening after the day of the samples: none of their times is in the future.
START_MS = (START + 13 * 3_600) * 1_000


@dataclass
class Clock:
    """Replaces `shared.runtime.clock.now_ms`, and the SDK's sleep between its attempts."""

    ms: int = START_MS

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self.ms

    def sleep(self, seconds: float) -> None:
        """Advance the clock without waiting."""
        self.ms += round(seconds * 1_000)
