"""
Templates: applies webhook reports of status, category, quality and components to both providers' cached templates.

Each of these moves forward in the provider's time, independently of the others, so any order and repetition of events
gives the same items. (Meta, "Webhooks reference": message_template_status_update and three related fields.)
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound.event import Event, Outcome
from whatsapp.inbound.owners import Account
from whatsapp.recovery import parking
from whatsapp.store.items import Phone
from whatsapp.store.items.templates import Rating, TemplateCategory, TemplateEum, TemplateMeta
from whatsapp.store.ordering import order_key
from whatsapp.worker.updates.moments import Moment, moment_of

# The provider's value -> the contract's. Meta: REINSTATED is "no longer flagged or disabled and can be sent again",
# FLAGGED "at risk of being disabled" and still sent. LOCKED and UNLOCKED are about editing: no status.
STATUSES: Mapping[str, str] = {
    "APPROVED": "APPROVED",
    "FLAGGED": "APPROVED",
    "REINSTATED": "APPROVED",
    "PENDING": "PENDING",
    "IN_APPEAL": "PENDING",
    "REJECTED": "REJECTED",
    "PAUSED": "PAUSED",
    "DISABLED": "DISABLED",
    "PENDING_DELETION": "DISABLED",
    "DELETED": "DISABLED",
    "ARCHIVED": "DISABLED",
    "LIMIT_EXCEEDED": "DISABLED",
}
_CATEGORIES = frozenset(get_args(TemplateCategory.__value__))
_RATINGS = frozenset(get_args(Rating.__value__))
_NOT_RATED_YET = "UNKNOWN"  # a value listed by Meta, for a template with few sends
# Both become parts of keys.
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,2}")
_LONGEST_WORD = 100
_LONGEST_REASON = 1_000
_MOST_LANGUAGES = 100
_LARGEST_COMPONENTS_BYTES = 30_000
_TEXTS = {
    "HEADER": "message_template_title",
    "BODY": "message_template_element",
    "FOOTER": "message_template_footer",
}
_BUTTON = "message_template_button_"

# Facts under the field names of TEMPLATE_META, by group: each group has its own order. None: absent now.
type Groups = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Report:
    """The content of one event about one template in one language."""

    name: str
    language: str
    template_id: str | None
    moment: Moment
    groups: Groups

    @property
    def has_unknown_status(self) -> bool:
        """Whether the status value is unknown, which is too little to create a template."""
        return "status_raw" in self.groups and "status" not in self.groups


def update(resources: Resources, event: Event, account: Account) -> Outcome:
    """Update the template in every cache, then store the event. Events of another shape are only stored."""
    report = _parse(event)
    if report is not None and report.groups:
        _update_meta(resources, report, account)
        for aws_waba in sorted({phone.aws_waba for phone in account.phones if phone.aws_waba}):
            _update_eum(resources, report, account, aws_waba)
    return parking.keep(resources, event, account)


def record(resources: SendingResources, phone: Phone, listed: Mapping[str, Any]) -> None:
    """
    Store a translation as its provider describes it now, as webhooks would have: {name, language, status, ...}.

    Webhooks of this second or later are newer. Raises Transient after a concurrent write.
    """
    # The item that sends read is written last: after a crash before it, the provider is asked again.
    at = clock.to_text(clock.now_ms() // clock.SECOND_MS * clock.SECOND_MS - 1)
    moment = Moment(at, order_key(at, ""))
    values = {"event": listed.get("status"), "message_template_category": listed.get("category")}
    groups = _status(values, moment)
    listed_id = listed.get("id")
    if _fits(components := listed.get("components")):
        groups["components"] = {"components": components, "components_at": at}
    report = Report(
        str(listed["name"]),
        str(listed["language"]),
        str(listed_id)[:_LONGEST_WORD] if listed_id else None,
        moment,
        groups,
    )
    account = Account(phone.waba_meta_id, phone.company, (phone,))
    if phone.provider == "eum":
        _update_meta(resources, report, account)
    if phone.aws_waba:
        _update_eum(resources, report, account, phone.aws_waba)
    if phone.provider != "eum":
        _update_meta(resources, report, account)


def _fits(components: object) -> bool:
    """Whether listed components can be stored."""
    return (
        isinstance(components, list)
        and all(isinstance(component, dict) for component in components)
        and len(json.dumps(components).encode()) <= _LARGEST_COMPONENTS_BYTES
    )


def _update_meta(resources: SendingResources, report: Report, account: Account) -> None:
    """Update the item of the name, which shows one language and lists all, and the item of the translation."""
    for key in (
        TemplateMeta.key(account.waba, report.name),
        TemplateMeta.of_language(account.waba, report.name, report.language),
    ):
        stored = store.account_reports.get_template(resources.table, TemplateMeta, key)
        before = stored or TemplateMeta(
            pk=key, company=account.company, waba_meta_id=account.waba,
            template_name=report.name, language=report.language,
        )  # fmt: skip
        facts: dict[str, Any] = {}
        if before.language == report.language:
            facts = _newer(before, report)
            if report.template_id and not before.template_id:
                facts["template_id"] = report.template_id
        languages = before.languages
        if key == TemplateMeta.key(account.waba, report.name):
            languages = _languages(languages, report)
        if languages != before.languages:
            facts["languages"] = languages
        _write(resources, stored, before, facts, report)


def _update_eum(
    resources: SendingResources, report: Report, account: Account, aws_waba: str
) -> None:
    key = TemplateEum.key(aws_waba, report.name, report.language)
    stored = store.account_reports.get_template(resources.table, TemplateEum, key)
    before = stored or TemplateEum(
        pk=key, company=account.company, waba_id=aws_waba,
        template_name=report.name, template_language=report.language,
    )  # fmt: skip
    names = {"status": "template_status", "category": "template_category"}
    facts = {names.get(name, name): value for name, value in _newer(before, report).items()}
    if report.template_id and not before.meta_template_id:
        facts["meta_template_id"] = report.template_id
    _write(resources, stored, before, facts, report)


def _write(
    resources: SendingResources,
    stored: TemplateEum | TemplateMeta | None,
    before: TemplateEum | TemplateMeta,
    facts: dict[str, Any],
    report: Report,
) -> None:
    if not facts or (stored is None and report.has_unknown_status):
        return
    if stored is None:
        store.account_reports.add_template(resources.table, before.model_copy(update=facts))
        return
    dropped = [name for name, value in facts.items() if value is None]
    store.account_reports.change_template(resources.table, stored, facts, dropped)


def _newer(stored: TemplateEum | TemplateMeta, report: Report) -> dict[str, Any]:
    """Return the facts of the groups that are newer than the item's."""
    facts: dict[str, Any] = {}
    for group, values in report.groups.items():
        if (getattr(stored, f"{group}_order") or "") < report.moment.order:
            facts |= values | {f"{group}_order": report.moment.order}
    if "components" in facts:
        facts["components"] = _with_media_header(facts["components"], stored.components)
    return facts


def _languages(languages: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the languages updated with this report; unchanged if the stored entry is newer, or the list is full."""
    entry: dict[str, Any] = languages.get(report.language, {})
    if report.language not in languages and (
        len(languages) >= _MOST_LANGUAGES or report.has_unknown_status
    ):
        return languages
    if report.template_id:
        entry = {"id": report.template_id} | entry
    if "status" in report.groups and entry.get("order", "") < report.moment.order:
        entry |= {"status": report.groups["status"]["status"], "order": report.moment.order}
    return languages | {report.language: entry}


def _parse(event: Event) -> Report | None:
    """Parse an event; None if it does not identify a template."""
    payload = event.payload or {}
    name, language = (payload.get(f"message_template_{part}") for part in ("name", "language"))
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        return None
    if not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
        return None
    template_id = payload.get("message_template_id")
    moment = moment_of(event)
    read = _READERS.get(event.field)
    return Report(
        name,
        language,
        str(template_id)[:_LONGEST_WORD] if isinstance(template_id, int | str) else None,
        moment,
        read(payload, moment) if read else {},
    )


def _status(payload: Mapping[str, Any], moment: Moment) -> Groups:
    word = _word(payload.get("event"))
    groups = _category_group(payload.get("message_template_category"), moment)
    if not word:
        return groups
    groups["status_raw"] = {"status_raw": word}
    if word not in STATUSES:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
        return groups
    reason = str(payload.get("reason") or "")[:_LONGEST_REASON]
    groups["status"] = {
        "status": STATUSES[word],
        "status_at": moment.at,
        "reason": reason if reason not in {"", "NONE"} else None,
    }
    return groups


def _category(payload: Mapping[str, Any], moment: Moment) -> Groups:
    # Before a change takes effect (`correct_category` names the new one) this is still the current category.
    return _category_group(payload.get("new_category"), moment)


def _category_group(value: object, moment: Moment) -> Groups:
    word = _word(value)
    if word in _CATEGORIES:
        return {"category": {"category": word, "category_at": moment.at}}
    if word:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    return {}


def _quality(payload: Mapping[str, Any], moment: Moment) -> Groups:
    word = _word(payload.get("new_quality_score"))
    if not word:
        return {}
    if word not in _RATINGS and word != _NOT_RATED_YET:
        metrics.add_metric("UnknownWord", MetricUnit.Count, 1)
    rating = word if word in _RATINGS else None
    return {"quality": {"quality_score": rating, "quality_at": moment.at}}


def _components(payload: Mapping[str, Any], moment: Moment) -> Groups:
    """Return the components in the shape that both providers list and accept."""
    components: list[dict[str, Any]] = []
    for kind, field in _TEXTS.items():
        if isinstance(text := payload.get(field), str) and text:
            header_format = {"format": "TEXT"} if kind == "HEADER" else {}
            components.append({"type": kind, **header_format, "text": text})
    reported_buttons = payload.get("message_template_buttons")
    buttons = [
        {
            part: button[_BUTTON + part]
            for part in ("type", "text", "url", "phone_number")
            if isinstance(button.get(_BUTTON + part), str)
        }
        for button in (reported_buttons if isinstance(reported_buttons, list) else [])
        if isinstance(button, dict)
    ]
    if buttons:
        components.append({"type": "BUTTONS", "buttons": buttons})
    if not components or len(json.dumps(components).encode()) > _LARGEST_COMPONENTS_BYTES:
        return {}
    return {"components": {"components": components, "components_at": moment.at}}


def _with_media_header(
    reported: list[dict[str, Any]], stored: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    """Return the reported components plus a stored media header: events report text headers only."""
    if any(component["type"] == "HEADER" for component in reported):
        return reported
    media_headers = [
        component
        for component in stored or []
        if component.get("type") == "HEADER" and component.get("format") != "TEXT"
    ]
    return [*media_headers[:1], *reported]


def _word(value: object) -> str:
    return value[:_LONGEST_WORD] if isinstance(value, str) else ""


_READERS = {
    "message_template_status_update": _status,
    "message_template_quality_update": _quality,
    "message_template_components_update": _components,
    "template_category_update": _category,
}
