"""Client of ShipStation's API version 1, read only: the parcels of an order that is already matched."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from pydantic import Field

from richpanel.clients.calls import SHORTEST_CALL_MS, attempt, content, refusal, repeatable
from richpanel.clients.shapes import Flag, Id, Moment, ProviderModel, parse_list
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.providers import http

_TOO_MANY = 429
# Longest reset that is waited for: the limit is 40 requests a minute, so its reset can be far off.
LONGEST_RESET_MS = 5 * clock.SECOND_MS


class Shipment(ProviderModel):
    """A purchased label. `carrier_code` is ShipStation's own, such as `stamps_com`."""

    order_id: Id | None = None  # ShipStation's own
    order_number: str | None = Field(default=None, repr=False)
    customer_email: str | None = Field(default=None, repr=False)
    tracking_number: str | None = Field(default=None, repr=False)
    carrier_code: str | None = None
    create_date: Moment = None
    voided: Flag = None
    is_return_label: Flag = None


@dataclass(slots=True, eq=False)
class ShipStation:
    """Client for one account, created per event."""

    base_url: str
    api_key: str = field(repr=False)
    api_secret: str = field(repr=False)
    deadline_ms: int

    def shipments_of(self, number: str) -> list[Shipment]:
        """
        Return the results of a search for an order number: candidates, filtered by `guards.order_records`. Raises
        Transient or Permanent.
        """
        payload = content(repeatable(lambda: self._once(number), self.deadline_ms))
        return parse_list(Shipment, payload, "shipments")

    def _once(self, number: str) -> http.Answer:
        pair = b64encode(f"{self.api_key}:{self.api_secret}".encode()).decode()
        answer = attempt(
            "GET",
            f"{self.base_url}/shipments?{urlencode({'orderNumber': number})}",
            headers={"Authorization": f"Basic {pair}"},
            deadline_ms=self.deadline_ms,
        )
        failure = refusal("shipstation", answer.status)
        if failure:
            if answer.status == _TOO_MANY:
                self._wait(answer.headers.get("x-rate-limit-reset", ""))
            raise failure
        return answer

    def _wait(self, reset_seconds: str) -> None:
        """Wait for the reset of the rate limit if it is near and leaves time for another call."""
        if not (reset_seconds.isascii() and reset_seconds.isdecimal()):
            return
        wait_ms = int(reset_seconds) * clock.SECOND_MS
        left_ms = self.deadline_ms - clock.now_ms()
        if wait_ms <= LONGEST_RESET_MS and wait_ms + SHORTEST_CALL_MS < left_ms:
            clock.sleep_ms(wait_ms)
