"""
A morning at a recruiting company: whom it writes to, and what they answer.

Each run has people of its own: whoever once said STOP hears nothing more, and nobody is written to more than twice a
day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from events.conversations import cast
from events.conversations.twilio import SMS_NUMBER

CHANNELS = ("whatsapp", "sms", "email")
FRAGMENTS = ("Yes I do", "a full one", "for ten years")
WISH = "Can I talk to a human, please?"
AGENT = "dana"
ANSWER = "Hello Ann, Dana here. What would you like to know?"
STOP = "STOP"

# Numbers 555-01xx are kept for fiction in every area code.
_AREAS = range(201, 990)
_LINES = 100
_PEOPLE = 8  # in one run


def project() -> dict[str, Any]:
    """The set-up of the project, for a morning that may be at any hour, and after many others."""
    usual = cast.project()
    return usual | {
        "policy": usual["policy"] | {"quiet_hours": None},
        "rate_limits": {"concurrent_conversations": 1_000},
    }


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody whom the company writes to."""

    first_name: str
    last_name: str
    tel: str
    email: str

    def recipient_data(self) -> dict[str, Any]:
        """The section of a request."""
        return {
            "recipient_first_name": self.first_name,
            "recipient_last_name": self.last_name,
            "recipient_tel": self.tel,
            "recipient_email": self.email,
            "comms_consent": True,
        }

    def says(self, body: str) -> dict[str, Any]:
        """An SMS to the company, as the sandbox takes it (`POST /_texts`)."""
        return {"sender": self.tel, "to": SMS_NUMBER, "body": body}


@dataclass(frozen=True, slots=True)
class Run:
    """One run; *number* tells its people and requests from those of other runs."""

    number: int

    @classmethod
    def now(cls) -> Run:
        """A run that begins now."""
        return cls(round(datetime.now(UTC).timestamp()))

    def candidate(self, first_name: str, last_name: str, place: int = 0) -> Candidate:
        """One of at most eight people of this run."""
        area, line = divmod((self.number * _PEOPLE + place) % (len(_AREAS) * _LINES), _LINES)
        return Candidate(
            first_name,
            last_name,
            f"+1{_AREAS[area]}55501{line:02d}",
            f"{first_name}.{self.number}@example.com".lower(),
        )

    def request(self, candidate: Candidate, channel: str, name: str = "first") -> dict[str, Any]:
        """What the company posts to have somebody written to over a channel."""
        request = cast.request(channel, f"{name}-{channel}-{self.number}")
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        request["request_data"] |= {"initial_request_timestamp": at}
        return request | {"recipient_data": candidate.recipient_data()}
