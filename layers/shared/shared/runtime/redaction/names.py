"""Names of persons, in introductions and signatures."""

import re

_UPPER = r"[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f\u0386-\u03ab\u0400-\u042f]"
_NAME = rf"(?:St\.|{_UPPER}[\w'\u2019-]{{1,24}}|{_UPPER}\.)"
_PARTICLE = r"(?:van|von|der|den|de|da|dos|del|della|di|la|le|bin|ibn|al|el|ter|zu|y|e|O')"
_NAMES = rf"(?P<name>{_NAME}(?: (?:{_PARTICLE} ){{0,2}}{_NAME}){{0,3}})"

_I_AM = "|".join(
    (
        r"(?:my|the) (?:full |first |last )?name(?: is|['\u2019]s|:)|name['\u2019]?s? ?(?:is|:)",
        r"i['\u2019]?m|i am",
        r"me llamo|mi nombre es|soy",
        r"ich hei(?:\u00df|ss)e|mein name ist|ich bin|mijn naam is",
        r"je m['\u2019]appelle|je suis|mi chiamo|sono|meu nome[ \u00e9]{1,3}|me chamo",
        r"(?:customer|contact|recipient|attn|signed|called) ?(?:name)?:",
    )
)
_INTRODUCED = rf"(?P<intro>(?i:\b(?:{_I_AM}) {{1,2}}))(?:(?:Mrs?|Ms|Dr|Miss)\.? )?{_NAMES}"
# "This is" begins many sentences: match only if the words after the name continue an introduction.
_SPEAKING = (
    rf"(?P<intro>(?i:\b(?:this is|it['\u2019]s|aqu\u00ed|hier ist|hier spricht) )){_NAMES}"
    r"(?=(?i: (?:speaking|from|here|again|calling|writing|with)\b|,|[.!]?\s*$|[.!]?\n| \())"
)
_GREETING = "|".join(
    (
        r"(?:(?:best|kind|warm|many|with) ?)?(?:best |kind |warm )?(?:regards|wishes|thanks)|best",
        r"thank you|thx|cheers|love|sincerely|cordially|respectfully",
        r"yours (?:truly|sincerely|faithfully)",
        r"saludos|atentamente|un saludo|gracias",
        r"(?:mit freundlichen|viele|liebe|beste) gr(?:\u00fc|ue)(?:\u00df|ss)en?|lg|mfg",
        r"cordialement|merci|grazie|obrigad[oa]",
    )
)
_SIGNED = (
    rf"(?P<intro>(?i:\b(?:{_GREETING})(?: (?:again|in advance|so much|very much))? {{0,2}})"
    r"(?:[,!.\u2013-]{1,2} {0,2}(?:\r?\n\s{0,4})?|\r?\n\s{0,4}))"
    rf"{_NAMES}(?= ?[,.!]? {{0,3}}(?:\r?\n|$))"
)
# Capitalised words that follow "I am", "this is" and "thanks" without being a name.
_NO_NAMES = (
    "a about afraid again all almost already also american an and angry annoyed anyone asking at australian aware"
    " british broken but canadian chinese concerned confused curious disappointed dutch emailing english everybody"
    " everyone excited expecting folks french frustrated furious german getting giving going great guys happy having"
    " here important in indian interested irish italian japanese just late like looking mad mexican missing moving my"
    " new no not now ok okay on only planning please pretty re ready really regarding requesting returning ridiculous"
    " sad scottish sending sick so sorry spanish still stuck sure team terrible thankful that the there thinking tired"
    " to trying unable unacceptable unhappy upset urgent us using very waiting willing with wondering working worried"
    " writing wrong your monday tuesday wednesday thursday friday saturday sunday january february march april may"
    " june july august september october november december christmas easter iphone ipad samsung apple google amazon"
    " shopify paypal ups fedex usps dhl"
)
_FIELDS = (
    "name names first_name last_name full_name firstname lastname fullname given_name family_name middle_name"
    " sender_name customer_name contact_name recipient_name display_name profile_name participant_name username"
)


def redact_names(text: str) -> str:
    """Return *text* without the names in introductions and signatures."""
    for pattern in (_INTRODUCED, _SPEAKING, _SIGNED):
        text = re.sub(pattern, _unnamed, text)
    return text


def is_name_field(key: str) -> bool:
    """Whether a field with this name holds a person's name, in any letter case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[- ]", "_", key).lower() in _FIELDS.split()


def _unnamed(match: re.Match[str]) -> str:
    first = match["name"].split()[0]
    if first.rstrip(".").lower() in _NO_NAMES.split() or first.endswith("ing"):
        return match[0]
    start, end = (position - match.start() for position in match.span("name"))
    return f"{match[0][:start]}***{match[0][end:]}"
