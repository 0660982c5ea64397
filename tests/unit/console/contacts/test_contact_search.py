"""A search finds a person by every spelling of the number, by its last six digits, and by every word of the name."""

from __future__ import annotations

import phonenumbers
from phonenumbers import PhoneNumber, PhoneNumberFormat, PhoneNumberType

from console.search.contacts import tokens_of
from console.search.terms import terms_of
from shared.identity.addresses import displayed
from shared.identity.contacts import tokens
from shared.identity.contacts.words import searched
from shared.identity.identifiers import IdentifierKind, identifier
from tests.cases import each

NUMBERS = [  # of all countries, mobile and fixed ones
    number
    for region in sorted(phonenumbers.SUPPORTED_REGIONS)
    for kind in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE)
    if (number := phonenumbers.example_number_for_type(region, kind)) is not None
]
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
    ("Jürgen Schröder", "schroeder"),
    ("Schroeder", "Schröder"),
    ("Groß", "GROSS"),
    ("Åse Sønder", "aase"),
    ("Şükrü Çağlayan", "caglayan"),
    ("Nguyễn Thị Đức", "duc"),
    ("أحمد مُحَمَّد", "احمد"),
    ("أحمد مُحَمَّد", "محمد"),
    ("محمـــد", "محمد"),
    ("فاطمة مصطفى", "فاطمه"),
    ("فاطمة مصطفى", "مصطفي"),
    ("שָׁלוֹם", "שלום"),
    ("สมชาย ใจดี", "ใจดี"),
    ("พิมพ์ชนก ศิริวัฒนกุลเลิศวิวัฒน์", "ศิริวัฒนกุลเลิศวิวัฒน์"),
    ("प्रियंका चोपड़ा", "चोपड़ा"),
    ("\uff94\uff8f\uff80\uff9e \uff80\uff9b\uff73", "ヤマダ"),  # half-width
    ("김철수", "김철수"),
    ("\U0001f338Ann\U0001f338", "ann"),
    ("\U0001f338\U0001f338", "\U0001f338\U0001f338"),
    ("\u2764\ufe0f", "\u2764"),
    ("jean_luc", "Luc"),
]
ADDRESSES = [
    ("ann@müller.example", "ANN@MÜLLER.example"),
    ("ann@xn--mller-kva.example", "ann@müller.example"),
    ("Ann.Doe+shop@Example.com", "ann.doe+s"),
    ("jürgen@example.com", "jürgen@ex"),
]


def finds(query: str, stored: list[tokens.Token], name: str, handle: str | None) -> bool:
    """Whether a search reads a token of the contact, and its terms fit what the contact shows."""
    terms = terms_of(query)
    is_read = any(token in stored for token in tokens_of(terms))
    return is_read and all(term.fits(searched(name), handle) for term in terms)


@each("number", NUMBERS)
def test_every_spelling_of_a_number_finds_it(number: PhoneNumber) -> None:
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
    assert len(stored) == 1 or len(national) <= len("22 123")


@each("digits", ["001234", "000012", "100000", "000000"])
def test_the_last_six_digits_may_begin_with_zeros(digits: str) -> None:
    one = identifier(IdentifierKind.PHONE, f"+4477009{digits}"[:13])
    handle = one.value.removeprefix("+")

    assert finds(handle[-6:], tokens.of_identifier(one), "", handle)
    assert not finds(handle[-6:], tokens.of_identifier(one), "", "447700900999")


@each(("name", "query"), NAMES)
def test_every_word_of_a_name_finds_it_without_accents_and_case(name: str, query: str) -> None:
    assert finds(query, tokens.of_name(name), name, None)


@each(("address", "query"), ADDRESSES)
def test_the_start_of_an_address_finds_it_in_any_spelling_of_its_domain(
    address: str, query: str
) -> None:
    one = identifier(IdentifierKind.EMAIL, address)

    assert finds(query, tokens.of_identifier(one), one.value, None)


@each(("name", "query"), [("Samuel", "samul"), ("Muller", "mueller"), ("Sue", "su"), ("ガ", "カ")])
def test_letters_that_are_no_spelling_of_the_name_do_not_find_it(name: str, query: str) -> None:
    assert not finds(query, tokens.of_name(name), name, None)
