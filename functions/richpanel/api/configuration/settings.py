"""The shop's stored settings: shows them and their versions, stores new ones, and previews replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from richpanel.api import inputs, views
from richpanel.configuration import shop_settings
from richpanel.configuration.account_settings import Account
from richpanel.configuration.shop_settings import SettingsInvalid, ShopSettings
from richpanel.decisions.replies.renderer import BodyFormat, render
from richpanel.decisions.templates.catalogue import (
    ASKS_NUMBER,
    standard_texts,
    templates,
    variant_for,
)
from richpanel.store import audits, sets, settings
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.versions import views as version_views
from shared.ai.versions.inputs import GoLiveInput, VersionQuery
from shared.ai.versions.stored import Version
from shared.ai.versions.views import LiveView, VersionView, WrittenVersionView
from shared.api.errors import InvalidInput
from shared.api.routing.routes import Request
from shared.aws import observation
from shared.aws.dynamodb import Table
from shared.runtime import clock

MOST_VERSIONS = 50
# Sample facts of an order, for previews.
SAMPLE_VALUES: Mapping[str, str] = {
    "order_id": "#1001",
    "order_status": "paid",
    "fulfillment_status": "in transit",
    "tracking_url": "https://tracking.example.com/1Z999",
    "tracking_number": "1Z999",
    "tracking_company": "UPS",
    "status_url": "https://shop.example.com/orders/1001",
    "order_created_date_human": "2 March 2026",
    "shipping_bucket": "standard shipping",
    "eta_remaining_human": "2 to 4 business days",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    A change of the settings by the caller *by*, on top of the version *based_on* (0: the standard settings).

    *cause* identifies the request: a retry stores no second version.
    """

    by: str
    based_on: int
    cause: str


def shown(state: Table, number: int | None = None) -> views.SettingsView:
    """Return the settings in force, or the settings of a version. Raises NoVersion."""
    if number is None:
        number = settings.number_in_force(state)
    if number == settings.STANDARD:
        return views.SettingsView(number=number, settings={}, changed_at=None, changed_by=None)
    return _view(settings.versions_of(state).get(number))


def versions(state: Table, *, before: int | None, limit: int) -> views.SettingsVersionsView:
    """Return versions with their times and authors, newest first; below the number *before*, if given."""
    stored, in_force = settings.versions_of(state), settings.number_in_force(state)
    found = stored.below(before or stored.newest(in_force) + 1, limit)
    return views.SettingsVersionsView(
        versions=[
            views.SettingsVersionView(
                number=one.number,
                changed_at=one.at,
                changed_by=one.by,
                note=one.note,
                based_on=one.based_on,
                is_in_force=one.number == in_force,
            )
            for one in found
        ]
    )


def compared(state: Table, number: int, query: VersionQuery) -> VersionView:
    """Return a version and how it differs from another one. Raises NoVersion."""
    in_force = settings.number_in_force(state)
    return version_views.compared(settings.versions_of(state), number, in_force, query)


def checked(fields: Mapping[str, Any]) -> ShopSettings:
    """Return checked settings. Raises InvalidInput, which names every field and its rule."""
    try:
        return shop_settings.parse(fields)
    except SettingsInvalid as invalid:
        raise InvalidInput(
            [_problem(f"settings.{p['field']}", p["problem"]) for p in invalid.problems]
        ) from None


def completed(state: Table, based_on: int, fields: Mapping[str, Any]) -> ShopSettings:
    """
    Return checked settings; absent parts have their values in force, null parts their standard ones.

    Settings that are based on another version are refused when they are stored. Raises InvalidInput as `checked`.
    """
    present = shown(state)
    parts = {**present.settings, **fields} if present.number == based_on else fields
    return checked({name: part for name, part in parts.items() if part is not None})


def of_version(state: Table, number: int) -> ShopSettings:
    """Return the settings of a version, 0 for the standard ones. Raises NoVersion, and InvalidInput as `checked`."""
    if number == settings.STANDARD:
        return checked({})
    return checked(settings.versions_of(state).get(number).settings)


def create(
    state: Table, audit: Table, given: inputs.SettingsDraftInput, by: str, cause: str
) -> WrittenVersionView:
    """Store changed settings as a version that is not in force. Safe to repeat. Raises NoVersion and InvalidInput."""
    in_force = settings.number_in_force(state)
    based_on = in_force if given.based_on is None else given.based_on
    stored = settings.versions_of(state)
    before = stored.get(based_on).settings if based_on != settings.STANDARD else {}
    new = checked({name: v for name, v in {**before, **given.settings}.items() if v is not None})
    observation.note(before, new.as_fields())
    wanted = Version(
        settings=new.as_fields(),
        note=given.note.strip(),
        by=by,
        at=clock.to_text(clock.now_ms()),
        based_on=based_on,
        made_for=cause,
    )
    facts = {"draft": sorted(new.model_dump(exclude_defaults=True)), "based_on": based_on}
    audits.add_change(audit, by, f"settings:draft:{cause[:16]}", facts)
    return version_views.WrittenVersionView(number=stored.add(wanted, in_force).number)


def put_in_force(
    state: Table, audit: Table, number: int, request: Request[GoLiveInput]
) -> LiveView:
    """
    Put a version in force, also an older one; workers use it within five minutes. Safe to repeat.

    Raises NoVersion, InvalidInput if its rules are broken by now, SetRefused if it has not passed a gate, and Outdated.
    """
    version = settings.versions_of(state).get(number)
    checked(version.settings)
    before, by = settings.number_in_force(state), request.caller.principal
    if before != number:
        refuse_unpassed(sets.of_help_desk(state), number)
    facts = {"in_force": number, "before": before}
    audits.add_change(audit, by, f"settings:{number}:{request.cause[:16]}", facts)
    old = settings.versions_of(state).get(before).settings if before != settings.STANDARD else {}
    settings.put_in_force(state, version, request.input.instead_of)
    observation.note({"live_version": before, **old}, {"live_version": number, **version.settings})
    return version_views.LiveView(live_version=number, before=before)


def store(
    state: Table,
    audit: Table,
    change: Change,
    new: ShopSettings,
    *,
    rolled_back_to: int | None = None,
) -> views.SettingsView:
    """
    Put settings in force as the next version; workers use them within five minutes. Raises Outdated, and SetRefused if
    versions have to pass a set before.
    """
    refuse_unpassed(sets.of_help_desk(state), None)
    wanted = Version(
        settings=new.as_fields(),
        at=clock.to_text(clock.now_ms()),
        by=change.by,
        based_on=change.based_on,
        made_for=change.cause,
    )
    number = settings.versions_of(state).newest(change.based_on) + 1
    parts = sorted(new.model_dump(exclude_defaults=True))
    facts = {"settings": number, "parts": parts, "rolled_back_to": rolled_back_to}
    # Before the change: an untraceable change is worse than a trace of a change that failed.
    audits.add_change(audit, change.by, f"settings:{number}:{change.cause[:16]}", facts)
    before = shown(state)
    observation.note(
        {"live_version": before.number, **before.settings},
        {"live_version": number, **new.as_fields()},
    )
    return _view(settings.add(state, wanted, change.based_on))


def preview(account: Account, state: Table, request: inputs.PreviewInput) -> views.PreviewView:
    """
    Return a reply as it would be sent with the given settings, or with the settings in force. Raises InvalidInput.

    The facts of an order are samples. Preview and sending share one rendering.
    """
    given = request.settings
    used = checked(given if given is not None else shown(state).settings)
    if request.template not in templates:
        raise InvalidInput([_problem("template", "must be a template of the catalogue")])
    if request.brand is not None and request.brand not in used.brands:
        raise InvalidInput([_problem("brand", "must be one of the settings' brands")])
    wording = used.wordings()[request.template].get(request.language)
    if wording is None:
        raise InvalidInput(
            [_problem("language", "the template has no wording in it: no reply is sent")]
        )
    signature = (
        used.brands[request.brand].signature if request.brand else account.shop.support_signature
    )
    asked = {ASKS_NUMBER: "yes"} if request.asks_number else {}
    text = render(
        request.template,
        wording[variant_for(request.channel)],
        {**SAMPLE_VALUES, **asked},
        signature=signature,
        first_name=None,
        body_format=BodyFormat.HTML if account.reply_is_html else BodyFormat.TEXT,
    )
    return views.PreviewView(text=text)


def standard() -> views.TemplatesView:
    """Return every template with its variables and its standard wordings."""
    return views.TemplatesView(
        templates={
            name: views.TemplateView(
                tier=int(template.tier) if template.tier else None,
                required=sorted(template.required),
                optional=sorted(template.optional),
                texts=standard_texts[name],
            )
            for name, template in templates.items()
        }
    )


def _view(version: Version) -> views.SettingsView:
    return views.SettingsView(
        number=version.number,
        settings=version.settings,
        changed_at=version.at,
        changed_by=version.by,
    )


def _problem(field: str, problem: str) -> dict[str, str]:
    return {"field": field, "problem": problem}
