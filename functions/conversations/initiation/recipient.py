"""Validates the recipient of a request and normalises the contact details."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.initiation.json_body import RequestRefused
from conversations.store.items.conversation import ChannelMethod
from shared.identity import addresses

if TYPE_CHECKING:
    from collections.abc import Callable

    from conversations.initiation.json_body import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """The recipient: E.164 number, normalised e-mail address, or WhatsApp's business-scoped user id."""

    tel: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    email_as_given: str | None = field(default=None, repr=False)
    user_id: str | None = field(default=None, repr=False)
    first_name: str | None = field(default=None, repr=False)
    last_name: str | None = field(default=None, repr=False)
    language: str | None = None

    def primary(self, channel: ChannelMethod) -> str:
        """Return the contract's `primary_channel`."""
        if channel is ChannelMethod.EMAIL:
            return self.email or ""
        return self.tel or self.user_id or ""

    def in_id(self, channel: ChannelMethod) -> str:
        """Return the recipient's part of `conversation_id`."""
        if channel is ChannelMethod.EMAIL:
            return self.email or ""
        return (
            (self.tel or self.user_id or "")
            .removeprefix("+")
            .removeprefix(addresses.USER_ID_PREFIX)
        )


def recipient_of(
    recipient_data: Json, channel: ChannelMethod, region: Callable[[], str | None]
) -> tuple[Recipient, tuple[str, ...]]:
    """Return recipient and warnings; drops an invalid contact that the channel does not need. Raises RequestRefused."""
    warnings: list[str] = []
    tel = _contact(recipient_data, "recipient_tel", lambda text: _phone(text, region))
    email = _contact(recipient_data, "recipient_email", addresses.email_address)
    user_id = None
    if channel is ChannelMethod.WHATSAPP and recipient_data.get("recipient_tel") is None:
        user_id = _contact(recipient_data, "recipient_user_id", addresses.user_id)
        if recipient_data.get("recipient_user_id") is not None and user_id is None:
            message = "must be a business-scoped user id"
            raise RequestRefused(
                "INVALID_RECIPIENT_TEL", message, field="recipient_data.recipient_user_id"
            )
    needed = "recipient_email" if channel is ChannelMethod.EMAIL else "recipient_tel"
    for name, contact in (("recipient_tel", tel), ("recipient_email", email)):
        if contact is not None or (name == needed and user_id is not None):
            continue
        is_given = recipient_data.get(name) is not None
        if name == needed:
            _refuse_contact(name, is_given=is_given)
        if is_given:
            warnings.append(f"{name.upper()}_DROPPED")
    return (
        Recipient(
            tel=tel,
            email=email,
            email_as_given=recipient_data.get("recipient_email") if email else None,
            user_id=user_id,
            first_name=_name(recipient_data, "recipient_first_name"),
            last_name=_name(recipient_data, "recipient_last_name"),
            language=_name(recipient_data, "language"),
        ),
        tuple(warnings),
    )


def _phone(text: str, region: Callable[[], str | None]) -> str:
    return addresses.phone_number(text, None if text.strip().startswith("+") else region())


def _contact(recipient_data: Json, name: str, normal: Callable[[str], str]) -> str | None:
    text = recipient_data.get(name)
    if not isinstance(text, str):
        return None
    try:
        return normal(text)
    except addresses.AddressInvalid:
        return None


def _refuse_contact(name: str, *, is_given: bool) -> None:
    if not is_given:
        message = "is missing; the channel requires it"
        raise RequestRefused(f"MISSING_{name.upper()}", message, field=f"recipient_data.{name}")
    rule = (
        "must be a phone number with `+` and country code, or a number of the project's region"
        if name == "recipient_tel"
        else "must be a single e-mail address"
    )
    raise RequestRefused(f"INVALID_{name.upper()}", rule, field=f"recipient_data.{name}")


def _name(recipient_data: Json, name: str) -> str | None:
    text = recipient_data.get(name)
    return text.strip()[:200] or None if isinstance(text, str) else None
