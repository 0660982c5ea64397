"""Finds the provider of an account's forms, and proves that a form belongs to the company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.actions.calls import participants, remote
from whatsapp.actions.flows.providers.eum import EumForms
from whatsapp.actions.flows.providers.graph import GraphForms
from whatsapp.api.queries import NotFound
from whatsapp.sending.failures import NotConfigured, ProviderRejected

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.flows.providers.provider import FormsAtProvider
    from whatsapp.store.items import Phone

# The provider has no such object, or none that the account may read.
_UNKNOWN = frozenset({"graph_100", "ResourceNotFoundException"})


def forms_of(call: Call[Any], waba: str) -> tuple[FormsAtProvider, Phone]:
    """
    Return the forms of an account, and its number that decides about the provider.

    Raises NotFound and NotConfigured.
    """
    phone = remote.number_of(participants.account_of(call, waba))
    if phone.provider == "eum":
        return EumForms(remote.eum_of(call, phone), remote.aws_account_of(phone)), phone
    return GraphForms(remote.graph_of_account(call, waba), waba), phone


def check_company_has(call: Call[Any], flow: str) -> None:
    """
    Check at the providers that a form belongs to an account of the company: one read for each, until one has it.

    Raises NotFound; if an account could not be asked, also NotConfigured, ProviderRejected, ProviderUnavailable and
    TooFast.
    """
    fault: Exception = NotFound("flowId: form not found")
    for waba in dict.fromkeys(phone.waba_meta_id for phone in participants.phones_of(call)):
        try:
            forms, _ = forms_of(call, waba)
            forms.get(flow)
        except NotFound:
            continue
        except NotConfigured as found:
            fault = found
        except ProviderRejected as refusal:
            if refusal.code not in _UNKNOWN:
                fault = refusal
        else:
            return
    raise fault
