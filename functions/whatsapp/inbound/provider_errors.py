"""
Meta's error codes that mean more than one failed message, in refusals of a send and in failed statuses.

    131047           the 24 hours have passed         agents see the advice to send a template
    131050           the customer stopped marketing   their choice, as `user_preferences` reports it
    131031, 131042   account locked, payment issue    the condition AccountAlert
"""

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.dynamodb import Table
from shared.runtime.observability import logger, metrics
from whatsapp import store
from whatsapp.store.items import Message

_WINDOW_CLOSED = 131047
_MARKETING_STOPPED = 131050
_ACCOUNT_PROBLEMS = frozenset({131031, 131042})


def advice(code: object) -> str | None:
    """Return what an agent can do about a code; None if there is no advice."""
    if _number(code) == _WINDOW_CLOSED:
        return "the customer last wrote more than 24 hours ago; send a template"
    return None


def apply(table: Table, message: Message, code: object, at: str) -> None:
    """Record what a failed message's *code* means beyond this message, at the time *at*. Safe to repeat."""
    number = _number(code)
    if number in _ACCOUNT_PROBLEMS:
        logger.error("the provider's account needs an operator", extra={"code": number})
        metrics.add_metric("AccountAlert", MetricUnit.Count, 1)
    # In a group the code does not tell which participant has stopped marketing messages.
    if number == _MARKETING_STOPPED and message.conversation_pk and not message.group_id:
        store.customer_facts.note_marketing_choice(
            table, message.conversation_pk, at, str(message.company), message.phone, is_out=True
        )


def _number(code: object) -> int | None:
    """
    Return Meta's number of a code: of a failed status (a number), or of a refusal (`graph_131047`).

    Not confirmed: the meaning of the four codes, which Meta's OpenAPI does not list, and that Graph also refuses sends
    with them, not only reports them as failed statuses. Refusals of End User Messaging have names instead of numbers.
    """
    digits = str(code).removeprefix("graph_")
    return int(digits) if digits.isascii() and digits.isdecimal() else None
