"""The shop's stored settings: shows them and their versions, stores new ones, and previews replies."""

import json
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
from richpanel.store import audits, settings
from richpanel.store.items import SettingsVersion
from shared.api.errors import InvalidInput
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


class NoVersion(Exception):
    """No version of the settings has this number. The text has the field and the rule."""


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
        return _view(settings.in_force(state))
    if number == 0:
        return _view(None)
    return _view(_version(state, number))


def versions(state: Table, *, before: int | None, limit: int) -> views.SettingsVersionsView:
    """Return versions with their times and authors, newest first; below the number *before*, if given."""
    newest = settings.in_force(state)
    if newest is None:
        return views.SettingsVersionsView(versions=[])
    rows = settings.newest(state, before=before or newest.number + 1, limit=limit)
    return views.SettingsVersionsView(
        versions=[
            views.SettingsVersionView(
                number=row.number, changed_at=row.changed_at, changed_by=row.changed_by
            )
            for row in rows
        ]
    )


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
    return checked({} if number == 0 else json.loads(_version(state, number).settings))


def store(
    state: Table,
    audit: Table,
    change: Change,
    new: ShopSettings,
    *,
    rolled_back_to: int | None = None,
) -> views.SettingsView:
    """Put settings in force as the next version; workers use them within five minutes. Raises Outdated."""
    row = SettingsVersion(
        conversation_id=settings.IN_FORCE,
        number=change.based_on + 1,
        settings=new.as_json(),
        changed_at=clock.to_text(clock.now_ms()),
        changed_by=change.by,
        cause=change.cause,
    )
    parts = sorted(new.model_dump(exclude_defaults=True))
    facts = {"settings": row.number, "parts": parts, "rolled_back_to": rolled_back_to}
    # Before the change: an untraceable change is worse than a trace of a change that failed.
    audits.add_change(audit, change.by, f"settings:{row.number}:{change.cause[:16]}", facts)
    return _view(settings.add(state, row))


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


def _version(state: Table, number: int) -> SettingsVersion:
    row = settings.version(state, number)
    if row is None:
        raise NoVersion("number: there is no such version")
    return row


def _view(row: SettingsVersion | None) -> views.SettingsView:
    if row is None:
        return views.SettingsView(number=0, settings={}, changed_at=None, changed_by=None)
    return views.SettingsView(
        number=row.number,
        settings=json.loads(row.settings),
        changed_at=row.changed_at,
        changed_by=row.changed_by,
    )


def _problem(field: str, problem: str) -> dict[str, str]:
    return {"field": field, "problem": problem}
