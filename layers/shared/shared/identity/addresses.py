"""
Customer and business addresses in their normalised form, used for storage and comparison.

    phone number   E.164                                        +447700900123
    e-mail         case-folded, the domain in ASCII             ann.doe@example.com
    WhatsApp user  for users who hide their phone number        bsuid:US.13491208655302741918

The library for each kind is imported at first use: most functions need one of them, or none.
"""

from __future__ import annotations

import re

USER_ID_PREFIX = "bsuid:"
_WHATSAPP_PREFIX = "whatsapp:"  # prefix of Twilio's WhatsApp addresses
_DIGITS = re.compile(r"\+?[0-9]{7,15}")
# Invisible characters, such as the direction marks around a number that was copied.
_INVISIBLE = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_FORMAT = re.compile(rf"[{_INVISIBLE}]")
_AROUND = re.compile(rf"^[\s{_INVISIBLE}]+|[\s{_INVISIBLE}]+$")
_LETTER = re.compile(r"[^\W\d_]")
_MEXICO = 52
_MEXICAN_MOBILE = re.compile(r"1\d{10}")
# Mobile numbers that exist in two spellings for the same line: WhatsApp's `wa_id` does not always equal the dialled
# number. Mexico's 1, Argentina's 9, and Brazil's ninth digit, which its landlines (2 to 5) lack.
_SPELLINGS = (
    (re.compile(r"\+52(\d{10})"), r"+521\1"),
    (re.compile(r"\+521(\d{10})"), r"+52\1"),
    (re.compile(r"\+54([1-8]\d{9})"), r"+549\1"),
    (re.compile(r"\+549([1-8]\d{9})"), r"+54\1"),
    (re.compile(r"\+55(\d\d)([6-9]\d{7})"), r"+55\g<1>9\2"),
    (re.compile(r"\+55(\d\d)9([6-9]\d{7})"), r"+55\1\2"),
)
# The spelling that names the line: Mexico's without the 1, Argentina's with the 9, Brazil's with the ninth digit.
_NORMAL = (_SPELLINGS[1], _SPELLINGS[2], _SPELLINGS[4])
# Meta, "Business-scoped user IDs": country (ISO 3166), a full stop, up to 128 letters and digits; a parent id has a
# second full stop, `US.ENT.1181...`. Case-sensitive.
_USER_ID = re.compile(r"[A-Z]{2}\.[A-Za-z0-9.]{1,140}", re.ASCII)


class AddressInvalid(Exception):
    """
    The text is not an address of the expected kind. *reason* is a short code; no message contains the input.

        AddressInvalid
        + PhoneInvalid
        + EmailInvalid
        + UserIdInvalid
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class PhoneInvalid(AddressInvalid):
    """`malformed`, `no_country` (unknown code, or neither `+` nor a region), `has_extension` or `impossible`."""


class EmailInvalid(AddressInvalid):
    """`malformed`."""


class UserIdInvalid(AddressInvalid):
    """`malformed`."""


def visible(text: str) -> str:
    """Return a text without invisible characters."""
    return _FORMAT.sub("", text)


def phone_number(text: str, default_region: str | None = None) -> str:
    """
    Return a phone number in E.164. *default_region* (ISO 3166) applies to numbers without `+`.

    The number must be possible, not valid: reserved ranges are never valid, and new ranges not yet. Removes Twilio's
    `whatsapp:` prefix and the 1 that Mexican mobile numbers had after +52 until 2019. 00 is read as `+`
    in all regions, unless only the region's own reading is valid. Raises PhoneInvalid.
    """
    bare = _without_whatsapp(text)
    if default_region is not None and bare.startswith("00"):
        return _after_zeros(bare, default_region)
    return _read(bare, default_region)


def _after_zeros(bare: str, region: str) -> str:
    """
    Return the number after 00: the first reading that is valid, else the international one. Raises PhoneInvalid.

    Australia dials 0011, and in Brazil 0055 also names a carrier, before a number of any country.
    """
    readings = []
    for spelling, of_region in ((f"+{bare[2:]}", None), (bare, region)):
        try:
            readings.append(_read(spelling, of_region))
        except PhoneInvalid as error:
            refusal = error
    if not readings:
        raise refusal
    return next(filter(_is_valid, readings), readings[0])


def _read(bare: str, default_region: str | None) -> str:
    """Return a number in E.164, read by the library without letters, and without Mexico's 1. Raises PhoneInvalid."""
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    # The library converts letters as a phone keypad does, and extracts numbers from sentences. A tilde, which it
    # ignores, tells owners of a number apart (`identifiers`): without it the number would be another person's.
    if _LETTER.search(bare) or "~" in bare:
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
    # A number that can only be dialled locally is not an address either.
    possibility = phonenumbers.is_possible_number_with_reason(number)
    if possibility != phonenumbers.ValidationResult.IS_POSSIBLE:
        raise PhoneInvalid("impossible")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def customer_number(text: str, region: str | None = None) -> str:
    """
    Return the E.164 number that names a customer's line, the same for every spelling that people and systems use.

    `00` begins an international number as `+` does, unless that is impossible: *region* (ISO 3166) may have another
    prefix, such as 0011. Other numbers without `+` are read as numbers dialled in *region*, and as international ones:
    the first valid reading is used, else the first possible one. The international reading comes first if the number
    begins with the country code of *region*. Raises PhoneInvalid.
    """
    bare = _without_whatsapp(text)
    if bare.startswith("+"):
        return _stable(bare, None)
    is_abroad = bare.startswith("00")
    spellings: list[tuple[str, str | None]] = [(f"+{bare.removeprefix('00')}", None)]
    if region is not None:
        is_second = is_abroad or bare.startswith(_country_code(region))
        spellings.insert(1 if is_second else 0, (bare, region))
    readings: list[str] = []
    refusals: list[PhoneInvalid] = []
    for spelling, of_region in spellings:
        try:
            readings.append(_stable(spelling, of_region))
        except PhoneInvalid as refusal:
            refusals.append(refusal)
    if not readings:
        raise refusals[0]
    return readings[0] if is_abroad else next(filter(_is_valid, readings), readings[0])


def normal_digits(digits: str) -> str:
    """
    Return the digits that name a customer's line, the same for all its spellings. Of any other text the text.

    The one normal form for comparing customers' numbers; messages go to the spelling that the customer or the caller
    used.
    """
    address = f"+{digits}"
    for pattern, replacement in _NORMAL:
        if pattern.fullmatch(address):
            return pattern.sub(replacement, address).removeprefix("+")
    return digits


def spellings_of(digits: str) -> list[str]:
    """Return the digits of all spellings of a line, the normal form first."""
    normal = normal_digits(digits)
    others = [other.removeprefix("+") for other in other_spellings(f"+{normal}")]
    return list(dict.fromkeys([normal, *others, digits]))


def normal_form(address: str) -> str:
    """Return the spelling of a normalised address that names the customer, for keys; of most addresses the address."""
    return f"+{normal_digits(address[1:])}" if address.startswith("+") else address


def all_spellings(address: str) -> list[str]:
    """Return all spellings of a normalised address, the normal form first."""
    normal = normal_form(address)
    return list(dict.fromkeys([normal, *other_spellings(normal), address]))


def other_spellings(address: str) -> list[str]:
    """Return the other spellings of the same line. Empty for most numbers and for text that is not E.164."""
    return [
        pattern.sub(replacement, address)
        for pattern, replacement in _SPELLINGS
        if pattern.fullmatch(address) is not None
    ]


def country_of(number: str) -> str | None:
    """Return the country (ISO 3166) of a number in E.164; None if it has none, such as satellite numbers."""
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    try:
        region = phonenumbers.region_code_for_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return None
    return region if region and region.isalpha() else None


def dialling_region_of(number: str) -> str | None:
    """
    Return the region (ISO 3166) in which a national number is dialled like one of *number* (E.164): the main region of
    its country code. None if the code is unknown.
    """
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    try:
        code = phonenumbers.parse(number).country_code
    except phonenumbers.NumberParseException:
        return None
    region = phonenumbers.region_code_for_country_code(code or 0)
    return region if len(region) == len("US") and region != phonenumbers.UNKNOWN_REGION else None


def email_address(text: str) -> str:
    """
    Return an e-mail address in its normalised form: case-folded, with the domain in ASCII.

    Nothing else is folded: dots and `+tags` are separate mailboxes at most providers. Characters that case folding
    would turn into ASCII letters (the Kelvin sign, a sharp s) are kept: such an address and the plain one may have
    different owners. Makes no DNS query. Raises EmailInvalid.
    """
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415 - see the module docstring

    stripped = _AROUND.sub("", text)
    try:
        checked = validate_email(stripped, check_deliverability=False)
    except EmailNotValidError:
        raise EmailInvalid("malformed") from None
    # Not the library's local part: it composes characters and replaces some with ASCII letters.
    local = stripped.rpartition("@")[0]
    return f"{''.join(map(_folded, local))}@{(checked.ascii_domain or '').lower()}"


def without_label(address: str) -> str:
    """Return an e-mail address without its `+label`, as SES matches it: both are one mailbox."""
    name, _, domain = address.rpartition("@")
    return f"{name.partition('+')[0]}@{domain}"


def user_id(text: str) -> str:
    """
    Return `bsuid:` and a WhatsApp business-scoped user id, unchanged from Meta's spelling. Raises UserIdInvalid.

    Check: the format follows Meta's documentation and is not confirmed by our traffic. Only this function depends on
    it.
    """
    bare = _without_whatsapp(text).removeprefix(USER_ID_PREFIX)
    if not _USER_ID.fullmatch(bare):
        raise UserIdInvalid("malformed")
    return USER_ID_PREFIX + bare


def is_user_id(address: str) -> bool:
    """Whether a normalised address is a WhatsApp user id rather than a phone number."""
    return address.startswith(USER_ID_PREFIX)


def displayed(address: str) -> str:
    """
    Return a phone number, with or without `+`, as people of its country write it: `+44 7700 900101`.

    Other addresses, and numbers that cannot exist, are returned as they are.
    """
    if not _DIGITS.fullmatch(address):
        return address
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    try:
        number = phonenumbers.parse(f"+{address.removeprefix('+')}")
    except phonenumbers.NumberParseException:
        return address
    if not phonenumbers.is_possible_number(number):
        return address
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)


def _stable(text: str, region: str | None) -> str:
    """Return the normal form of a number. The library removes one trunk prefix at each reading: two are an error."""
    number = phone_number(text, region)
    if phone_number(number) != number:
        raise PhoneInvalid("impossible")
    return normal_form(number)


def _country_code(region: str) -> str:
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    return str(phonenumbers.country_code_for_region(region))  # "0" for an unknown region


def _is_valid(number: str) -> bool:
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    return phonenumbers.is_valid_number(phonenumbers.parse(number))


def _without_whatsapp(text: str) -> str:
    bare = visible(text).strip()
    has_prefix = bare[: len(_WHATSAPP_PREFIX)].lower() == _WHATSAPP_PREFIX
    return bare[len(_WHATSAPP_PREFIX) :] if has_prefix else bare


def _folded(sign: str) -> str:
    """Case-fold one character, unless it is non-ASCII and would become ASCII letters."""
    folded = sign.casefold()
    turns_plain = not sign.isascii() and any(letter.isascii() for letter in folded)
    return sign if turns_plain else folded


def national_number(number: str) -> str:
    """Return the digits of a phone number in E.164 after its country code."""
    import phonenumbers  # noqa: PLC0415 - see the module docstring

    return phonenumbers.national_significant_number(phonenumbers.parse(number))
