"""Registers the numbers of the company's accounts as the providers list them."""

from typing import Any

from shared.api.auth import Scope
from whatsapp import store
from whatsapp.actions.accounts.numbers import reports
from whatsapp.actions.accounts.numbers.registrations import proofs
from whatsapp.actions.accounts.numbers.registrations.registration import MANAGEMENT, new_number
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Input, WabaId
from whatsapp.sending.views import View
from whatsapp.store.accounts.numbers.phones import ListFull, PhoneTaken
from whatsapp.store.items import Phone


class SyncPhones(Input):
    """One account, or all accounts in which the company has a number."""

    meta_waba_id: WabaId | None = None


class Synced(View):
    """Numbers that were added, changed and found unchanged. *added* are disabled until `save_phone` enables them."""

    added: list[str]
    changed: list[str]
    unchanged: list[str]


@MANAGEMENT.changes("remote_eum", Scope.WHATSAPP_ADMIN)
def sync_phones(call: Call[SyncPhones]) -> Synced:
    """
    Read the numbers of the company's accounts at their providers, and register new ones, disabled.

    Automation, pace and other settings stay as they are. The first number of an account is registered by `save_phone`:
    a number at AWS does not say which company it belongs to.
    """
    phones = participants.phones_of(call)
    accounts = dict.fromkeys(phone.waba_meta_id for phone in phones)
    if call.input.meta_waba_id is not None:
        participants.account_of(call, call.input.meta_waba_id)
        accounts = dict.fromkeys([call.input.meta_waba_id])
    synced = Synced(added=[], changed=[], unchanged=[])
    for waba in accounts:
        siblings = participants.account_of(call, waba)
        for found, report in _found(call, siblings):
            stored = next((one for one in siblings if one.phone == found.phone), None)
            _sync(call, stored, found, synced)
            reports.keep(call.resources, stored or found, report)
    store.phones.forget()
    return synced


def _found(call: Call[SyncPhones], siblings: list[Phone]) -> list[tuple[Phone, reports.Report]]:
    """Return the numbers of an account as its provider lists them. Raises the provider's failures."""
    first = siblings[0]
    if first.provider == "eum":
        answer = remote.eum_of(call, first).call(
            "get_linked_whatsapp_business_account", id=str(first.aws_waba)
        )
        return [
            (_at_aws(first, number), reports.of_aws({"phoneNumber": number}))
            for number in answer["account"]["phoneNumbers"]
        ]
    graph = remote.graph_of_account(call, first.waba_meta_id)
    fields = "id,display_phone_number,verified_name,quality_rating,throughput"
    return [
        (
            new_number(first, str(entry["id"]), proofs.digits_of(entry["display_phone_number"])),
            reports.of_graph(entry),
        )
        for entry in proofs.numbers_on_graph(graph, first.waba_meta_id, fields)
    ]


def _at_aws(sibling: Phone, number: dict[str, Any]) -> Phone:
    facts = {
        "phone_arn": str(number["arn"]),
        "aws_phone": str(number["phoneNumberId"]),
        "aws_waba": str(sibling.aws_waba),
    }
    return new_number(
        sibling, str(number["metaPhoneNumberId"]), proofs.digits_of(number["phoneNumber"]), **facts
    )


def _sync(call: Call[SyncPhones], stored: Phone | None, found: Phone, synced: Synced) -> None:
    """Register a new number, or update what the provider decides of a registered one. Safe to repeat."""
    if stored is None:
        try:
            proof = proofs.keep(call, found)
            store.phones.register(call.table, found.model_copy(update={"proof": proof}))
        except (PhoneTaken, ListFull) as fault:
            raise StateConflict(f"a number of the account cannot be registered: {fault}") from None
        synced.added.append(found.phone)
        return
    if stored.display_phone == found.display_phone:
        synced.unchanged.append(stored.phone)
        return
    proof = proofs.keep(call, found)
    changed = stored.model_copy(update={"display_phone": found.display_phone, "proof": proof})
    store.phones.register(call.table, changed)
    synced.changed.append(stored.phone)
