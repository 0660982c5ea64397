"""A search finds a person by every spelling of the number, by its last six digits, and by every word of the name."""

from __future__ import annotations

import phonenumbers
from phonenumbers import PhoneNumberFormat

from console.search.contacts import tokens_of
from console.search.terms import terms_of
from shared.identity.addresses import displayed
from shared.identity.contacts import tokens
from shared.identity.contacts.words import folded
from shared.identity.identifiers import IdentifierKind, identifier
from tests.cases import each

REGIONS = ["AR", "AU", "BR", "DE", "ES", "FR", "GB", "HU", "IN", "IT", "JP", "MX", "NG", "RU", "US"]
NAMES = [
    ("Zoë Müller", "zoe"),
    ("Łukasz Żółć", "ZOLC"),
    ("Ørsted Ægir", "aegir"),
    ("Björk Guðmundsdóttir", "gudmundsdottir"),
    ("Weiß", "weiss"),
    ("\u0130brahim I\u015f\u0131k", "isik"),
    ("Anne\u2011Marie Dupont", "anne-marie"),
    ("O\u2019Brien", "o'brien"),
    ("María del Carmen García López Pérez", "perez"),
    ("王小明", "王小明"),
    ("Σωκράτης", "ΣΩΚΡΑΤΗΣ"),
]


def finds(query: str, stored: list[tokens.Token], name: str, handle: str | None) -> bool:
    """Whether a search reads a token of the contact, and its terms fit what the contact shows."""
    terms = terms_of(query)
    is_read = any(token in stored for token in tokens_of(terms))
    return is_read and all(term.fits(folded(name), handle) for term in terms)


@each("region", REGIONS)
def test_every_spelling_of_a_number_finds_it(region: str) -> None:
    number = phonenumbers.example_number_for_type(region, phonenumbers.PhoneNumberType.MOBILE)
    assert number is not None
    whole = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    one = identifier(IdentifierKind.PHONE, whole)
    national = phonenumbers.format_number(number, PhoneNumberFormat.NATIONAL)
    handle = one.value.removeprefix("+")
    spellings = (
        *(one.value, whole, whole[1:], f"00{whole[1:]}", displayed(handle), national),
        *(national.replace(" ", "").replace("-", ""), national.replace(" ", "."), whole[-6:]),
        phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL),
        phonenumbers.format_out_of_country_calling_number(number, "US"),
        phonenumbers.format_out_of_country_calling_number(number, "AU"),
    )

    stored = tokens.of_identifier(one)

    assert [each for each in spellings if not finds(each, stored, "", handle)] == []


@each("digits", ["001234", "000012", "100000", "000000"])
def test_the_last_six_digits_may_begin_with_zeros(digits: str) -> None:
    one = identifier(IdentifierKind.PHONE, f"+4477009{digits}"[:13])
    handle = one.value.removeprefix("+")

    assert finds(handle[-6:], tokens.of_identifier(one), "", handle)
    assert not finds(handle[-6:], tokens.of_identifier(one), "", "447700900999")


@each(("name", "query"), NAMES)
def test_every_word_of_a_name_finds_it_without_accents_and_case(name: str, query: str) -> None:
    assert finds(query, tokens.of_name(name), name, None)
