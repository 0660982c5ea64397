"""Identifiers of a customer have one normal form, whichever spelling a provider, a person or a file uses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.identity.addresses import AddressInvalid, customer_number
from shared.identity.identifiers import Identifier, IdentifierKind, identifier
from tests.cases import each

PHONE, EMAIL = IdentifierKind.PHONE, IdentifierKind.EMAIL
USER_ID, EXTERNAL = IdentifierKind.USER_ID, IdentifierKind.EXTERNAL


@each(
    ("normal", "region", "spellings"),
    [
        (
            "+447700900101",
            "GB",
            ["+44 7700 900101", "07700 900101", "447700900101", "00447700900101", "(0)7700-900101"],
        ),
        ("+447700900101", None, ["+447700900101", "447700900101", "0044 7700 900101"]),
        ("+447700900101", "US", ["447700900101", "0044 7700 900101", "whatsapp:+447700900101"]),
        ("+447700900101", "DE", ["00447700900101", "+44 (0) 7700 900101"]),
        ("+12025550143", "US", ["(202) 555-0143", "12025550143", "+1 202 555 0143"]),
        ("+5531987654321", "BR", ["+55 31 8765-4321", "(31) 98765-4321", "553187654321"]),
        ("+525512345678", "MX", ["+52 1 55 1234 5678", "5215512345678", "55 1234 5678"]),
        ("+5491123456789", "AR", ["+54 11 2345-6789", "541123456789", "+54 9 11 2345 6789"]),
        ("+447700900101", "AU", ["0011 44 7700 900101", "0044 7700 900101"]),
        (
            "+447700900101",
            "GB",
            ["\u202a+44\u00a07700\u00a0900101\u202c", "\u200e07700 900101\u200f"],
        ),
        ("+447700900101", None, ["\u202a+44 7700 900101\u202c", "\ufeff+447700900101"]),
        ("+4915112345678", "DE", ["0151 12345678", "4915112345678", "+49 151 12345678"]),
    ],
)
def test_all_spellings_of_a_phone_number_are_one_identifier(
    normal: str, region: str | None, spellings: list[str]
) -> None:
    found = {identifier(PHONE, spelling, region=region) for spelling in spellings}

    assert found == {Identifier(PHONE, normal)}


@pytest.mark.parametrize(
    ("kind", "normal", "spellings"),
    [
        (EMAIL, "ann@example.com", ["Ann@Example.COM", " ann@example.com ", "ANN@EXAMPLE.COM"]),
        (EMAIL, "ann@example.com", ["\u200eann@example.com\u200b ", "\ufeffAnn@example.com"]),
        (EMAIL, "ann@xn--bcher-kva.example", ["Ann@bücher.example", "ann@XN--BCHER-KVA.example"]),
        (USER_ID, "112233:US.13491208655302741918", [" 112233:bsuid:US.13491208655302741918"]),
        (EXTERNAL, "shop:C-1001", ["Shop:C-1001", " shop : C-1001 "]),
        (EXTERNAL, "crm:a:b", ["CRM:a:b"]),
    ],
)
def test_all_spellings_of_other_identifiers_are_one(
    kind: IdentifierKind, normal: str, spellings: list[str]
) -> None:
    assert {identifier(kind, each) for each in [normal, *spellings]} == {Identifier(kind, normal)}


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (EMAIL, "ann.doe@example.com", "anndoe@example.com"),
        (EMAIL, "ann+shop@example.com", "ann@example.com"),
        (USER_ID, "1:US.134912", "2:US.134912"),
        (USER_ID, "1:US.abc", "1:US.ABC"),
        (EXTERNAL, "shop:C1", "crm:C1"),
        (EXTERNAL, "shop:c1", "shop:C1"),
        (PHONE, "+447700900101", "+447700900102"),
    ],
)
def test_identifiers_that_may_be_of_two_people_stay_two(
    kind: IdentifierKind, one: str, other: str
) -> None:
    assert identifier(kind, one) != identifier(kind, other)


@each(
    ("kind", "text"),
    [
        (PHONE, "call me"),
        (PHONE, ""),
        (PHONE, "07700 900101"),
        (PHONE, "+44"),
        (EMAIL, "ann"),
        (USER_ID, "US.134912"),
        (USER_ID, "portfolio:US.134912"),
        (USER_ID, "1:134912"),
        (EXTERNAL, "C-1001"),
        (EXTERNAL, "shop:"),
        (EXTERNAL, ":C1"),
        (EXTERNAL, "shop:a\nb"),
        (EXTERNAL, "shop:" + "a" * 201),
    ],
)
def test_other_text_is_refused_without_repeating_it(kind: IdentifierKind, text: str) -> None:
    with pytest.raises(AddressInvalid) as refused:
        identifier(kind, text)

    assert not text or text not in str(refused.value)


def test_an_identifier_is_not_printed() -> None:
    assert "7700" not in repr(identifier(PHONE, "+447700900101"))


@given(
    st.from_regex(r"\+(44|49|1|52|54|55)[0-9]{7,11}", fullmatch=True),
    st.sampled_from(["GB", "BR", None]),
)
def test_the_normal_form_of_a_normal_form_is_itself(text: str, region: str | None) -> None:
    try:
        normal = customer_number(text, region)
    except AddressInvalid:
        return

    assert customer_number(normal, region) == normal
    assert customer_number(normal.replace("+", "00"), region) == normal
