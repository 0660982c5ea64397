"""
The meanings of WhatsApp's error codes, and the advice for the business.

Meta describes the codes in "Cloud API error codes"; the table has the codes that concern a sender.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a code, and the advice. *again*: whether the same message can succeed later."""

    meaning: str
    advice: str
    again: bool = False


_WAIT = "Send fewer messages and try again later."
_TOKEN = "An operator must renew the access token or its permissions."  # noqa: S105 - no secret
_ACCOUNT = "An operator must resolve this in Meta's business settings."
_TEMPLATE = "Compare the message with the approved template."
_FILE = "Check the type and size of the file, and that its link can be downloaded."
_NONE = "Do not send to this customer on WhatsApp again; use another channel."

CODES: Mapping[int, Meaning] = {
    0: Meaning("The access token is not valid.", _TOKEN),
    4: Meaning("The app makes too many calls.", _WAIT, again=True),
    10: Meaning("The app lacks a permission.", _TOKEN),
    100: Meaning("A parameter is wrong or unknown.", "Correct the message."),
    190: Meaning("The access token has expired.", _TOKEN),
    368: Meaning("The account is blocked for a violation of a policy.", _ACCOUNT),
    80007: Meaning("The account makes too many calls.", _WAIT, again=True),
    130429: Meaning("The number sends faster than its throughput permits.", _WAIT, again=True),
    130472: Meaning(
        "The customer takes part in an experiment of Meta that withholds marketing messages.",
        "Do not repeat the message.",
    ),
    131000: Meaning("Meta failed without a reason.", "Try again later.", again=True),
    131005: Meaning("The app lacks a permission.", _TOKEN),
    131008: Meaning("A required parameter is missing.", "Correct the message."),
    131009: Meaning("The value of a parameter is not valid.", "Correct the message."),
    131016: Meaning("The service is overloaded.", "Try again later.", again=True),
    131021: Meaning("Sender and recipient are the same number.", "Send to another number."),
    131026: Meaning(
        "The message cannot be delivered: the customer does not use WhatsApp, has an old version or has not accepted "
        "its terms.",
        _NONE,
    ),
    131030: Meaning(
        "The recipient is not on the list of a test number.", "Add the recipient at Meta."
    ),
    131031: Meaning("The account is locked.", _ACCOUNT),
    131042: Meaning("There is a problem with the payment method.", _ACCOUNT),
    131047: Meaning(
        "The customer last wrote more than 24 hours ago.", "Send an approved template."
    ),
    131048: Meaning(
        "The number may not send more for now: the portfolio's limit of customers in 24 hours is reached, or too many "
        "customers block or report the number.",
        "Look at get_throughput_limits and the number's quality. Continue a day later, with what customers asked for.",
    ),
    131049: Meaning(
        "Meta limits the marketing messages to this customer.",
        "Wait at least a day before the next marketing message to this customer.",
    ),
    131050: Meaning(
        "The customer has stopped marketing messages.", "Send this customer no marketing."
    ),
    131051: Meaning("The type of the message is not supported.", "Send another type."),
    131052: Meaning("The customer's file cannot be downloaded.", "Ask the customer to resend it."),
    131053: Meaning("The file cannot be uploaded.", _FILE),
    131056: Meaning(
        "Too many messages to this customer in a short time.",
        "Wait six seconds or more.",
        again=True,
    ),
    132000: Meaning("The number of template parameters is wrong.", _TEMPLATE),
    132001: Meaning("The template does not exist in this language, or is not approved.", _TEMPLATE),
    132005: Meaning("The filled template is too long.", "Use shorter values."),
    132007: Meaning("The template violates a policy.", "Change the template."),
    132012: Meaning("A template parameter has a wrong format.", _TEMPLATE),
    132015: Meaning(
        "The template is paused for low quality.", "Improve the template or use another one."
    ),
    132016: Meaning("The template was paused too often and is disabled.", "Create a new template."),
    132068: Meaning("The flow of the message is blocked.", "Correct the flow."),
    132069: Meaning("The flow of the message is throttled.", "Correct the flow's endpoint."),
    133010: Meaning("The number is not registered.", _ACCOUNT),
    133016: Meaning("Too many attempts to register the number.", "Wait three days.", again=True),
}


def of_code(code: object) -> Meaning | None:
    """Return the meaning of a code: of a failed status (a number), or of a refusal (`graph_131047`). None: unknown."""
    digits = str(code).removeprefix("graph_")
    return CODES.get(int(digits)) if digits.isascii() and digits.isdecimal() else None
