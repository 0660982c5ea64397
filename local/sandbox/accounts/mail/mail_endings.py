"""The last events of e-mails, by recipient."""

from __future__ import annotations

from typing import Literal

from local.sandbox.accounts.seeds import Seed


class MailEnding(Seed):
    """The last event of e-mails to *to*; *bounce_type* and *complaint_type* are SES's words, for these events."""

    to: str
    event: Literal[
        "Delivery", "Bounce", "Complaint", "Reject", "DeliveryDelay", "Rendering Failure"
    ] = "Delivery"
    bounce_type: Literal["Permanent", "Transient", "Undetermined"] = "Permanent"
    complaint_type: Literal["abuse", "not-spam"] = "abuse"
