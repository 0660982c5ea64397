"""Street addresses with their postcode."""

import re

_WORD = r"[^\W\d_][\w.'\u2019-]{0,30}"
_NAME = r"(?-i:[^\W\d_a-z][\w'\u2019-]{1,30})"
_ORDINAL = r"\d{1,3}(?:st|nd|rd|th)"
_KIND = (
    r"street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|dr|ct|sq|terrace|ter|parkway|pkwy|highway|hwy|cir|crescent"
    r"|cres|mews|trl|broadway"
)
# Everyday words, so only after a name: "two weeks in a row" is not an address.
_WORD_OF_EVERY_DAY = r"drive|court|place|pl|square|way|circle|close|grove|gardens|hill|row|walk|trail|quay|loop|plaza"
# 221B Baker Street | 12 rue de la Paix
_NUMBER_FIRST = (
    rf"(?<![\w.,:$\u20ac\u00a3/-])\d{{1,6}}[A-Za-z]?(?:[-/]\d{{1,4}})?(?:,? (?:bis|ter))?,?[ ]{{1,2}}"
    rf"(?:(?:{_WORD}|{_ORDINAL})[ ]{{1,2}}){{0,4}}?(?:(?i:(?:{_KIND})\b)\.?"
    rf"|(?:{_NAME}|{_ORDINAL})[ ](?i:(?:{_WORD_OF_EVERY_DAY})\b)"
    rf"|(?i:rue|avenue|boulevard|place|chemin|all\u00e9e|impasse|quai|route|cours)\b(?:[ ]{_WORD}){{1,6}})"
)
# Hauptstraße 12 | Storgatan 5 | Calle de Alcalá 45 | Via Roma 10 | ul. Marszałkowska 10
_NUMBER_LAST = (
    rf"(?<!\w)(?:(?:(?:{_NAME}[ ]){{0,3}}(?i:[\w'-]{{0,30}}(?:stra(?:\u00df|ss)e|str\.?|weg|platz|allee|gasse|ring|damm"
    r"|ufer|gatan|v\u00e4gen|gata|vej|gade|straat|laan|gracht|plein|katu|utca)))"
    r"|(?i:calle|c/|avenida|av\.|avda\.?|paseo|plaza|camino|carrer|via|viale|corso|piazza|largo|rua|travessa"
    rf"|pra\u00e7a|ul\.|ulica|aleja|al\.|jalan|jl\.)(?:[ ]{_WORD}){{1,5}})"
    r",?[ ]{0,2}(?:n\u00ba|n\u00b0|no\.?)?[ ]?\d{1,5}[ ]?[a-zA-Z]?(?!\w)"
)
_BOX = r"(?i:\bp\.?[ ]?o\.?[ ]?box[ ]\d{1,7})"
# From the most specific format to plain digits, with an optional state or country in front.
_POSTCODE = (
    r"(?:(?<![\w*])(?:"
    r"[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}"  # United Kingdom
    r"|[A-Z]\d[A-Z][ -]?\d[A-Z]\d"  # Canada
    r"|[A-Z]\d{2}[ ]?[A-Z0-9]{4}"  # Ireland
    r"|\d{4}[ ]?[A-Z]{2}"  # Netherlands
    r"|\d{3}[ ]\d{2,3}"  # Sweden, Czechia, India
    r"|(?:[A-Z]{1,3}[ -])?(?:\d{5}-\d{3,4}|\d{3}-\d{4}|\d{2}-\d{3}|\d{4}-\d{3}|\d{4,6})"
    r")(?!-?\w))"
)
_TOWN_AFTER = rf"(?:,?[ ]{{1,2}}{_NAME}(?:[ -]{_NAME}){{0,2}})?"
_BETWEEN = r"[^\n]{0,60}?(?:\n[^\n]{0,60}?){0,3}?[ ,\n]{1,3}"
_ADDRESS = rf"(?:{_NUMBER_FIRST}|{_NUMBER_LAST}|{_BOX}){_BETWEEN}{_POSTCODE}{_TOWN_AFTER}"


def redact_addresses(text: str) -> str:
    """Return *text* without street addresses, from the house number to the postcode and the place after it."""
    return re.sub(_ADDRESS, "***", text)
