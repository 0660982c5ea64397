"""The business's number and the customer of a call, from its input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.api.errors import InvalidInput
from shared.identity import addresses
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls.inputs import is_user_id, own_id_of
from whatsapp.api.queries import NotFound, PhoneRequired
from whatsapp.store.items import Alias, Conversation
from whatsapp.worker import contact_links

if TYPE_CHECKING:
    from typing import Any

    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.calls.inputs import PhoneFilter, RecipientInput, SenderInput
    from whatsapp.store.items import Phone


def phones_of(call: Call[Any]) -> list[Phone]:
    """Return the company's numbers, oldest first."""
    return store.phones.records_of_company(call.table, call.company)


def apps_of(call: Call[Any]) -> frozenset[str]:
    """Return the ids of the company's apps at Meta, which its registered numbers name."""
    return frozenset(phone.app_id for phone in phones_of(call) if phone.app_id)


def account_of(call: Call[Any], waba: str) -> list[Phone]:
    """Return the company's numbers of the account with Meta's id *waba*, the default one first. Raises NotFound."""
    phones = [phone for phone in phones_of(call) if phone.waba_meta_id == waba]
    if not phones:
        raise NotFound("metaWabaId: account not found")
    return sorted(phones, key=lambda phone: not phone.is_default)


def sender_of(call: Call[SenderInput]) -> Phone:
    """Return the number that the input names; it must be in use. Raises NotFound and PhoneRequired."""
    phone = _named(call, call.input.phone, call.input.meta_waba_id)
    if not phone.in_use:
        raise NotFound("phone: the number is not in use")
    return phone


def filtered_phone(call: Call[PhoneFilter]) -> Phone | None:
    """Return the number that the input names; None if it names none. Raises NotFound and PhoneRequired."""
    phone_id, waba = call.input.phone, call.input.meta_waba_id
    return _named(call, phone_id, waba) if phone_id or waba else None


def phone_by_id(call: Call[Any], phone_id: str) -> Phone:
    """
    Return the company's number with Meta's id, AWS's id, or ARN *phone_id*, or that is the number itself with `+`.
    Raises NotFound.
    """
    wanted = own_id_of(phone_id)
    for phone in phones_of(call):
        ids = {phone.phone, own_id_of(phone.aws_phone or "-"), phone.arn_suffix}
        if wanted in ids or (phone_id.startswith("+") and phone.has_number(phone_id)):
            return phone
    raise NotFound("phone: number not found")


def number_of(text: str, phone: Phone, field: str) -> str:
    """
    Return the digits of a number in E.164. Without `+` it may be a national number in the region of *phone*, or an
    international one; it must make sense as one of them only. Raises InvalidInput.
    """
    region = addresses.dialling_region_of(f"+{phone.display_phone}")
    # WhatsApp's own ids are international digits without `+`.
    readings = [(text, region)] + ([(f"+{text}", None)] if text.isdecimal() else [])
    numbers = set()
    for reading, default_region in readings:
        try:
            numbers.add(addresses.phone_number(reading, default_region))
        except addresses.PhoneInvalid:
            continue
    if len(numbers) != 1:
        problem = "must begin with + and the country code" if numbers else "must be a phone number"
        raise InvalidInput([{"field": field, "problem": problem}])
    return numbers.pop().removeprefix("+")


def contact_of(
    call: Call[Any], phone: Phone, text: str, field: str
) -> tuple[str, str | None, str | None]:
    """
    Return the contact key of a customer of *phone* by number or user id, with the digits or the user id.

    Raises InvalidInput.
    """
    if is_user_id(text):
        user = store.aliases.get(call.table, Alias.of_user(phone.phone, text))
        return _resolved(call, phone, user, text), None, text
    digits = number_of(text, phone, field)
    number = store.aliases.of_number(call.table, phone.phone, digits)
    return _resolved(call, phone, number, addresses.normal_digits(digits)), digits, None


def conversation_of(call: Call[RecipientInput], phone: Phone) -> Conversation:
    """Return the conversation of the input's recipient; a new one, not stored yet, before the first message."""
    return conversation_with(call, phone, call.input.to, "to")


def conversation_with(call: Call[Any], phone: Phone, text: str, field: str) -> Conversation:
    """
    Return the conversation of *phone* with a customer by number or user id. Messages go to the id that the call names.
    Raises InvalidInput.
    """
    contact, digits, user_id = contact_of(call, phone, text, field)
    head = store.heads.get(call.table, Conversation.key(phone.arn_suffix, contact))
    if head is None and digits is not None:
        # An older version sent to the spelling of the caller, and the customer has never answered.
        others = [spelt for spelt in addresses.spellings_of(digits) if spelt != contact]
        keys = (Conversation.key(phone.arn_suffix, spelt) for spelt in others)
        head = next(filter(None, (store.heads.get(call.table, key) for key in keys)), None)
        contact = (head.from_ if head else None) or contact
    if head is None:
        head = Conversation(
            pk=Conversation.key(phone.arn_suffix, contact),
            company=phone.company,
            phone=phone.phone,
            from_=contact,
        )
    return head.addressed(digits, user_id, named_at=clock.to_text(clock.now_ms()))


def _named(call: Call[Any], phone_id: str | None, waba: str | None) -> Phone:
    if phone_id is not None:
        phone = phone_by_id(call, phone_id)
        if waba is not None and phone.waba_meta_id != waba:
            raise NotFound("phone: is not a number of metaWabaId")
        return phone
    phones = [phone for phone in account_of(call, str(waba)) if phone.in_use]
    if not phones:
        raise NotFound("metaWabaId: no number of the account is in use")
    if len(phones) > 1 and not phones[0].is_default:
        raise PhoneRequired(
            "phone: is required, as the account has several numbers and no default one"
        )
    return phones[0]


def _resolved(call: Call[Any], phone: Phone, alias: Alias | None, own: str) -> str:
    """Return the contact of an id; the id itself if it is unknown, or another company's."""
    if alias is None or alias.company != phone.company:
        return own
    return contact_links.primary_of(call.table, phone.phone, alias.target, {alias.pk: alias}).key
