"""The search for traces of a person finds every spelling that a store may hold."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zipfile
from decimal import Decimal
from typing import Any

from tests.cases import each
from tests.erasure.traces import traces, words

ADDRESS, PHONE, NAME = "ann@orchard.example", "+1 202-555-0105", "Zoë Okafor"


def _zipped(text: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("page.xml", text)
    return buffer.getvalue()


HOLDING: list[tuple[str, Any]] = [
    ("as it is", {"to": ADDRESS}),
    ("another case", {"to": "Ann@Orchard.EXAMPLE"}),
    ("in a set", {"people": {"b@x", ADDRESS}}),
    ("as the key of a map", {"by": {ADDRESS: 1}}),
    ("JSON in a text", {"body": json.dumps({"name": NAME})}),
    ("JSON in JSON", {"body": json.dumps({"inner": json.dumps({"name": NAME})})}),
    ("a part of a URL", {"link": "https://x/?to=ann%40orchard.example"}),
    ("digits", {"phone": "12025550105"}),
    ("a number", {"phone": Decimal(12025550105)}),
    ("digits with others between", {"phone": "tel:+1 (202) 555-0105"}),
    ("base64", {"id": base64.b64encode(ADDRESS.encode()).decode()}),
    ("base64 after one byte", {"id": base64.b64encode(b"x" + ADDRESS.encode() + b"y").decode()}),
    ("base64 after two bytes", {"id": base64.urlsafe_b64encode(b"xx" + ADDRESS.encode()).decode()}),
    ("base64 of digits", {"id": "wamid." + base64.b64encode(b"\x1c\x0b12025550105\x15").decode()}),
    ("hex", {"id": ADDRESS.encode().hex()}),
    ("a hash that can be guessed", {"id": hashlib.sha256(ADDRESS.encode()).hexdigest()[:16]}),
    ("an object", f"To: {ADDRESS}".encode()),
    ("gzip", gzip.compress(ADDRESS.encode(), mtime=0)),
    ("zip", _zipped(NAME)),
]


@each(("how", "value"), HOLDING, ids=[how for how, _ in HOLDING])
def test_a_spelling_of_an_identifier_is_found(how: str, value: object) -> None:
    assert traces({how: value}, words(ADDRESS, PHONE, "12025550105", NAME)).keys() == {how}


def test_a_word_in_a_key_is_found() -> None:
    assert traces({f"Table row#{ADDRESS}": {}}, words(ADDRESS)) == {
        f"Table row#{ADDRESS}": [f"(key): {ADDRESS}"]
    }


def test_other_values_are_no_traces() -> None:
    other = {"to": "bob@mill.example", "phone": "12025550106", "at": "2026-11-28T06:53:31.120Z"}

    assert traces({"row": other}, words(ADDRESS, PHONE, NAME)) == {}
