"""Order numbers, recognised by the words or the sign in front of them."""

import re

_NUMBER = r"[A-Za-z]{0,6}-?\d{3,12}(?:-\d{1,4})?"
_ORDER = (
    r"(?:"
    r"(?P<other>(?i:\b(?:parts?|models?|items?|skus?|style|lot|page|step"
    r"|rooms?|apt|apartment|suite|ste|unit|floor))\.? )?"
    r"(?P<sign>(?<![\w&/])\#\s?)"
    r"|(?P<verb>\b(?:to|can|could|will|would|we|i|you|please|pre)[ -]{1,2})?"
    r"(?i:\b(?:orders?|purchase|confirmation|pedidos?|orden|compra|bestell(?:ung|nummer|nr)|auftrag|commande"
    r"|ordine|encomenda|bestelling))"
    r"(?P<link>(?:[\s_\"-]{0,2}(?i:numbers?|num|no|nr|id|ids|is|was|my|the|code|n\u00famero|n\u00ba|es|ist|de)\b\.?"
    r"|[\s_]{0,2}[:=#.\"](?!\d)|[\s_]{0,2}[:=#]){0,4}[\s_-]{0,2}\"?)"
    r")"
    rf"(?P<numbers>{_NUMBER}(?:\s{{0,2}}(?:,|&|and|or|y|und|et)\s{{1,2}}\#?[A-Za-z]{{0,6}}-?\d{{4,12}}(?!\w)){{0,5}})"
    r"(?![\w%\u20ac$\u00a3-]|[.,:/]\d)"
    r"(?!\s?(?i:units?|pieces?|pcs|items?|box(?:es)?|packs?|pairs?|sets?|bottles?|bags?|copies|x|k?g|m?l|c?m|mm|lbs?|oz"
    r"|usd|eur|gbp|dollars?|euros?|pounds?|days?|hours?|weeks?|minutes?|more|of|st\u00fcck|unidades|piezas)\b)"
)
_YEAR = r"(?:19|20)\d\d"
_DATE = r"(?:19|20)\d\d-\d\d?"


def redact_orders(text: str) -> str:
    """Return *text* with order numbers as `***` and their last four digits; with fewer digits `***`."""
    return re.sub(_ORDER, _order, text)


def _order(match: re.Match[str]) -> str:
    numbers = match["numbers"]
    is_bare = not match["sign"] and not re.search(r"\w|[:=#]", match["link"] or "")
    if (
        match["other"]
        or re.fullmatch(_DATE, numbers)
        or (is_bare and (match["verb"] or re.fullmatch(_YEAR, numbers)))
    ):
        return match[0]
    return match[0][: match.start("numbers") - match.start()] + re.sub(_NUMBER, _masked, numbers)


def masked_order_number(number: str) -> str:
    """Return *number* as `***` and its last four digits; with fewer digits `***`."""
    digits = "".join(filter(str.isdecimal, number))
    return "***" + (digits[-4:] if len(digits) >= 4 else "")


def _masked(match: re.Match[str]) -> str:
    return masked_order_number(match[0])
