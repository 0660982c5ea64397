"""
The cached templates of both providers: merges a report into the items of a template and writes them.

Status, category, quality and components move forward in the provider's time, independently of each other, so any order
and repetition of reports gives the same items. A reading is what the provider answers about a template now.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.aws.sqs_fifo import digest, to_json
from shared.aws.stored_objects import ObjectUnusable, Pointer
from shared.aws.stored_objects import record as record_unusable
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.folders import templates_of
from whatsapp.configuration.resources import SendingResources
from whatsapp.inbound.owners import Account
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.templates import TemplateEum, TemplateMeta
from whatsapp.store.ordering import order_key
from whatsapp.worker.updates.moments import Moment
from whatsapp.worker.updates.templates import words
from whatsapp.worker.updates.templates.words import DELETED, KEPT_SECONDS, LONGEST_WORD, Groups

_MOST_LANGUAGES = 100
LARGEST_COMPONENTS_BYTES = 30_000
_UNREPORTED = frozenset({"CAROUSEL", "LIMITED_TIME_OFFER"})  # kinds of components, by events


@dataclass(frozen=True, slots=True)
class Report:
    """
    The description of one template in one language by an event or an answer of the provider.

    *is_reading*: it is an answer, which replaces another one of the same second. *stamps*: when it was read, by field.
    """

    name: str
    language: str
    template_id: str | None
    moment: Moment
    groups: Groups
    is_reading: bool = False
    stamps: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_unknown_status(self) -> bool:
        """Whether the status value is unknown, which is too little to create a template."""
        return "status_raw" in self.groups and "status" not in self.groups

    def follows(self, order: str | None) -> bool:
        """Whether it is newer than a stored value with this order."""
        return (order or "") < self.moment.order or (self.is_reading and order == self.moment.order)


def record(
    resources: SendingResources,
    phone: Phone,
    listed: Mapping[str, Any],
    *,
    read_at: int | None = None,
    is_synced: bool = False,
) -> None:
    """
    Store a translation as its provider describes it: {name, language, status, category, quality_score, ...}.

    *read_at*: when the provider was asked (ms since 1970), now by default. Webhooks of that second or later are newer.
    *is_synced*: it was read with all others of its account. Raises Transient after a concurrent write.
    """
    now = clock.now_ms() if read_at is None else read_at
    # The item that sends read is written last: after a crash before it, the provider is asked again.
    at = clock.to_text(now // clock.SECOND_MS * clock.SECOND_MS - 1)
    moment = Moment(at, order_key(at, ""))
    groups = words.of_listed(listed, moment)
    stamps = {"cached_at": clock.to_text(now)}
    stamps |= {"synced_at": clock.to_text(now)} if is_synced else {}
    components = components_in(listed)
    if components is not None:
        groups["components"] = _stored_components(resources, phone, components, listed, at)
    listed_id = listed.get("id")
    report = Report(
        str(listed["name"]),
        str(listed["language"]),
        str(listed_id)[:LONGEST_WORD] if listed_id else None,
        moment,
        groups,
        is_reading=True,
        stamps=stamps,
    )
    account = Account(phone.waba_meta_id, phone.company, (phone,))
    if phone.provider == "eum":
        update_meta(resources, report, account)
    if phone.aws_waba:
        update_eum(resources, report, account, phone.aws_waba)
    if phone.provider != "eum":
        update_meta(resources, report, account)


def components_of(
    resources: SendingResources, template: TemplateEum | TemplateMeta
) -> list[dict[str, Any]] | None:
    """Return a template's components, of its item or of the object that has them; None if they are not known."""
    if template.components is not None or template.components_object is None:
        return template.components
    try:
        pointer = Pointer.read(template.components_object)
        found = templates_of(resources.bucket, template.company).get_json(pointer)
    except ObjectUnusable as fault:
        record_unusable(fault, "componentsObject")
        return None
    return components_in(found)


def components_in(template: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the `components` of a template in the provider's structure; None if there are none."""
    components = template.get("components")
    if isinstance(components, list) and all(isinstance(one, dict) for one in components):
        return components
    return None


def _stored_components(
    resources: SendingResources,
    phone: Phone,
    components: list[dict[str, Any]],
    listed: Mapping[str, Any],
    at: str,
) -> dict[str, Any]:
    """Return the facts of components; facts too large for an item are written to an object."""
    facts: dict[str, Any] = {
        "components": components,
        "components_object": None,
        "components_at": at,
    }
    ttl = listed.get("message_send_ttl_seconds")
    if isinstance(ttl, int):
        facts["message_send_ttl_seconds"] = ttl
    if len(json.dumps(components).encode()) > LARGEST_COMPONENTS_BYTES:
        # Written first: the item never points to an object that does not exist.
        whole = to_json({"components": components}).encode()
        name = digest(phone.waba_meta_id, str(listed["name"]), str(listed["language"]))
        pointer = templates_of(resources.bucket, phone.company).put(name, whole)
        facts |= {"components": None, "components_object": pointer.attributes()}
    return facts


def update_meta(resources: SendingResources, report: Report, account: Account) -> None:
    """Update the item of the name, which shows one language and lists all, and the item of the translation."""
    name_key = TemplateMeta.key(account.waba, report.name)
    for key in (name_key, TemplateMeta.of_language(account.waba, report.name, report.language)):
        stored = store.account_reports.get_template(resources.table, TemplateMeta, key)
        before = stored or TemplateMeta(
            pk=key, company=account.company, waba_meta_id=account.waba,
            template_name=report.name, language=report.language,
        )  # fmt: skip
        facts: dict[str, Any] = {}
        if before.language == report.language:
            facts = _newer(before, report)
            if _is_new_id(report, before.template_id):
                facts["template_id"] = report.template_id
            if "cached_at" in report.stamps:
                facts["cached_at"] = report.stamps["cached_at"]
        if key == name_key:
            languages = _languages(before.languages, report)
            if languages != before.languages:
                facts["languages"] = languages
            facts = _with_life(facts, before, languages)
        _write(resources, stored, before, facts, report)


def update_eum(
    resources: SendingResources, report: Report, account: Account, aws_waba: str
) -> None:
    """Update the item of the translation at AWS."""
    key = TemplateEum.key(aws_waba, report.name, report.language)
    stored = store.account_reports.get_template(resources.table, TemplateEum, key)
    before = stored or TemplateEum(
        pk=key, company=account.company, waba_id=aws_waba,
        template_name=report.name, template_language=report.language,
    )  # fmt: skip
    names = {"status": "template_status", "category": "template_category"}
    facts = {names.get(name, name): value for name, value in _newer(before, report).items()}
    if _is_new_id(report, before.meta_template_id):
        facts["meta_template_id"] = report.template_id
    _write(resources, stored, before, facts | dict(report.stamps), report)


def _is_new_id(report: Report, known: str | None) -> bool:
    """Whether to store the id: events never change it, as they may be of a deleted template with the same name."""
    return report.template_id is not None and (
        known is None or (report.is_reading and known != report.template_id)
    )


def _write(
    resources: SendingResources,
    stored: TemplateEum | TemplateMeta | None,
    before: TemplateEum | TemplateMeta,
    facts: dict[str, Any],
    report: Report,
) -> None:
    if not facts or (stored is None and report.has_unknown_status):
        return
    # The time of the provider's last statement about it, in an answer or a webhook.
    facts = facts | {
        "cached_at": max(before.cached_at or "", facts.get("cached_at") or report.moment.at)
    }
    if stored is None:
        store.account_reports.add_template(resources.table, before.model_copy(update=facts))
        return
    dropped = [name for name, value in facts.items() if value is None]
    store.account_reports.change_template(resources.table, stored, facts, dropped)


def _newer(stored: TemplateEum | TemplateMeta, report: Report) -> dict[str, Any]:
    """Return the facts of the groups that are newer than the item's."""
    facts: dict[str, Any] = {}
    for group, values in report.groups.items():
        if report.follows(getattr(stored, f"{group}_order")):
            facts |= values | {f"{group}_order": report.moment.order}
    if facts.get("components") is not None and not report.is_reading:
        facts["components"] = _with_unreported(facts["components"], stored.components)
    return facts


def _languages(languages: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the languages updated with this report; unchanged if the stored entry is newer, or the list is full."""
    entry: dict[str, Any] = languages.get(report.language, {})
    if report.language not in languages and (
        len(languages) >= _MOST_LANGUAGES or report.has_unknown_status
    ):
        return languages
    if report.template_id and _is_new_id(report, entry.get("id")):
        entry = entry | {"id": report.template_id}
    if "status" in report.groups and report.follows(entry.get("order")):
        is_gone = report.groups["status_raw"]["status_raw"] == DELETED
        entry = {name: value for name, value in entry.items() if name != "gone"}
        entry |= {"status": report.groups["status"]["status"], "order": report.moment.order}
        entry |= {"gone": True} if is_gone else {}
    return languages | {report.language: entry}


def _with_life(
    facts: dict[str, Any], before: TemplateMeta, languages: dict[str, Any]
) -> dict[str, Any]:
    """Return the facts of a name's item, which is kept as long as one of its languages exists."""
    facts = {name: value for name, value in facts.items() if name != "ttl"}
    is_gone = bool(languages) and all(entry.get("gone") for entry in languages.values())
    if is_gone and before.ttl is None:
        return facts | {"ttl": clock.expires_in(KEPT_SECONDS)}
    return facts | ({"ttl": None} if before.ttl is not None and not is_gone else {})


def _with_unreported(
    reported: list[dict[str, Any]], stored: list[dict[str, Any]] | None
) -> list[dict[str, Any]]:
    """Return an event's components plus the stored ones of kinds that events do not report."""
    kinds = {component["type"] for component in reported}
    media_headers = [
        component
        for component in stored or []
        if component.get("type") == "HEADER" and component.get("format") != "TEXT"
    ]
    others = [component for component in stored or [] if component.get("type") in _UNREPORTED]
    return [*([] if "HEADER" in kinds else media_headers[:1]), *reported, *others]
