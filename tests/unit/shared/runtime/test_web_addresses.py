"""Configured web addresses: accepted and refused ones, and errors that do not contain the address."""

from __future__ import annotations

import pytest

from shared.runtime.validation import web_addresses
from shared.runtime.validation.web_addresses import WebAddressInvalid
from tests.cases import each
from tests.values.web_addresses import LOOPBACK, MALFORMED

GOOD = [
    "https://functions.example",
    "https://functions.example/",
    "https://functions.example:8443/book?project=1&x=a%20b",
    "https://Functions.Example/@user/a+b",
    "https://xn--bcher-kva.example/a",
    "https://a.b-c.d.example?x=/y",
    "https://functions.example:65535/a",
]


@pytest.mark.parametrize("address", GOOD)
def test_an_https_address_with_a_public_name_is_accepted(address: str) -> None:
    assert web_addresses.checked(address) == address


@each("address", MALFORMED, ids=lambda address: ascii(address)[1:50])
@each("local", [False, True])
def test_a_malformed_address_is_refused_in_every_stage(address: str, *, local: bool) -> None:
    with pytest.raises(WebAddressInvalid) as refusal:
        web_addresses.checked(address, local=local)
    assert str(refusal.value) == web_addresses.RULE


@pytest.mark.parametrize("address", LOOPBACK)
def test_plain_http_on_this_machine_is_accepted_by_the_local_stack_only(address: str) -> None:
    assert web_addresses.checked(address, local=True) == address
    with pytest.raises(WebAddressInvalid):
        web_addresses.checked(address)


@pytest.mark.parametrize(
    ("origin", "is_taken"),
    [
        ("https://media.example", True),
        ("https://media.example:8443", True),
        ("https://media.example/", False),
        ("https://media.example/a", False),
        ("https://media.example?a", False),
        ("http://media.example", False),
    ],
)
def test_an_origin_has_neither_path_nor_query(origin: str, *, is_taken: bool) -> None:
    if is_taken:
        assert web_addresses.checked_origin(origin) == origin
        return
    with pytest.raises(WebAddressInvalid):
        web_addresses.checked_origin(origin)
