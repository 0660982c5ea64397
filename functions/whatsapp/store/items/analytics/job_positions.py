"""Positions of the jobs of the schedule."""

from typing import Annotated, Any, ClassVar, Literal

from whatsapp.store.items.item import AtMost, WhatsAppItem

type JobName = Literal["sends", "payments", "daily_payments", "steps", "campaigns"]


class JobPositions(WhatsAppItem):
    """
    How far each job of the schedule has come, if it did not end within its time; times are ms since 1970.

    `sends`, `payments` and `daily_payments`: `jobs.delayed_checks`. `steps`: a minute, and the `number` of its next
    timer. `campaigns`: the last id of a round that began at `since`.
    """

    item_type: ClassVar[str] = "CONFIG"
    pk_pattern: ClassVar[str] = "CONFIG#SCHEDULE"

    sends: Annotated[dict[str, Any], AtMost(5)] | None = None
    payments: Annotated[dict[str, Any], AtMost(5)] | None = None
    daily_payments: Annotated[dict[str, Any], AtMost(5)] | None = None
    steps: Annotated[dict[str, Any], AtMost(5)] | None = None
    campaigns: Annotated[dict[str, Any], AtMost(5)] | None = None
