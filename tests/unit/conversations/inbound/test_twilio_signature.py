"""
Valid and forged signatures of Twilio.

The first vector is Twilio's own; the others are signed here, word for word by the rule, not by the code under test.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import pytest

from conversations.inbound.webhooks.twilio_signature import Call, fields_of, signer_of
from tests.cases import each

URL = "https://parley.example/webhooks/twilio"
ACCOUNTS = {
    "AC1": {"auth_tokens": ["new", "old"], "shared_keys": {"K1": "shared", "K2": ["next", "last"]}},
    "AC2": {"auth_tokens": ["of another account"], "shared_keys": {"K3": "of another account"}},
    "AC3": {"auth_tokens": "schlüssel 🔑"},
    "AC4": {"auth_tokens": [], "shared_keys": {}},
    "AC5": {"auth_tokens": [""], "shared_keys": {"K1": ""}},
    "AC6": None,
    "AC7": {"auth_tokens": None, "shared_keys": "K1"},
}
PLAIN = [("AccountSid", "AC1"), ("Body", "Hi"), ("From", "+447700900123"), ("MessageSid", "SM1")]
SHA256 = "key=K1,algorithm=HMAC_SHA256"


def by_hand(text: str, key: str = "new", algorithm: str = "sha1") -> str:
    """The signature of a text assembled by hand."""
    mac = hmac.new(key.encode(), text.encode(), getattr(hashlib, algorithm))
    return base64.b64encode(mac.digest()).decode()


def call(
    form: Sequence[tuple[str, str]] | bytes = PLAIN,
    *,
    text: str = "AccountSidAC1BodyHiFrom+447700900123MessageSidSM1",
    url: str = URL,
    urls: Sequence[str] = (URL,),
    key: str = "new",
    algorithm: str = "sha1",
    **changes: Any,
) -> Call:
    """A request to *urls* with *form*, signed over *url* and *text*."""
    body = form if isinstance(form, bytes) else urlencode(form).encode()
    facts: dict[str, Any] = {
        "body": body,
        "is_json": False,
        "urls": urls,
        "signature": by_hand(url + text, key, algorithm),
    }
    return Call(**facts | changes)


def test_the_example_of_twilios_documentation_is_valid() -> None:
    """It has no account, so one is added; the other signed data is unchanged."""
    form = {
        "CallSid": "CA1234567890ABCDE",
        "Caller": "+14158675309",
        "Digits": "1234",
        "From": "+14158675309",
        "To": "+18005551212",
    }
    url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    text = "".join(name + form[name] for name in sorted(form))

    assert by_hand(url + text, "12345") == "RSOYDt4T1cUTdK1PDd93/VVr8B8="
    signed = [*form.items(), ("AccountSid", "AC9")]
    accounts = {"AC9": {"auth_tokens": ["12345"]}}
    parameters = call(signed, text=f"AccountSidAC9{text}", url=url, urls=[url], key="12345")
    assert signer_of(parameters, accounts) == "AC9"


def more(*pairs: tuple[str, str]) -> list[tuple[str, str]]:
    return [("AccountSid", "AC1"), *pairs]


RIGHT: dict[str, Call] = {
    "a plain form": call(),
    "in any order": call(list(reversed(PLAIN))),
    "the older token": call(key="old"),
    # values
    "a blank value": call(more(("Body", "")), text="AccountSidAC1Body"),
    "a blank value at the end": call(b"AccountSid=AC1&Body=", text="AccountSidAC1Body"),
    "a name without =": call(b"AccountSid=AC1&Body", text="AccountSidAC1Body"),
    "many blank values": call(
        more(("FromCity", ""), ("FromState", ""), ("Body", "")),
        text="AccountSidAC1BodyFromCityFromState",
    ),
    "no field but the account": call(more(), text="AccountSidAC1"),
    "emoji": call(more(("Body", "😀 👩‍👩‍👧")), text="AccountSidAC1Body😀 👩‍👩‍👧"),
    "letters of many alphabets": call(
        more(("Body", "Grüße жя नम 你好 \u202e")), text="AccountSidAC1BodyGrüße жя नम 你好 \u202e"
    ),
    "letters that are composed stay so": call(
        more(("Body", "e\u0301")), text="AccountSidAC1Bodye\u0301"
    ),
    "plus and percent": call(more(("Body", "1+1=2 & 50%")), text="AccountSidAC1Body1+1=2 & 50%"),
    "a blank written as +": call(b"AccountSid=AC1&Body=a+b", text="AccountSidAC1Bodya b"),
    "a blank written as %20": call(b"AccountSid=AC1&Body=a%20b", text="AccountSidAC1Bodya b"),
    "lower-case escapes": call(b"AccountSid=AC1&Body=%c3%bc", text="AccountSidAC1Bodyü"),
    "letters that are not escaped": call(
        "AccountSid=AC1&Body=ü".encode(), text="AccountSidAC1Bodyü"
    ),
    "line ends": call(more(("Body", "a\r\nb\n")), text="AccountSidAC1Bodya\r\nb\n"),
    "blanks around": call(more(("Body", "  a  ")), text="AccountSidAC1Body  a  "),
    "a NUL": call(more(("Body", "a\x00b")), text="AccountSidAC1Bodya\x00b"),
    "an empty pair": call(b"AccountSid=AC1&&Body=a&", text="AccountSidAC1Bodya"),
    "JSON in a value": call(more(("AddOns", '{"a": null}')), text='AccountSidAC1AddOns{"a": null}'),
    "64 KB of emoji": call(more(("Body", "😀" * 5_000)), text="AccountSidAC1Body" + "😀" * 5_000),
    # names
    "upper case comes before lower": call(
        more(("a", "1"), ("B", "2"), ("_", "3")), text="AccountSidAC1B2_3a1"
    ),
    "by code point, not by alphabet": call(
        more(("ä", "1"), ("z", "2"), ("𐀀", "3"), ("\uffff", "4")),
        text="AccountSidAC1z2ä1\uffff4𐀀3",
    ),
    "numbers as text": call(
        more(("MediaUrl10", "c"), ("MediaUrl2", "b"), ("MediaUrl1", "a")),
        text="AccountSidAC1MediaUrl1aMediaUrl10cMediaUrl2b",
    ),
    "a name that begins like another": call(
        more(("Body", "x"), ("BodyX", ""), ("Bod", "yx")), text="AccountSidAC1BodyxBodyxBodyX"
    ),
    "a name twice": call(more(("To", "+2"), ("To", "+1")), text="AccountSidAC1To+1To+2"),
    "a name and a value twice": call(more(("To", "+1"), ("To", "+1")), text="AccountSidAC1To+1"),
    "a name twice, once blank": call(more(("To", "+1"), ("To", "")), text="AccountSidAC1ToTo+1"),
    "another name that holds the account": call(
        more(("ToAccountSid", "AC2")), text="AccountSidAC1ToAccountSidAC2"
    ),
    # keys
    "a token that is no list": call(
        [("AccountSid", "AC3")], text="AccountSidAC3", key="schlüssel 🔑"
    ),
    "another account": call(
        [("AccountSid", "AC2")], text="AccountSidAC2", key="of another account"
    ),
    "a shared key": call(key="shared", algorithm="sha256", settings=SHA256),
    "a shared key that rotates": call(
        key="last", algorithm="sha256", settings="key=K2,algorithm=HMAC_SHA256"
    ),
    "settings with a blank": call(
        key="shared", algorithm="sha256", settings="key=K1, algorithm=HMAC_SHA256"
    ),
    "settings in another order": call(
        key="shared", algorithm="sha256", settings="algorithm=HMAC_SHA256,key=K1"
    ),
    # addresses
    "the second of two addresses": call(urls=["https://other.example/webhooks/twilio", URL]),
}
WRONG: dict[str, Call] = {
    "nothing": call(signature=""),
    "a blank": call(signature=" "),
    "another token": call(key="guessed"),
    "the token of another account": call(key="of another account"),
    "an empty token": call([("AccountSid", "AC5")], text="AccountSidAC5", key=""),
    "an empty shared key": call(
        [("AccountSid", "AC5")], text="AccountSidAC5", key="", algorithm="sha256", settings=SHA256
    ),
    "an account without tokens": call([("AccountSid", "AC4")], text="AccountSidAC4", key=""),
    "an account without anything": call([("AccountSid", "AC6")], text="AccountSidAC6", key=""),
    "tokens that are none": call([("AccountSid", "AC7")], text="AccountSidAC7", key="None"),
    "an unknown account": call([("AccountSid", "AC0")], text="AccountSidAC0"),
    "no account": call([("Body", "Hi")], text="BodyHi"),
    "an empty account": call([("AccountSid", "")], text="AccountSid"),
    "two accounts": call(
        [("AccountSid", "AC1"), ("AccountSid", "AC2")], text="AccountSidAC1AccountSidAC2"
    ),
    "the account in the wrong case": call([("accountsid", "AC1")], text="accountsidAC1"),
    "nothing signed but the address": call(text=""),
    "another value": call([*PLAIN[:-1], ("MessageSid", "SM2")]),
    "a value more": call([*PLAIN, ("X", "1")]),
    "a blank value more": call([*PLAIN, ("X", "")]),
    "a value less": call(PLAIN[:-1]),
    "blank values left out by the signer": call(more(("Body", "")), text="AccountSidAC1"),
    "values as they are escaped": call(more(("Body", "ü")), text="AccountSidAC1Body%C3%BC"),
    "an empty body": call(b""),
    "a body that is no form": call(b'{"AccountSid": "AC1"}'),
    "in hex": call(signature=base64.b64decode(by_hand(URL)).hex()),
    "of another length": call(signature=call().signature[:-1]),
    "with a blank behind": call(signature=call().signature + " "),
    "with a line end behind": call(signature=call().signature + "\n"),
    "twice": call(signature=f"{call().signature},{call().signature}"),
    "without padding": call(signature=call().signature.rstrip("=")),
    "in lower case": call(signature=call().signature.lower()),
    "non-ASCII": call(signature="é" * 28),
    "an emoji": call(signature="😀"),
    "half an emoji": call(signature="\ud83d"),
    "letters that look alike": call(signature=call().signature.replace("=", "\uff1d")),
    "SHA-256 with a token": call(algorithm="sha256"),
    "SHA-1 with a shared key": call(key="shared"),
    "a shared key by SHA-1, named": call(key="shared", settings=SHA256),
    "a token by SHA-256, named": call(algorithm="sha256", settings=SHA256),
    "a token by SHA-1, though a key is named": call(settings=SHA256),
    "an unknown shared key": call(
        key="shared", algorithm="sha256", settings="key=K9,algorithm=HMAC_SHA256"
    ),
    "a shared key of another account": call(
        key="of another account", algorithm="sha256", settings="key=K3,algorithm=HMAC_SHA256"
    ),
    "another address": call(url="https://parley.example/webhooks/other"),
    "http": call(url="http://parley.example/webhooks/twilio"),
    "a slash more": call(url=f"{URL}/"),
    "no address at all": call(urls=[]),
} | {
    f"settings {settings!r}": call(key="shared", algorithm="sha256", settings=settings)
    for settings in [
        *("", " ", "key=K1", "algorithm=HMAC_SHA256", "key=K1,algorithm=HMAC_SHA1"),
        *("key=K1,algorithm=none", "key=K1,algorithm=hmac_sha256", "key=,algorithm=HMAC_SHA256"),
        *("key=K1;algorithm=HMAC_SHA256", "K1,HMAC_SHA256", "key=K1,algorithm"),
        *("key=K9,key=K1,algorithm=HMAC_SHA256", "key=K1,algorithm=HMAC_SHA256,x=1", "é"),
        "key=\ud83d,algorithm=HMAC_SHA256",
    ]
}


@each("signed", RIGHT.values(), ids=RIGHT.keys())
def test_a_request_signed_by_the_account_is_valid(signed: Call) -> None:
    claimed = str(fields_of(signed.body, is_json=False)["AccountSid"])

    assert signer_of(signed, ACCOUNTS) == claimed


@each("signed", WRONG.values(), ids=WRONG.keys())
def test_a_request_without_a_valid_signature_has_no_account(signed: Call) -> None:
    assert signer_of(signed, ACCOUNTS) is None


@pytest.mark.parametrize("accounts", [None, [], "AC1", 7, {}, {"AC1": ["new"]}, {"AC1": "new"}])
def test_a_malformed_secret_validates_no_request(accounts: object) -> None:
    assert signer_of(call(), accounts) is None


def test_a_repr_contains_neither_signature_nor_body() -> None:
    shown = repr(call())

    assert call().signature not in shown
    assert "447700900123" not in shown


# JSON

JSON = b'{"AccountSid": "AC1", "Body": "Gr\xc3\xbc\xc3\x9fe"}'
HASH = hashlib.sha256(JSON).hexdigest()
HASHED_URL = f"{URL}?bodySHA256={HASH}"


def json_call(
    body: bytes = JSON, url: str = HASHED_URL, hashes: Sequence[str] = (HASH,), **changes: Any
) -> Call:
    return call(body, text="", url=url, urls=[url], is_json=True, body_hashes=hashes, **changes)


def hashed(body: bytes) -> Call:
    """A valid request with this body."""
    digest = hashlib.sha256(body).hexdigest()
    return json_call(body, f"{URL}?bodySHA256={digest}", [digest])


@pytest.mark.parametrize(
    "signed",
    [
        json_call(),
        json_call(url=f"{URL}?bodySHA256={HASH.upper()}", hashes=[HASH.upper()]),
        json_call(url=f"{URL}?a=1&bodySHA256={HASH}"),
        json_call(key="old"),
        json_call(key="shared", algorithm="sha256", settings=SHA256),
        hashed(JSON + b"\n"),
    ],
)
def test_a_json_signature_covers_the_url_with_the_hash_of_the_body(signed: Call) -> None:
    assert signer_of(signed, ACCOUNTS) == "AC1"


@each(
    "signed",
    [
        json_call(JSON + b" "),
        json_call(url=URL, hashes=[]),
        json_call(hashes=[]),
        json_call(hashes=["0" * 64]),
        json_call(hashes=[HASH, HASH]),
        json_call(hashes=[""]),
        json_call(hashes=["é"]),
        json_call(hashes=["\ud83d"]),
        json_call(key="guessed"),
        json_call(signature=by_hand(HASHED_URL + "AccountSidAC1")),
        json_call(settings=SHA256),
        hashed(b"[]"),
        hashed(b"null"),
        hashed(b"{}"),
        hashed(b'{"AccountSid": ["AC1"]}'),
        hashed(b'{"AccountSid": 1}'),
        hashed(b"{"),
        hashed(b"\xff"),
        hashed(b"[" * 20_000),
        hashed(b"AccountSid=AC1"),
    ],
)
def test_json_with_a_wrong_hash_or_without_an_account_is_invalid(signed: Call) -> None:
    assert signer_of(signed, ACCOUNTS) is None


def test_a_signed_json_url_does_not_validate_a_form() -> None:
    """An attacker cannot reuse the signature of a JSON request for a form."""
    form = call(PLAIN, text="", url=HASHED_URL, urls=[HASHED_URL], body_hashes=[HASH])

    assert signer_of(form, ACCOUNTS) is None
