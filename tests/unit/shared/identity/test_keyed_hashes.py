"""Keyed hashes cannot be made without the key, and hashes of a rotated key are still recognised."""

import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.secrets import SecretUnreadable
from shared.identity import keyed_hashes
from shared.identity.keyed_hashes import KeysUnreadable, KeyUnknown, NotConfigured, keyed_hash
from shared.runtime.failures import Transient
from tests.keyring import Keys, held

OLD, NEW = "the old key", "the new key"
PHONE = "+447700900123"


class Broken(Keys):
    """A secret that cannot be read."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.failure = failure

    def value(self) -> dict[str, Any]:
        raise self.failure


def alike() -> tuple[str, str]:
    """Two keys with one fingerprint."""
    seen: dict[str, str] = {}
    for number in range(5_000):
        text = f"key {number}"
        with held(Keys(text)):
            (key,) = keyed_hashes.all_keys()
        if key.fingerprint in seen:
            return seen[key.fingerprint], text
        seen[key.fingerprint] = text
    raise AssertionError("1,024 fingerprints are used up long before")


def test_the_hash_of_a_phone_number_is_not_its_plain_hash_and_needs_the_key() -> None:
    with held(Keys(OLD)):
        by_old = keyed_hash("address", PHONE)
    with held(Keys(NEW)):
        by_new = keyed_hash("address", PHONE)

    plain = hashlib.sha256(PHONE.encode()).hexdigest()
    assert len({plain, by_old, by_new}) == 3


def test_an_address_is_hashed_as_64_hex_digits() -> None:
    hashed = keyed_hashes.address_hash(PHONE)

    assert len(hashed) == 64
    assert hashed == keyed_hashes.address_hash(PHONE) != keyed_hashes.address_hash(f"{PHONE}4")


def test_different_parts_and_different_uses_give_different_hashes() -> None:
    assert keyed_hash("pair", "ab", "c") != keyed_hash("pair", "a", "bc")
    assert keyed_hash("pair", "a") != keyed_hash("person", "a")
    assert keyed_hash("pair", "a") == keyed_hash("pair", "a")


def test_the_first_key_writes_and_all_keys_read() -> None:
    with held(Keys(OLD)):
        before = keyed_hash("address", PHONE)
    with held(Keys(OLD, NEW)):  # appended: every function loads it
        assert keyed_hash("address", PHONE) == before
    with held(Keys(NEW, OLD)):  # moved to the front
        after = keyed_hash("address", PHONE)
        assert keyed_hashes.keyed_hashes("address", PHONE) == [after, before]


def test_a_key_is_found_by_its_fingerprint_at_any_position() -> None:
    with held(Keys(OLD, NEW)):
        old, new = keyed_hashes.all_keys()
    with held(Keys(NEW, OLD)):
        assert keyed_hashes.key_named(old.fingerprint) == old
        assert keyed_hashes.key_named(new.fingerprint) == new


def test_a_removed_key_is_a_distinct_error() -> None:
    with held(Keys(OLD)):
        (old,) = keyed_hashes.all_keys()
    with held(Keys(NEW)), pytest.raises(KeyUnknown, match="identifier_key_unknown"):
        keyed_hashes.key_named(old.fingerprint)


def test_a_key_that_is_new_in_the_secret_is_found_before_the_cache_ends() -> None:
    class Stale(Keys):
        def refreshed(self, at_most_every_ms: int = 0) -> bool:
            self.texts = [NEW, OLD]
            return True

    with held(Keys(NEW)):
        (new,) = keyed_hashes.all_keys()
    with held(Stale(OLD)):
        assert keyed_hashes.key_named(new.fingerprint) == new


@pytest.mark.parametrize(
    "failure",
    [
        SecretUnreadable("no value"),
        ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue"),
    ],
)
def test_an_unreadable_secret_may_be_readable_later(failure: Exception) -> None:
    with held(Broken(failure)), pytest.raises(KeysUnreadable) as caught:
        keyed_hash("address", PHONE)
    assert isinstance(caught.value, Transient)


@pytest.mark.parametrize("texts", [[], [""]])
def test_a_secret_without_a_key_is_unreadable(texts: list[str]) -> None:
    with held(Keys(*texts)), pytest.raises(KeysUnreadable, match="identifier_keys_missing"):
        keyed_hash("address", PHONE)


def test_two_keys_with_one_fingerprint_are_refused_since_an_id_must_name_one() -> None:
    with held(Keys(*alike())), pytest.raises(KeysUnreadable, match="identifier_keys_alike"):
        keyed_hash("address", PHONE)


def test_a_function_that_has_configured_no_keys_makes_no_hash() -> None:
    with held(None), pytest.raises(NotConfigured):
        keyed_hash("address", PHONE)


def test_a_key_is_in_no_repr_or_error() -> None:
    with held(Keys(OLD)):
        assert OLD not in repr(keyed_hashes.all_keys())
