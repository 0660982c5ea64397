"""
Order numbers and tracking numbers in a text, in the spellings that customers use.

Numbers of other kinds (date, price, phone, card) are removed first, so that they are not mistaken for either.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Numbers(NamedTuple):
    """Distinct numbers in order of appearance: *orders* in upper case without `#`, *trackings* without spaces."""

    orders: tuple[str, ...]
    trackings: tuple[str, ...]


_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"]{1,2000}", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")

_CARRIERS = (
    r"tracking|tracked|trace|waybill|awb|guia|rastreo|seguimiento|sendungsnummer|suivi|fed ?ex|ups|usps|dhl|on ?trac|"
    r"lasership|amazon|dpd|gls|hermes|evri|royal mail|canada post|purolator|correos|estafeta"
)
_CERTAIN_TRACKING = re.compile(
    r"(?<![a-z0-9])(?:"
    r"(?P<ups>1z(?:[ -]?[a-z0-9]){16})|"
    r"(?P<usps>(?:420(?:[ -]?\d){5,9}[ -]?)?(?:9[1-5](?:[ -]?\d){18,20}))|"
    r"(?P<upu>[a-z]{2} ?\d{3} ?\d{3} ?\d{3} ?[a-z]{2})|"
    r"(?P<amazon>tba ?\d{12})|"
    r"(?P<dhl>jj?d ?\d(?:[ -]?[a-z0-9]){9,18})"
    r")(?![a-z0-9])",
    re.IGNORECASE,
)
_PLAIN_TRACKING = re.compile(r"(?<![\w.-])(?:\d{4} ?\d{4} ?\d{4}(?: ?\d{3})?|\d{10})(?![\w-]|\.\d)")
_NEAR_CARRIER = re.compile(rf"\b(?:{_CARRIERS})\b", re.IGNORECASE)
_LABEL_DIGITS = 22  # of a USPS label without its postcode
_NEAR = 40  # characters before a number; a carrier's name within them makes it a tracking number
_IN_LINK = re.compile(
    r"(?:tracknum|trknbr|trknbrs|tlabels|tracking[-_]?(?:number|id|code)?|track|tracknumbers|qtc_tlabels1)"
    r"(?:=|/|%3d)([a-z0-9]{10,40})",
    re.IGNORECASE,
)
_CARRIER_LINK = re.compile(
    r"ups\.com|fedex\.com|usps\.com|dhl\.|ontrac\.com|lasership|dpd\.|gls|royalmail|canadapost|purolator|track",
    re.IGNORECASE,
)

_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|ene|abr|ago|dic|january|february|march|april|june|july|"
    r"august|september|october|november|december|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|"
    r"noviembre|diciembre)"
)
_UNIT = (
    r"(?:days?|weeks?|months?|years?|hours?|hrs?|minutes?|mins?|times?|pieces?|pcs|items?|units?|packs?|bottles?|"
    r"boxes|pairs?|orders?|people|followers|subscribers|k\b|oz|ml|mg|g|kg|lbs?|cm|mm|inch(?:es)?|ft|feet|am|pm|"
    r"percent|dollars?|bucks?|euros?|pounds?|usd|eur|gbp|dias?|semanas?|meses|horas?|business|working|of|"
    r"street|st|ave|avenue|road|rd|lane|ln|drive|dr|blvd|court|ct|apt|way|watts?|w|v|volts?|gb|tb|mah)"
)
_OTHERS = (
    re.compile(r"(?<!\w)\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]{1,20}Z?)?(?!\w)"),
    re.compile(r"(?<!\w)\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?!\w)"),
    re.compile(rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b", re.IGNORECASE),
    re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of| de)? {_MONTH}\.?(?:,? (?:de )?\d{{4}})?\b",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\w)\d{1,2}(?::\d{2}){1,2}(?: ?[ap]\.?m\.?)?(?!\w)", re.IGNORECASE),
    re.compile(r"[$\u20ac\u00a3\u00a5] ?\d{1,3}(?:[,.]?\d{3}){0,3}(?:[.,]\d{1,2})?(?!\d)"),
    re.compile(
        r"(?<![\w-])\d{1,9}(?:[.,]\d{1,3}){0,3} ?(?:[$\u20ac\u00a3\u00a5%]|usd|eur|gbp|cad|aud|mxn)(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![\w#-])\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?(?!\w)|(?<![\w#-])\d{1,9}\.\d{1,2}(?![\w.])"
    ),
    re.compile(r"(?<!\w)\+\d{1,3}(?:[ .()-]{0,2}\d){6,13}(?!\w)"),
    re.compile(
        r"(?<![\w#-])\(\d{3}\) ?\d{3}[ .-]?\d{4}(?!\w)|(?<![\w#-])(?:1[ .-])?\d{3}[ .-]\d{3}[ .-]\d{4}(?![\w-])"
    ),
)  # fmt: skip - one kind per line
_PHONE_WORD = re.compile(
    r"\b(?:phone|call|cell|mobile|tel|telephone|whatsapp|text me|fax|telefono|llam\w+)\b[^\n\d]{0,25}$",
    re.IGNORECASE,
)
_STATE = (
    r"(?:A[LKSZRAP]|C[AOT]|D[EC]|F[LM]|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|O[HKR]|P[ARW]|RI|S[CD]|"
    r"T[NX]|UT|V[AIT]|W[AIVY])"
)
_POSTCODE = re.compile(
    rf"\b{_STATE}\.?,? \d{{5}}(?:-\d{{4}})?\b|"
    r"\b(?:zip|zip ?code|postcode|postal code|codigo postal|cp|plz)\b[^\n\d]{0,15}\d{4,5}(?:-\d{4})?"
)
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_QUANTITY = re.compile(rf"(?<![\w#-])\d{{1,7}}[ -]?{_UNIT}\b", re.IGNORECASE)

_NUMBER = r"[a-z]{0,6}-?\d{3,12}(?:-\d{1,4})?"
_WORD_BEFORE = (
    r"(?:orders?|purchases?|confirmations?|ord|pedidos?|ordenes|orden|compras?|commandes?|bestell\w{0,12}|reference|"
    r"ref|invoice|po)"
)
_FILLER = (
    r"(?:numbers?|num|nr|no|nos|id|ids|is|was|my|the|code|de|el|es|con|n[u\u00fa]mero|n|ref|reference|confirmation|"
    r"under|for|with|placed|and|y|on|it|its)"
)
_NAMED = re.compile(
    rf"\b{_WORD_BEFORE}\b(?:[ \t\n]{{0,2}}(?:{_FILLER}\b\.?|[:=#\u00ba\u00b0().,*\"'-])){{0,6}}"
    rf"[ \t\n]{{0,2}}({_NUMBER})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_HASH = re.compile(rf"#[ \t]{{0,2}}({_NUMBER})(?![\w%])", re.IGNORECASE)
_FURTHER = re.compile(
    rf"(?:,|&|\band|\by|\bor|/|\+)[ \t]{{0,2}}#?({_NUMBER})(?![\w%]|[.,]\d)", re.IGNORECASE
)
_BARE = re.compile(rf"\W{{0,10}}({_NUMBER})\W{{0,10}}", re.IGNORECASE)
_ANYWHERE = re.compile(rf"(?<![\w.,/-])({_NUMBER})(?![\w%/-]|[.,]\d)", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d{2}")
# Words before a hash whose number is not an order number.
_NOT_ORDER_HASH = re.compile(
    r"(?:apt|apartment|unit|suite|ste|model|item|sku|tracking|phone|room|size|code|part|ticket|case)"
    r"\.? ?(?:number|no)?\.?:? ?$",
    re.IGNORECASE,
)


def numbers_in(text: str, *, expects_order: bool, mask: str | None) -> Numbers:
    """
    Return the numbers of a prepared text. *expects_order*: a bare number is an order number too. *mask*: the format of
    the shop's order numbers (`9` stands for a digit); a number in this format needs no keyword before it.
    """
    trackings, rest = _trackings(text)
    own = _mask(mask) if mask else None
    matching_mask = tuple(match.group().upper() for match in own.finditer(rest)) if own else ()
    rest = _without_others(rest)
    orders = dict.fromkeys((*_named(rest), *_hashed(rest)))
    if expects_order or _BARE.fullmatch(text.strip()):
        orders |= dict.fromkeys(_bare(rest))
    for number in matching_mask:
        orders.setdefault(number)
    return Numbers(tuple(_distinct(orders)), tuple(dict.fromkeys(trackings)))


def _trackings(text: str) -> tuple[list[str], str]:
    """Return the tracking numbers, and the text without them, links and addresses."""
    trackings: list[str] = []
    for link in _URL.finditer(text):
        if _CARRIER_LINK.search(link.group()[:200]):
            trackings += [hit.group(1).upper() for hit in _IN_LINK.finditer(link.group())]
    text = _ADDRESS.sub(" ; ", _URL.sub(" ; ", text))

    def certain(match: re.Match[str]) -> str:
        number = re.sub(r"[ -]", "", match.group()).upper()
        if not _is_tracking(match, number):
            return match.group()
        trackings.append(number)
        return " ; "

    text = _CERTAIN_TRACKING.sub(certain, text)

    def plain(match: re.Match[str]) -> str:
        near = text[max(0, match.start() - _NEAR) : match.start()]
        carriers = [hit.end() for hit in _NEAR_CARRIER.finditer(near)]
        words = [hit.end() for hit in re.finditer(rf"\b{_WORD_BEFORE}\b|#", near, re.IGNORECASE)]
        if not carriers or max(words, default=-1) > carriers[-1]:
            return match.group()
        trackings.append(match.group().replace(" ", ""))
        return " ; "

    return trackings, _PLAIN_TRACKING.sub(plain, text)


def _is_tracking(match: re.Match[str], number: str) -> bool:
    if match.lastgroup == "ups":
        return sum(sign.isdigit() for sign in number) >= 8  # noqa: PLR2004 - "1z" and sixteen letters are ordinary words
    if match.lastgroup == "upu":
        return _upu_check_digit(number[2:10]) == int(number[10])
    if match.lastgroup == "usps":
        return _usps_check_digit(
            number[-22:-1] if len(number) >= _LABEL_DIGITS else number[:-1]
        ) == int(number[-1])
    return True


def _upu_check_digit(serial: str) -> int:
    """Return the check digit of an international postal number (UPU S10)."""
    rest = 11 - sum(int(a) * b for a, b in zip(serial, (8, 6, 4, 2, 3, 5, 9, 7), strict=True)) % 11
    return {10: 0, 11: 5}.get(rest, rest)


def _usps_check_digit(digits: str) -> int:
    """Return the check digit of a USPS label: modulo 10, the digits weighted 3 and 1 from the right."""
    total = sum(int(sign) * (3 if at % 2 == 0 else 1) for at, sign in enumerate(reversed(digits)))
    return -total % 10


def _without_others(text: str) -> str:
    """Replace dates, prices, phones, cards, postcodes and quantities with ` ; `."""
    text = _CARD.sub(lambda match: " ; " if _is_card(match.group()) else match.group(), text)
    text = _POSTCODE.sub(" ; ", text)
    for pattern in _OTHERS:
        text = pattern.sub(" ; ", text)
    return _QUANTITY.sub(" ; ", text)


def _is_card(written: str) -> bool:
    digits = [int(sign) for sign in written if sign.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _named(text: str) -> Iterator[str]:
    for match in _NAMED.finditer(text):
        if _is_year(match.group(1)) or _is_phone(text, match.start(1)):
            continue
        yield match.group(1).upper()
        at = match.end()
        while further := _FURTHER.match(text, _skip_space(text, at)):
            if _is_year(further.group(1)):
                break
            yield further.group(1).upper()
            at = further.end()


def _skip_space(text: str, at: int) -> int:
    return at + 1 if text[at : at + 1] == " " else at


def _hashed(text: str) -> Iterator[str]:
    for match in _HASH.finditer(text):
        if not _NOT_ORDER_HASH.search(text[max(0, match.start() - 24) : match.start()]):
            yield match.group(1).upper()


def _bare(text: str) -> Iterator[str]:
    for match in _ANYWHERE.finditer(text):
        if not _is_year(match.group(1)) and not _is_phone(text, match.start()):
            yield match.group(1).upper()


def _is_year(number: str) -> bool:
    return bool(_YEAR.fullmatch(number))


def _is_phone(text: str, at: int) -> bool:
    return bool(_PHONE_WORD.search(text[max(0, at - 40) : at]))


def _mask(mask: str) -> re.Pattern[str]:
    body = "".join(r"\d" if sign == "9" else re.escape(sign) for sign in mask)
    return re.compile(rf"(?<![\w-]){body}(?![\w-])", re.IGNORECASE)


def _distinct(numbers: dict[str, None]) -> Iterator[str]:
    for number in numbers:
        # One rule may find "SH-123" and another "123" in the same text: both are one number.
        if not any(other != number and other.endswith(number) for other in numbers):
            yield number
