"""Signed links of the question how satisfied a customer is, and its texts."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from shared.inbox.satisfaction.links import Link, LinkInvalid, link_of, token_of
from shared.inbox.satisfaction.texts import TEXTS, language_of
from tests import keyring

LINK = Link(channel="email", conversation_id="0123456789abcdef", language="de", expires_at=2**33)


def test_a_link_stays_valid_while_the_keys_rotate_and_not_after() -> None:
    with keyring.held(keyring.Keys("first")):
        token = token_of(LINK)
    with keyring.held(keyring.Keys("second", "first")):
        assert link_of(token) == LINK
    with keyring.held(keyring.Keys("second")), pytest.raises(LinkInvalid):
        link_of(token)


def test_every_language_has_every_text_and_others_are_answered_in_english() -> None:
    assert all(all(astuple(texts)) for texts in TEXTS.values())
    assert language_of("x", "pt-BR") == "pt"
    assert language_of("x", None, "tlh") == "en"


def test_a_link_of_an_earlier_release_stays_valid() -> None:
    with keyring.held(keyring.Keys("first")):
        assert (
            link_of("email.0123456789abcdef.de.200000000.5b13b59f8d9c3814c3d5c78ac8c77305") == LINK
        )
