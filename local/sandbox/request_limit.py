"""A limit on requests in a sliding window of time, as providers count them."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Window:
    """At most *most* requests in any *seconds*; refused requests do not count."""

    most: int
    seconds: float
    _taken: deque[float] = field(default_factory=deque)

    def refused_for(self, now: float) -> int | None:
        """Count a request at *now* (seconds since 1970); return None, or the seconds to wait at the limit."""
        while self._taken and self._taken[0] <= now - self.seconds:
            self._taken.popleft()
        if len(self._taken) >= self.most:
            return max(1, math.ceil(self._taken[0] + self.seconds - now))
        self._taken.append(now)
        return None
