"""Reads a provider's report about a number, and stores its changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.runtime import clock
from shared.runtime.failures import Permanent
from shared.runtime.observability import metrics
from whatsapp import store, transmission
from whatsapp.actions.calls.remote import EumAccount, GraphAccount
from whatsapp.sending.failures import NotConfigured
from whatsapp.store import ordering
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items.accounts.accounts import QualityRating
from whatsapp.worker.updates import quality

if TYPE_CHECKING:
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.store.items import Phone

RATINGS = frozenset({"GREEN", "YELLOW", "RED"})
# An unchanged report is written at most this often.
WRITE_EVERY_MS = clock.HOUR_MS
_EVENT = "CHECKED"  # in the rating's history, beside the names of the provider's events
_FIELDS = (
    "display_phone_number,verified_name,quality_rating,throughput,name_status,health_status,"
    "whatsapp_business_manager_messaging_limit"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A provider's answer about a number; None: it does not report this. *rating* may be UNKNOWN or NA."""

    display_phone: str | None = None
    verified_name: str | None = None
    rating: str | None = None
    throughput_level: str | None = None
    messaging_limit: str | None = None
    name_status: str | None = None
    health_status: dict[str, Any] | None = None
    call_settings: dict[str, Any] | None = None


def graph_with(resources: SendingResources, phone: Phone) -> GraphAccount:
    """Return Graph with the token of a number. Raises NotConfigured."""
    try:
        return GraphAccount(resources, transmission.token_of(resources, phone))
    except Permanent as fault:
        raise NotConfigured(f"the number has no access to Graph: {fault.reason}") from None


def read(resources: SendingResources, phone: Phone) -> Report:
    """
    Ask the number's provider. A number on AWS that has a Graph token is asked for its limits there, too.

    Raises NotConfigured, ProviderRejected, ProviderUnavailable and TooFast.
    """
    if phone.provider == "graph":
        return of_graph(graph_with(resources, phone).get(phone.phone, fields=_FIELDS))
    answer = EumAccount(resources).call(
        "get_linked_whatsapp_business_account_phone_number", id=transmission.aws_phone_of(phone)
    )
    report = of_aws(answer)
    if phone.token_ref is None:
        return report
    limits = of_graph(
        graph_with(resources, phone).get(
            phone.phone, fields="throughput,whatsapp_business_manager_messaging_limit"
        )
    )
    return Report(
        display_phone=report.display_phone,
        verified_name=report.verified_name,
        rating=report.rating,
        call_settings=report.call_settings,
        throughput_level=limits.throughput_level,
        messaging_limit=limits.messaging_limit,
    )


def of_graph(answer: dict[str, Any]) -> Report:
    """
    Return Graph's answer about a number.

    Not confirmed by our own traffic: that `whatsapp_business_manager_messaging_limit` is the tier's name, and
    `throughput` an object with the level.
    """
    throughput = answer.get("throughput")
    limit = answer.get("whatsapp_business_manager_messaging_limit")
    health = answer.get("health_status")
    return Report(
        display_phone=_text(answer.get("display_phone_number")),
        verified_name=_text(answer.get("verified_name")),
        rating=_text(answer.get("quality_rating")),
        throughput_level=_text(throughput.get("level")) if isinstance(throughput, dict) else None,
        messaging_limit=_text(limit),
        name_status=_text(answer.get("name_status")),
        health_status=health if isinstance(health, dict) else None,
    )


def of_aws(answer: dict[str, Any]) -> Report:
    """Return the answer of GetLinkedWhatsAppBusinessAccountPhoneNumber about a number."""
    number = answer.get("phoneNumber", {})
    return Report(
        display_phone=_text(number.get("phoneNumber")),
        verified_name=_text(number.get("displayPhoneNumberName")),
        rating=_text(number.get("qualityRating")),
        call_settings=answer.get("callSettings"),
    )


def keep(resources: SendingResources, phone: Phone, report: Report) -> None:
    """
    Store changes, and at most hourly the time of an unchanged report. Safe to repeat. Raises Transient.

    A rating that became RED is counted as a metric, which raises an alarm.
    """
    now = clock.to_text(clock.now_ms())
    _keep_on_number(resources, phone, report, now)
    stored = store.account_reports.get_quality(resources.table, phone.phone)
    is_new_rating = report.rating in RATINGS and (
        stored is None or stored.quality_rating != report.rating
    )
    is_new_level = report.throughput_level is not None and (
        stored is None or stored.throughput_status != report.throughput_level
    )
    limits = stored.limit_history if stored else None
    limit = report.messaging_limit
    if limit is not None and (not limits or limits[-1]["limit"] != limit):
        quality.record_limit(resources, phone, limit, now)
    checked_at = stored.last_checked_at if stored else None
    is_due = checked_at is None or clock.now_ms() - clock.from_text(checked_at) >= WRITE_EVERY_MS
    if is_new_rating:
        quality.record(resources, phone, str(report.rating), now, _EVENT)
        if report.rating == "RED":
            metrics.add_metric("QualityRed", MetricUnit.Count, 1)
    if is_new_level or is_due:
        seen = stored or QualityRating(
            pk=QualityRating.key(phone.phone),
            company=phone.company,
            waba_meta_id=phone.waba_meta_id,
            phone=phone.phone,
        )
        store.account_reports.note_check(resources.table, seen, report.throughput_level, now)


def _keep_on_number(resources: SendingResources, phone: Phone, report: Report, now: str) -> None:
    facts = {
        "verified_name": report.verified_name,
        "messaging_limit": report.messaging_limit,
        "throughput_level": report.throughput_level,
    }
    order = ordering.order_key(now, phone.pk)
    for name, value in facts.items():
        if value is not None and value != getattr(phone, name):
            store.phones.report(resources.table, phone.phone, order, **{name: value})
    if report.call_settings is not None:
        phone_settings.change(resources.table, phone, call_settings=report.call_settings)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
