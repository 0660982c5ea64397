"""Tracking numbers of carriers."""

import re
from bisect import bisect_left

# Recognised by their own format. (Carriers' pages; S10 of the Universal Postal Union.)
_OWN_LOOK = (
    r"(?<![A-Za-z0-9_/+=])(?i:"
    r"1Z[ -]?(?:[0-9A-Z][ -]?){15}[0-9A-Z]"  # UPS
    r"|(?:420[ -]?\d{5}(?:[ -]?\d{4})?[ -]?)?9[1-5](?:[ -]?\d){18,24}"  # USPS, FedEx SmartPost
    r"|[A-Z]{2}\d{9}[A-Z]{2}|(?-i:[A-Z]{2} ?\d{3} ?\d{3} ?\d{3} ?[A-Z]{2})"  # S10: all posts
    r"|TB[ACM][ -]?\d{12}"  # Amazon
    r"|J[JV]?D[0-9A-Z]{0,4}[ -]?\d{10,20}|JVGL\d{8,20}"  # DHL
    r"|1L[SU][0-9A-Z]{12}"  # LaserShip
    r"|[CD]\d{14}"  # OnTrac
    r"|(?:YT|LP|SF|UU|GM|RX|LX|LZ|4PX|WN|CNG|UUS|SPX|EV|CJ)[A-Z0-9]{0,3}\d{11,19}"
    r")(?![A-Za-z0-9_+=])"
)
# Recognised by context: a carrier's name or a word for tracking within the same sentence.
_NEAR = (
    r"(?i)\b(?:track(?:ing|ed|er)?|ups|fedex|fed ex|usps|dhl|dpd|gls|hermes|evri|royal ?mail|parcelforce"
    r"|canada post|australia post|auspost|ontrac|lasership|purolator|postnl|bpost|chronopost|colissimo|la poste"
    r"|correos|seur|mrw|poste italiane|postnord|yodel|tnt|aramex|canpar|waybill|air ?waybill|awb|consignment"
    r"|shipping label|shipment number|parcel number|sendungsnummer|paketnummer|suivi|seguimiento|rastreo)\b"
)
_CANDIDATE = (
    r"(?<![\w.+/=#:$\u20ac\u00a3-])(?:[A-Z]{1,4})?\d(?:[0-9A-Z]{7,24}|(?:[ -]?\d){9,22})"
    r"(?![\w%$\u20ac\u00a3+=]|[.,-]\d)"
)
_AFTER_MARK = (
    r"(?i)\b(?:track(?:ing)?|waybill|awb|consignment|parcel|sendungsnummer|paketnummer|seguimiento|rastreo)"
    r"[ _-]?(?:numbers?|nos?\.?|nr\.?|ids?|codes?|#|de env\u00edo)?\s{0,2}(?:is|was|es|ist|:|=|#|\"|\u2013|-|\s){1,4}"
    r"(?P<number>(?-i:[0-9A-Z]{2,6}(?:[ -](?=[0-9A-Z]{0,5}\d)[0-9A-Z]{2,6}){1,8})|[0-9A-Za-z]{6,34})"
    r"(?=[\s.,;!?)\"']|$)"
)
_NEAREST = 40  # characters
_ENDS_SENTENCE = r"[.!?;]\s|\n"
_PHONE = r"(?:1[ -])?\d{3}[ -]\d{3}[ -]\d{4}"
_DATE = r"(?:19|20)\d\d-\d\d-\d\d"
_FEWEST_DIGITS = 6


def redact_tracking(text: str) -> str:
    """Return *text* without tracking numbers."""
    text = re.sub(_AFTER_MARK, _marked, re.sub(_OWN_LOOK, "***", text))
    near = [(match.start(), match.end()) for match in re.finditer(_NEAR, text)]
    if not near:
        return text
    starts = [start for start, _ in near]

    def replacement(match: re.Match[str]) -> str:
        position = bisect_left(starts, match.start())
        is_near = any(
            _is_beside(text, context, match.span())
            for context in near[max(0, position - 1) : position + 1]
        )
        is_number = sum(map(str.isdecimal, match[0])) >= 8 and not re.fullmatch(_PHONE, match[0])
        return "***" if is_near and is_number else match[0]

    return re.sub(_CANDIDATE, replacement, text)


def _marked(match: re.Match[str]) -> str:
    """Redact the number directly after a phrase such as `tracking number`, if it has enough digits."""
    number = match["number"]
    if sum(map(str.isdecimal, number)) < _FEWEST_DIGITS or re.fullmatch(_DATE, number):
        return match[0]
    return match[0][: match.start("number") - match.start()] + "***"


def _is_beside(text: str, first_span: tuple[int, int], second_span: tuple[int, int]) -> bool:
    """Whether two spans are a few words apart in the same sentence."""
    first, second = sorted((first_span, second_span))
    start, end = first[1], second[0]
    return end - start <= _NEAREST and not re.search(_ENDS_SENTENCE, text[start:end])
