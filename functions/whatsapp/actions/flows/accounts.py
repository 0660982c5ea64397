"""The provider of an account's forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whatsapp.actions import participants, remote
from whatsapp.actions.flows.eum import EumForms
from whatsapp.actions.flows.graph import GraphForms
from whatsapp.sending.failures import NotConfigured

if TYPE_CHECKING:
    from whatsapp.actions.call import Call
    from whatsapp.actions.flows.provider import FormsAtProvider
    from whatsapp.store.items import Phone


def forms_of(call: Call[Any], waba: str) -> tuple[FormsAtProvider, Phone]:
    """
    Return the forms of an account, and its number that decides about the provider.

    Raises NotFound and NotConfigured.
    """
    phone = participants.account_of(call, waba)[0]
    if phone.provider == "eum":
        if not phone.aws_waba:
            raise NotConfigured("the account has no id of AWS End User Messaging")
        return EumForms(remote.eum_of(call, phone), phone.aws_waba), phone
    return GraphForms(remote.graph_of_account(call, waba), waba), phone
