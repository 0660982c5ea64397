"""
The recruiting demo: candidates, requests and answers.

Each run has its own candidates, because an opt-out persists, and a candidate gets at most two first messages a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER

CHANNELS = ("whatsapp", "sms", "email")
FRAGMENTS = ("Yes I do", "a full one", "for ten years")
HANDOFF_REQUEST = "Can I talk to a human, please?"
ANSWER = "Hello Ann, Dana here. What would you like to know?"
STOP = "STOP"

# Numbers 555-01xx are reserved for fiction in every area code.
_AREA_CODES = range(201, 990)
_LINES = 100
_CANDIDATES = 8  # in one run


def project() -> dict[str, Any]:
    """Return the project settings, without quiet hours and with a high conversation limit: runs may be frequent."""
    usual = sample_data.project()
    return usual | {
        "policy": usual["policy"] | {"quiet_hours": None},
        "rate_limits": {"concurrent_conversations": 1_000},
    }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate whom the company contacts."""

    first_name: str
    last_name: str
    tel: str
    email: str

    def recipient_data(self) -> dict[str, Any]:
        """Return the `recipient_data` section of a request."""
        return {
            "recipient_first_name": self.first_name,
            "recipient_last_name": self.last_name,
            "recipient_tel": self.tel,
            "recipient_email": self.email,
            "comms_consent": True,
        }

    def text(self, body: str) -> dict[str, Any]:
        """Return an SMS to the company in the format of the sandbox (`POST /_texts`)."""
        return {"sender": self.tel, "to": SMS_NUMBER, "body": body}


@dataclass(frozen=True, slots=True)
class Run:
    """One run; *number* makes its candidates and requests different from other runs'."""

    number: int

    @classmethod
    def now(cls) -> Run:
        """Return a run that starts now."""
        return cls(round(datetime.now(UTC).timestamp()))

    def candidate(self, first_name: str, last_name: str, position: int = 0) -> Candidate:
        """Return one of at most eight candidates of this run."""
        area, line = divmod(
            (self.number * _CANDIDATES + position) % (len(_AREA_CODES) * _LINES), _LINES
        )
        return Candidate(
            first_name,
            last_name,
            f"+1{_AREA_CODES[area]}55501{line:02d}",
            f"{first_name}.{self.number}@example.com".lower(),
        )

    def request(self, candidate: Candidate, channel: str, name: str = "first") -> dict[str, Any]:
        """Return the company's request for a conversation with the candidate on a channel."""
        request = sample_data.request(channel, f"{name}-{channel}-{self.number}")
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        request["request_data"] |= {"initial_request_timestamp": at}
        return request | {"recipient_data": candidate.recipient_data()}
