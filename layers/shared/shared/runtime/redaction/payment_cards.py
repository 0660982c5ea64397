"""Card numbers and bank account numbers."""

import re

_CARD = r"(?<![\w.+-])(?<!\d[ -])[1-9](?:[ \u00a0-]?\d){12,18}(?![\w-]|[. ]\d)"
_SAYS_OTHER = r"(?i)(?:\b(?:ean|isbn|upc|gtin|imei|sku|serial)|\b\w{0,30}id)\W{1,3}(?:(?:number|no|is)\W{1,3})?$"
_BEGINS_IBAN = r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -][A-Za-z0-9]{4}){0,4}[ -]$"
_EPOCH_MS = r"1[5-9]\d{11}"
_IBAN = r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,34}"
# Length by country (registry of IBANs, SWIFT).
_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL FK",
        19: "MK SI",
        20: "AT BA EE KZ LT LU XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG MR",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}


def redact_cards(text: str) -> str:
    """Return *text* without card numbers: 13 to 19 digits with a valid Luhn digit. Keeps milliseconds since 1970."""
    return re.sub(_CARD, _card, text)


def _card(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 26) : match.start()]
    is_other = re.search(_BEGINS_IBAN, before) or re.search(_SAYS_OTHER, before)
    return "***" if _is_card(match[0]) and not is_other else match[0]


def _is_card(digits_text: str) -> bool:
    digits = [int(character) for character in digits_text if character.isdecimal()]
    if re.fullmatch(_EPOCH_MS, digits_text) or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(digits[::-2])) % 10 == 0


def redact_ibans(text: str) -> str:
    """Return *text* without IBANs: with the length of their country and valid check digits."""
    return re.sub(_IBAN, _iban, text)


def _iban(match: re.Match[str]) -> str:
    """Replace the IBAN by `***`, and keep characters matched beyond its length."""
    length = _LENGTHS.get(match[0][:2].upper())
    account = ""
    for position, character in enumerate(match[0]):
        account += character if character.isalnum() else ""
        if len(account) == length:
            rest = match[0][position + 1 :]
            is_whole = not rest[:1].isalnum()
            return f"***{rest}" if is_whole and _is_iban(account.upper()) else match[0]
    return match[0]


def _is_iban(account: str) -> bool:
    turned = account[4:] + account[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
