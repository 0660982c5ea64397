"""Registers the numbers of the company's accounts as the providers list them."""

from typing import Any

from shared.access.ownership.proofs import NotProven
from shared.api.auth import Scope
from shared.runtime.failures import Transient
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.accounts.numbers.registrations import proofs
from whatsapp.actions.accounts.numbers.registrations.registration import MANAGEMENT, new_number
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, WabaId
from whatsapp.actions.dispatch.envelope import ProviderRefusal, provider_of
from whatsapp.sending.failures import (
    NotConfigured,
    ProviderRejected,
    ProviderUnavailable,
    TooFast,
)
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers.phones import ListFull, PhoneTaken
from whatsapp.store.items import Phone

_LENGTHS = range(7, 16)  # digits of a number (E.164)
_CHANGED = "it was changed at the same time; synchronise again"


class SyncPhones(Input):
    """One account, or all accounts in which the company has a number."""

    meta_waba_id: WabaId | None = None


class NotSynced(View):
    """A number, or a whole account, that was left as it is: *reason* is a code or the rule that it breaks."""

    meta_waba_id: str
    phone_number_id: str | None = None
    reason: str
    provider_error: ProviderRefusal | None = None


class Synced(View):
    """
    Numbers that were added, changed and found unchanged. *added* are disabled until `save_phone` enables them.

    *failed*: numbers that cannot be registered, and accounts that cannot be read; the others are synchronised.
    """

    added: list[str]
    changed: list[str]
    unchanged: list[str]
    failed: list[NotSynced]


@MANAGEMENT.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def sync_phones(call: Call[SyncPhones]) -> Synced:
    """
    Read the numbers of the company's accounts at their providers, and register new ones, disabled.

    Automation, pace and other settings stay as they are. The first number of an account is registered by `save_phone`:
    a number at AWS does not say which company it belongs to. A named account that cannot be read is an error; of all
    accounts it is listed in `failed`, as a single number is that cannot be registered.
    """
    phones = participants.phones_of(call)
    accounts = dict.fromkeys(phone.waba_meta_id for phone in phones)
    named = call.input.meta_waba_id
    if named is not None:
        participants.account_of(call, named)
        accounts = dict.fromkeys([named])
    synced = Synced(added=[], changed=[], unchanged=[], failed=[])
    for waba in accounts:
        siblings = participants.account_of(call, waba)
        try:
            found = _listed(call, siblings)
        except (
            NotConfigured, ProviderRejected, ProviderUnavailable, TooFast, remote.AnswerIncomplete,
        ) as failure:  # fmt: skip
            if named is not None:
                raise
            synced.failed.append(
                NotSynced(
                    meta_waba_id=waba, reason=str(failure), provider_error=provider_of(failure)
                )
            )
            continue
        for entry in found:
            _sync_entry(call, siblings, entry, synced)
    store.phones.forget()
    return synced


def _listed(call: Call[SyncPhones], siblings: list[Phone]) -> list[Any]:
    """Return the numbers of an account as its provider lists them. Raises the provider's failures."""
    first = siblings[0]
    if first.provider == "eum":
        linked = remote.linked_of(siblings)
        answer = remote.eum_of(call, linked).call(
            "get_linked_whatsapp_business_account", id=remote.aws_account_of(linked)
        )
        account = answer.get("account") or {}
        return list(account.get("phoneNumbers") or [])
    graph = remote.graph_of_account(call, first.waba_meta_id)
    fields = "id,display_phone_number,verified_name,quality_rating,throughput"
    return list(proofs.numbers_on_graph(graph, first.waba_meta_id, fields))


def _sync_entry(
    call: Call[SyncPhones],
    siblings: list[Phone],
    entry: Any,  # noqa: ANN401 - as the provider lists it
    synced: Synced,
) -> None:
    """Register or update a listed number, or note why that fails."""
    is_on_aws = siblings[0].provider == "eum"
    listed_id = None
    try:
        listed_id = _object(entry).get("metaPhoneNumberId" if is_on_aws else "id")
        found = _at_aws(siblings, entry) if is_on_aws else _at_graph(siblings[0], entry)
        stored = next((one for one in siblings if one.phone == found.phone), None)
        numbers = _sync(call, stored, found, synced)
        report = reports.of_aws({"phoneNumber": entry}) if is_on_aws else reports.of_graph(entry)
        reports.keep(call.resources, stored or found, report)
        numbers.append(found.phone)
    except (PhoneTaken, ListFull, NotProven, _Incomplete, Transient) as fault:
        synced.failed.append(
            NotSynced(
                meta_waba_id=siblings[0].waba_meta_id,
                phone_number_id=str(listed_id) if listed_id else None,
                reason=_CHANGED if isinstance(fault, Transient) else str(fault),
            )
        )


class _Incomplete(Exception):
    """The provider's entry of a number lacks a field; the text names it."""


def _at_graph(sibling: Phone, entry: dict[str, Any]) -> Phone:
    return new_number(sibling, _field(entry, "id"), _digits(entry, "display_phone_number"))


def _at_aws(siblings: list[Phone], number: dict[str, Any]) -> Phone:
    linked = remote.linked_of(siblings)
    arn = _field(number, "arn")
    if not arn.startswith("arn:"):
        raise _Incomplete("the provider lists it with an arn that is none")
    facts = {
        "phone_arn": arn,
        "aws_phone": _field(number, "phoneNumberId"),
        "aws_waba": remote.aws_account_of(linked),
    }
    digits = _digits(number, "phoneNumber")
    return new_number(siblings[0], _field(number, "metaPhoneNumberId"), digits, **facts)


def _object(entry: Any) -> dict[str, Any]:  # noqa: ANN401 - as the provider lists it
    if not isinstance(entry, dict):
        raise _Incomplete("the provider lists it without fields")
    return entry


def _digits(entry: dict[str, Any], name: str) -> str:
    digits = proofs.digits_of(_field(entry, name))
    if not _LENGTHS.start <= len(digits) < _LENGTHS.stop:
        raise _Incomplete(f"the provider lists it with a {name} that is no number")
    return digits


def _field(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise _Incomplete(f"the provider lists it without {name}")
    return value


def _sync(call: Call[SyncPhones], stored: Phone | None, found: Phone, synced: Synced) -> list[str]:
    """
    Register a new number, or update what the provider decides of a registered one, and the ids at AWS that it lacks.
    Return the list in which the number belongs. Safe to repeat.
    """
    if stored is None:
        proof = proofs.keep(call, found)
        store.phones.register(call.table, found.model_copy(update={"proof": proof}))
        return synced.added
    facts = {
        "display_phone": found.display_phone,
        "aws_phone": stored.aws_phone or found.aws_phone,
        "aws_waba": stored.aws_waba or found.aws_waba,
    }
    changed = stored.model_copy(update=facts)
    if changed == stored:
        return synced.unchanged
    proof = proofs.keep(call, found)
    store.phones.register(call.table, changed.model_copy(update={"proof": proof}))
    return synced.changed
