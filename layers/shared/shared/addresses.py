"""
People's addresses, each in the one form in which it is kept and compared.

    phone number   E.164                                   +447700900123
    e-mail         case-folded, the domain in ASCII        ann.doe@example.com
    WhatsApp user  who shows a business no phone number    bsuid:US.13491208655302741918

The library of each kind is imported at its first use: most functions need one of them, or none.
"""

from __future__ import annotations

import re

USER_ID_PREFIX = "bsuid:"
_WHATSAPP_PREFIX = "whatsapp:"  # before addresses of Twilio
_LETTER = re.compile(r"[^\W\d_]")
_MEXICO = 52
_MEXICAN_MOBILE = re.compile(r"1\d{10}")
# Mobile numbers that are written with a digit more or less, and are one line: what WhatsApp calls somebody (`wa_id`) is
# not always what was dialled. Mexico's 1, Argentina's 9, and Brazil's ninth digit, which its landlines (2 to 5) lack.
_TWINS = (
    (re.compile(r"\+52(\d{10})"), r"+521\1"),
    (re.compile(r"\+521(\d{10})"), r"+52\1"),
    (re.compile(r"\+54([1-8]\d{9})"), r"+549\1"),
    (re.compile(r"\+549([1-8]\d{9})"), r"+54\1"),
    (re.compile(r"\+55(\d\d)([6-9]\d{7})"), r"+55\g<1>9\2"),
    (re.compile(r"\+55(\d\d)9([6-9]\d{7})"), r"+55\1\2"),
)
# Meta, "Business-scoped user IDs": country (ISO 3166), a full stop, up to 128 letters and digits; a parent id has a
# second full stop, `US.ENT.1181...`. Letter case counts.
_USER_ID = re.compile(r"[A-Z]{2}\.[A-Za-z0-9.]{1,140}", re.ASCII)


class AddressInvalid(Exception):
    """
    Not one address of its kind; *reason* is a short code. What was given is in none of its texts.

        AddressInvalid
        + PhoneInvalid
        + EmailInvalid
        + UserIdInvalid
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PhoneInvalid(AddressInvalid):
    """`malformed`, `no_country` (none that exists, or neither `+` nor a region), `has_extension` or `impossible`."""


class EmailInvalid(AddressInvalid):
    """`malformed`."""


class UserIdInvalid(AddressInvalid):
    """`malformed`."""


def phone_number(text: str, default_region: str | None = None) -> str:
    """
    A phone number in E.164. *default_region* (ISO 3166) is that of numbers without `+`.

    A number has to be possible, not valid: reserved ranges never are valid, and new ones not yet. Twilio's `whatsapp:`
    is taken off, and so is the 1 that Mexican mobile numbers had after +52 until 2019. Raises PhoneInvalid.
    """
    import phonenumbers  # noqa: PLC0415 - see above

    bare = _without_whatsapp(text)
    # The library reads letters as keys of a telephone, and numbers out of sentences.
    if _LETTER.search(bare):
        raise PhoneInvalid("malformed")
    try:
        number = phonenumbers.parse(bare, default_region)
    except phonenumbers.NumberParseException as error:
        no_country = error.error_type == error.INVALID_COUNTRY_CODE
        raise PhoneInvalid("no_country" if no_country else "malformed") from None
    if number.extension:
        raise PhoneInvalid("has_extension")
    national = phonenumbers.national_significant_number(number)
    if number.country_code == _MEXICO and _MEXICAN_MOBILE.fullmatch(national):
        number.national_number = int(national[1:])
    # A number that could only be dialled within its own town is no address either.
    found = phonenumbers.is_possible_number_with_reason(number)
    if found != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise PhoneInvalid("impossible")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def twins_of(address: str) -> list[str]:
    """The other spellings of the same line; none of most numbers, and none of what is no number in E.164."""
    return [
        shape.sub(other, address) for shape, other in _TWINS if shape.fullmatch(address) is not None
    ]


def country_of(number: str) -> str | None:
    """The country (ISO 3166) of a number in E.164; None where it has none, as those of satellites."""
    import phonenumbers  # noqa: PLC0415 - see above

    try:
        found = phonenumbers.region_code_for_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return None
    return found if found and found.isalpha() else None


def email_address(text: str) -> str:
    """
    The key of an e-mail address: letter case does not count, and a domain is taken in its ASCII form.

    Everything else does: dots and `+tags` are other mailboxes at most providers. Signs that case-folding would make
    plain letters (the Kelvin sign, a sharp s) stay as they are: whoever owns such an address is not the owner of the
    plain one. Nothing is asked of any name server. Raises EmailInvalid.
    """
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - see above

    given = text.strip()
    try:
        checked = validate_email(given, check_deliverability=False)
    except EmailNotValidError:
        raise EmailInvalid("malformed") from None
    # Not the library's spelling of the local part: it has composed signs, and made plain letters of some.
    local = given.rpartition("@")[0]
    return f"{''.join(map(_folded, local))}@{(checked.ascii_domain or '').lower()}"


def user_id(text: str) -> str:
    """
    `bsuid:` and a WhatsApp business-scoped user id, letter for letter as Meta wrote it. Raises UserIdInvalid.

    Check: the shape is Meta's documented one and not confirmed by traffic of ours; it stands in this function only.
    """
    bare = _without_whatsapp(text).removeprefix(USER_ID_PREFIX)
    if not _USER_ID.fullmatch(bare):
        raise UserIdInvalid("malformed")
    return USER_ID_PREFIX + bare


def is_user_id(address: str) -> bool:
    """Whether a normalised address is a WhatsApp user's id, and so no phone number."""
    return address.startswith(USER_ID_PREFIX)


def _without_whatsapp(text: str) -> str:
    bare = text.strip()
    has_prefix = bare[: len(_WHATSAPP_PREFIX)].lower() == _WHATSAPP_PREFIX
    return bare[len(_WHATSAPP_PREFIX) :] if has_prefix else bare


def _folded(sign: str) -> str:
    """One sign in its folded case, unless it is one outside ASCII that would turn into letters of ASCII."""
    folded = sign.casefold()
    turns_plain = not sign.isascii() and any(letter.isascii() for letter in folded)
    return sign if turns_plain else folded
