"""Opaque texts for URLs."""

import pytest

from shared.sealing import NotOurs, Seal

seal = Seal("a secret of the deployment")


def test_what_was_sealed_opens_for_the_same_use_only() -> None:
    sealed = seal.seal("CONV#1#447700900123", bound_to="acme")

    assert seal.open(sealed, bound_to="acme") == "CONV#1#447700900123"
    with pytest.raises(NotOurs):
        seal.open(sealed, bound_to="another company")


def test_a_seal_is_stable_and_shows_nothing() -> None:
    sealed = seal.seal("447700900123", bound_to="acme")

    assert sealed == seal.seal("447700900123", bound_to="acme")
    assert "447700900123" not in sealed
    assert sealed.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("text", ["", "x", "====", "not base64!", "é", "A" * 100])
def test_anything_else_is_not_ours(text: str) -> None:
    with pytest.raises(NotOurs):
        seal.open(text, bound_to="acme")


def test_one_changed_character_is_noticed() -> None:
    sealed = seal.seal("CONV#1#447700900123", bound_to="acme")

    with pytest.raises(NotOurs):
        seal.open(("B" if sealed[0] == "A" else "A") + sealed[1:], bound_to="acme")
