"""The audience of a campaign: which one a call names, and whom it would reach."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import to_json
from shared.contacts import audience
from shared.contacts.audience import Audience
from shared.contacts.conditions import ATTRIBUTE
from shared.contacts.lists import ListNotFound
from shared.contacts.segments import SegmentNotFound
from shared.identity.contacts import attributes
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.campaigns.inputs import BodyFieldInput, CreateCampaign, ListRecipients
from whatsapp.actions.campaigns.pages import audiences
from whatsapp.actions.campaigns.views import RecipientsView, RecipientView
from whatsapp.api.queries import NotFound
from whatsapp.sending.templates import fit
from whatsapp.store.items.campaigns import AudienceOfCampaign, BodyField, Campaign

_STORED: Final = {"givenNames": "given_names"}  # names of fields that requests spell in another way
REACHED, LEFT_OUT = "reached", "left_out"
_AFTER, _COUNTS = "after", "counts"


def planned(call: Call[ListRecipients], campaign: Campaign) -> Page[RecipientsView]:
    """
    Show whom a campaign would reach now, and who would be left out and why; nothing is sent or stored.

    Reads at most `limit` contacts. Raises Forbidden without `contacts:read`, and NotFound without the audience.
    """
    call.caller.require(Scope.CONTACTS_READ)
    of, at = campaign.audience, paging.start_of(call) or {}
    if of is None:
        raise TypeError("the campaign has no audience")
    counts = Counter[str](json.loads(at.get(_COUNTS, "{}")))
    of = of.model_copy(update={"after": at.get(_AFTER)})
    try:
        page = audiences.read(call.resources, call.company, of, limit=call.input.limit)
    except (ListNotFound, SegmentNotFound):
        raise NotFound("audience: not found") from None
    views: list[RecipientView] = []
    for contact_id, row, reason in audiences.rows_of(call.resources, campaign, page):
        outcome = REACHED if row is not None else LEFT_OUT
        counts[reason or REACHED] += 1
        if call.input.outcome in {None, outcome}:
            views.append(
                RecipientView(outcome=outcome, reason=reason or None, contact_id=contact_id)
            )
    found = RecipientsView(recipients=views, counts=dict(counts), exact=page.after is None)
    position = {_AFTER: page.after, _COUNTS: to_json(dict(counts))}
    return Page(found, paging.cursor_of(call, position if page.after else None))


def chosen(call: Call[Any], given: CreateCampaign) -> AudienceOfCampaign:
    """
    Return the audience that a call names. Raises Forbidden without `contacts:read`, NotFound for one that the company
    does not have, and InvalidInput for an attribute that is not defined.
    """
    call.caller.require(Scope.CONTACTS_READ)
    wanted = given.audience
    if wanted is None:
        raise TypeError("the call names no audience")
    kind, own_id = ("list", wanted.list) if wanted.list else ("segment", wanted.segment)
    of = AudienceOfCampaign(
        kind="list" if kind == "list" else "segment",
        id=str(own_id),
        body_fields=[
            BodyField(field=_STORED.get(one.field, one.field), default=one.default)
            for one in given.body_fields
        ],
    )
    try:
        audience.check(call.resources.people, call.company, Audience(kind=of.kind, id=of.id))
    except (ListNotFound, SegmentNotFound):
        raise NotFound("audience: not found") from None
    _check_fields(call, given.body_fields)
    return of


def check_variables(components: list[dict[str, Any]] | None, of: AudienceOfCampaign) -> None:
    """Raise InvalidInput unless fields are as many as the variables of the template's body, if that is known."""
    if components is None or not of.body_fields:
        return
    names = fit.body_variables(components)
    if not all(map(str.isdecimal, names)):
        problem = "the template's body has variables with names, which fields cannot fill"
        raise InvalidInput([{"field": "bodyFields", "problem": problem}])
    if len(names) != len(of.body_fields):
        problem = f"must be {len(names)}: the template's body has so many variables"
        raise InvalidInput([{"field": "bodyFields", "problem": problem}])


def _check_fields(call: Call[Any], fields: Sequence[BodyFieldInput]) -> None:
    named = [one.field for one in fields if one.field.startswith(ATTRIBUTE)]
    table = call.resources.people.contacts
    known = attributes.of_company(table, call.company).definitions if named else {}
    unknown = {one for one in named if one.removeprefix(ATTRIBUTE) not in known}
    problems = [
        {"field": f"bodyFields.{number}.field", "problem": "must be a defined attribute"}
        for number, one in enumerate(fields)
        if one.field in unknown
    ]
    problems += [
        {"field": f"bodyFields.{number}.default", "problem": fit.VALUE_RULE}
        for number, one in enumerate(fields)
        if one.default is not None and not fit.is_value(one.default)
    ]
    if problems:
        raise InvalidInput(problems)
