"""
Meta's error codes that mean more than one failed message, in refusals of a send and in failed statuses.

    131047           the 24 hours have passed         agents see the advice to send a template
    131049           enough marketing for now         no marketing template to this customer for 24 hours
    131050           the customer stopped marketing   their choice, as `user_preferences` reports it
    131031, 131042   account locked, payment issue    the condition AccountAlert
    ACCOUNT_ERRORS, TEMPLATE_ERRORS                   the campaign of the message pauses
"""

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import Table
from shared.runtime import clock
from shared.runtime.observability import logger, metrics
from whatsapp import store
from whatsapp.store.items import Message

_WINDOW_CLOSED = 131047
_MARKETING_CAPPED = 131049
_MARKETING_STOPPED = 131050
_ACCOUNT_PROBLEMS = frozenset({131031, 131042})
# The account, its token or its limits, not the recipient: further messages fail, too, until a person acts or time
# passes.
#
# Meta documents no separate code for the portfolio's limit of customers in 24 hours. Not confirmed by traffic of
# ours: that 131048 reports it, whose text speaks of restrictions on how many messages the number may send.
ACCOUNT_ERRORS = frozenset(
    (0, 10, 190, *range(200, 300), 368, 131005, 131031, 131042, 131048, 131064, 139200)
)
# The template. Wrong parameters are not among them: recipients may have their own.
TEMPLATE_ERRORS = frozenset((132001, 132007, 132015, 132016, 132068, 132069))


def advice(code: object) -> str | None:
    """Return the advice to agents about a code; None if there is no advice."""
    if _number(code) == _WINDOW_CLOSED:
        return "the customer last wrote more than 24 hours ago; send a template"
    return None


def apply(table: Table, message: Message, code: object, at: str) -> None:
    """Record the effects of a failed message's *code* beyond this message, at the time *at*. Safe to repeat."""
    number = _number(code)
    if number in _ACCOUNT_PROBLEMS:
        logger.error("the provider's account needs an operator", extra={"code": number})
        metrics.add_metric("AccountAlert", MetricUnit.Count, 1)
    # In a group the code does not tell which participant it concerns.
    if message.conversation_pk and not message.group_id:
        if number == _MARKETING_STOPPED:
            store.customer_facts.note_marketing_choice(
                table, message.conversation_pk, at, str(message.company), message.phone, is_out=True
            )
        elif number == _MARKETING_CAPPED:
            store.customer_facts.note_marketing_cap(
                table, message.conversation_pk, at, str(message.company), message.phone
            )
    if message.campaign_id and stops_campaign(code):
        from whatsapp.store.campaigns import campaigns  # noqa: PLC0415 - rare

        campaigns.pause(
            table, message.campaign_id, str(message.company), reason_of(code), _end_of_second(at)
        )


def stops_campaign(code: object) -> bool:
    """Whether a code concerns further recipients, too."""
    return _number(code) in ACCOUNT_ERRORS | TEMPLATE_ERRORS


def reason_of(code: object) -> str:
    """Return the reason by which a campaign pauses for a code: `provider:graph_131048`."""
    return f"provider:graph_{_number(code)}"


def _end_of_second(at: str) -> str:
    """Return the end of a second: statuses have no milliseconds."""
    return clock.to_text(clock.from_text(at) // clock.SECOND_MS * clock.SECOND_MS + 999)


def _number(code: object) -> int | None:
    """
    Return Meta's number of a code: of a failed status (a number), or of a refusal (`graph_131047`).

    Not confirmed: the meaning of the four codes, which Meta's OpenAPI does not list, and that Graph also refuses sends
    with them, not only reports them as failed statuses. Refusals of End User Messaging have names instead of numbers.
    """
    digits = str(code).removeprefix("graph_")
    return int(digits) if digits.isascii() and digits.isdecimal() else None
