"""Shows accounts, numbers and their quality."""

from typing import Literal, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.calls import names, paging, participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Flag, Input, PageInput, PhoneFilter, PhoneId, WabaId
from whatsapp.actions.calls.provider_objects import CallSettingsView, HealthStatus
from whatsapp.actions.dispatch.envelope import ProviderRefusal, provider_of
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.json_view import plain
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured, ProviderRejected
from whatsapp.sending.views import View
from whatsapp.store.items import Phone

UTILITY = Group("config_utility")
LEGACY = Group("legacy")
_MOST_ACCOUNT_PAGES = 20  # of 100 accounts at AWS


class GetWabas(PageInput):
    """`remote` asks the providers, `stored` shows the registered accounts."""

    source: Literal["remote", "stored"] = "remote"


class Waba(View):
    """
    A WhatsApp Business Account. *problem*: why its provider did not answer, such as `not_configured`; then *name* is
    the registered one.
    """

    meta_waba_id: str
    aws_waba_id: str | None = None
    name: str | None = None
    provider: Literal["graph", "eum"]
    registration_status: str | None = None
    phone_number_ids: list[str]
    tenant_ids: list[str]
    problem: str | None = None
    provider_error: ProviderRefusal | None = None


class Wabas(View):
    """A page of accounts."""

    wabas: list[Waba]


class GetPhoneInfo(PhoneFilter):
    """One of `metaWabaId` and `phone`; *refresh* asks the provider."""

    phone: PhoneId | None = Field(
        default=None, validation_alias=AliasChoices("phone", "phoneNumberId", "phoneArn")
    )
    refresh: Flag = False

    @model_validator(mode="after")
    def _names_a_number(self) -> Self:
        if not (self.meta_waba_id or self.phone):
            raise PydanticCustomError("phone", "must have one of metaWabaId, phone")
        return self


class PhoneInfo(View):
    """A number as last reported."""

    phone_number_id: str
    phone_arn: str
    meta_waba_id: str
    provider: Literal["graph", "eum"]
    display_phone_number: str
    verified_name: str | None = None
    enabled: bool
    quality_rating: str | None = None
    throughput_status: str | None = None
    messaging_limit: str | None = None
    sending_blocked: bool | None = None
    sending_blocked_reason: str | None = None
    last_checked_at: str | None = None
    name_status: str | None = None
    health_status: HealthStatus | None = None
    call_settings: CallSettingsView | None = None


class GetQuality(PageInput, Input):
    """A number, or the numbers of an account, or all of the company's. *history* is for one number."""

    meta_waba_id: WabaId | None = None
    phone: PhoneId | None = Field(default=None, validation_alias=names.PHONE)
    history: Flag = False


class Rating(View):
    """A rating at a time; *event*: the provider's event, or CHECKED after a question of ours."""

    rating: str
    at: str
    event: str | None = None


class Limit(View):
    """A messaging limit, as the provider's tier, and since when."""

    limit: str
    at: str


class Quality(View):
    """
    The rating of a number; without *last_checked_at* it has never been reported. *limit_history*: the newest 20 changes
    of its messaging limit, newest first.
    """

    phone_number_id: str
    meta_waba_id: str
    quality_rating: str | None = None
    throughput_status: str | None = None
    last_checked_at: str | None = None
    quality_history: list[Rating] = Field(default_factory=list)
    limit_history: list[Limit] = Field(default_factory=list)


class Qualities(View):
    """A page of ratings: of several numbers, or, with `history`, of one number, newest first."""

    phones: list[Quality] | None = None
    history: list[Rating] | None = None


class AccountInput(Input):
    """An account."""

    meta_waba_id: WabaId


@UTILITY.reads("remote_eum", Scope.WHATSAPP_READ)
def get_wabas(call: Call[GetWabas]) -> Page[Wabas]:
    """
    List the company's accounts. Accounts at AWS that no number of the company belongs to are not shown.

    An account whose provider cannot be asked is listed with its `problem`.
    """
    by_account: dict[str, list[Phone]] = {}
    for phone in participants.phones_of(call):
        by_account.setdefault(phone.waba_meta_id, []).append(phone)
    shown, cursor = paging.slice_of(call, [_stored_account(group) for group in by_account.values()])
    if call.input.source == "remote":
        linked = _linked(call) if any(waba.provider == "eum" for waba in shown) else {}
        shown = [_asked(call, waba, linked) for waba in shown]
    return Page(Wabas(wabas=shown), cursor)


@UTILITY.reads("remote_eum", Scope.WHATSAPP_READ)
def get_phone_info(call: Call[GetPhoneInfo]) -> PhoneInfo:
    """
    Show a number: verified name, quality, throughput, limits, blocks and call settings.

    `refresh` asks the provider and stores changes; name status and health are in the answer only.
    """
    phone = participants.filtered_phone(call)
    assert phone is not None  # noqa: S101 - for mypy: the input names a number
    report = reports.Report()
    if call.input.refresh:
        report = reports.read(call.resources, phone)
        reports.keep(call.resources, phone, report)
        phone = participants.phone_by_id(call, phone.phone)
    rating = store.account_reports.get_quality(call.table, phone.phone)
    return PhoneInfo(
        phone_number_id=phone.phone,
        phone_arn=phone.phone_arn,
        meta_waba_id=phone.waba_meta_id,
        provider=phone.provider,
        display_phone_number=f"+{phone.display_phone}",
        verified_name=phone.verified_name,
        enabled=phone.enabled,
        quality_rating=rating.quality_rating if rating else None,
        throughput_status=phone.throughput_level,
        messaging_limit=phone.messaging_limit,
        sending_blocked=phone.sending_blocked,
        sending_blocked_reason=phone.sending_blocked_reason,
        last_checked_at=rating.last_checked_at if rating else None,
        name_status=report.name_status,
        health_status=report.health_status,
        call_settings=plain(phone.call_settings),
    )


@UTILITY.reads("local", Scope.WHATSAPP_READ)
def get_quality(call: Call[GetQuality]) -> Page[Qualities]:
    """Show the stored quality ratings; `history` pages through all ratings of one number."""
    asked = call.input
    if asked.phone is not None:
        phones = [participants.phone_by_id(call, asked.phone)]
        if asked.meta_waba_id not in {None, phones[0].waba_meta_id}:
            raise NotFound("phone: is not a number of metaWabaId")
    elif asked.meta_waba_id is not None:
        phones = participants.account_of(call, asked.meta_waba_id)
    else:
        phones = participants.phones_of(call)
    if not asked.history:
        shown, cursor = paging.slice_of(call, phones)
        return Page(Qualities(phones=[_quality_of(call, phone) for phone in shown]), cursor)
    if len(phones) != 1:
        problem = "is required with history, as there are several numbers"
        raise InvalidInput([{"field": "phone", "problem": problem}])
    return _history(call, phones[0])


@LEGACY.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def refresh_quality(call: Call[AccountInput]) -> Qualities:
    """Ask the provider about every number of an account, and store changes."""
    phones = participants.account_of(call, call.input.meta_waba_id)
    for phone in phones:
        reports.keep(call.resources, phone, reports.read(call.resources, phone))
    return Qualities(phones=[_quality_of(call, phone) for phone in phones])


def _stored_account(phones: list[Phone]) -> Waba:
    first = phones[0]
    return Waba(
        meta_waba_id=first.waba_meta_id,
        aws_waba_id=first.aws_waba,
        name=first.business_account_name,
        provider=first.provider,
        phone_number_ids=[phone.phone for phone in phones],
        tenant_ids=sorted({phone.tenant for phone in phones if phone.tenant}),
    )


def _linked(call: Call[GetWabas]) -> dict[str, dict[str, object]]:
    """Return the accounts that are linked to AWS, by Meta's id."""
    found: dict[str, dict[str, object]] = {}
    following: dict[str, str] = {}
    for _ in range(_MOST_ACCOUNT_PAGES):
        answer = remote.EumAccount(call.resources).call(
            "list_linked_whatsapp_business_accounts", maxResults=100, **following
        )
        found |= {account["wabaId"]: account for account in answer.get("linkedAccounts", [])}
        if not answer.get("nextToken"):
            break
        following = {"nextToken": answer["nextToken"]}
    return found


def _asked(call: Call[GetWabas], waba: Waba, linked: dict[str, dict[str, object]]) -> Waba:
    """Return the account as its provider reports it."""
    if waba.provider == "eum":
        account = linked.get(waba.meta_waba_id)
        if account is None:
            return waba.model_copy(update={"problem": "not_linked"})
        facts = {
            "aws_waba_id": str(account["id"]),
            "name": str(account["wabaName"]) or waba.name,
            "registration_status": str(account["registrationStatus"]),
        }
        return waba.model_copy(update=facts)
    try:
        graph = remote.graph_of_account(call, waba.meta_waba_id)
        found = graph.get(waba.meta_waba_id, fields="id,name")
    except NotConfigured:
        return waba.model_copy(update={"problem": "not_configured"})
    except ProviderRejected as refusal:
        return waba.model_copy(
            update={"problem": refusal.code, "provider_error": provider_of(refusal)}
        )
    return waba.model_copy(update={"name": str(found.get("name") or waba.name or "") or None})


def _quality_of(call: Call[AccountInput] | Call[GetQuality], phone: Phone) -> Quality:
    rating = store.account_reports.get_quality(call.table, phone.phone)
    quality = Quality(phone_number_id=phone.phone, meta_waba_id=phone.waba_meta_id)
    if rating is None:
        return quality
    facts = {
        "quality_rating": rating.quality_rating,
        "throughput_status": rating.throughput_status,
        "last_checked_at": rating.last_checked_at,
        "quality_history": [Rating(**entry) for entry in rating.quality_history],
        "limit_history": [Limit(**entry) for entry in reversed(rating.limit_history or ())],
    }
    return quality.model_copy(update=facts)


def _history(call: Call[GetQuality], phone: Phone) -> Page[Qualities]:
    """Return a page of a number's ratings by their numbers, the highest first."""
    start = paging.start_of(call)
    if start is None:
        rating = store.account_reports.get_quality(call.table, phone.phone)
        newest = rating.history_count if rating else 0
    else:
        newest = int(start["number"])
    oldest = max(1, newest - call.input.limit + 1)
    entries = store.account_reports.quality_entries(
        call.table, phone.phone, range(newest, oldest - 1, -1)
    )
    shown = [Rating(rating=one.rating, at=one.at, event=one.event) for one in entries]
    cursor = paging.cursor_of(call, {"number": str(oldest - 1)} if oldest > 1 else None)
    return Page(Qualities(history=shown), cursor)
