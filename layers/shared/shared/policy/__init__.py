"""
The send policy: decides before every send whether a message may be sent now, with a reason if not.

Pure: facts in, one decision out (`decide`); `quiet_hours`, `zones` and `limits` compute some of the facts. The caller
stores the reason of every decision that is not `Allowed`: a refusal is a result, not an error.
"""

from shared.policy.decision import decide
from shared.policy.facts import (
    Allowed,
    Author,
    Decision,
    Facts,
    Kind,
    Later,
    Reason,
    Refused,
    Switches,
    TemplateOnly,
)
from shared.policy.limits import WHATSAPP_PAIR, FrequencyLimits
from shared.policy.quiet_hours import QuietHours
from shared.policy.zones import zones_of

__all__ = [
    "WHATSAPP_PAIR",
    "Allowed",
    "Author",
    "Decision",
    "Facts",
    "FrequencyLimits",
    "Kind",
    "Later",
    "QuietHours",
    "Reason",
    "Refused",
    "Switches",
    "TemplateOnly",
    "decide",
    "zones_of",
]
