"""Ids of conversations and actions during the rotation of the identifier keys."""

import re

import pytest

from conversations.store.items import identifiers
from shared.identity.keyed_hashes import KeyUnknown
from tests.keyring import Keys, held

OLD, NEW = "the old key", "the new key"
ID = "acme#hiring#req-1#447700900123"


def test_a_ref_is_26_characters_and_cannot_be_made_without_the_key() -> None:
    with held(Keys(OLD)):
        by_old = identifiers.ref_of(ID)
    with held(Keys(NEW)):
        by_new = identifiers.ref_of(ID)

    assert re.fullmatch("[a-z2-7]{26}", by_old)
    assert by_old != by_new


def test_action_ids_of_a_conversation_stay_when_the_keys_rotate() -> None:
    with held(Keys(OLD)):
        ref = identifiers.ref_of(ID)
        before = identifiers.action_id(ref, "initial")
    with held(Keys(NEW, OLD)):
        assert identifiers.action_id(ref, "initial") == before
        assert identifiers.action_id(identifiers.ref_of(ID), "initial") != before


def test_a_lookup_includes_the_ref_made_with_an_older_key() -> None:
    with held(Keys(OLD)):
        before = identifiers.ref_of(ID)
    with held(Keys(NEW, OLD)):
        assert identifiers.refs_of(ID) == [identifiers.ref_of(ID), before]
        assert identifiers.refs_of(ID, before) == [before, identifiers.ref_of(ID)]


def test_a_ref_of_an_unknown_key_in_a_record_is_ignored() -> None:
    assert identifiers.refs_of(ID, "a" * 26) == [identifiers.ref_of(ID)]


def test_no_action_id_can_be_made_without_the_key_of_the_ref() -> None:
    with held(Keys(OLD)):
        ref = identifiers.ref_of(ID)
    with held(Keys(NEW)), pytest.raises(KeyUnknown):
        identifiers.action_id(ref, "initial")
