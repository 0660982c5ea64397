"""
Proves that a number belongs to the company that registers it, by the lists of its provider.

The provider is asked only about ids without an owner item, so settings of a registered number change without a call.
The hourly refresh asks again: a number that Graph has refused to show for three days is no longer the company's.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from shared.access.ownership.claims import Proof
from shared.access.ownership.proofs import NotProven
from shared.runtime import clock
from shared.runtime.observability import count_condition, logger
from whatsapp import store
from whatsapp.actions.calls import remote
from whatsapp.sending.failures import NotConfigured, ProviderRejected
from whatsapp.store.accounts.numbers import ownership

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.access.ownership.ids import ProviderId
    from whatsapp.actions.calls.call import ActionResources, Call
    from whatsapp.store.items import Phone

MOST_PAGES = 10  # of 100 numbers of an account on Graph
# Graph's codes for an object that the token does not reach: 100 (unknown object), 10 and 200 to 299 (permissions).
_UNREACHABLE = frozenset({"graph_100", "graph_10", *(f"graph_{code}" for code in range(200, 300))})
_ENDS_AFTER_MS = 72 * clock.HOUR_MS


def prove(call: Call[Any], phone: Phone) -> Proof:
    """
    Store that a number and its account and app belong to the company, and return the proof of the number.

    Raises NotProven for an id without a proof, ProviderUnavailable and TooFast.
    """
    own = call.resources.ownership
    missing = [one.field for one in own.missing(phone)]
    is_asked = missing and not own.grants_all(call.company)
    listed = _listed(call, phone, missing) if is_asked else set()
    return own.claim(phone, listed, call.caller.principal)


def keep(call: Call[Any], phone: Phone) -> Proof:
    """As `prove`, for a number that its provider has just listed or made for the company."""
    listed = {one.resource for one in ownership.named_by(phone) if one.field != ownership.APP_FIELD}
    return call.resources.ownership.claim(phone, listed, call.caller.principal)


def numbers_on_graph(
    graph: remote.GraphAccount, waba: str, fields: str
) -> Iterator[dict[str, Any]]:
    """Yield the numbers of an account as Graph lists them, at most a thousand. Raises as `remote` calls."""
    after: dict[str, str] = {}
    for _ in range(MOST_PAGES):
        answer = graph.get(waba, "phone_numbers", fields=fields, limit="100", **after)
        yield from answer.get("data", [])
        following = answer.get("paging", {})
        if "next" not in following:
            return
        after = {"after": str(following["cursors"]["after"])}


def _listed(call: Call[Any], phone: Phone, missing: list[str]) -> set[ProviderId]:
    """Return the listed ids of an account and its number; empty if the token does not reach the account."""
    fields = {"metaWabaId", "phone", "phoneArn"}
    try:
        if phone.provider == "graph" and not _is_listed_by_graph(call, phone):
            fields = {"metaWabaId"}
        if phone.provider == "eum" and not _is_listed_by_aws(call, phone, missing):
            fields = set()
    except (ProviderRejected, NotConfigured):
        return set()
    return {one.resource for one in ownership.named_by(phone) if one.field in fields}


def _is_listed_by_graph(call: Call[Any], phone: Phone) -> bool:
    graph = remote.graph_of(call, phone)
    entries = numbers_on_graph(graph, phone.waba_meta_id, "id,display_phone_number")
    found = next((one for one in entries if str(one.get("id")) == phone.phone), None)
    if found is not None and not phone.has_number(found.get("display_phone_number")):
        raise NotProven("displayPhoneNumber", "must be the number that the provider lists")
    return found is not None


def _is_listed_by_aws(call: Call[Any], phone: Phone, missing: list[str]) -> bool:
    """
    Whether AWS lists the number in an account that the company owns already: AWS lists every account of the deployment.

    Not confirmed by our own traffic: that the account has Meta's id in `wabaId`.
    """
    if phone.aws_waba is None or "awsWabaId" in missing:
        return False
    eum = remote.EumAccount(call.resources)
    answer = eum.call("get_linked_whatsapp_business_account", id=phone.aws_waba)
    account = answer.get("account", {})
    if account.get("wabaId") != phone.waba_meta_id:
        return False
    own = {"arn": phone.phone_arn, "metaPhoneNumberId": phone.phone}
    return any(
        all(one.get(name) == value for name, value in own.items())
        for one in account.get("phoneNumbers", [])
    )


def note_refusal(resources: ActionResources, phone: Phone, code: str) -> None:
    """
    Count a refusal against the proof of a number that Graph has listed: after three days the proof ends, the number is
    not used any more, and another company can prove it. An invalid token alone says nothing about the number.
    """
    if phone.proof != Proof.LISTED or phone.provider != "graph" or code not in _UNREACHABLE:
        return
    now = clock.now_ms()
    if phone.proof_failing_since is None:
        store.phones.note_proof(resources.table, phone, clock.to_text(now))
    elif now - clock.from_text(phone.proof_failing_since) >= _ENDS_AFTER_MS:
        logger.warning("proof of a number has ended", extra={"phone": phone.phone})
        count_condition("ConfigurationInvalid")
        ownership.end(resources.table, resources.ownership.log, phone)


def note_listed(resources: ActionResources, phone: Phone) -> None:
    """Note that the provider shows a number to its company's token again."""
    if phone.proof_failing_since is not None:
        store.phones.note_proof(resources.table, phone, None)


def digits_of(number: object) -> str:
    """Return the digits (0 to 9) of a number as a provider writes it."""
    return "".join(character for character in str(number) if character in string.digits)
