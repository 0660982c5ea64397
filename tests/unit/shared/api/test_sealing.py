"""Sealed (encrypted) texts for URLs."""

import pytest

from shared.api.opaque_ids import NotOurs, Seal

seal = Seal("a secret of the deployment")


def test_a_sealed_text_opens_for_the_same_use_only() -> None:
    sealed = seal.seal("CONV#1#447700900123", bound_to="acme")

    assert seal.open(sealed, bound_to="acme") == "CONV#1#447700900123"
    with pytest.raises(NotOurs):
        seal.open(sealed, bound_to="another company")


def test_a_seal_is_stable_and_reveals_nothing() -> None:
    sealed = seal.seal("447700900123", bound_to="acme")

    assert sealed == seal.seal("447700900123", bound_to="acme")
    assert "447700900123" not in sealed
    assert sealed.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("text", ["", "x", "====", "not base64!", "é", "A" * 100])
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(NotOurs):
        seal.open(text, bound_to="acme")


def test_one_changed_character_is_detected() -> None:
    sealed = seal.seal("CONV#1#447700900123", bound_to="acme")

    with pytest.raises(NotOurs):
        seal.open(("B" if sealed[0] == "A" else "A") + sealed[1:], bound_to="acme")


def test_every_change_of_a_seal_is_detected_including_its_spare_bits() -> None:
    sealed = seal.seal("CONV#1#447700900123", bound_to="acme")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/="

    for last in set(letters) - {sealed[-1]}:
        with pytest.raises(NotOurs):
            seal.open(sealed[:-1] + last, bound_to="acme")


def test_a_seal_in_the_other_base64_alphabet_is_refused() -> None:
    texts = (seal.seal(str(number), bound_to="acme") for number in range(1_000))
    sealed = next(text for text in texts if "-" in text or "_" in text)

    with pytest.raises(NotOurs):
        seal.open(sealed.replace("-", "+").replace("_", "/"), bound_to="acme")


def test_while_the_secret_rotates_the_older_one_still_opens_and_the_newer_one_seals() -> None:
    rotating = Seal("new", older=(seal.secret,))

    assert rotating.open(seal.seal("text", bound_to="acme"), bound_to="acme") == "text"
    assert rotating.seal("text", bound_to="acme") == Seal("new").seal("text", bound_to="acme")
    with pytest.raises(NotOurs):
        Seal("new").open(seal.seal("text", bound_to="acme"), bound_to="acme")
