"""The data endpoint's encryption against an independent client."""

import base64
import json
from functools import cache
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from hypothesis import given
from hypothesis import strategies as st

from local.demo.flows import client
from whatsapp.inbound.flows import encryption

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3)
    ),
    max_leaves=8,
)
REQUESTS = st.dictionaries(st.text(max_size=20), JSON, max_size=5)
PARTS = ("encrypted_flow_data", "encrypted_aes_key", "initial_vector")


@cache
def private_key(number: int) -> RSAPrivateKey:
    assert number
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


@cache
def public_pem(number: int) -> str:
    return (
        private_key(number)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )


@given(
    request=REQUESTS,
    aes_key=st.binary(min_size=16, max_size=16),
    vector=st.binary(min_size=12, max_size=16),
)
def test_what_a_client_encrypts_is_read_and_its_answer_can_be_read_by_the_client(
    request: dict[str, Any], aes_key: bytes, vector: bytes
) -> None:
    sent = client.encrypted(request, public_pem(1), aes_key=aes_key, vector=vector)

    opened = encryption.opened(sent.body, [private_key(1)])

    assert opened.request == request
    assert sent.opened(opened.seal({"screen": "SUCCESS", "data": request})) == {
        "screen": "SUCCESS",
        "data": request,
    }


@given(part=st.sampled_from(PARTS), at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_one_changed_bit_of_any_part_is_undecryptable(part: str, at: int, bit: int) -> None:
    sent = client.encrypted({"action": "ping", "version": "3.0"}, public_pem(1))
    envelope = json.loads(sent.body)
    raw = bytearray(base64.b64decode(envelope[part]))
    raw[at % len(raw)] ^= 1 << bit
    envelope[part] = base64.b64encode(bytes(raw)).decode()

    with pytest.raises(encryption.Undecryptable):
        encryption.opened(json.dumps(envelope).encode(), [private_key(1)])


@given(body=st.binary(max_size=200))
def test_any_other_body_is_undecryptable(body: bytes) -> None:
    with pytest.raises(encryption.Undecryptable):
        encryption.opened(body, [private_key(1)])


@given(JSON)
def test_any_json_without_the_three_parts_is_undecryptable(value: Any) -> None:
    with pytest.raises(encryption.Undecryptable):
        encryption.opened(json.dumps(value).encode(), [private_key(1)])


def test_each_of_several_keys_is_tried() -> None:
    sent = client.encrypted({"action": "ping"}, public_pem(2))

    assert encryption.opened(sent.body, [private_key(1), private_key(2)]).request == {
        "action": "ping"
    }
    with pytest.raises(encryption.Undecryptable):
        encryption.opened(sent.body, [private_key(1)])


def test_a_request_that_is_no_object_is_undecryptable() -> None:
    sent = client.encrypted(["ping"], public_pem(1))  # type: ignore[arg-type] # what a client never sends

    with pytest.raises(encryption.Undecryptable):
        encryption.opened(sent.body, [private_key(1)])


def test_another_kind_of_private_key_is_refused() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()

    with pytest.raises(ValueError, match="not an RSA key"):
        encryption.private_key(pem)


def test_nothing_decrypted_is_in_the_text_of_a_request() -> None:
    sent = client.encrypted({"data": {"name": "Ada Lovelace"}}, public_pem(1))

    assert "Ada" not in repr(encryption.opened(sent.body, [private_key(1)]))
