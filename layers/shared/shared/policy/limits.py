"""Default frequency limits, for companies without limits of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from shared.aws.tables.rate_limits.limit import Limit, Rate
from shared.policy.facts import Author, Kind
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.events.exchange import Channel

_HOUR_SECONDS = 3_600
# One message in six seconds to the same customer, with a short burst. Check: Meta permits borrowing 45 from the
# following seconds, and counts other senders of the number too; a burst of five has a margin for both.
WHATSAPP_PAIR = Rate(every_ms=6 * clock.SECOND_MS, burst=5)
_AI_ANSWERS = (Limit(20, _HOUR_SECONDS), Limit(60, clock.DAY_SECONDS))
_AI_MAILS = (Limit(5, _HOUR_SECONDS), Limit(20, clock.DAY_SECONDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyLimits:
    """
    *begun_by_us* per customer and company, *ai_answers* per conversation, by channel.

    None of them may be empty: to disable a limit, set a high one.
    """

    begun_by_us: tuple[Limit, ...] = (Limit(2, clock.DAY_SECONDS), Limit(5, 7 * clock.DAY_SECONDS))
    ai_answers: Mapping[Channel, tuple[Limit, ...]] = field(
        default_factory=lambda: MappingProxyType(
            {"whatsapp": _AI_ANSWERS, "sms": _AI_ANSWERS, "email": _AI_MAILS}
        )
    )

    def of(self, kind: Kind, author: Author, channel: Channel) -> tuple[Limit, ...]:
        """Return the limits for such a message; none for answers that are not the AI's."""
        if kind in {Kind.FIRST, Kind.REENGAGEMENT}:
            return self.begun_by_us
        return self.ai_answers[channel] if author is Author.AI else ()
