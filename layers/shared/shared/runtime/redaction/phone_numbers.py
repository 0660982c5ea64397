"""Phone numbers of all countries, distinguished from other groups of digits with separators."""

import re

# Candidates: digits with the separators of phone numbers, not inside a word, an id, a price or an IP address. The
# grouping and the words in front decide whether a candidate is a phone number.
_CANDIDATE = (
    r"(?<![\w.,/@#$\u20ac\u00a3+-])(?:\+[ ]?)?[(]?\+?\d(?:[ \u00a0.()/\u2011\u2013-]{0,3}\d){6,17}"
    r"(?![\w@]|[.,:-]\d|\.[a-z]|\s?[%\u20ac$\u00a3])"
)
_DATE_OR_TIME = (
    r"(?<!\d)(?:19|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?!\d)"
    r"|(?<!\d)(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|[12]\d|3[01])[-./ ](?:19|20)\d\d(?!\d)"
)
_YEARS = r"(?:19|20)\d\d[ /\u2013-]{1,3}(?:19|20)\d\d"
_SAYS_PHONE = (
    r"(?i)\b(?:phones?|tel(?:e(?:ph|f)one?)?|tel\u00e9fono|t\u00e9l\u00e9phone|mobile?|m\u00f3vil|cell(?:ular|phone)?"
    r"|call(?:ing|ed)?|dial|ring|text|sms|fax|whats ?app|handy|ll\u00e1m\w{2,4}|appel\w{1,3}"
    r"|reach (?:me|us)|contact (?:me|us)|my number|mi n\u00famero|meine nummer)\b[^\d]{0,30}$"
)
_SAYS_OTHER = (
    r"(?i)\b(?:orders?|purchase|confirmation|pedido|orden|bestell\w{0,8}|commande|ordine|invoice|factura|rechnung"
    r"|ticket|case|ids?|ref(?:erence)?|sku|model|serial|s/n|isbn|ean|upc|gtin|imei|asin|items?|parts?|article"
    r"|version|account|customer|member|build|batch|lot)"
    r"\W{0,3}(?:(?:numbers?|no|nr|num|id|code|is|was|my|the)\b\W{0,3}){0,3}$"
)
_BEFORE = 48  # characters; context that may tell the kind of a number

_GROUPS = r"\d+"
_NANP = r"(?:1\D{1,2})?\(?[2-9]\d\d\)?\D{0,3}\d{3}\D{0,2}\d{4}"
_IN_PAIRS = r"0\d(?:[ .-]\d\d){4}"
# Calling codes and the total digits of their numbers, for numbers without a plus. (ITU-T E.164.)
_BARE = (
    r"1[2-9]\d\d[2-9]\d{6}|1[3-9]\d{9}|7[3-9]\d{9}|20[1-9]\d{8,9}|27\d{9}"
    r"|30[26]\d{9}|31[1-9]\d{8}|32[1-9]\d{7,8}|33[1-9]\d{8}|34[6-9]\d{8}|36\d{8,9}|39[03]\d{8,10}|40[237]\d{8}|41[1-9]\d{8}|43[1-9]\d{7,12}|44[1-9]\d{9}|45[2-9]\d{7}"
    r"|46[1-9]\d{6,8}|47[2-9]\d{7}|48[1-9]\d{8}|49[1-9]\d{7,11}|5[1-8]\d{9,11}|6[0-6]\d{8,11}|8[1246]\d{8,11}"
    r"|9[0-58]\d{9,11}|2[1-69]\d{9,11}|3[578]\d{9,11}|42[01]\d{9}|85[2356]\d{8,9}|88[06]\d{9,10}|9[679]\d{9,11}"
)


def redact_phones(text: str) -> str:
    """Return *text* with phone numbers as `***-***-` and their last four digits."""
    return re.sub(_CANDIDATE, _replacement, text)


def phones_in(text: str) -> list[str]:
    """Return the phone numbers in *text*, as written."""
    matches = re.finditer(_CANDIDATE, text)
    return [match[0] for match in matches if _is_phone(match[0], _in_front(match))]


def _in_front(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _BEFORE) : match.start()]


def _replacement(match: re.Match[str]) -> str:
    whole = match[0]
    if not _is_phone(whole, _in_front(match)):
        return whole
    digits = "".join(re.findall(_GROUPS, whole))
    opening = "(" if whole.startswith("(") and whole.count("(") > whole.count(")") else ""
    return f"{opening}***-***-{digits[-4:]}"


def _is_phone(candidate: str, before: str) -> bool:
    groups = re.findall(_GROUPS, candidate)
    digits = "".join(groups)
    if candidate.lstrip("(").startswith("+"):
        return 7 <= len(digits) <= 15
    if (
        not 7 <= len(digits) <= 17
        or re.search(_DATE_OR_TIME, candidate)
        or re.fullmatch(_YEARS, candidate)
    ):
        return False
    if re.search(_SAYS_PHONE, before):
        return True
    # Directly after a colon or `=` it is part of an id, unless the words in front name a phone.
    if re.search(_SAYS_OTHER, before) or before.endswith((":", "=")):
        return False
    if len(groups) == 1:
        return _is_bare(digits)
    return _is_grouped(candidate, groups, digits)


def _is_bare(digits: str) -> bool:
    """Whether digits without separators have a length and a prefix of phone numbers."""
    if digits.startswith("00"):
        return 10 <= len(digits) <= 17
    if digits.startswith("0"):
        return 9 <= len(digits) <= 12
    is_american = len(digits) == 10 and digits[0] in "23456789" and digits[3] in "23456789"
    return is_american or bool(re.fullmatch(_BARE, digits))


def _is_grouped(candidate: str, groups: list[str], digits: str) -> bool:
    sizes = [len(group) for group in groups]
    if re.fullmatch(_NANP, candidate) or re.fullmatch(_IN_PAIRS, candidate):
        return True
    if digits.startswith("00"):
        return len(digits) >= 10
    if "(" in candidate:
        return 8 <= len(digits) <= 13
    if "." in candidate and sizes[1:] == [3] * (len(sizes) - 1):
        return False  # thousands
    if digits.startswith("0"):
        return 9 <= len(digits) <= 12 and max(sizes) >= 2
    return _is_local(candidate, sizes, digits)


def _is_local(candidate: str, sizes: list[int], digits: str) -> bool:
    """Whether the groups match a country's format without a leading zero, or a calling code without its plus."""
    if sizes in ([3, 3, 3], [3, 2, 2, 2], [3, 2, 3]):
        return digits[0] in "3456789"
    if sizes == [4, 4] and "-" not in candidate:
        return digits[0] in "35689"
    if sizes in ([3, 4, 4], [5, 5], [4, 3, 3], [5, 6], [2, 4, 4]):
        return len(digits) >= 10
    is_called = sizes[0] <= 3 and all(size <= 5 for size in sizes[1:]) and len(sizes) >= 3
    return is_called and max(sizes) >= 3 and bool(re.fullmatch(_BARE, digits))
