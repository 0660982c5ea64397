"""Street addresses in a text: the name of the street and the number of the house."""

import re
from collections.abc import Iterable, Iterator

_WORD = r"[^\W\d_][\w'\u2019.-]*"
_CAPITAL = r"[A-ZÄÖÜÅŚŁŻŹĆÇĞİŞČŘŠŽÉÁ]"
_STREETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<number>\d{1,4}[a-z]?)\s+(?P<name>(?:[A-Z][\w'\u2019-]+\s+){1,3}?)"
        r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Square|Court|Place|Boulevard|Blvd|Close|Crescent|Terrace|Row)\b",
        # The kind of street ends its name: German, Dutch, Swedish, Danish, Norwegian, Finnish
        rf"\b(?P<name>{_CAPITAL}[\w-]*?)\s?(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|[Gg]asse|[Dd]amm"
        r"|[Uu]fer|[Ss]traat|[Gg]racht|[Ll]aan|[Kk]ade|[Pp]lein|[Gg]atan|[Vv]ägen|[Gg]ade|[Vv]ej|[Gg]ate|[Vv]ei|katu|tie)"
        r"\s+(?P<number>\d{1,4}[a-z]?)\b",
        r"(?i)\b(?P<number>\d{1,4}),?\s+(?:(?:bis|ter)\s+)?(?:rue|avenue|av\.|boulevard|bd|place|chemin|allée|quai|impasse)"
        r"\s+(?:(?:de la|de|du|des|la|le|l['\u2019])\s*)*(?P<name>[\w-]+)",
        r"(?i)\b(?:calle|avenida|av\.|avda\.|plaza|paseo|via|viale|corso|piazza|rua|praça)\s+"
        r"(?:(?:de la|de|del|da|do|della)\s+)?(?P<name>[\w-]+(?:\s[\w-]+){0,2}?),?\s+(?P<number>\d{1,4})\b",
        # Polish, Russian, Ukrainian, Czech, Romanian, Arabic
        r"(?i)\b(?:ul\.|al\.|os\.|pl\.|ulica|ulicy|aleja|ул\.|улица|улице|пр\.|пр-т|просп\.|проспект|пер\.|вул\.|strada|str\.|شارع)"
        rf"\s?(?P<name>{_WORD}(?:\s{_WORD})?),?\s+(?:д\.\s?|дом\s|nr\.?\s)?(?P<number>\d{{1,4}})\b",
        # Turkish
        rf"\b(?P<name>{_CAPITAL}[\w'\u2019]+)\s(?:[Cc]ad(?:desi|\.)|[Ss]ok(?:ak|ağı|\.)|[Bb]ulvarı)"
        r",?\s(?:[Nn]o\s?[:.]?\s?)?(?P<number>\d{1,4})\b",
    )
)  # fmt: skip

_BEFORE_A_POSTAL_CODE = re.compile(
    rf"\b(?P<name>{_CAPITAL}[\w'\u2019.-]*(?:\s{_WORD}){{0,3}})\s(?P<number>\d{{1,4}}[a-z]?),?\s(?:[A-Z]{{1,2}}-)?\d{{4,5}}\s{_CAPITAL}"
)


def addresses_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of the street and the number of each address."""
    for pattern in _STREETS:
        for match in pattern.finditer(text):
            yield match["name"], match["number"]


def postal_addresses_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of the street and the number of each address that a postal code and a town follow."""
    for match in _BEFORE_A_POSTAL_CODE.finditer(text):
        yield match["name"], match["number"]


def numbers_of(streets: Iterable[tuple[str, str]], text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of these *streets* with the numbers that *text* has behind them."""
    for name in {name for name, _ in streets}:
        for match in re.finditer(rf"\b{re.escape(name)}\s(?P<number>\d{{1,4}}[a-z]?)\b", text):
            yield name, match["number"]


def without_addresses(text: str) -> str:
    """Return *text* without street addresses, whose numbers are no amounts."""
    for pattern in _STREETS:
        text = pattern.sub(" * ", text)
    return text
