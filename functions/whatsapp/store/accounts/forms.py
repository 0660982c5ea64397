"""Data from customers' forms: flow responses, and addresses with the list that limits them."""

from contextlib import suppress
from typing import Any

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.contacts.customers import (
    Address,
    AddressDefault,
    FlowConfig,
    FlowKeys,
    FlowResponse,
    FlowToken,
)
from whatsapp.store.items.item import PARTITION_KEY

ACCOUNT_INDEX = "gsi_waba_itemtype"
CUSTOMER_INDEX = "gsi_customer_phone"


def token(table: Table, token_pk: str) -> FlowToken | None:
    """Return the flow of a token (strongly consistent read)."""
    item = table.get(pk(token_pk))
    return FlowToken.read(item) if item else None


def add_token(table: Table, new: FlowToken) -> FlowToken:
    """Write a token once, before its message is sent; return it, or the existing one. Safe to repeat."""
    try:
        table.put(new.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return FlowToken.read(refusal.existing)
    return new


def advance(table: Table, token: FlowToken) -> bool:
    """Store answers, screen and state of a token that was read; False after a concurrent change."""
    seen = FlowToken.attr("revision")
    unchanged = seen.eq(token.revision) if token.revision else seen.not_exists() | seen.eq(0)
    try:
        table.update(
            pk(token.pk),
            put=FlowToken.named(
                answers=token.answers,
                screen=token.screen,
                state=token.state,
                last_request=token.last_request,
                revision=token.revision + 1,
            ),
            when=Attr(PARTITION_KEY).exists() & unchanged,
        )
    except ConditionFailed:
        return False
    return True


def finish(table: Table, token: FlowToken) -> None:
    """Mark a token as finished: its FLOW_RESPONSE has been written. Safe to repeat; the answers stay for repeats."""
    try:
        table.update(
            pk(token.pk),
            put=FlowToken.named(state="finished"),
            add=FlowToken.named(
                revision=1
            ),  # a request that has read the token does not open it again
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return  # expired meanwhile


def config(table: Table, flow: str) -> FlowConfig | None:
    """Return the routing of a flow (strongly consistent read)."""
    item = table.get(pk(FlowConfig.key(flow)))
    return FlowConfig.read(item) if item else None


def add_config(table: Table, new: FlowConfig) -> FlowConfig:
    """Write the item of a flow once, which makes it the company's; return it, or the existing one. Safe to repeat."""
    try:
        table.put(new.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return FlowConfig.read(refusal.existing)
    return new


def replace_config(table: Table, new: FlowConfig) -> bool:
    """Write the routing of a flow; False if the flow is another company's. Safe to repeat: the last call wins."""
    ours = Attr(PARTITION_KEY).not_exists() | FlowConfig.attr("company").eq(new.company)
    try:
        table.put(new.attributes(), when=ours)
    except ConditionFailed:
        return False
    return True


def cache_data(table: Table, config: FlowConfig, cached: dict[str, Any]) -> None:
    """Keep what a company's endpoint answered for its form's screens, unless the routing has changed."""
    same = FlowConfig.attr("company").eq(config.company) & FlowConfig.attr("endpoint_url").eq(
        config.endpoint_url
    )
    with suppress(ConditionFailed):
        table.update(pk(config.pk), put=FlowConfig.named(cached=cached), when=same)


def intend_deletion(table: Table, flow: str, company: str, cause: str) -> None:
    """Note which call deletes a flow, before it does. Safe to repeat; nothing is noted for another company's item."""
    ours = Attr(PARTITION_KEY).not_exists() | FlowConfig.attr("company").eq(company)
    try:
        table.update(
            pk(FlowConfig.key(flow)),
            put={
                "itemType": FlowConfig.item_type,
                **FlowConfig.named(company=company, deleted_by=cause),
            },
            when=ours,
        )
    except ConditionFailed:
        return


def remove_routing(table: Table, flow: str, company: str, cause: str) -> None:
    """Remove the routing of a deleted flow; the item stays for two days, for repeats of the call. Safe to repeat."""
    config = FlowConfig(
        pk=FlowConfig.key(flow),
        company=company,
        deleted_by=cause,
        ttl=clock.expires_in(2 * clock.DAY_SECONDS),
    )
    replace_config(table, config)


def keys_of(table: Table, waba: str) -> FlowKeys | None:
    """Return the key pairs of an account's forms (strongly consistent read)."""
    item = table.get(pk(FlowKeys.key(waba)))
    return FlowKeys.read(item) if item else None


def replace_keys(table: Table, new: FlowKeys) -> FlowKeys:
    """
    Write the key pairs, derived from the revision that was read, and return them.

    Raises Transient after a concurrent write.
    """
    changed = new.model_copy(update={"revision": new.revision + 1})
    seen = FlowKeys.attr("revision")
    unchanged = seen.eq(new.revision) if new.revision else Attr(PARTITION_KEY).not_exists()
    try:
        table.put(changed.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("flow_keys_contended") from None
    return changed


def responses_of_account(
    table: Table, waba: str, *, limit: int, start: Attributes | None
) -> tuple[list[FlowResponse], Attributes | None]:
    """Return a page of an account's completed forms, in no order of time (eventually consistent index)."""
    of_account = Key(FlowResponse.name_of("waba_meta_id")).eq(waba)
    condition = of_account & Key("itemType").eq(FlowResponse.item_type)
    entries, last = table.query(ACCOUNT_INDEX, condition, limit=limit, start=start)
    return _responses(table, entries), last


def responses_of_customer(
    table: Table, contact: str, *, limit: int, start: Attributes | None
) -> tuple[list[FlowResponse], Attributes | None]:
    """
    Return a page of a customer's completed forms, newest first. The index has entries of all companies and types: the
    caller filters by company.
    """
    condition = Key(FlowResponse.name_of("customer_phone")).eq(contact)
    only = Attr("itemType").eq(FlowResponse.item_type)
    entries, last = table.query(
        CUSTOMER_INDEX, condition, limit=limit, start=start, newest_first=True, only=only
    )
    return _responses(table, entries), last


def _responses(table: Table, entries: list[Attributes]) -> list[FlowResponse]:
    keys = [entry[PARTITION_KEY] for entry in entries]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [FlowResponse.read(items[key]) for key in keys if key in items]


def add_response(table: Table, response: FlowResponse) -> FlowResponse:
    """Write a flow's answers once; their message may be redelivered. Returns them, or the existing ones."""
    try:
        table.put(response.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return FlowResponse.read(refusal.existing)
    return response


def add_address(table: Table, address: Address) -> None:
    """Write an address once; the same message or another one may contain it again."""
    try:
        table.put(address.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def remove_address(table: Table, address_pk: str) -> None:
    """Remove an address over the limit. Safe to repeat."""
    table.delete(pk(address_pk))


def addresses(table: Table, owner: str) -> AddressDefault | None:
    """Return a customer's default address and the list of all addresses (strongly consistent read)."""
    item = table.get(pk(owner))
    return AddressDefault.read(item) if item else None


def get_addresses(table: Table, keys: list[str]) -> list[Address]:
    """Return the existing ones of a customer's addresses, in the order of their *keys*."""
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [Address.read(items[key]) for key in keys if key in items]


def replace_addresses(table: Table, default: AddressDefault) -> None:
    """
    Write the list, derived from the previous revision. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | AddressDefault.attr("revision").eq(
        default.revision - 1
    )
    try:
        table.put(default.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("addresses_contended") from None
