"""Normalised addresses: one form each, and errors that do not contain the input."""

import pytest

from shared.identity.addresses import (
    AddressInvalid,
    EmailInvalid,
    PhoneInvalid,
    UserIdInvalid,
    displayed,
    email_address,
    is_user_id,
    other_spellings,
    phone_number,
    user_id,
)
from tests.cases import each


@each(
    ("text", "region", "number"),
    [
        ("+447700900123", None, "+447700900123"),  # of a reserved range: possible, never valid
        (" +44 (0)7700 900-123 ", None, "+447700900123"),
        ("07700 900123", "GB", "+447700900123"),
        ("00447700900123", "GB", "+447700900123"),
        ("00 55 11 98765 4321", "BR", "+5511987654321"),  # not +1 198, by the carrier 0055
        ("0011 64 21 345 678", "AU", "+6421345678"),
        ("whatsapp:+14155238886", None, "+14155238886"),
        ("WhatsApp:+14155238886", "GB", "+14155238886"),
        ("+5215512345678", None, "+525512345678"),
        ("whatsapp:+5215512345678", None, "+525512345678"),
        ("1 55 1234 5678", "MX", "+525512345678"),
        ("+525512345678", None, "+525512345678"),
        ("+5491123456789", None, "+5491123456789"),  # the Argentine 9 stays
        ("+390612345678", None, "+390612345678"),  # so does an Italian 0
        ("+44\u00a07700\u2011900\u2011123", None, "+447700900123"),
        ("\uff0b\uff14\uff147700900123", None, "+447700900123"),  # full width
    ],
)
def test_a_possible_number_is_written_in_e164(text: str, region: str | None, number: str) -> None:
    assert phone_number(text, region) == number


@each(
    ("text", "region", "reason"),
    [
        ("07700900123", None, "no_country"),
        ("07700900123", "XX", "no_country"),
        ("+99912345678", None, "no_country"),
        ("+12345", None, "impossible"),
        ("+4477009001234567890", None, "impossible"),
        ("253-0000", "US", "impossible"),  # valid in a neighbouring country only
        ("+12025550123#5", None, "has_extension"),
        ("", "GB", "malformed"),
        ("+", None, "malformed"),
        ("1-800-FLOWERS", "US", "malformed"),
        ("call 07700 900123", "GB", "malformed"),
        ("tel:+447700900123", None, "malformed"),
        ("+447700900123 / +447700900124", None, "malformed"),
        ("+44 7700\x00900123", None, "malformed"),
        ("0" * 300, "GB", "malformed"),
        ("bsuid:US.13491208655302741918", None, "malformed"),
        ("+447700900123~", None, "malformed"),  # of an earlier owner
    ],
)
def test_an_invalid_number_is_refused_with_a_reason(
    text: str, region: str | None, reason: str
) -> None:
    with pytest.raises(PhoneInvalid) as refused:
        phone_number(text, region)

    assert refused.value.reason == reason


@pytest.mark.parametrize("text", ["+447700900123", "+525512345678", "+390612345678"])
def test_a_normalised_number_is_unchanged(text: str) -> None:
    assert phone_number(phone_number(text)) == text


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Ann.Doe@Example.COM", "ann.doe@example.com"),
        ("  ann+news@example.com\n", "ann+news@example.com"),
        ("ann@b\u00fccher.com", "ann@xn--bcher-kva.com"),
        ("J\u00d6RG@example.com", "j\u00f6rg@example.com"),
        ("\u0410\u043d\u044f@example.com", "\u0430\u043d\u044f@example.com"),
    ],
)
def test_the_key_of_an_address_ignores_letter_case(text: str, address: str) -> None:
    assert email_address(text) == address


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("\u212aate@example.com", "kate@example.com"),  # the Kelvin sign
        ("stra\u00dfe@example.com", "strasse@example.com"),
        ("\u017fam@example.com", "sam@example.com"),  # long s
        ("\u0130da@example.com", "ida@example.com"),
        ("\ufb01na@example.com", "fina@example.com"),  # ligature
    ],
)
def test_a_character_that_folds_into_ascii_letters_gives_another_address(
    odd: str, plain: str
) -> None:
    assert email_address(odd) != email_address(plain)


@each(
    "text",
    ["", "ann", "ann@", "@example.com", "Ann <ann@example.com>", "a@example.com,b@example.com",
     "ann@localhost", "ann@[192.0.2.1]", "a@example.com\nBcc: b@example.com", "a" * 300 + "@example.com"],
)  # fmt: skip
def test_a_text_that_is_not_one_address_is_refused(text: str) -> None:
    with pytest.raises(EmailInvalid):
        email_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "US.13491208655302741918",
        "bsuid:US.13491208655302741918",
        "whatsapp:US.13491208655302741918",
    ],
)
def test_a_user_id_keeps_its_letter_case_after_its_prefix(text: str) -> None:
    assert user_id(text) == "bsuid:US.13491208655302741918"


def test_a_parent_user_id_is_a_user_id_too() -> None:
    assert user_id("US.ENT.11815799212886844830") == "bsuid:US.ENT.11815799212886844830"


@each(
    "text", ["", "447700900123", "US", "US.", "us.1349", "US.13#49", "US.13 49", "US." + "1" * 200]
)
def test_an_invalid_user_id_is_refused(text: str) -> None:
    with pytest.raises(UserIdInvalid):
        user_id(text)


def test_user_ids_and_numbers_are_distinguished() -> None:
    assert is_user_id(user_id("GB.8f3a"))
    assert not is_user_id(phone_number("+447700900123"))


@pytest.mark.parametrize(
    ("normalise", "given"),
    [
        (phone_number, "call 07700900123"),
        (email_address, "ann doe@example.com"),
        (user_id, "us.77"),
    ],
)
def test_no_error_repeats_its_input(normalise: object, given: str) -> None:
    assert callable(normalise)
    with pytest.raises(AddressInvalid) as refused:
        normalise(given)

    said = f"{refused.value!r} {refused.value} {refused.value.args}"
    assert not any(part in said for part in ("077", "ann", "us.77"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+525512345678", "+5215512345678"),
        ("+541155512345", "+5491155512345"),
        ("+551187654321", "+5511987654321"),
    ],
    ids=["Mexico", "Argentina", "Brazil"],
)
def test_a_number_with_two_spellings_has_the_other_one(one: str, other: str) -> None:
    assert other_spellings(one) == [other]
    assert other_spellings(other) == [one]


@pytest.mark.parametrize(
    "address",
    [
        "+447700900123",
        "+12025550142",
        "+551123456789",
        "+52551234",
        "bsuid:US.1",
        "ann@example.com",
    ],
)
def test_most_addresses_have_no_other_spelling(address: str) -> None:
    assert other_spellings(address) == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("447700900101", "+44 7700 900101"),
        ("+12025550105", "+1 202-555-0105"),
        ("4930123456", "+49 30 123456"),
        ("5511987654321", "+55 11 98765-4321"),
        ("33612345678", "+33 6 12 34 56 78"),
        ("0000000000", "0000000000"),
        ("99912345678", "99912345678"),
        ("120363041234567890", "120363041234567890"),
        ("US.13491208655302741918", "US.13491208655302741918"),
        ("ann@example.com", "ann@example.com"),
    ],
)
def test_a_number_is_shown_as_people_of_its_country_write_it(address: str, shown: str) -> None:
    assert displayed(address) == shown
