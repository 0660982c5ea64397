"""Ends the sessions of a person, and blocks and admits people: revocations, and connections of live updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

from operations.command_line.arguments import TABLE_OF_KEYS, Refused
from shared.access import revocations
from shared.aws.dynamodb import Table
from shared.inbox.live import posts
from shared.inbox.live.posts import Live
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

LIVE_TABLE, LIVE_ENDPOINT = "LiveTableName", "LiveEndpoint"  # outputs of template.yaml
OUTPUTS = (TABLE_OF_KEYS, LIVE_TABLE, LIVE_ENDPOINT)
# API Gateway accepts a connection after it is stored, and the index of callers follows within about a second.
_PAUSE_MS = 2 * clock.SECOND_MS


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of a deployment. Every method is safe to repeat, and a repeat completes what was cut off."""

    live: Live

    @classmethod
    def of(cls, outputs: Mapping[str, str]) -> Sessions:
        """Return the sessions of the stack with these outputs."""
        dynamodb = boto3.client("dynamodb")
        live, keys = (Table(dynamodb, outputs[name]) for name in (LIVE_TABLE, TABLE_OF_KEYS))
        return cls(Live(live, keys, outputs[LIVE_ENDPOINT]))

    def end(self, principal: str, moment: int) -> None:
        """Revoke what was issued until *moment* (epoch seconds), and close connections. Raises Refused."""
        revocations.end_sessions(self.live.keys, principal, moment)
        self.close(principal)

    def block(self, principal: str, moment: int) -> None:
        """Refuse a person until `admit`; nothing that was issued until *moment* counts afterwards either."""
        revocations.end_sessions(self.live.keys, principal, moment)
        revocations.block(self.live.keys, principal)

    def admit(self, principal: str) -> None:
        """Lift a block."""
        revocations.unblock(self.live.keys, principal)

    def close(self, principal: str) -> None:
        """Close the connections of a person whose access is revoked. Raises Refused if one stays open."""
        posts.close_all(self.live, principal)
        # A connection that was just about to open; and a new login has a later second than the revocation.
        clock.sleep_ms(_PAUSE_MS)
        if left := posts.close_all(self.live, principal):
            raise Refused(
                f"{left} live connections are still open, but get no more hints; repeat the command"
            )
