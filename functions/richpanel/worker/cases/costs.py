"""The bounds on costs that a message of a ticket causes: calls of the model, and look-ups of orders."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from shared.ai.spending import prices
from shared.ai.spending.bounds import Kind
from shared.ai.spending.budget import Cause, Reached
from shared.ai.spending.senders import sender_hash

if TYPE_CHECKING:
    from richpanel.clients.language_model import Judge
    from richpanel.configuration.resources import Sources
    from richpanel.worker.cases.case import Case
    from shared.ai.spending.models import BoundedModel

# A help desk belongs to one company; its costs stand under this name if the account names none.
HELP_DESK: Final = "help-desk"


def cause_of(resources: Sources, case: Case, address: str | None, sender: str | None) -> Cause:
    """
    Return the cause of a turn's costs. *address* and *sender* are as the help desk shows them; a ticket without an
    address is counted under its channel, one without a sender counts as a separate sender.

    A customer is known if an agent has written in the ticket.
    """
    company = resources.account.company or HELP_DESK
    return Cause(
        company=company,
        address=address or str(case.channel),
        sender=sender_hash(company, sender or case.conversation_id),
        event=case.event.event_id,
        is_known=case.reading is not None and case.reading.last_person_at_ms is not None,
    )


def bounded(
    resources: Sources, case: Case, address: str | None, sender: str | None
) -> Judge | None:
    """Return the judge with a model within the bounds of its cause; where people ask, as `asked_by_people`."""
    judge = resources.judge_in_use
    if judge is None:
        return None
    if resources.spending is None:
        return asked_by_people(resources)
    from shared.ai.spending.models import BoundedModel  # noqa: PLC0415 - most tickets are decided by rules

    cause = cause_of(resources, case, address, sender)
    price = prices.model_price(judge.model.name)
    model = BoundedModel(judge.model, resources.spending, Kind.TICKET_MODEL, cause, price)
    return replace(judge, model=model)


def asked_by_people(resources: Sources) -> Judge | None:
    """
    Return the judge whose calls count for the ceilings of the company alone, up to where their alarm is raised. None
    without a judge.
    """
    judge = resources.judge_in_use
    if judge is None:
        return None
    from shared.ai.spending.company_model import CompanyModel  # noqa: PLC0415 - most tickets are decided by rules

    assert resources.spent is not None  # noqa: S101 - for mypy: a function that asks models has one of both
    price = prices.model_price(judge.model.name)
    company = resources.account.company or HELP_DESK
    return replace(
        judge, model=CompanyModel(judge.model, price, resources.spent, company, spares=True)
    )


def is_refused(judge: Judge | None) -> bool:
    """Whether a bound has stopped this judge's model."""
    model = _bounded_model_of(judge)
    return model is not None and model.is_refused


def settle(judge: Judge | None) -> None:
    """Count the real price of the calls."""
    model = _bounded_model_of(judge)
    if model is not None:
        model.settle()


def spent(judge: Judge | None) -> int | None:
    """Return the micro-dollars of the answered calls; None if there are none, or the price is not known."""
    model = _bounded_model_of(judge)
    return model.spent if model is not None and prices.is_listed(model.name) else None


def may_look_up(resources: Sources, case: Case, address: str | None, sender: str | None) -> bool:
    """Reserve a look-up of an order; False beyond the bounds."""
    if resources.spending is None:
        return True
    cause = cause_of(resources, case, address, sender)
    price = prices.UNITS[Kind.ORDER_LOOKUP]
    return not isinstance(resources.spending.reserve(Kind.ORDER_LOOKUP, cause, price), Reached)


def _bounded_model_of(judge: Judge | None) -> BoundedModel | None:
    """Return a judge's bounded model; recorded answers have no model."""
    model = getattr(judge, "model", None)
    if model is None:
        return None
    from shared.ai.spending.models import BoundedModel  # noqa: PLC0415 - most tickets are decided by rules

    return model if isinstance(model, BoundedModel) else None
