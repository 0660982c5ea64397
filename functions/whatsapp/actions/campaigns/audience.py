"""The audience of a campaign: which one a call names, and whom it would reach."""

import json
import re
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
from shared.identity.addresses import displayed
from shared.identity.contacts import attributes
from whatsapp.actions.calls import paging
from whatsapp.actions.calls.call import Call
from whatsapp.actions.campaigns.costs import estimates
from whatsapp.actions.campaigns.inputs import BodyFieldInput, CreateCampaign, ListRecipients
from whatsapp.actions.campaigns.pages import audiences, parts
from whatsapp.actions.campaigns.pages.recipients import country_of
from whatsapp.actions.campaigns.views import RecipientsView, RecipientView
from whatsapp.api.queries import NotFound
from whatsapp.sending.templates import fit
from whatsapp.store.items.sending.campaign_tests import BodyField
from whatsapp.store.items.sending.campaigns import AudienceOfCampaign, Campaign

_STORED: Final = {"givenNames": "given_names"}  # names of fields that requests spell in another way
REACHED, LEFT_OUT = "reached", "left_out"
_AFTER, _COUNTS, _COUNTRIES = "after", "counts", "countries"
_COUNTRY = re.compile(r"([A-Z]{2})(\d+)")  # Short, so that a cursor has room for all countries.


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
    pairs = _COUNTRY.findall(at.get(_COUNTRIES, ""))
    countries = Counter[str]({country: int(count) for country, count in pairs})
    of = of.model_copy(update={"after": at.get(_AFTER)})
    try:
        people, after = audiences.read(call.resources, campaign, of, limit=call.input.limit)
    except (ListNotFound, SegmentNotFound):
        raise NotFound("audience: not found") from None
    views: list[RecipientView] = []
    is_contact = of.kind != "failed"
    for own_id, row, reason in people:
        outcome = REACHED if row is not None else LEFT_OUT
        counts[reason or REACHED] += 1
        part = _part_of(campaign, own_id) if row is not None else None
        if part is not None:
            counts[f"part_{part}"] += 1
        if row is not None:
            countries[country_of(row)] += 1
        if call.input.outcome in {None, outcome}:
            to = None if is_contact or row is None else str(row["to"]).removeprefix("+")
            views.append(
                RecipientView(
                    outcome=outcome,
                    reason=reason or None,
                    contact_id=own_id if is_contact else None,
                    message_id=None if is_contact else own_id,
                    to=to,
                    to_text=displayed(to) if to else None,
                )
            )
    cost = estimates.of_campaign(call.table, campaign, countries)
    found = RecipientsView(recipients=views, counts=dict(counts), cost=cost, exact=after is None)
    shortly = "".join(f"{country}{count}" for country, count in countries.items())
    sums = {_COUNTS: to_json(dict(counts)), _COUNTRIES: shortly}
    position = {_AFTER: after, **sums}
    return Page(found, paging.cursor_of(call, position if after else None))


def _part_of(campaign: Campaign, contact_id: str) -> str | None:
    """Return the part of a contact in the test that a campaign will begin; None without one."""
    test = campaign.test
    if test is None or test.begun_at is not None:
        return None
    return parts.part_of(campaign.once_id, test.share, contact_id)


def chosen(call: Call[Any], given: CreateCampaign) -> AudienceOfCampaign:
    """
    Return the audience that a call names. Raises Forbidden without `contacts:read`, NotFound for one that the company
    does not have, and InvalidInput for an attribute that is not defined.
    """
    call.caller.require(Scope.CONTACTS_READ)
    wanted = given.audience
    if wanted is None:
        raise TypeError("the call names no audience")
    named = Audience(
        kind="list" if wanted.list else "segment", id=str(wanted.list or wanted.segment)
    )
    of = AudienceOfCampaign(
        kind=named.kind,
        id=named.id,
        body_fields=fields_of(call, given.body_fields, "bodyFields"),
    )
    try:
        audience.check(call.resources.people, call.company, named)
    except (ListNotFound, SegmentNotFound):
        raise NotFound("audience: not found") from None
    return of


def fields_of(call: Call[Any], given: Sequence[BodyFieldInput], place: str) -> list[BodyField]:
    """
    Return the fields of contacts that a call names in its field *place*. Raises InvalidInput for an attribute that is
    not defined, and for a default that is no value.
    """
    _check_fields(call, given, place)
    return [
        BodyField(field=_STORED.get(one.field, one.field), default=one.default) for one in given
    ]


def check_variables(
    components: list[dict[str, Any]] | None, fields: Sequence[BodyField], place: str
) -> None:
    """
    Raise InvalidInput for the field *place* unless fields are as many as the variables of the template's body, if that
    is known.
    """
    if components is None or not fields:
        return
    names = fit.body_variables(components)
    if not all(map(str.isdecimal, names)):
        problem = "the template's body has variables with names, which fields cannot fill"
        raise InvalidInput([{"field": place, "problem": problem}])
    if len(names) != len(fields):
        problem = f"must be {len(names)}: the template's body has so many variables"
        raise InvalidInput([{"field": place, "problem": problem}])


def _check_fields(call: Call[Any], fields: Sequence[BodyFieldInput], place: str) -> None:
    named = [one.field for one in fields if one.field.startswith(ATTRIBUTE)]
    table = call.resources.people.contacts
    known = attributes.of_company(table, call.company).definitions if named else {}
    unknown = {one for one in named if one.removeprefix(ATTRIBUTE) not in known}
    problems = [
        {"field": f"{place}.{number}.field", "problem": "must be a defined attribute"}
        for number, one in enumerate(fields)
        if one.field in unknown
    ]
    problems += [
        {"field": f"{place}.{number}.default", "problem": fit.VALUE_RULE}
        for number, one in enumerate(fields)
        if one.default is not None and not fit.is_value(one.default)
    ]
    if problems:
        raise InvalidInput(problems)
