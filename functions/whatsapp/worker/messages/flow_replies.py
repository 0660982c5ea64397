"""
Answers of flows and address forms, which arrive inside a message (`nfm_reply`).

The message itself is already stored. All steps run again on each of its deliveries, and are safe to repeat.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from shared.aws.sqs_fifo import digest
from shared.aws.tables.dynamodb_json import plain, storable
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.configuration.folders import content_of
from whatsapp.configuration.resources import SendingResources
from whatsapp.inbound.json_body import parse_body
from whatsapp.store import ordering
from whatsapp.store.items import Message, Phone
from whatsapp.store.items.contacts.customers import Address, AddressDefault, FlowResponse, FlowToken

SUBTYPE = "nfm_reply"
FLOW = "flow"
ADDRESS_FORM = "address_message"
UNKNOWN_FLOW = "unknown"
LARGEST_DATA_BYTES = 32_000
MOST_ADDRESSES = 20
_LONGEST_TEXT = 512
_LONGEST_FLOW = 128
# (Meta, "Address messages": the `values` of the answer.) Fields that map to attributes of the contract.
_CONTRACT_FIELDS = {
    "name": ("name",),
    "phone_number": ("phone_number",),
    "address": ("address",),
    "city": ("city",),
    "state": ("state",),
    "postal_code": ("in_pin_code", "sg_post_code"),
}
_COUNTRIES = {"in_pin_code": "IN", "sg_post_code": "SG"}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, the message that contains it, and our message that it answers, if known."""

    answer: Mapping[str, Any]
    message: Message
    answered: Message | None


def store_reply(resources: SendingResources, phone: Phone, reply: Reply) -> None:
    """Store the answers of a flow, or an address; other forms stay only in their message."""
    response = reply.answer.get("response_json")
    answers = parse_body(response) if isinstance(response, str) else response
    answers = answers if isinstance(answers, dict) else None
    if answers is None:
        metrics.add_metric("UnreadableForm", MetricUnit.Count, 1)
    name = reply.answer.get("name")
    if name == FLOW:
        _store_flow_response(resources, phone, reply, storable(answers or {}))
    if name == ADDRESS_FORM and answers is not None:
        _store_address(resources, phone, reply.message, storable(answers))


def _store_flow_response(
    resources: SendingResources, phone: Phone, reply: Reply, answers: dict[str, Any]
) -> None:
    """Store the answers as a FLOW_RESPONSE; without `data` if they are unreadable."""
    message = reply.message
    token = _known_token(resources, phone, answers.pop("flow_token", None))
    flow = (token.flow if token else None) or _flow_named_by(reply.answered) or UNKNOWN_FLOW
    if token is not None:
        # Of a form with the data endpoint, the message has none of the answers.
        answers = token.answers | answers
    response = FlowResponse(
        pk=FlowResponse.key(flow, message.message_id),
        company=phone.company,
        flow_id=flow,
        response_id=message.message_id,
        customer_phone=message.from_pk,
        screen_id=(token.screen if token else None) or _screen_named_by(reply.answered),
        data=answers,
        completed_at=ordering.moment_of(message.received_at),
        created_at=ordering.moment_of(message.received_at),
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
        message_pk=message.pk,
    )
    encoded = json.dumps(plain(answers)).encode()
    if len(encoded) > LARGEST_DATA_BYTES:
        folder = content_of(resources.bucket, phone.company).prefix
        key = f"{folder}{phone.phone}/{digest(response.pk)}.json"
        # The object first: an item that refers to a missing object would not be repaired.
        resources.bucket.put(key, encoded)
        response = response.model_copy(update={"data": {}, "data_s3_key": key})
    store.forms.add_response(resources.table, response)
    if token is not None:
        store.forms.finish(resources.table, token)


def _known_token(resources: SendingResources, phone: Phone, token: object) -> FlowToken | None:
    """Return the token if this company made it."""
    if not isinstance(token, str) or not token:
        return None
    stored = store.forms.token(resources.table, FlowToken.of(token))
    return stored if stored is not None and stored.company == phone.company else None


def _flow_named_by(message: Message | None) -> str | None:
    """
    Return the flow of the answered message.

    Uses Meta's send format (`action.parameters.flow_id`); the stored form of Parley's sends is not settled.
    """
    flow = _parameters_of(message).get("flow_id")
    return flow if isinstance(flow, str) and 0 < len(flow) <= _LONGEST_FLOW else None


def _screen_named_by(message: Message | None) -> str | None:
    """Return the screen that the answered message opened: the last that is known of a form without data endpoint."""
    payload = _parameters_of(message).get("flow_action_payload")
    screen = payload.get("screen") if isinstance(payload, dict) else None
    return screen if isinstance(screen, str) and 0 < len(screen) <= _LONGEST_FLOW else None


def _parameters_of(message: Message | None) -> dict[str, Any]:
    """Return the parameters of the form that a message opens; empty if it opens none."""
    action = (message.content or {}).get("action") if message is not None else None
    parameters = action.get("parameters") if isinstance(action, dict) else None
    return parameters if isinstance(parameters, dict) else {}


def _store_address(
    resources: SendingResources, phone: Phone, message: Message, answers: dict[str, Any]
) -> None:
    """
    Store the address as an ADDRESS, once per address, and add it to the list of the customer's newest addresses.

    The list is written last: after a crash before that, the next delivery repeats the same steps.
    """
    values = _values(answers)
    if not values:
        return
    address = _address(phone, message, values)
    owner = AddressDefault.key(message.from_pk, str(phone.company))
    address_list = store.forms.addresses(resources.table, owner) or AddressDefault(
        pk=owner, company=phone.company, address_pk=address.pk, order=_order(message)
    )
    addresses, removed = _with_address(address_list, address.pk, _order(message))
    if address.pk not in addresses:
        return  # Older than the twenty stored addresses.
    is_default = address.pk == address_list.address_pk
    store.forms.add_address(resources.table, address.model_copy(update={"is_default": is_default}))
    for address_pk in removed:
        store.forms.remove_address(resources.table, address_pk)
    if addresses != address_list.addresses:
        changes = {"addresses": addresses, "revision": address_list.revision + 1}
        store.forms.replace_addresses(resources.table, address_list.model_copy(update=changes))


def _with_address(
    address_list: AddressDefault, address_pk: str, order: str
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return at most twenty addresses with this one, and the addresses to remove: the oldest, never the default."""
    newest = max(order, address_list.addresses.get(address_pk, ""))
    all_addresses = {**address_list.addresses, address_pk: newest}
    removable = sorted(
        (pk for pk in all_addresses if pk != address_list.address_pk), key=all_addresses.__getitem__
    )
    removed = tuple(removable[: max(0, len(all_addresses) - MOST_ADDRESSES)])
    return {pk: at for pk, at in all_addresses.items() if pk not in removed}, removed


def _address(phone: Phone, message: Message, values: dict[str, str]) -> Address:
    """Return the address as an item; equal addresses in different spelling have the same id."""
    normalised = {name: " ".join(text.casefold().split()) for name, text in values.items()}
    # Includes the company: companies do not share addresses.
    address_id = digest(str(phone.company), json.dumps(normalised, sort_keys=True))[:26]
    contract_names = {name for names in _CONTRACT_FIELDS.values() for name in names}
    attributes = {
        field: next((values[name] for name in names if name in values), None)
        for field, names in _CONTRACT_FIELDS.items()
    }
    return Address(
        pk=Address.key(message.from_pk, address_id),
        company=phone.company,
        customer_phone=message.from_pk,
        address_id=address_id,
        country=next((country for name, country in _COUNTRIES.items() if name in values), None),
        created_at=ordering.moment_of(message.received_at),
        phone=phone.phone,
        message_pk=message.pk,
        details={name: text for name, text in values.items() if name not in contract_names} or None,
        **attributes,
    )


def _values(answers: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's non-empty text fields, bounded."""
    values = answers.get("values")
    entries = values.items() if isinstance(values, dict) else ()
    texts = [
        (name[:_LONGEST_TEXT], text[:_LONGEST_TEXT]) for name, text in entries if _is_text(text)
    ]
    return dict(texts[:MOST_ADDRESSES])


def _order(message: Message) -> str:
    return ordering.order_key(message.received_at, message.pk)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
