"""API keys: their stored form, validation and expiry."""

import re
from collections.abc import Callable

import pytest

from access import api_keys
from access.api_keys import KeyRefused
from shared.access import company_keys
from shared.api.auth import Caller
from shared.aws.dynamodb import Attributes, Table
from shared.aws.dynamodb.values import decoded
from shared.runtime import clock

NOW = 1_767_268_800_000


class Drawer(Table):
    """A table of keys in a dict."""

    def __init__(self) -> None:
        self.name = "keys"
        self.items: dict[str, Attributes] = {}
        self.reads: list[Attributes] = []

    def get(self, key: Attributes) -> Attributes | None:
        self.reads.append(key)
        return self.items.get(key["key_id"])

    def transact(self, *writes: Attributes) -> None:
        item = decoded(writes[0]["Put"]["Item"])
        self.items[item["key_id"]] = item


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Drawer:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    return Drawer()


def a_key(table: Table, *, expires_at: int | None = None) -> str:
    return company_keys.create(
        table, company="acme", scopes=["whatsapp:read"], name="till", expires_at=expires_at
    )


def test_a_key_identifies_its_company_and_scopes(table: Drawer) -> None:
    text = a_key(table)
    [key_id] = table.items

    assert api_keys.verify(table, text).caller() == Caller(
        company="acme", scopes=frozenset({"whatsapp:read"}), principal=f"api-key:{key_id}"
    )


def test_only_a_hash_of_the_secret_is_kept(table: Drawer) -> None:
    text = a_key(table)

    shape = re.fullmatch(r"pk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", text)
    assert shape is not None
    [item] = table.items.values()
    assert item["key_id"] == shape[1]
    assert shape[2] not in str(item)
    assert item == {
        "key_id": shape[1],
        "secret_hash": item["secret_hash"],
        "company": "acme",
        "scopes": ["whatsapp:read"],
        "projects": ["*"],
        "name": "till",
        "status": "active",
        "created_at": "2026-01-01T12:00:00.000Z",
    }
    assert re.fullmatch("[0-9a-f]{64}", item["secret_hash"])


@pytest.mark.parametrize(
    ("left_s", "is_valid"), [(3600, True), (1, True), (0, False), (-1, False), (-3600, False)]
)
def test_a_key_expires_at_its_time(table: Drawer, left_s: int, is_valid: bool) -> None:
    text = a_key(table, expires_at=NOW // 1000 + left_s)

    if is_valid:
        assert api_keys.verify(table, text).expires_at == NOW // 1000 + left_s
    else:
        with pytest.raises(KeyRefused, match=r"^expired$"):
            api_keys.verify(table, text)


@pytest.mark.parametrize("status", ["revoked", "", "Active", "anything"])
def test_a_key_that_is_not_active_is_refused(table: Drawer, status: str) -> None:
    text = a_key(table)
    next(iter(table.items.values()))["status"] = status

    with pytest.raises(KeyRefused, match=r"^revoked$"):
        api_keys.verify(table, text)


def test_a_wrong_secret_is_refused_without_revealing_the_keys_state(table: Drawer) -> None:
    text = a_key(table, expires_at=0)
    wrong = text[:-43] + "A" * 43

    with pytest.raises(KeyRefused, match=r"^wrong_secret$"):
        api_keys.verify(table, wrong)


def test_the_secret_of_another_key_is_refused(table: Drawer) -> None:
    first, second = a_key(table), a_key(table)

    with pytest.raises(KeyRefused, match=r"^wrong_secret$"):
        api_keys.verify(table, first[:-43] + second[-43:])


def test_an_unknown_key_is_compared_like_a_known_one(
    table: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return left == right

    monkeypatch.setattr("hmac.compare_digest", compare)

    with pytest.raises(KeyRefused, match=r"^unknown$"):
        api_keys.verify(table, "pk_" + "0" * 16 + "_" + "A" * 43)
    with pytest.raises(KeyRefused, match=r"^wrong_secret$"):
        api_keys.verify(table, a_key(table)[:-43] + "A" * 43)
    assert [tuple(len(side) for side in pair) for pair in compared] == [(64, 64), (64, 64)]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.upper(),
        lambda text: text[:-1],
        lambda text: text + "A",
        lambda text: text + "\n",
        lambda text: " " + text,
        lambda text: text.replace("pk_", "sk_"),
        lambda text: text.replace("_", "-", 1),
        lambda text: text[:-1] + "é",
        lambda text: text[:-1] + "\ud800",
        lambda text: text[:3] + "\u0661" + text[4:],  # a digit, but not an ASCII one
        lambda text: "x" * 100_000,
    ],
)
def test_a_malformed_key_is_not_looked_up(table: Drawer, change: Callable[[str], str]) -> None:
    text = a_key(table)

    with pytest.raises(KeyRefused, match=r"^malformed$"):
        api_keys.verify(table, change(text))
    assert table.reads == []
